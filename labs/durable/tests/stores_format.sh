#!/bin/bash
# stores_format.sh - holds schema/stores-1.json and labs/durable/docs/STORES.md against each other, and against what is written.
#
# The sample is what ./twbench writes of the reference store.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2

twbench=${TWBENCH:-$PWD/twbench}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$twbench" stores --stores=memory --tasks=200 --runs=2 --progress=never --json="$work/stores.json" --directory="$work" >/dev/null ||
    { echo "Bail out! twbench stores made no sample"; exit 1; }

PYTHONPATH=tests python3 -B - "$work" <<'PYTHON'
import json, subprocess, sys
from format_check import TWBENCH, Format, name_of, remove

work = sys.argv[1]
stores = Format("labs/durable/schema/stores-1.json", "labs/durable/docs/STORES.md", f"{work}/stores.json")


def is_read(document):
    with open(f"{work}/changed.json", "w") as out:
        json.dump(document, out)
    return subprocess.run([TWBENCH, "report", f"{work}/changed.json"], capture_output=True).returncode == 0


stores.check(optional=[path for path in stores.paths if path[2:3] == ("kills",) and len(path) > 3 or path[-1] == "group_memory_bytes"], least=(60, 60, 30))
without = {path: stores.changed(path, remove) for path in stores.paths}
stores.report("whatever report refuses the schema refuses",
              [name_of(path) for path, document in without.items()
               if stores.validator.is_valid(document) and not is_read(document)]
              + ([] if is_read(stores.sample) else ["the sample itself"]))
stores.report("the manual explains every figure",
              [key for key in stores.sample["cells"][0]["figures"] if f"`{key}`" not in stores.manual])
stores.end()
PYTHON
