#!/usr/bin/env python3
"""standing.py - where a design stands among others: its times, and the ratio to the best of them.

    tools/standing.py RESULT.json... [--of=fast] [--ratios] [--huge-pages=off|on]

Reads results of runs on the workloads P1 to P5 and prints Markdown.  Without --ratios it is a table
of medians in ns per operation, a row for each design; with it a row for each point, number of timers by
number: the best exact other / the design, and who that is.  Figures are medians of CPU time
over the timed processes of one run, in which all designs were sampled in turn: on a machine that others use
wall time has their share in it.  P2 is per expired timer.  Of a run with --huge-pages=off,on the cells of one kind
are taken, those of small pages unless the flag says otherwise.

The best is to be the best of all exact designs of the program.  Those that are not in the results are named under the table.
"""
import json
import os
import subprocess
import sys

from tables import not_run

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Designs that results have and the program has not.
GONE = ("dpdk",)

POINTS = [("P1", "start"), ("P1", "stop"), ("P2", "expire"), ("P3", "traffic"), ("P4", "steady"), ("P5", "traffic")]


def medians(cells):
    """(workload, phase, tasks, design) -> ns of CPU time per operation."""
    table = {}
    for cell in cells:
        for phase in cell["phases"] if cell["status"] == "ok" else []:
            if phase["cpu_ns_per_op"]:
                table[cell["workload"], phase["name"], cell["tasks"], cell["impl"]] = phase["cpu_ns_per_op"]
    return table


def is_exact(cell):
    traits = cell["traits"]
    return traits["late_ticks"] == 0 and traits["late_shift"] == 0 and cell["impl"] != "null"


def exact_designs():
    """Names of the exact designs of the program, libraries left out; None where it is not built."""
    with open(os.path.join(ROOT, "src/impls/registry.def"), encoding="utf-8") as file:
        names = {line[10:-2].replace("_", "-") for line in file if line.startswith("TW_DESIGN(")}
    try:
        listed = subprocess.run([os.path.join(ROOT, "twbench"), "list", "--json=-"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [d["name"] for d in json.loads(listed.stdout)["designs"]
            if d["name"] in names and is_exact({"impl": d["name"], "traits": d["traits"]})]


def print_missing(cells):
    """Of which designs the best is not known to be the best."""
    exact = exact_designs()
    if exact is None:
        print("\nWhich exact designs are missing is not known: twbench is not built.")
        return
    seen = {cell["impl"] for cell in cells}
    absent = [design for design in exact if design not in seen]
    others = sorted(seen - set(exact))
    print(f"\nThe best of {len(exact) - len(absent)} of {len(exact)} exact designs"
          + (f" and {len(others)} libraries" if others else "") + "."
          + (" Not in these results: " + ", ".join(f"`{d}`" for d in absent) + "." if absent else ""))


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def print_times(table, designs, sizes):
    row(["design"] + [f"{w} {p}" for w, p in POINTS])
    row(["---"] + ["--:"] * len(POINTS))
    for design in designs:
        figures = [[table.get((*point, size, design)) for size in sizes] for point in POINTS]
        if any(any(point) for point in figures):
            row([f"`{design}`"] + [" / ".join(f"{ns:.3g}" if ns else "-" for ns in point) for point in figures])


def print_ratios(table, designs, sizes, of, cells):
    row(["point"] + [f"{size:,}" for size in sizes])
    row(["---"] + ["--:"] * len(sizes))
    for point in POINTS:
        words = []
        for size in sizes:
            own = table.get((*point, size, of))
            others = [(table[(*point, size, d)], d) for d in designs if d != of and (*point, size, d) in table]
            left = len(not_run(cells, point, size))
            words.append("-" if not own or not others else f"not known: {left} not run" if left else
                         f"{min(others)[0] / own:.2f} ({min(others)[1]})")
        row([" ".join(point)] + words)


def main(arguments):
    flags = [a for a in arguments if a.startswith("--")]
    files = [a for a in arguments if not a.startswith("--")]
    of = next((f[5:] for f in flags if f.startswith("--of=")), "fast")
    pages = next((f[13:] for f in flags if f.startswith("--huge-pages=")), None)
    if not files or any(f != "--ratios" and not f.startswith(("--of=", "--huge-pages=")) for f in flags):
        sys.exit(__doc__)
    cells = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            cells += [cell for cell in json.load(file)["cells"] if is_exact(cell) and cell["impl"] not in GONE]
    cells = [cell for cell in cells if (cell["params"].get("huge_pages") == "on") == (pages == "on")]
    designs = list(dict.fromkeys(cell["impl"] for cell in cells))
    sizes = sorted({cell["tasks"] for cell in cells})
    if "--ratios" in flags:
        print_ratios(medians(cells), designs, sizes, of, cells)
        print_missing(cells)
    else:
        print_times(medians(cells), designs, sizes)
    if any(cell["tasks"] >= 1e6 and "huge_pages" not in cell["params"] for cell in cells):
        print("\nMeasured without --huge-pages: each design has the pages that it asks for.")


main(sys.argv[1:])
