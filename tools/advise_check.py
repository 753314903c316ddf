#!/usr/bin/env python3
"""advise_check.py - does advise name the design that a long run puts first?

    tools/advise_check.py [LOAD...] [--budget=60s] [--runs=9]

For each load (default: the five recorded traces, and P1 to P5 at 1e4 timers) it asks `twbench advise`, then runs all
exact designs that advise may choose from, and prints Markdown: the choice, the first of the long run, and their ratio by
CPU time of all phases.  A choice with settings of its own is run again with them, beside heap, which ties it to the long
run.  "Within 5 %" is a good answer; so is one that advise calls unclear, when a design within 5 % is among those it
names.  The status is 1 when neither is true.  It takes some minutes a load, and says most on a quiet machine.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TWBENCH = os.path.join(ROOT, "twbench")
TRACES = ["nginx", "libuv-bind", "linux-timer", "libevent-unbound", "linux-hrtimer"]
POINTS = ["P1", "P2", "P3", "P4", "P5"]
LATE = {"linux", "multi", "null"}
GOOD = 1.05


def ask(words):
    """What twbench writes as JSON when it is called with these words."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.json")
        done = subprocess.run([TWBENCH, *words, f"--json={path}", "--progress=never"], capture_output=True, text=True,
                              check=False)
        if not os.path.exists(path):
            sys.exit(f"twbench {' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def exact_designs():
    with open(os.path.join(ROOT, "src/impls/registry.def"), encoding="utf-8") as file:
        names = [line[10:-2].replace("_", "-") for line in file if line.startswith("TW_DESIGN(")]
    return [name for name in names if name not in LATE]


def cost(cell):
    """ns of CPU time of all phases, over their operations."""
    ns = operations = 0
    for phase in cell["phases"]:
        count = sum(phase["operations"][kind] for kind in ("start", "stop", "expire"))
        ns += (phase["cpu_ns_per_op"] or 0) * count
        operations += count
    return ns / operations if operations else None


def costs_of(document, drive="ticks"):
    """Design -> cost, of the cells with that driver."""
    found = {cell["impl"]: cost(cell) for cell in document["cells"]
             if cell["status"] == "ok" and cell["params"].get("drive", "ticks") == drive}
    return {impl: ns for impl, ns in found.items() if ns}


def cost_with_settings(choice, load, long):
    """Of a choice with settings: its ratio to heap in a run of both, times heap in the long run."""
    flags = [word for word in shlex.split(choice["command"])[3:] if word.startswith("--")
             and not word.startswith(("--impl=", "--drive=", "--runs=", "--tasks="))]
    is_next = "--drive=next" in choice["command"]
    beside = ask(["run", *load, f"--impl={choice['candidate'].split()[0]},heap", *flags, "--runs=9"]
                 + (["--drive=ticks,next"] if is_next else []))
    own = costs_of(beside, "next" if is_next else "ticks").get(choice["candidate"].split()[0])
    heap = costs_of(beside).get("heap")
    return own / heap * long["heap"] if own and heap and "heap" in long else None


def judge(name, budget, runs):
    size = [] if name in TRACES else ["--tasks=1e4"]
    load = [f"--workload={name}", *size]
    advice = ask(["advise", name, *size, f"--budget={budget}"])["advice"]
    choice = advice["recommendation"]
    long = costs_of(ask(["run", *load, "--impl=" + ",".join(exact_designs()), f"--runs={runs}", "--budget=10s"]))
    first = min(long, key=long.get)
    if not choice:
        print(f"| {name} | - | {first} | - | no |", flush=True)
        return False
    words = choice["candidate"].split()
    own = long.get(words[0]) if len(words) == 1 else cost_with_settings(choice, load, long)
    ratio = own / long[first] if own else None
    equal = [c["name"] for c in advice["candidates"] if c["status"] == "not-told-apart"] if choice.get("unclear") else []
    among = any(long.get(each, float("inf")) <= GOOD * long[first] for each in equal)
    verdict = "yes" if ratio and ratio <= GOOD else f"unclear, among {len(equal) + 1}" if among else "no"
    print(f"| {name} | {choice['candidate']} | {first} | {f'{ratio:.2f}' if ratio else '-'} | {verdict} |", flush=True)
    return verdict != "no"


def main(arguments):
    flags = dict(a[2:].split("=", 1) for a in arguments if a.startswith("--") and "=" in a)
    loads = [a for a in arguments if not a.startswith("--")] or TRACES + POINTS
    if set(flags) - {"budget", "runs"} or any(a.startswith("--") and "=" not in a for a in arguments):
        sys.exit(__doc__)
    print("| load | advised | first of the long run | times the first | within 5 % |\n|---|---|---|--:|---|")
    held = [judge(load, flags.get("budget", "60s"), flags.get("runs", "9")) for load in loads]
    sys.exit(0 if all(held) else 1)


main(sys.argv[1:])
