#!/bin/bash
# limits_format.sh - holds schema/limits-1.json and docs/LIMITS.md against each other, and against what is written.
#
# The documents come from `test_limits sample`, which makes one up, and from ./twbench when it has been built.
# Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

maker=${MAKER:-build/release/tests/test_limits}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$maker" sample "$work/limits.json" || { echo "Bail out! $maker made no sample"; exit 1; }

python3 - "$work" <<'PYTHON'
import copy, json, os, subprocess, sys
import jsonschema

work = sys.argv[1]
schema = json.load(open("schema/limits-1.json"))
result_schema = json.load(open("schema/result-1.json"))
manual = open("docs/LIMITS.md").read()
sample = json.load(open(f"{work}/limits.json"))
validator = jsonschema.Draft7Validator(schema)
shared = ("tool", "machine", "command")
twbench = os.environ.get("TWBENCH", "./twbench")
built = os.access(twbench, os.X_OK)

results = []


def report(name, problems, directive=""):
    results.append((name + directive, list(problems)))


def errors(document):
    return [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]


def key_paths(item, path=()):
    """Paths of the keys of this format, of the first element of an array; tests/schema.sh has those of results."""
    if isinstance(item, dict):
        for key, value in item.items():
            yield path + (key,)
            if key not in shared:
                yield from key_paths(value, path + (key,))
    if isinstance(item, list) and item:
        yield from key_paths(item[0], path + (0,))


def changed(path, change):
    out = copy.deepcopy(sample)
    parent = out
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return out


def stated(path):
    node = schema
    for key in path:
        node = node.get("items") if key == 0 else node.get("properties", {}).get(key)
        if node is None:
            return False
    return True


def value_at(path):
    item = sample
    for key in path:
        item = item[key]
    return item


def is_read(document):
    with open(f"{work}/changed.json", "w") as out:
        json.dump(document, out)
    return subprocess.run([twbench, "limits", f"--limits={work}/changed.json"], capture_output=True).returncode == 0


jsonschema.Draft7Validator.check_schema(schema)
report("the sample is valid", errors(sample))
report("tool, machine and command are those of results",
       [key for key in shared if schema["properties"][key] != result_schema["properties"][key]])
paths = list(key_paths(sample))
names = [".".join(map(str, p)) for p in paths]
report("the schema states every key", [n for n, p in zip(names, paths) if not stated(p)])
report("the manual explains every key", sorted({p[-1] for p in paths if f"`{p[-1]}`" not in manual}))
report("the manual explains every limit and no other is valid",
       [x for x in schema["properties"]["points"]["items"]["properties"]["limit"]["enum"] if f"`{x}`" not in manual])

needed = [p for p in paths if p != ("multiples",)]
problems = [".".join(map(str, p)) for p in needed if validator.is_valid(changed(p, lambda o, k: o.__delitem__(k)))]
report(f"a missing key is refused ({len(needed)} keys)", problems if len(needed) > 50 else ["too few keys were tried"])
problems = [".".join(map(str, p)) for p in paths
            if validator.is_valid(changed(p, lambda o, k: o.__setitem__(k, {} if isinstance(o[k], list) else [])))]
report("a value of another type is refused", problems)
numbers = [p for p in paths if isinstance(value_at(p), (int, float)) and not isinstance(value_at(p), bool)]
problems = [".".join(map(str, p)) for p in numbers if validator.is_valid(changed(p, lambda o, k: o.__setitem__(k, -1)))]
report(f"a number below 0 is refused ({len(numbers)} keys)", problems if len(numbers) > 25 else ["too few"])
report("a key that a newer version added is taken", errors(changed(("added",), lambda o, k: o.__setitem__(k, 1))))

if built:
    # What the reader here relies on is less than what the schema states, and never more.
    problems = [".".join(map(str, p)) for p in paths if not is_read(changed(p, lambda o, k: o.__delitem__(k)))
                and validator.is_valid(changed(p, lambda o, k: o.__delitem__(k)))]
    report("whatever --limits refuses the schema refuses", problems + ([] if is_read(sample) else ["the sample itself"]))
    run = subprocess.run([twbench, "limits", "--tasks=64,1000", "--runs=1", "--patience=0s", "--huge-pages=off,on",
                          "--progress=never", "--json=-"], capture_output=True, text=True)
    try:
        report("what twbench writes is valid", errors(json.loads(run.stdout)))
    except json.JSONDecodeError as error:
        report("what twbench writes is valid", [str(error), run.stderr[-300:]])
else:
    report("whatever --limits refuses the schema refuses", [], f" # SKIP {twbench} is not built")
    report("what twbench writes is valid", [], f" # SKIP {twbench} is not built")

print(f"1..{len(results)}")
for number, (name, problems) in enumerate(results, 1):
    print(f"{'not ok' if problems else 'ok'} {number} - {name}")
    for problem in problems[:10]:
        print(f"# {problem}")
sys.exit(any(problems for _, problems in results))
PYTHON
