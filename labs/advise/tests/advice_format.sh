#!/bin/bash
# advice_format.sh - holds the schema of an advice against what twbench writes.
#
# The document is that of a small load; what it advises is not looked at here, only that every figure in
# its sentences can be found among its figures.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2

twbench=${TWBENCH:-./twbench}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# advises NAME EXPRESSION ARGUMENT... - writes NAME.json and NAME.txt, with the first budget that is enough for the
# expression over its advice: a machine may stand still for all of a small one.
advises() {
    local name=$1 expression=$2 budget
    shift 2
    for budget in 4s 16s 64s; do
        "$twbench" advise "$@" --budget=$budget --progress=never --no-system-check --json="$work/$name.json" --force \
            >"$work/$name.txt" && jq -e ".advice | $expression" "$work/$name.json" >/dev/null && return
    done
    echo "Bail out! $twbench made no such document: $name"
    exit 1
}
advises small 'any(.candidates[]; .status == "recommended")' hold --tasks=300 --impl=list,heap,hashed,linux
advises none '.recommendation == null' idle --impl=heap --memory=1 --slack=1/8+1ms
real=0
if [ -x build/release/twbench-live ]; then
    advises real 'any(.candidates[]; .figures.clock)' hold --tasks=100 --impl=heap --runner=locked,tick-queue \
        --clock=real --threads=2
    real=1
fi

PYTHONPATH=tests python3 -B - "$work" $real <<'PYTHON'
import json, re, sys
import jsonschema
import format_check
from format_check import check_refused, check_schema, changed, remove, set_to
from tap import end, report

work = sys.argv[1]
schema = json.load(open("labs/advise/schema/advice-1.json"))
result_schema = json.load(open("schema/result-1.json"))
small = json.load(open(f"{work}/small.json"))
none = json.load(open(f"{work}/none.json"))
documents = [("an answer", small), ("none", none)]
real = json.load(open(f"{work}/real.json")) if sys.argv[2] == "1" else None
if real:
    documents.append(("the real clock", real))
table = open(f"{work}/small.txt").read()
validator = jsonschema.Draft7Validator(schema)
result_validator = jsonschema.Draft7Validator(result_schema)

def errors(document, by=validator):
    return format_check.errors(document, by)


def key_paths(item, path=("advice",)):
    """Paths of the keys of this format; of lists the first element stands for all."""
    if isinstance(item, dict):
        for key, value in item.items():
            if path[-1] != "settings":
                yield path + (key,)
                yield from key_paths(value, path + (key,))
    elif isinstance(item, list):
        for index, value in enumerate(item[:1]):
            yield from key_paths(value, path + (index,))


def refused(name, paths, change, least):
    check_refused(name, validator, small, paths, change, least)


check_schema("the schema is a schema", schema)
for name, document in documents:
    report(f"what twbench writes is valid: {name}", errors(document))
    report(f"it is a valid result too: {name}", errors(document, result_validator))
    advice = document["advice"]
    identities = {cell["identity"] for cell in document["cells"] + (advice["runs"] or [])}
    own = {i for candidate in advice["candidates"] for i in candidate["cells"]}
    report(f"the candidates name cells that are there: {name}", sorted(own - identities))
report("without a candidate that keeps to the wishes there is no answer", [none["advice"]["recommendation"]]
       if none["advice"]["recommendation"] else [])
name = "on the real clock each runner is a candidate, and has its figures"
if not real:
    report(f"{name} # SKIP the lab live is not built", [])
else:
    report(name, [] if {c["runner"] for c in real["advice"]["candidates"]} == {"locked", "tick-queue"} and
       any((c["figures"] or {}).get("clock") for c in real["advice"]["candidates"]) else [real["advice"]["candidates"]])
paths = list(key_paths(small["advice"]))
stated = {key for d in schema["definitions"].values() for key in d.get("properties", {})} | {"low", "high", "median"}
report("the schema states every key",
       sorted({str(path[-1]) for path in paths if not isinstance(path[-1], int) and path[-1] not in stated}))
refused("a missing key", [path for path in paths if path[-1] != "between"], remove, 50)  # nothing between calls, or an older version
# An array in place of null is one of no runs.
refused("a value of another type", [path for path in paths if path[-1] != "runs"], lambda parent, key: parent.__setitem__(
    key, [] if not isinstance(parent[key], list) else 1), 50)
report("a key that a newer version added is taken",
       errors(changed(small, ("advice", "added"), set_to(1))))

advice = small["advice"]
answer = next(c for c in advice["candidates"] if c["status"] == "recommended")
report("the answer is one of the candidates", [] if answer["name"] == advice["recommendation"]["candidate"] else [answer])
cells = {cell["identity"]: cell for cell in small["cells"]}
costs, looks = [], [cells[i] for i in answer["cells"] if cells[i]["status"] == "ok"]
raced = [cell for cell in looks if cell["sampling"]["samples"] >= 6] or looks
for cell in raced:
    operations = [sum(p["operations"][k] for k in ("start", "stop", "expire")) for p in cell["phases"]]
    for s in range(cell["sampling"]["samples"]):
        ns = sum(n * p["ns_per_op"]["samples"][s] if n else advances * p["ns_per_advance"]["median"] for n, advances, p in
                 zip(operations, [p["operations"]["advance"] for p in cell["phases"]], [p["corrected"] for p in cell["phases"]]) if n or advances)
        costs.append(ns / sum(operations))
costs.sort()
median = (costs[(len(costs) - 1) // 2] + costs[len(costs) // 2]) / 2
said = answer["figures"]["cost_ns_per_op"]
report("its cost is the median of the samples of its cells",
       [] if abs(median / said["median"] - 1) < 1e-4 and said["count"] == len(costs) else [f"{median} {said}"])
reasons = " ".join(advice["recommendation"]["reasons"])
shown = f"{said['median']:.{0 if said['median'] >= 99.95 else 1 if said['median'] >= 9.995 else 2}f} ns per operation"
report("the first reason says that cost", [] if shown in reasons or said["median"] >= 999 else [shown, reasons])
report("linux is left out, with what lets it in",
       [] if any(c["name"] == "linux" and c["status"] == "left-out" and "--late" in c["why"] for c in advice["candidates"])
       else ["it is not"])
missing = [c["name"] for c in advice["candidates"] if c["name"] not in re.sub(r"\s+", " ", table)]
report("the terminal names every candidate", missing)

end()
PYTHON
