#!/usr/bin/env python3
"""advise_check.py - does advise name the design that a long run puts first?

    tools/advise_check.py [LOAD...] [--budget=60s] [--runs=9]

For each load (default: the five recorded traces, and P1 to P5 at 1e4 timers) it asks `twbench advise`, then runs all
exact designs that advise may choose from, and prints Markdown: the choice, the first of the long run by CPU time, and their ratio by the
phases' operations together.  A choice with settings of its own is judged by its design as it comes.  The status is 1 when a choice is over 5 % behind, or was not run.  It takes some minutes a
load, and says most on a quiet machine.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TWBENCH = os.path.join(ROOT, "twbench")
TRACES = ["nginx", "libuv-bind", "linux-timer", "libevent-unbound", "linux-hrtimer"]
POINTS = ["P1", "P2", "P3", "P4", "P5"]
LATE = {"linux", "multi", "null"}


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


def judge(load, budget, runs):
    size = [] if load in TRACES else ["--tasks=1e4"]
    choice = ask(["advise", load, *size, f"--budget={budget}"])["advice"]["recommendation"]
    name = choice["candidate"] if choice else None
    long = ask(["run", f"--workload={load}", *size, "--impl=" + ",".join(exact_designs()), f"--runs={runs}",
                f"--budget={budget}"])
    costs = {c["impl"]: cost(c) for c in long["cells"] if c["status"] == "ok"}
    costs = {impl: ns for impl, ns in costs.items() if ns}
    first = min(costs, key=costs.get)
    own = costs.get(name.split()[0]) if name else None
    ratio = own / costs[first] if own else None
    print(f"| {load} | {name or '-'} | {first} | {f'{ratio:.2f}' if ratio else '-'} |", flush=True)
    return ratio is not None and ratio <= 1.05


def main(arguments):
    flags = dict(a[2:].split("=", 1) for a in arguments if a.startswith("--") and "=" in a)
    loads = [a for a in arguments if not a.startswith("--")] or TRACES + POINTS
    if set(flags) - {"budget", "runs"} or any(a.startswith("--") and "=" not in a for a in arguments):
        sys.exit(__doc__)
    print("| load | advised | first of the long run | times the first |\n|---|---|---|--:|")
    held = [judge(load, flags.get("budget", "60s"), flags.get("runs", "9")) for load in loads]
    sys.exit(0 if all(held) else 1)


main(sys.argv[1:])
