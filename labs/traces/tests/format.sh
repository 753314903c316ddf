#!/bin/bash
# format.sh - what trace and import write is what their schemas state and docs/TRACES.md explains, and has every key that it
# had before.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
lab=labs/traces work=$(mktemp -d) twbench=${TWBENCH:-$PWD/twbench}
trap 'rm -r "$work"' EXIT

"$twbench" trace libuv-bind --fit="$work/fitted.json" --json="$work/trace.json" >/dev/null &&
    "$twbench" import nginx $lab/tests/import/samples/nginx-debug_event-mid.log.xz -o "$work/trace.tt" \
        --json="$work/import.json" 2>"$work/said" ||
    { echo "Bail out! no documents: $(cat "$work/said")"; exit 1; }
"$twbench" trace nginx --json="$work/golden-trace.json" >/dev/null
"$twbench" import nginx $lab/tests/import/samples/nginx-debug_event.log.xz -o "$work/golden.tt" \
    --json="$work/golden-import.json" 2>/dev/null

PYTHONPATH=tests python3 -B - "$work" $lab <<'PYTHON'
import json, subprocess, sys
import jsonschema, tap
from format_check import changed, check_schema, errors, name_of, retype
from tap import report

work, lab = sys.argv[1:]
page = open(f"{lab}/docs/TRACES.md").read()


def key_paths(item, path=()):
    if isinstance(item, dict):
        for key, value in item.items():
            yield path + (key,)
            yield from key_paths(value, path + (key,))
    elif isinstance(item, list) and item:
        yield from key_paths(item[0], path + (0,))


def stated(schema, path):
    for key in path:
        schema = schema.get("items" if isinstance(key, int) else "properties", {})
        schema = schema if isinstance(key, int) else schema.get(key)
        if schema is None:
            return False
    return True


for kind in ("trace", "import"):
    schema, document = json.load(open(f"{lab}/schema/{kind}-1.json")), json.load(open(f"{work}/{kind}.json"))
    check_schema(f"{kind}: the schema is a schema", schema)
    judge = jsonschema.Draft7Validator(schema)
    report(f"{kind}: what twbench writes is valid", errors(document, judge))
    # Names of counts are the log's.
    paths = [path for path in key_paths(document) if "fit" not in path and not {"converter", "flags"} & set(path[:-1])]
    report(f"{kind}: the schema states every key", [name_of(p) for p in paths if not stated(schema, p)])
    report(f"{kind}: a value of another type is refused",
           [name_of(p) for p in paths if judge.is_valid(changed(document, p, retype))])
    report(f"{kind}: a key that must be there is missed",
           [key for key in schema["required"]
            if judge.is_valid({name: value for name, value in document.items() if name != key})])
    report(f"{kind}: the page explains every key at the top",
           [key for key in document if not any(f"{mark}{key}{end}" in page for mark in "`." for end in "`.[")
            and not (key.startswith("frac_end_") and "`frac_end_*`" in page)])
    out = subprocess.run(["tests/golden/keys.py", f"{lab}/tests/{kind}.keys", f"{work}/golden-{kind}.json"],
                         capture_output=True, text=True)
    report(f"{kind}: every key of before is written", out.stdout.splitlines() if out.returncode else [])
tap.end()
PYTHON
