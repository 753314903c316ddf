#!/bin/bash
# selftest_format.sh - holds schema/selftest-1.json and docs/SELFTEST-FORMAT.md against each other, and
# against what a selftest writes: its document, and the memo for later results.
#
# The documents come from `test_selftest_record sample`, which makes them up, and from ./twbench when it
# has been built.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

maker=${MAKER:-build/release/tests/test_selftest_record}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
export XDG_STATE_HOME=$work/state

"$maker" sample "$work/found.json" "$work/empty.json" ||
    { echo "Bail out! $maker made no sample"; exit 1; }

python3 - "$work" <<'PYTHON'
import copy, json, os, subprocess, sys
import jsonschema

work = sys.argv[1]
schema = json.load(open("schema/selftest-1.json"))
result_schema = json.load(open("schema/result-1.json"))
manual = open("docs/SELFTEST-FORMAT.md").read()
result_manual = open("docs/RESULT-FORMAT.md").read()
found = json.load(open(f"{work}/found.json"))
memo = json.load(open(f"{work}/state/twbench/selftest.json"))
validator = jsonschema.Draft7Validator(schema)
shared = ("tool", "machine", "command")

results = []


def report(name, problems, directive=""):
    results.append((name + directive, list(problems)))


def errors(document, by=validator):
    return [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in by.iter_errors(document)]


def key_paths(item, path=()):
    """Paths of the keys of this format; tests/schema.sh has those that it shares with results."""
    if isinstance(item, dict):
        for key, value in item.items():
            yield path + (key,)
            if key not in shared:
                yield from key_paths(value, path + (key,))


def changed(path, change):
    """A copy of the sample with the key at `path` changed by `change(object, key)`."""
    out = copy.deepcopy(found)
    parent = out
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return out


def set_to(value):
    return lambda parent, key: parent.__setitem__(key, value)


def refused(name, paths, change, least):
    problems = [f"taken: {'.'.join(path)}" for path in paths if validator.is_valid(changed(path, change))]
    if len(paths) < least:
        problems.append(f"only {len(paths)} keys were tried")
    report(f"{name} is refused ({len(paths)} keys)", problems)


def stated(path):
    node = schema
    for key in path:
        node = node.get("properties", {}).get(key)
        if node is None:
            return False
    return True


def value_at(path):
    item = found
    for key in path:
        item = item[key]
    return item


try:
    jsonschema.Draft7Validator.check_schema(schema)
    report("the schema is a schema", [])
except jsonschema.SchemaError as error:
    report("the schema is a schema", [error.message])
report("the sample is valid", errors(found))
report("a selftest that found nothing is valid", errors(json.load(open(f"{work}/empty.json"))))
report("tool, machine and command are those of results",
       [key for key in shared if schema["properties"][key] != result_schema["properties"][key]])
paths = list(key_paths(found))
report("the schema states every key", [".".join(p) for p in paths if not stated(p)])
report("the manual explains every key", sorted({p[-1] for p in paths if f"`{p[-1]}`" not in manual}))
refused("a missing key", paths, lambda parent, key: parent.__delitem__(key), 40)
refused("a value of another type", paths,
        lambda parent, key: parent.__setitem__(key, {} if isinstance(parent[key], list) else []), 40)
numbers = [p for p in paths if isinstance(value_at(p), (int, float)) and not isinstance(value_at(p), bool)
           and p[0] != "injected_measured_percent"]
refused("a number below 0", numbers, set_to(-1), 30)
shares = [p for p in numbers if p[0] in ("detection", "detection_low", "seen", "smallest_reliable_slowdown")
          or p[-1].endswith(("_rate", "_high", "_share"))]
refused("a share above 1", shares, set_to(1.01), 10)
refused("an unknown kind or version", [("kind",), ("schema_version",)], set_to(2), 2)
report("a slowdown that came out below 0 is taken",
       errors(changed(("injected_measured_percent", "2"), set_to(-0.3))))
report("a key that a newer version added is taken", errors(changed(("added",), set_to(1))))

carried = jsonschema.Draft7Validator(result_schema["properties"]["machine"]["properties"]["selftest"])
report("what the memo holds is what results carry", errors(memo["selftest"], carried))
report("the manuals explain every key of the memo",
       [key for key in [*memo, *memo["machine"]] if f"`{key}`" not in manual] +
       [key for key in memo["selftest"] if f"`{key}`" not in result_manual])

twbench = os.environ.get("TWBENCH", "./twbench")
if os.access(twbench, os.X_OK):
    run = subprocess.run([twbench, "selftest", "--impl=heap", "--workload=hold", "--tasks=100", "--pairs=14",
                          "--max-pairs=14", "--samples=1", "--min-time=100us", "--budget=1ms",
                          "--progress=never", "--json=-"], capture_output=True, text=True)
    try:
        report("what twbench writes is valid", errors(json.loads(run.stdout)))
    except json.JSONDecodeError as error:
        report("what twbench writes is valid", [str(error), run.stderr[-300:]])
else:
    report("what twbench writes is valid", [], f" # SKIP {twbench} is not built")

print(f"1..{len(results)}")
for number, (name, problems) in enumerate(results, 1):
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:10]:
        print(f"# {problem}")
sys.exit(any(problems for _, problems in results))
PYTHON
