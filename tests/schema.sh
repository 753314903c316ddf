#!/bin/bash
# schema.sh - checks schema/result-1.json and the loader against each other, schema/comparison-1.json, and what commands
# writes; each schema says what every key means.
#
# The documents come from `test_document sample` and `test_comparison sample`, which make them up
# without running any design, and from ./twbench, which also prints the catalogue of figures.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

maker=${MAKER:-build/release/tests/test_document}
compared=${COMPARED:-build/release/tests/test_comparison}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

"$maker" sample "$work/sample.json" || { echo "Bail out! $maker made no sample"; exit 1; }
"$compared" sample "$work/binaries.json" "$work/results.json" ||
    { echo "Bail out! $compared made no sample"; exit 1; }

PYTHONPATH=tests python3 -B - "$maker" "$work" <<'PYTHON'
import copy, glob, json, os, subprocess, sys
import jsonschema
import format_check
from format_check import changed, check_schema, name_of, set_to, undescribed
from tap import end, report

maker, work = sys.argv[1:]
twbench = os.environ.get("TWBENCH", "./twbench")
schema = json.load(open("schema/result-1.json"))
sample = json.load(open(f"{work}/sample.json"))
validator = jsonschema.Draft7Validator(schema)
compare_schema = json.load(open("schema/comparison-1.json"))
compare_validator = jsonschema.Draft7Validator(compare_schema)
binaries = json.load(open(f"{work}/binaries.json"))
results_mode = json.load(open(f"{work}/results.json"))


# The catalogue of figures: rows of the table, by their titles.
listed = [[cell.strip().strip("`") for cell in line[2:-2].split(" | ")]
          for line in subprocess.run([twbench, "list", "--figures"], capture_output=True, text=True,
                                     check=True).stdout.splitlines()]
catalogue = [dict(zip(listed[0], row)) for row in listed[2:]]
older = [figure["figure"] for figure in catalogue if "Results of older versions lack it." in figure["meaning"]]

# Keys that a result may lack.
OPTIONAL = {"checks", "huge_pages", "tail", "contract", "layout_may_explain", "one_side", "missing_ignored", "advance_work", "timer_step_ns", "leads"} | {
    figure["figure"].rsplit(".", 1)[-1] for figure in catalogue if figure["must"] == "no"}

# Objects whose keys are not the format's own.
FREE = {"params", "requested", "spec", "counters"}

# Changes and differences: they may be below 0.
SIGNED = {"change", "total_ns", "instructions_ns", "cache_misses_ns", "branch_misses_ns", "rest_ns"}


def small(document):
    """One cell that is ok and one that is not: enough to have every key once."""
    out = copy.deepcopy(document)
    ok = [c for c in out["cells"] if c["status"] == "ok" and c["impl"] == "hashed"][:1]
    ok[0]["phases"] = [p for p in ok[0]["phases"] if p["latency_ns"]["advance"]][:1]
    ok[0]["fired"] = ok[0]["stream"]["expected_fired"] = ok[0]["phases"][0]["operations"]["expire"]
    for latency in ok[0]["phases"][0]["latency_ns"].values():
        if latency:
            latency.update(bins=latency["bins"][:2], count=sum(n for _, n in latency["bins"][:2]))
    out["cells"] = ok + [c for c in out["cells"] if c["status"] != "ok"][:1]
    return out


def small_comparison():
    """The cell that has every key."""
    out = copy.deepcopy(binaries)
    out["cells"] = [c for c in out["cells"] if c["confirmation"]][:1]
    return out


def key_paths(item, path=()):
    """Paths of all keys of the format; of lists the first element stands for all."""
    if isinstance(item, dict):
        for key, value in item.items():
            yield path + (key,)
            if key not in FREE:
                yield from key_paths(value, path + (key,))
    elif isinstance(item, list) and item:
        yield from key_paths(item[0], path + (0,))


def parent_of(document, path):
    for step in path[:-1]:
        document = document[step]
    return document


def without(document, path):
    if path[-1] in OPTIONAL:
        return None
    out = copy.deepcopy(document)
    del parent_of(out, path)[path[-1]]
    return out


def retyped(document, path):
    out = copy.deepcopy(document)
    value = parent_of(out, path)[path[-1]]
    parent_of(out, path)[path[-1]] = {} if isinstance(value, list) else []
    return out


def negated(document, path):
    out = copy.deepcopy(document)
    value = parent_of(out, path)[path[-1]]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    parent_of(out, path)[path[-1]] = -1 - value
    return out


def loads(documents):
    """What the loader says of each document."""
    names = [f"{work}/{i}.json" for i in range(len(documents))]
    for name, document in zip(names, documents):
        with open(name, "w") as file:
            json.dump(document, file)
    out = subprocess.run([maker, "load", *names], capture_output=True, text=True, check=True)
    return [line.startswith("loads") for line in out.stdout.splitlines()]


def schema_refuses(name, change, least):
    """For comparisons, which nothing here reads back."""
    base = small_comparison()
    paths = [p for p in key_paths(base) if change(base, p) is not None]
    problems = [f"the schema takes it: {name_of(path)}" for path in paths
                if compare_validator.is_valid(change(base, path))]
    if len(paths) < least:
        problems.append(f"only {len(paths)} keys were tried")
    report(f"comparison: {name} is refused by the schema ({len(paths)} keys)", problems)


def both_refuse(name, change):
    base = small(sample)
    paths = [p for p in key_paths(base) if change(base, p) is not None]
    documents = [change(base, p) for p in paths]
    problems = []
    for path, document, loaded in zip(paths, documents, loads(documents)):
        if validator.is_valid(document):
            problems.append(f"the schema takes it: {name_of(path)}")
        if loaded:
            problems.append(f"the loader takes it: {name_of(path)}")
    if len(paths) < 50:
        problems.append(f"only {len(paths)} keys were tried")
    report(f"{name} is refused by schema and loader ({len(paths)} keys)", problems)


def stated(node, path, definitions):
    """True when the schema names the key at `path`."""
    node = definitions[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node
    if not path:
        return True
    branches = node.get("oneOf", []) + node.get("allOf", [])
    if isinstance(path[0], int):
        inner = node.get("items")
    else:
        inner = node.get("properties", {}).get(path[0])
    found = isinstance(inner, dict) and stated(inner, path[1:], definitions)
    return found or any(stated(branch, path, definitions) for branch in branches if "if" not in branch)


def errors(document, by=validator):
    return format_check.errors(document, by)


check_schema("the schema is a schema", schema)
report("the sample is valid", errors(sample))
base = small(sample)
report("the small sample loads", [] if loads([base]) == [True] and not errors(base) else ["no"])
report("the schema states every key",
       [name_of(p) for p in key_paths(base) if not stated(schema, p, schema["definitions"])])
report("the schema says what every key means", undescribed(schema, key_paths(base)))
both_refuse("a missing key", without)
both_refuse("a value of another type", retyped)
both_refuse("a number below 0", negated)

for name, path, value in [("an ok cell without a digest is refused", "digest", None), ("a failed cell without a reason is refused", "reason", None),
                          ("an unknown status is refused", "status", "fine"), ("steps that could not be counted need a reason", "stepped.instructions", None)]:
    report(name, [] if errors(changed(base, ("cells", int(path == "reason"), *path.split(".")), set_to(value))) else ["taken"])
claims = copy.deepcopy(base)
for path in older:
    parent = claims["cells"][0]
    *above, key = path.replace("phases[]", "phases.0").split(".")
    for step in above:
        parent = parent[0] if step == "0" else parent.get(step)
        if parent is None: # an object that is null here, or went before
            break
    else:
        del parent[key]
report(f"a cell of an older version is taken, which lacks {len(older)} keys",
       errors(claims) + ([] if loads([claims]) == [True] else ["the loader refuses it"]) +
       ([] if len(older) > 10 else [f"only {older}"]))
stale = subprocess.run(["tools/figures.py", "--check"], capture_output=True, text=True)
report("schemas and pages are what the catalogue says", stale.stdout.splitlines() + stale.stderr.splitlines())
claims = copy.deepcopy(base)
for phase in claims["cells"][0]["phases"]:
    phase["work"] = phase["advance_work"] = None
report("a design that counts nothing is taken",
       errors(claims) + ([] if loads([claims]) == [True] else ["the loader refuses it"]))
claims = copy.deepcopy(base)
claims["added"] = claims["cells"][0]["added"] = 1
report("a key that a newer version added is taken",
       errors(claims) + ([] if loads([claims]) == [True] else ["the loader refuses it"]))

# ---- Comparisons. ----

check_schema("comparison: the schema is a schema", compare_schema)
report("comparison: tool, machine and command are those of results",
       [key for key in ("tool", "machine", "command")
        if compare_schema["properties"][key] != {"$ref": f"#/definitions/{key}"}
        or compare_schema["definitions"][key] != schema["definitions"][key]])
report("comparison: the sample of two programs is valid", errors(binaries, compare_validator))
report("comparison: the sample of two results is valid", errors(results_mode, compare_validator))
base = small_comparison()
report("comparison: the small sample is valid", errors(base, compare_validator))
report("comparison: the schema states every key",
       [name_of(p) for p in key_paths(base)
        if not stated(compare_schema, p, compare_schema["definitions"])])
report("comparison: the schema says what every key means", undescribed(compare_schema, key_paths(base)))
schema_refuses("a missing key", without, 100)
schema_refuses("a value of another type", retyped, 100)
schema_refuses("a number below 0",
               lambda document, path: None if path[-1] in SIGNED else negated(document, path), 40)
for name, path, value in [("verdict", ["verdict"], "fine"), ("verdict of a cell", ["cells", 0, "verdict"], None),
                          ("verdict of a gate", ["cells", 0, "gates", "work"], None),
                          ("exit status", ["exit_status"], 2), ("metric", ["cells", 0, "work", 0, "metric"], "time"),
                          ("kind", ["kind"], "result"), ("version", ["schema_version"], 2),
                          ("mode with a method", ["mode"], "results")]:
    claims = copy.deepcopy(base)
    parent_of(claims, path)[path[-1]] = value
    report(f"comparison: an unknown {name} is refused",
           [] if errors(claims, compare_validator) else ["taken"])
claims = copy.deepcopy(base)
claims["added"] = claims["cells"][0]["added"] = 1
report("comparison: a key that a newer version added is taken", errors(claims, compare_validator))

# ---- What commands write, and that no key goes. ----

format_check.check_written("probe", "schema/probe-3.json", ["probe", "--impl=heap", "--workload=hold", "--tasks=100",
                                                            "--samples=1", "--passes=1"])

QUICK = ["--tasks=100", "--runs=3", "--warmup=0", "--min-time=0ns", "--progress=never"]
for by, name, words in [
        (validator, "run", ["run", "--impl=heap,linux,todo,null", "--counters=step", *QUICK]),
        (validator, "run of counts alone", ["run", "--impl=all", "--workload=hold", "--counts-only", "--drive=ticks,next", *QUICK]),
        (validator, "run of periodic tasks", ["run", "--impl=heap", "--workload=periodic", *QUICK]),
        (validator, "run between other work", ["run", "--impl=heap", "--between=none,chain,32KiB", *QUICK]),
        (validator, "replay", ["replay", "nginx", "--impl=list", "--counts-only", "--progress=never"]),
        (compare_validator, "compare of programs", ["compare", twbench, twbench, "--impl=heap", "--workload=hold", "--tasks=100", "--pairs=14",
                                                    "--max-pairs=14", "--samples=1", "--min-time=100us", "--patience=0s", "--progress=never"]),
        (compare_validator, "compare of results", ["compare", f"{work}/sample.json", f"{work}/sample.json"])]:
    out = subprocess.run([twbench, *words, "--json=-"], capture_output=True, text=True)
    try:
        report(f"what {name} writes is valid", errors(json.loads(out.stdout), by))
    except json.JSONDecodeError as error:
        report(f"what {name} writes is valid", [str(error), out.stderr[-300:]])

for path in sorted(glob.glob("results/reference/*.json")):
    document = json.load(open(path))
    for by in glob.glob(f"{'labs/*/' if 'kind' in document else ''}schema/{document.get('kind', 'result')}-1.json"):
        report(f"{path} is valid", errors(document, jsonschema.Draft7Validator(json.load(open(by)))))


# Scripts outside rely on keys: a schema may get more of them, and these numbers follow; none may go.
def keys_named(node):
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    own = len(node["properties"]) if isinstance(node, dict) and isinstance(node.get("properties"), dict) else 0
    return own + sum(map(keys_named, inner))


for path, least in [("result-1", 294), ("comparison-1", 181), ("selftest-1", 92), ("probe-3", 12)]:
    named = keys_named(json.load(open(f"schema/{path}.json")))
    report(f"{path} has lost no key", [] if named >= least else [f"{named} keys, {least} before"])

end()
PYTHON
