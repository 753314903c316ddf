#!/bin/bash
# claims_format.sh - holds schema/claims-1.json against what twbench writes, and the experiment files against labs/teach/docs/CLAIMS.md.
#
# The document is that of a quick run of four claims, which between them have every key.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2

twbench=${TWBENCH:-./twbench}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# T1 has growth, T8 comparisons, T9 an order and times that are left out, F1 a formula; T99 waits.
mkdir "$work/claims"
(cd labs/teach/experiments && cp T01.json T08.json F1.json "$work/claims" && sed 's/"10k"/"2k"/' T09.json >"$work/claims/T09.json")
echo '{"id": "T99", "statement": "s", "documents": ["C"], "waits_for": "disks"}' >"$work/claims/T99.json"
"$twbench" claims --quick --claims-dir="$work/claims" --progress=never --json="$work/quick.json" >/dev/null ||
    { echo "Bail out! $twbench made no document"; exit 1; }
"$twbench" claims T7 --runs=2 --min-time=0ns --progress=never --no-system-check --json="$work/timed.json" >/dev/null ||
    { echo "Bail out! $twbench made no document with times"; exit 1; }

PYTHONPATH=tests python3 -B - "$work" <<'PYTHON'
import glob, json, sys
import jsonschema
import format_check
from format_check import check_refused, check_schema, changed, remove, set_to
from tap import end, report

work = sys.argv[1]
schema = json.load(open("labs/teach/schema/claims-1.json"))
result_schema = json.load(open("schema/result-1.json"))
manual = open("labs/teach/docs/CLAIMS.md").read()
quick = json.load(open(f"{work}/quick.json"))
timed = json.load(open(f"{work}/timed.json"))
validator = jsonschema.Draft7Validator(schema)
result_validator = jsonschema.Draft7Validator(result_schema)

# What results and the experiment files say of themselves, and objects with names for keys.
OTHERS = {"schema_version", "tool", "machine", "command", "harness", "cells", "predicate"}
NAMES = {"figures"}
# Not always there.
OPTIONAL = {"classes", "exponent", "exponent_low", "exponent_high", "against", "to", "ratio", "to_low", "to_high",
            "ratio_low", "ratio_high", "value_low", "value_high", "share", "mark",
            "reference", "fit", "class", "a", "b"}


def errors(document, by=validator):
    return format_check.errors(document, by)


def key_paths(item, path=()):
    """Paths of the keys of this format; of lists the first element stands for all."""
    if isinstance(item, dict):
        for key, value in item.items():
            named = path and (path[-1] in NAMES or len(path) > 1 and path[-2] in NAMES and "points" not in item
                              and "formula" not in item)
            if not named:
                yield path + (key,)
            if key not in OTHERS and "peers" not in path:
                yield from key_paths(value, path + (key,))
    elif isinstance(item, list):
        for index, value in enumerate(item[:1] if path and path[-1] != "claims" else item):
            yield from key_paths(value, path + (index,))


# Of the cells one, or each change is validated with all of them.
small = {**quick, "cells": quick["cells"][:1]}


def refused(name, paths, change, least):
    check_refused(name, validator, small, paths, change, least)


def retype(parent, key):
    parent[key] = 1 if isinstance(parent[key], (dict, list, str, bool)) or parent[key] is None else []


check_schema("the schema is a schema", schema)
for name, document in ("quick", quick), ("timed", timed):
    report(f"what twbench writes is valid: {name}", errors(document))
    report(f"it is a valid result too: {name}", errors(document, result_validator))
    identities = {cell["identity"] for cell in document["cells"]}
    named = {identity for claim in document["claims"] for run in claim["runs"] for identity in run["cells"]}
    report(f"the runs name the cells, all of them and no others: {name}", sorted(identities ^ named))
paths = [path for path in key_paths(quick) if path[0] not in OTHERS]
refused("a missing key", [p for p in paths if p[-1] not in OPTIONAL and "peers" not in p[:-1]],
        remove, 60)
refused("a value of another type", [p for p in paths if "predicate" not in p and "peers" not in p], retype, 60)
refused("an unknown verdict", [p for p in paths if p[-1] in ("verdict", "basis", "role", "kind", "measure")],
        set_to("fine"), 10)
report("a key that a newer version added is taken",
       errors(changed(quick, ("claims", 0, "added"), set_to(1))))

files = {name: json.load(open(name)) for name in sorted(glob.glob("labs/teach/experiments/*.json"))}
ids = {file["id"] for file in files.values()}
report("there is a file for each claim", sorted(({f"T{n}" for n in range(1, 33)} | {f"F{n}" for n in range(1, 6)}) ^ ids))
keys = {key for file in files.values() for key in file} | \
       {key for file in files.values() for run in file.get("runs", {}).values() for key in run} | \
       {key for file in files.values() for part in file.get("parts", []) for key in part} | \
       {key for file in files.values() for part in file.get("parts", []) for key in part.get("of", {})} | \
       {key for file in files.values() for picture in file.get("pictures", []) for panel in picture["panels"]
        for item in [picture, picture["x"], panel, panel["y"], *panel["series"]] for key in item}
report("the manual explains every key of the files", sorted(key for key in keys if f"`{key}`" not in manual))

end()
PYTHON
