#!/bin/bash
# selftest_format.sh - checks schema/selftest-1.json against the document that a selftest writes.
#
# The documents come from `test_selftest sample`, which makes them up, and from ./twbench when it has been built.
# Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

maker=${MAKER:-build/release/tests/test_selftest}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$maker" sample "$work/found.json" "$work/empty.json" ||
    { echo "Bail out! $maker made no sample"; exit 1; }

PYTHONPATH=tests python3 -B - "$work" <<'PYTHON'
import json, sys
import jsonschema
from format_check import Format, set_to

work = sys.argv[1]
selftest = Format("schema/selftest-1.json", None, f"{work}/found.json")

selftest.check(optional=(("calibration",),), signed=("injected_measured_percent", "calibration"), least=(40, 40, 30))
selftest.report("a selftest that found nothing is valid", selftest.errors(json.load(open(f"{work}/empty.json"))))
shares = [p for p in selftest.numbers()
          if p[0] in ("detection", "detection_low", "seen", "smallest_reliable_slowdown")
          or p[-1].endswith(("_rate", "_high", "_share"))]
selftest.refused("a share above 1", shares, set_to(1.01), 10)
selftest.refused("an unknown kind or version", [("kind",), ("schema_version",)], set_to(2), 2)
selftest.report("a slowdown that came out below 0 is taken",
                selftest.errors(selftest.changed(("injected_measured_percent", "2"), set_to(-0.3))))

selftest.check_twbench("selftest", "--impl=heap", "--workload=hold", "--tasks=100", "--pairs=14", "--max-pairs=14",
                       "--samples=1", "--min-time=100us", "--budget=1ms")
selftest.end()
PYTHON
