#!/bin/bash
# exports.sh - gives exports of real results to the tools they are written for.
#
# Google Benchmark's compare.py reads two quick runs, as Debian ships it in libbenchmark-tools; the
# other formats are held against what their services publish of them, and JUnit XML, also that of a
# made-up comparison, is read by an XML parser.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

twbench=${TWBENCH:-./twbench}
shown=${SHOWN:-build/release/tests/test_compare_report}
compare=$(dpkg -L libbenchmark-tools 2>/dev/null | grep '/compare\.py$')
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

[ -n "$compare" ] || { echo "Bail out! no compare.py: 'make deps' installs libbenchmark-tools"; exit 1; }

# The list goes over its budget on 1e5 timers: a cell that is not ok has to go through as well.
for run in a b; do
    "$twbench" --impl=list,hashed,hier --slots=64,512 --tasks=100,1e5 --runs=9 --warmup=0 \
        --min-time=0ns --budget=1s --progress=never --json="$work/$run.json" \
        --export-gbench="$work/$run.gbench" --export-bencher="$work/$run.bencher" \
        --export-junit="$work/$run.junit" >"$work/$run.table" 2>"$work/$run.errors" ||
        { echo "Bail out! the run ended with status $?: $(head -n 3 "$work/$run.errors")"; exit 1; }
done
"$shown" write "$work" || { echo "Bail out! $shown wrote no comparison"; exit 1; }

PYTHONPATH=tests python3 -B - "$compare" "$work" <<'PYTHON'
import copy, csv, json, re, subprocess, sys
import xml.etree.ElementTree
import jsonschema
from tap import end, report

compare, work = sys.argv[1:]
document = json.load(open(f"{work}/a.json"))
gbench = json.load(open(f"{work}/a.gbench"))
names = list(dict.fromkeys(row["name"] for row in gbench["benchmarks"]))

def compared(old, new):
    """Exit status and output of compare.py, run by the Python that Debian's numpy and scipy are for."""
    run = subprocess.run(["/usr/bin/python3", compare, "--no-color", "benchmarks", old, new],
                         capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def rows_of(output):
    """name -> the relative changes of time that compare.py printed, without those of its summaries."""
    rows = {}
    for line in output.splitlines():
        match = re.match(r"(\S+)\s+([+-]\d+\.\d+)\s+([+-]\d+\.\d+)\s", line)
        if match:
            rows.setdefault(match[1], []).append((float(match[2]), float(match[3])))
    return rows


def p_values(output):
    return {m[1]: (float(m[2]), float(m[3]))
            for m in re.finditer(r"^(\S+)_pvalue\s+(\d\.\d+)\s+(\d\.\d+)\s", output, re.M)}


def sound(status, output):
    problems = [] if status == 0 else [f"exit status {status}: {output[-300:]}"]
    return problems + [line for line in output.splitlines() if re.search("Warning|Traceback|nan|inf\\b", line)]


def well_formed(path, schema):
    return [f"{list(e.absolute_path)}: {e.message[:200]}"
            for e in jsonschema.Draft7Validator(schema).iter_errors(json.load(open(path)))]


phases = [(cell, phase) for cell in document["cells"] if cell["status"] == "ok"
          for phase in cell["phases"] if phase["ns_per_op"]]
report("there is a name for each phase of each cell that is ok",
       [] if len(names) == len(phases) > 10 else [f"{len(names)} names, {len(phases)} phases"])
report("cells that are not ok were part of it",
       [] if any(cell["status"] == "timeout" for cell in document["cells"]) else ["all are ok"])

status, output = compared(f"{work}/a.gbench", f"{work}/b.gbench")
report("compare.py takes two runs", sound(status, output))
rows, tested = rows_of(output), p_values(output)
# What only one run finished is in only one of them.
other = {row["name"] for row in json.load(open(f"{work}/b.gbench"))["benchmarks"]}
common = [name for name in names if name in other]
report("it shows every name, once for each sample",
       [f"{name}: {len(rows.get(name, []))} rows" for name in common if len(rows.get(name, [])) != 9])
report("it has a U test of every name", [name for name in common if name not in tested])
report("it knows how many repetitions there are",
       [] if "Repetitions: 9 vs 9" in output and "unreliable" not in output else [output[-300:]])

status, output = compared(f"{work}/a.gbench", f"{work}/a.gbench")
rows, tested = rows_of(output), p_values(output)
report("a run is like itself", sound(status, output) +
       [f"{name}: {rows.get(name)} {tested.get(name)}" for name in names
        if set(rows.get(name, [])) != {(0.0, 0.0)} or min(tested.get(name, (0, 0))) < 0.9])

slower = copy.deepcopy(gbench)
for row in slower["benchmarks"]:
    row["real_time"] *= 3
    row["cpu_time"] *= 3
with open(f"{work}/slower.gbench", "w") as file:
    json.dump(slower, file)
status, output = compared(f"{work}/a.gbench", f"{work}/slower.gbench")
rows = rows_of(output)
report("three times the time is seen as that", sound(status, output) +
       [f"{name}: {rows.get(name)}" for name in names if set(rows.get(name, [])) != {(2.0, 2.0)}])

number = {"type": "number"}
report("Bencher's format is well formed", well_formed(f"{work}/a.bencher", {
    "type": "object", "minProperties": len(names),
    "propertyNames": {"maxLength": 1024},
    "additionalProperties": {
        "type": "object", "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9-]{1,64}$"},
        "additionalProperties": {
            "type": "object", "required": ["value"], "additionalProperties": False,
            "properties": {"value": number, "lower_value": number, "upper_value": number}}}}))
bencher = json.load(open(f"{work}/a.bencher"))
report("and has the median of every phase",
       [name for name, (_, phase) in zip(names, phases)
        if bencher[name]["latency"]["value"] != phase["ns_per_op"]["median"]])

def junit_problems(path, kinds):
    """What is wrong with a JUnit file in which the cases, in order, should have these outcomes."""
    root = xml.etree.ElementTree.parse(path).getroot()
    suites = root.findall("testsuite")
    cases = root.findall("testsuite/testcase")
    found = [next((child.tag for child in case if child.tag != "system-out"), "passed") for case in cases]
    problems = [] if root.tag == "testsuites" and len(suites) == 1 else ["there is not one suite"]
    problems += [] if found == kinds else [f"{found}, expected {kinds}"]
    for element in [root] + suites:
        counts = {"tests": len(kinds), "failures": kinds.count("failure"), "errors": 0,
                  "skipped": kinds.count("skipped")}
        problems += [f"{element.tag}: {key} is {element.get(key)}" for key, count in counts.items()
                     if element.get(key) != str(count)]
    problems += [f"{key} of {case.attrib}" for case in cases for key in ("name", "classname", "time")
                 if not case.get(key)]
    problems += ["a time is below 0" for case in cases if not float(case.get("time")) >= 0]
    names = [(case.get("classname"), case.get("name")) for case in cases]
    return problems + ([] if len(set(names)) == len(names) else ["two cases of one name"])


outcomes = {"ok": "passed", "mismatch": "failure", "crashed": "failure"}
report("JUnit XML has a case for each cell",
       junit_problems(f"{work}/a.junit", [outcomes.get(cell["status"], "skipped") for cell in document["cells"]]))
report("JUnit XML of a comparison has a case for each cell",
       junit_problems(f"{work}/compare.xml",
                      ["failure" if i == 1 else "skipped" if i == 11 else "passed" for i in range(15)]))
table = list(csv.reader(open(f"{work}/compare.csv", newline="")))
report("CSV of a comparison has rows of as many fields, with a title each",
       [] if len(table) == 16 and {len(row) for row in table} == {len(set(table[0]))} else [str(table[0])])

end()
PYTHON
