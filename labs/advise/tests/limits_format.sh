#!/bin/bash
# limits_format.sh - holds the schema of limits and their page against each other, and against what is written.
#
# The documents come from `test_limits sample`, which makes one up, and from ./twbench when it has been built.
# Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2

maker=${MAKER:-build/release/labs/advise/tests/test_limits}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$maker" sample "$work/limits.json" || { echo "Bail out! $maker made no sample"; exit 1; }

PYTHONPATH=tests python3 -B - "$work" <<'PYTHON'
import json, os, subprocess, sys
from format_check import TWBENCH, Format, name_of, remove

work = sys.argv[1]
limits = Format("labs/advise/schema/limits-1.json", "labs/advise/docs/LIMITS.md", f"{work}/limits.json")


def is_read(document):
    with open(f"{work}/changed.json", "w") as out:
        json.dump(document, out)
    return subprocess.run([TWBENCH, "limits", f"--limits={work}/changed.json"], capture_output=True).returncode == 0


limits.check(optional=(("multiples",),), least=(51, 51, 26))
points = limits.schema["properties"]["points"]["items"]["properties"]
limits.report("the manual explains every limit and no other is valid",
              [limit for limit in points["limit"]["enum"] if f"`{limit}`" not in limits.manual])

# What the reader here relies on is less than what the schema states, and never more.
name = "whatever --limits refuses the schema refuses"
if os.access(TWBENCH, os.X_OK):
    without = {path: limits.changed(path, remove) for path in limits.paths}
    problems = [name_of(path) for path, document in without.items()
                if limits.validator.is_valid(document) and not is_read(document)]
    limits.report(name, problems + ([] if is_read(limits.sample) else ["the sample itself"]))
else:
    limits.report(f"{name} # SKIP {TWBENCH} is not built", [])
limits.check_twbench("limits", "--tasks=64,1000", "--runs=1", "--patience=0s", "--huge-pages=off,on")
limits.end()
PYTHON
