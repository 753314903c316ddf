#!/usr/bin/env python3
"""tables.py TABLE FILE... - Markdown tables of the pages, from results/reference (tools/pages.py calls it).

    origin FILE...          which build measured each file, when, where, and what disturbed it
    pages POINT,... FILE... ns on pages of 4 KiB and of 2 MiB, and how many times as fast the latter are
    libraries FILE          designs and libraries on one trace: both times, calls, bytes
    idle FILE               ns of an empty tick by number of timers
    fresh FILE              a start and a stop of P1, with other timers in each pass and with the same, by design and size
    traces FILE [DESIGNS]   ns of CPU time per operation on traces, a row for each design and bitmap
    question FILE NAME      counts that docs/QUESTIONS.md answers with: map, slots, wakeups or sweep
    ticks FILE              of `fast` and the best other on traces, at a tenth of their ticks, at theirs and at ten times theirs
    targets FILE...         what `fast` is to reach on points and traces, what it reaches, and whether that is enough
    within FILE...          README's sentence on `fast`: how far it is behind the best other at most, and its longest advance
    ratios FILE...          the same ratios up to 1e5 as lines to keep: processor, build, what, where, ratio, the best other
    processors KEPT FILE... those kept of other machines beside those of these files
    ablation FILE [rings]   `fast` without each of its ideas, times the whole; rings: without one ring for all delays
    batches FILE            single calls and batches, per re-arm of P3
    between FILE            a timer started and stopped, back to back, chained, and behind other work
    misses FILE             simulated misses per operation
    same-counts P FILE...   of a point such as P1/stop, from misses, then results: work, misses and ns per operation by size
    runners FILE LOAD       runners under a load: storm, closed, late, burst, periodic, idle
    stores FILE WHAT        stores side by side: puts (a second, by policy and producers), costs, recovery, late,
                            or load: of how many messages and runs they are
    stores-disk FILE        messages acknowledged a second by the disk alone, wheel-log and the best other store, and how
                            many times the latter
    stores-large FILE       stores with many messages pending: memory, disk, and how soon they serve after a kill
    stores-kills FILE...    the ledger of stores that were killed
    stores-cold FILE        dispatch from a log larger than memory, and how many times slower than the fastest
    choice ADVICE POINTS    which design for which load, as an advice and the points have it
    steps MISSES FILE...    what an operation costs more among ten times the timers, and how many lines it misses more

tools/standing.py has the tables of the points P1 to P5.
"""
import functools
import glob
import json
import math
import os
import statistics
import subprocess
import sys

PROGRAM = os.environ.get("TWBENCH", "./twbench")


@functools.lru_cache(maxsize=None)
def read(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(titles, text_columns=1):
    row(titles)
    print("|" + "---|" * text_columns + "--:|" * (len(titles) - text_columns))


def short(number, digits=3):
    """Three significant digits, without an exponent; empty when unknown."""
    if number is None:
        return ""
    return f"{number:,.0f}" if number >= 100 else f"{number:#.{digits}g}".rstrip(".") if number else "0"


def power(tasks):
    digits = len(str(int(tasks))) - 1
    return f"1e{digits}" if tasks == 10 ** digits and tasks > 10 else f"{tasks:,}"


# Designs that results have and the program has not.
GONE = ("dpdk",)


def cells_of(name):
    """The cells that have figures, null left out."""
    return [cell for cell in read(name)["cells"] if cell["status"] == "ok" and cell["impl"] not in ("null", *GONE)]


def phase_of(cell, name):
    return next((phase for phase in cell["phases"] if phase["name"] == name), None)


def ordered(values):
    return list(dict.fromkeys(values))


def print_origin(*names):
    """Without checks of its own a file was made on a quiet machine all the same, or counts only: tools/reference.sh."""
    for name in names:
        document = read(name)
        tool, machine = document["tool"], document.get("machine") or {}
        line = f"- `{name}`: build {tool['commit']}, {tool['date_utc'][:10]}"
        if "cpu_model" in machine:
            line += f", {machine['cpu_model']}, {machine['cores']} cores"
            line += ", a virtual machine" if machine.get("virtualisation") == "yes" else ""
        if not document.get("complete", True):
            line += "; not complete"
        # The load average is raised by our own work.
        noise = [check["warning"] for check in machine.get("checks") or []
                 if check["warning"] and check["name"] not in ("virtualisation", "governor", "turbo", "load_1min")]
        if noise:
            line += ". **Disturbed**: " + "; ".join(warning.split(":")[0] for warning in noise)
        print(line + ".")


def medians(cells, point, field="ns_per_op"):
    """(design, tasks, pages) -> median ns per operation of a point such as P1/start."""
    workload, name = point.split("/")
    table = {}
    for cell in cells:
        phase = phase_of(cell, name) if cell["workload"] == workload else None
        if phase and phase[field]:
            figure = phase[field]
            figure = figure["median"] if isinstance(figure, dict) else figure
            table[cell["impl"], cell["tasks"], cell["params"].get("huge_pages")] = figure
    return table


def all_cells(names):
    return [cell for name in names for cell in cells_of(name)]


def print_pages(points, *names):
    head(["", "timers", "4 KiB, ns", "2 MiB, ns", "times as fast"], 2)
    for point in points.split(","):
        table = medians(all_cells(names), point)
        for design, tasks, pages in sorted(table, key=lambda key: key[1]):
            small = table.get((design, tasks, "off"))
            if pages == "on" and small and tasks >= 1e6:
                huge = table[design, tasks, pages]
                row([f"{point.replace('/', ' ')}, `{design}`", power(tasks), short(small), short(huge),
                     f"{small / huge:.2f}"])


def print_fresh(name):
    if not os.path.exists(name):
        print("The next `make reference` measures it.")
        return
    table = {}
    for cell in cells_of(name):
        way = "same" if " same_pass" in cell["identity"] else "other"
        for phase in cell["phases"]:
            table[cell["impl"], cell["tasks"], phase["name"], way] = phase["ns_per_op"]["median"]
    head(["ns per operation", "timers", "start, other timers", "start, the same", "stop, other timers", "stop, the same"], 1)
    for design, tasks in ordered(key[:2] for key in table):
        row([f"`{design}`", power(tasks)] + [short(table.get((design, tasks, phase, way)))
                                             for phase in ("start", "stop") for way in ("other", "same")])


def print_libraries(name):
    sources = {os.path.basename(path).rpartition(".")[0].replace("_", "-") for path in glob.glob("labs/libraries/*.c*")}
    alone, rows = {}, []
    for cell in cells_of(name):
        phase = cell["phases"][0]
        ns, work, did = phase["ns_per_op"]["median"], phase["work"], phase["operations"]
        if cell["params"].get("poll") == 0:
            alone[cell["impl"]] = ns
            continue
        count = did["start"] + did["stop"] + did["expire"]
        calls = [short(each, 2) if each >= 0.001 else "0" for each in
                 (work[key] / count for key in ("system_calls", "clock_reads", "allocations"))]
        is_library = cell["impl"] in sources
        rows.append((is_library, ns, cell["impl"], calls if is_library else ["", "", ""],
                     cell["memory"]["peak_bytes"] / cell["tasks"]))
    head(["", "ns per operation", "structure alone", "system calls", "clock reads", "allocations", "bytes per task"])
    for is_library, ns, design, calls, bytes_each in sorted(rows, key=lambda r: r[:3]):
        row([design if is_library else f"*{design}*", short(ns), short(alone.get(design)) if is_library else ""] + calls +
            [f"{bytes_each:,.0f}"])


# A design within so many times the best at one size is run at the next; else nobody knows the best there.
NEAR = 5


def not_run(cells, point, tasks):
    """Exact designs within NEAR times the best of a point at the next smaller size, of which there is no cell at this one."""
    smaller, here = {}, set()
    for cell in cells:
        if cell["workload"] == point[0] and is_exact(cell) and cell["impl"] not in GONE:
            if cell["tasks"] == tasks:
                here.add(cell["impl"])
            phase = phase_of(cell, point[1]) if cell["tasks"] < tasks and cell["status"] == "ok" else None
            if phase and phase["cpu_ns_per_op"]:
                smaller.setdefault(cell["tasks"], {})[cell["impl"]] = phase["cpu_ns_per_op"]
    last = smaller.get(max(smaller, default=0), {})
    return sorted(design for design, ns in last.items() if ns <= NEAR * min(last.values()) and design not in here)


def print_idle(name):
    table, null, sizes = {}, {}, set()
    for cell in cells_of(name):
        if cell["workload"] != "idle":
            continue
        phase = phase_of(cell, "ticks")
        if phase and phase["ns_per_advance"]:
            sizes.add(cell["tasks"])
            table[cell["impl"], cell["tasks"]] = phase["ns_per_advance"]["median"]
            null[cell["tasks"]] = cell["harness_ns_per_op"]
    head(["an empty tick, ns"] + [f"{power(tasks)} timers" for tasks in sorted(sizes)])
    for design in ordered(design for design, _ in table):
        row([f"`{design}`"] + [short(table.get((design, tasks))) for tasks in sorted(sizes)])
    row(["the harness, with `null`"] + [short(null.get(tasks)) for tasks in sorted(sizes)])


def print_misses(name):
    rows = read(name)["rows"]
    sizes = sorted({r["tasks"] for r in rows if r["tasks"] >= 1e5})
    wanted = ["P1 start", "P1 stop", "P3 traffic", "P4 steady"]
    head(["", "design"] + [f"{power(tasks)}: {column}" for tasks in sizes for column in ("L2", "STLB")] +
         [f"{power(sizes[-1])}: STLB, 2 MiB"], 2)
    table = {(f"{r['workload']} {r['phase']}", r["design"], r["tasks"]): r for r in rows}
    for point in wanted:
        for design in ordered(r["design"] for r in rows):
            found = [table.get((point, design, tasks)) for tasks in sizes]
            if any(found):
                last = [f"{found[-1]['STLB-2M']:.2f}" if found[-1] else ""]
                row([point, f"`{design}`"] + [f"{r[column]:.2f}" if r else "" for r in found for column in ("L2", "STLB")] + last)


def print_same_counts(point, misses, *names):
    """Work is comparisons, visits, moves and links written; the same designs and sizes that misses has, and a thousand."""
    workload, name = point.split("/")
    missed = {(r["design"], r["tasks"]): r for r in read(misses)["rows"] if (r["workload"], r["phase"]) == (workload, name)}
    found = {}
    for cell in all_cells(names):
        phase = phase_of(cell, name) if cell["workload"] == workload and cell["params"].get("huge_pages") != "on" else None
        if phase and phase["ns_per_op"]:
            work = sum(phase["work"][key] for key in ("comparisons", "visits", "moves", "link_writes"))
            did = sum(phase["operations"][key] for key in ("start", "stop", "expire"))
            found[cell["impl"], cell["tasks"]] = (work / did, phase["ns_per_op"]["median"])
    head([f"{point.replace('/', ' ')}, per operation", "timers", "work", "L1 misses", "L2 misses", "STLB misses", "ns"], 1)
    for design in ("hashed", "hier", "fast", "heap"):
        for tasks in (1000, 100000, 1000000, 10000000):
            work, ns = found.get((design, tasks), (None, None))
            miss = missed.get((design, tasks))
            if work is not None or miss:
                row([f"`{design}`", power(tasks), short(work), *(f"{miss[key]:.2f}" if miss else "" for key in ("L1", "L2", "STLB")), short(ns)])


def print_steps(misses, *names):
    missed = {(r["workload"], r["phase"], r["design"], r["tasks"]): r for r in read(misses)["rows"] if r["tasks"]}
    found = {}
    for cell in all_cells(names):
        if cell["params"].get("huge_pages") != "on":
            for phase in cell["phases"]:
                if phase["ns_per_op"]:
                    found[cell["workload"], phase["name"], cell["impl"], cell["tasks"]] = phase["ns_per_op"]["median"]
    head(["", "timers", "ns more per operation", "lines more", "page walks more", "ns more per line"], 2)
    for (workload, phase, design, tasks), ns in found.items():
        this, before = (workload, phase, design, tasks), (workload, phase, design, tasks // 10)
        if tasks >= 1e6 and f"{workload}/{phase}" in ("P1/start", "P1/stop", "P3/traffic", "P4/steady") and before in found and before in missed and this in missed:
            more = ns - found[before]
            lines, walks = (missed[this][key] - missed[before][key] for key in ("L2", "STLB"))
            row([f"{workload} {phase}, `{design}`", f"{power(tasks // 10)} to {power(tasks)}", short(more), f"{lines:.2f}",
                 f"{walks:.2f}", short(more / lines) if lines > 0.3 else ""])


def is_exact(cell):
    traits = cell["traits"]
    return traits["late_ticks"] == 0 and traits["late_shift"] == 0 and cell["impl"] != "null"


def design_of(cell):
    return cell["impl"] + (" bitmap=1" if cell["params"].get("bitmap") == 1 else "")


TICKS = ("a tenth of its tick", "its own tick", "ten times its tick")


def by_tick(name):
    """(trace, one of TICKS) -> cells, those of null left in.  A copy of a trace with a tenth of its ticks is called -fine."""
    cells = [cell for cell in read(name)["cells"] if cell["status"] == "ok" and cell["impl"] not in GONE]
    own, table = {}, {}
    for cell in cells:
        own[cell["workload"]] = min(cell["tick_ns"], own.get(cell["workload"], cell["tick_ns"]))
    for cell in cells:
        trace = cell["workload"]
        tick = TICKS[0] if trace.endswith("-fine") else TICKS[1 if cell["tick_ns"] == own[trace] else 2]
        table.setdefault((trace.removesuffix("-fine"), tick), []).append(cell)
    return table


def print_traces(name, designs=""):
    table, figures = by_tick(name), {}
    traces = ordered(trace for trace, _ in table)
    for trace in traces:
        for cell in table[trace, TICKS[1]]:
            figures[design_of(cell), trace] = cell["phases"][0]["cpu_ns_per_op"]
    head([""] + [f"`{trace}`" for trace in traces])
    for design in ordered(design for design, _ in figures):
        if not designs or design in designs.split(","):
            row([f"`{design}`"] + [short(figures.get((design, trace))) for trace in traces])


def work_per(phase, *operations):
    """Comparisons, visits, moves and links written, per operation of these kinds."""
    did = sum(phase["operations"][key] for key in operations)
    return sum(phase["work"][key] for key in ("comparisons", "visits", "moves", "link_writes")) / did


def print_question(name, question):
    cells = [cell for cell in cells_of(name) if cell["workload"] in {
        "map": ("P1", "P4"), "slots": ("keepalive",), "wakeups": ("hold",), "sweep": ("nginx",)}[question]]
    if question == "map":
        work = {(cell["impl"], cell["tasks"], phase["name"], cell["workload"]): work_per(phase, "start", "stop", "expire")
                for cell in cells for phase in cell["phases"]}
        sizes = sorted({cell["tasks"] for cell in cells})
        columns = [(phase, load, words, tasks) for phase, load, words in (
            ("start", "P1", "a start"), ("stop", "P1", "a stop"), ("steady", "P4", "an expiry or a restart")) for tasks in sizes]
        head(["units of work"] + [f"{words}, among {power(tasks)}" for _, _, words, tasks in columns])
        for design in ordered(cell["impl"] for cell in cells):
            row([f"`{design}`"] + [short(work.get((design, tasks, phase, load))) for phase, load, _, tasks in columns])
    elif question == "slots":
        head(["", "timers looked at per tick", "longest tick, work", "work per re-arm, its ticks included", "bytes per timer"])
        for cell in cells:
            phase, slots = phase_of(cell, "traffic"), cell["params"].get("slots")
            row([f"`{cell['impl']}`" + (f", {slots:,} slots" if slots else ""), short(phase["work"]["visits"] / phase["operations"]["ticks"]),
                 f"{phase['advance_work']['max']:,}", short(work_per(phase, "start")), short(cell["memory"]["peak_bytes"] / cell["tasks"])])
    elif question == "wakeups":
        rates = {}
        for cell in cells:
            phase = phase_of(cell, "steady")
            seconds = phase["operations"]["ticks"] * cell["tick_ns"] / 1e9
            rates[cell["tick_ns"], cell["tasks"], cell["impl"], cell["params"].get("drive")] = phase["wakeups"]["count"] / seconds
        sizes = sorted({cell["tasks"] for cell in cells})
        head(["wake-ups a second, tick"] + [f"{power(tasks)} timers, {words}" for tasks in sizes for words in ("each tick", "next expiry")])
        for tick in sorted({key[0] for key in rates}):
            row([spoken(tick)] + [short(rates.get((tick, tasks, *who))) for tasks in sizes for who in (("hashed", None), ("heap", "next"))])
    else:
        head(["connections of nginx", "tick", "looked at per operation", "work per operation", "late by, mean", "bytes per connection"], 2)
        for cell in cells:
            phase = cell["phases"][0]
            did = phase["operations"]["start"] + phase["operations"]["stop"]
            row([f"`{cell['impl']}`", spoken(cell["tick_ns"]), short(phase["work"]["visits"] / did), short(work_per(phase, "start", "stop")),
                 spoken(cell["precision"]["late_mean_ns"]) if cell["precision"]["late_mean_ns"] else "0", short(cell["memory"]["peak_bytes"] / cell["tasks"])])


def costs(cells, wanted):
    """Of the exact designs with all the wanted phases, (workload, phase), the sums of CPU time per operation and of the same
    net of the harness: design -> (ns, ns), and design -> harness."""
    sums = {}
    for workload, name in wanted:
        for cell in cells:
            phase = phase_of(cell, name) if cell["workload"] == workload and is_exact(cell) and cell["status"] == "ok" else None
            if phase and phase["cpu_ns_per_op"]:
                did = phase["operations"]
                share = (cell["harness_ns_per_op"] or 0) * (did["start"] + did["stop"] + did["advance"])
                share /= did["start"] + did["stop"] + did["expire"]
                found = sums.setdefault(design_of(cell), [])
                found.append((phase["cpu_ns_per_op"], phase["cpu_ns_per_op"] - share))
    return {design: tuple(sum(part) for part in zip(*found)) for design, found in sums.items() if len(found) == len(wanted)}


def net_ratio(other, own):
    """Unknown where the harness is nearly all of a figure: what is left of it is chance."""
    return f"{other[1] / own[1]:.2f}" if all(net > 0.1 * ns for ns, net in (other, own)) else "unknown"


def best_other(found, but=()):
    return min(((ns, design) for design, ns in found.items() if design != "fast" and design not in but), default=(None, None))


def print_ticks(name):
    head(["trace", "tick", "harness", "`fast`", "the best other", "", "other / `fast`", "net of the harness"], 2)
    for (trace, tick), cells in by_tick(name).items():
        found = costs(cells, [(cells[0]["workload"], cells[0]["phases"][0]["name"])])
        other, design = best_other(found)
        if "fast" in found and other:
            own = found["fast"]
            row([f"`{trace}`", tick, short(own[0] - own[1]), short(own[0]), short(other[0]), f"`{design}`", f"{other[0] / own[0]:.2f}",
                 net_ratio(other, own)])


# What `fast` is to reach: times of the best exact other over its own.
TRACE_TARGETS = {"nginx": 1, "libuv-bind": 1, "linux-timer": 1, "libevent-unbound": 0.83, "linux-hrtimer": 0.83}
PHASES = [("P1", "start"), ("P1", "stop"), ("P2", "expire"), ("P3", "traffic"), ("P4", "steady"), ("P5", "traffic")]
# They note a start and do its work later, at the tick.
PUT_OFF = ("todo", "scan", "two-lists")


def print_target(what, where, asked, found, but=(), left=()):
    """`left` are designs that might be better and were not run: then the ratio is one at most."""
    other, design = best_other(found, but)
    if "fast" not in found or not other:
        row([what, where, f"{asked:g}", "not measured", "", "", ""])
        return
    own, ratio = found["fast"], other[0] / found["fast"][0]
    net = net_ratio(other, own)
    verdict = "**missed**" if ratio < asked else f"not known: {len(left)} not run" if left else "reached"
    row([what, where, f"{asked:g}", f"{'at most ' if left else ''}{ratio:.2f}", net, f"`{design}`", verdict])


def print_point_targets(cells, tasks, tried):
    # From 1e6 on pages are to be the same for all.
    pages = ("off",) if tasks >= 1e6 else ("off", None)
    here = [cell for cell in cells if cell["tasks"] == tasks and cell["params"].get("huge_pages") in pages and "batch" not in cell["params"]]
    where = power(int(tasks))
    for point in PHASES:
        what, left = " ".join(point), not_run(tried, point, tasks)
        if tasks >= 1e6:
            print_target(what, where, 1.3 if point[0] == "P5" else 1.5, costs(here, [point]), left=left)
        elif point == ("P1", "start"):
            print_target(what, where, 0.85, costs(here, [point]), PUT_OFF)
        else:
            print_target(what, where, 1, costs(here, [point]))
    if tasks < 1e6:
        print_target("P1 start and P2 expire together", where, 1.2, costs(here, [("P1", "start"), ("P2", "expire")]))


def loads_of(names):
    """(what, where, cells, (workload, phase)) of every trace at every tick and of every point up to 1e6 timers."""
    for name in names:
        if any(cell["workload"] == "nginx" for cell in cells_of(name)):
            for (trace, tick), at in by_tick(name).items():
                yield f"`{trace}`", tick, at, (at[0]["workload"], at[0]["phases"][0]["name"])
        else:
            cells = [cell for cell in cells_of(name) if cell["params"].get("huge_pages") != "on" and "batch" not in cell["params"]]
            for tasks in (1000, 10000, 100000, 1000000):
                for point in PHASES:
                    yield " ".join(point), power(tasks), [cell for cell in cells if cell["tasks"] == tasks], point


def against(cells, wanted, but=()):
    """(the best other's time over that of `fast`, who that is); None: not known."""
    found = costs(cells, [wanted])
    other, design = best_other(found, but if wanted == ("P1", "start") else ())
    return (other[0] / found["fast"][0], design) if other and "fast" in found else None


def ratios(names):
    """(what, where) -> (ratio, the best other), on traces at their own ticks and on points up to 1e5, as processors.tsv has them."""
    found = {(what, where): against(cells, wanted, PUT_OFF) for what, where, cells, wanted in loads_of(names)
             if where not in (TICKS[0], TICKS[2], "1e6") and (where != TICKS[1] or what.strip("`") in TRACE_TARGETS)}
    return {load: ratio for load, ratio in found.items() if ratio}


def own_longest(cells, wanted):
    """design -> the design's own longest advance in ns, of exact designs."""
    found = {}
    for cell in cells:
        phase = phase_of(cell, wanted[1]) if cell["workload"] == wanted[0] and is_exact(cell) else None
        own = phase and phase["latency_ns"]["advance"] and phase["latency_ns"]["advance"].get("own")
        if own and own["max"] and cell["impl"] != "null":
            found[design_of(cell)] = own["max"]
    return found


def print_within(*names):
    """README's sentence on `fast`: how far it is behind at most, and how its longest advance compares."""
    worst, tails = {}, []
    for what, where, cells, wanted in loads_of(names):
        kind = "traces" if what.startswith("`") else "1e6" if where == "1e6" else "points"
        found = against(cells, wanted)
        if found:
            worst[kind] = min(worst.get(kind, math.inf), found[0])
        longest = own_longest(cells, wanted)
        if "fast" in longest and len(longest) > 1:
            tails.append(longest["fast"] <= min(longest.values()))
    behind = {kind: f"{(1 / ratio - 1) * 100:.0f} %" for kind, ratio in worst.items()}
    print(f"`fast` takes at most {behind['traces']} longer than the best other exact design on recorded loads, {behind['points']} on P1 to P5 up to "
          f"1e5 timers and {behind['1e6']} at 1e6. On {sum(tails)} of these {len(tails)} loads no design has a shorter longest advance.")


def machine_of(document):
    machine = document["machine"]
    last = max(machine["caches"], key=lambda cache: cache["level"])["size_bytes"] >> 20
    return f"{machine['cpu_model'].replace('(R)', '').replace(' Processor', '')} with {last} MiB of L3"


def print_ratios(*names):
    document = read(names[0])
    for (what, where), (ratio, design) in ratios(names).items():
        print(machine_of(document), document["tool"]["commit"][:8], what, where, f"{ratio:.2f}", design, sep="\t")


def print_processors(kept, *names):
    with open(kept, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    builds = ordered((cpu, commit) for cpu, commit, *_ in lines)
    old = {(cpu, commit, what, where): f"{ratio} (`{design}`)" for cpu, commit, what, where, ratio, design in lines}
    document = read(names[0])
    head(["", ""] + [f"{cpu}, {commit}" for cpu, commit in builds] + [f"{machine_of(document)}, {document['tool']['commit'][:8]}"], 2)
    for (what, where), (ratio, design) in ratios(names).items():
        row([what, where] + [old.get((*build, what, where), "") for build in builds] + [f"{ratio:.2f} (`{design}`)"])
    factor = {tuple(key): float(ratio) for *key, ratio, _ in lines}
    factor |= {(machine_of(document), "", *where): ratio for where, (ratio, _) in ratios(names).items()}
    def moved(one, two):
        factors = sorted(max(factor[(*one, *where)] / factor[(*two, *where)], factor[(*two, *where)] / factor[(*one, *where)])
                         for where in ratios(names) if (*one, *where) in factor and (*two, *where) in factor)
        return f"{statistics.median(factors):.2f} times in the median and {factors[-1]:.2f} at most"
    print(f"\nBetween the processors of the first two columns a ratio moves by {moved(builds[0], builds[1])}. Between those of the last "
          f"two it moves by {moved(builds[-1], (machine_of(document), ''))}.")


def print_ablation(name, rings=""):
    """CPU time, a row for each load and the phase that matters there."""
    table, phases = {}, dict(PHASES[2:] + PHASES[:1])
    for cell in cells_of(name):
        load = cell["workload"]
        phase = phase_of(cell, phases.get(load, "replay"))
        if (" share=0" in cell["identity"]) == bool(rings):
            row_name = f"{load} {phase['name']} at {power(cell['tasks'])}" if load in phases else f"`{load}`"
            table.setdefault(row_name, {})[cell["impl"].removeprefix("fast-")] = phase["cpu_ns_per_op"]
    ideas = ordered(idea for by in table.values() for idea in by if idea != "whole")
    head(["load", "whole, ns"] + [f"`{idea.upper().replace('-', '_')}`" for idea in ideas])
    for load, by in table.items():
        row([load, short(by["whole"])] + [f"{by[idea] / by['whole']:.2f}" if idea in by else "" for idea in ideas])


def longest_advance(cells, design, point):
    """ns, of the least time of each call over the passes; None when it is not known."""
    for cell in cells:
        phase = phase_of(cell, point[1]) if (cell["impl"], cell["workload"], cell["tasks"]) == (design, point[0], 1e6) else None
        own = phase and phase["latency_ns"]["advance"] and phase["latency_ns"]["advance"].get("own")
        if own and cell["params"].get("huge_pages") != "on":
            return own["max"]
    return None


def batch_costs(cells):
    """CPU time of P3's traffic by design and operations of a call."""
    found = {}
    for cell in cells:
        phase = phase_of(cell, "traffic")
        if cell["workload"] == "P3" and "batch" in cell["params"] and phase and phase["cpu_ns_per_op"]:
            found.setdefault(cell["impl"], {})[cell["params"]["batch"]] = phase["cpu_ns_per_op"]
    return found


def print_batches(name):
    """Nothing but a line while the file is not there."""
    if not os.path.exists(name):
        print(f"`{name}` is not measured yet.")
        return
    head(["", "single calls", "K = 64", "K = 1024", "single / K = 1024"])
    for design, by_size in batch_costs(cells_of(name)).items():
        row([f"`{design}`"] + [short(by_size.get(size)) for size in (1, 64, 1024)] + [f"{by_size[1] / by_size[1024]:.2f}" if {1, 1024} <= set(by_size) else ""])


def print_batch_target(cells):
    """The single calls of a design against its own batches; the design that gains most."""
    gains = [(by_size[1] / ns, size, design) for design, by_size in batch_costs(cells).items() if 1 in by_size for size, ns in by_size.items() if size > 1]
    if not gains:
        row(["P3 traffic, single calls / batches", "1e7", "1.5", "not measured", "", "", ""])
        return
    ratio, size, design = max(gains)
    row(["P3 traffic, single calls / batches", "1e7", "1.5", f"{ratio:.2f} (K = {size:,})", "", f"`{design}`", "reached" if ratio >= 1.5 else "**missed**"])


def print_open_target(name):
    """The longest of the medians over sizes and horizons; the times that the system takes for fresh pages are apart, in the file."""
    rows = [one for one in read(name)["rows"] if one["design"] == "fast"] if name else []
    if not rows:
        row(["opening, median", "10 to 1e6", "under 20 us", "not measured", "", "", ""])
        return
    worst = max(rows, key=lambda one: one["median_ns"])
    row(["opening, median", "10 to 1e6", "under 20 us", f"{spoken(worst['median_ns'])} at {power(worst['capacity'])}", "", "",
         "reached" if worst["median_ns"] < 20000 else "**missed**"])


def print_targets(*names):
    """Ratios of traces and points first, then the longest advance, batches, bytes and openings.  Files of batches and openings may
    not be there yet."""
    opening = next((name for name in names if os.path.basename(name) == "open.json" and os.path.exists(name)), None)
    names = [name for name in names if os.path.basename(name) != "open.json" and (os.path.exists(name) or "batches" not in name)]
    head(["what", "where", "asked", "found", "net of the harness", "the best other", ""], 2)
    documents = [name for name in names if any(cell["workload"] == "nginx" for cell in read(name)["cells"])]
    names = [name for name in names if name not in documents]
    cells = all_cells(names)
    tried = [cell for name in names for cell in read(name)["cells"] if "batch" not in cell["params"] and cell["impl"] not in GONE]
    for name in documents:
        for (trace, tick), at in by_tick(name).items():
            if trace in TRACE_TARGETS:
                print_target(f"`{trace}`", tick, TRACE_TARGETS[trace], costs(at, [(at[0]["workload"], at[0]["phases"][0]["name"])]))
    for tasks in (1e3, 1e4, 1e5, 1e6, 1e7):
        print_point_targets(cells, tasks, tried)
    for point in PHASES[2:]:
        own, other = (longest_advance(cells, design, point) for design in ("fast", "callwheel"))
        met = "not measured" if not own or not other else f"{own / other:.2g} ({spoken(own)} / {spoken(other)})"
        row([f"{point[0]}, longest advance", "1e6", "at most 2", met, "", "`callwheel`",
             "" if met == "not measured" else "reached" if own <= 2 * other else "**missed**"])
    print_batch_target(cells)
    print_memory_target(cells, "bytes a timer", 1e6, 16, lambda cell: cell["memory"]["capacity_bytes"] / cell["stream"]["capacity"])
    print_memory_target(cells, "fixed bytes", 10, 8192, lambda cell: cell["memory"]["fixed_bytes"])
    print_open_target(opening)


def print_memory_target(cells, what, tasks, most, of):
    found = next((of(cell) for cell in cells if (cell["impl"], cell["tasks"]) == ("fast", tasks)), None)
    row([f"{what}, all timers in use" if tasks > 10 else what, power(int(tasks)), f"at most {most:,}",
         "not measured" if found is None else f"{found:,.0f}", "", "", "" if found is None else "reached" if found <= most else "**missed**"])


def spoken(ns):
    """A time in the unit in which it reads well, three digits."""
    for unit, size in ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1):
        if ns is not None and (ns >= 0.9995 * size or unit == "ns"):
            return f"{float(f'{ns / size:.3g}'):g} {unit}"
    return ""


def middle(cell, path):
    """The median over the runs of a cell; None when no run has it."""
    values = []
    for value in cell["clock"]["rounds"]:
        for key in path.split("."):
            value = value and value.get(key)
        if value is not None:
            values.append(value)
    return statistics.median(values) if values else None


def of_time(path):
    return lambda cell: spoken(middle(cell, path))


def processor(cell):
    """Of all threads, the callers' and the harness's too, as a share of one core."""
    shares = [r["process_cpu_ns"] / r["watched_ns"] for r in cell["clock"]["rounds"]]
    return f"{float(f'{100 * statistics.median(shares):.2g}'):g} %"


# Of each load the workload that stands in the cells, and titles with what makes their values of a cell.
LATE = [("late p50", of_time("times_ns.late.p50")), ("p99", of_time("times_ns.late.p99")), ("longest", of_time("times_ns.late.max"))]
RUNNERS = {
    "storm": ("storm", [("pause of the driver", of_time("stats.longest_pause_ns")),
                        ("of that, work", of_time("stats.longest_work_ns")),
                        ("in its worst run", lambda cell: spoken(max(r["stats"]["longest_pause_ns"] for r in cell["clock"]["rounds"]))),
                        ("a stop, p50", of_time("times_ns.stop.p50")), ("p99", of_time("times_ns.stop.p99")),
                        ("longest", of_time("times_ns.stop.max"))]),
    "late": ("fill-expire", LATE + [("wake-ups/s", lambda cell: short(middle(cell, "wakeups_per_s"))), ("processor", processor)]),
    "burst": ("burst", LATE),
    "periodic": ("periodic", LATE + [("runs", lambda cell: short(middle(cell, "stats.runs")))]),
    "idle": ("idle", [("wake-ups/s", lambda cell: short(middle(cell, "wakeups_per_s"))), ("processor", processor)]),
}


def print_runners(name, load):
    if load == "closed":
        print_closed(name)
        return
    workload, columns = RUNNERS[load]
    cells = [cell for cell in cells_of(name) if cell["workload"] == workload]
    columns = [(title, value) for title, value in columns if any(value(cell) for cell in cells)]  # older files lack some
    head(["runner"] + [title for title, _ in columns])
    for cell in cells:
        row([f"`{cell['runner']}`"] + [value(cell) for _, value in columns])


def print_closed(name):
    """Starts and stops a second by number of threads, and what a second thread makes of them."""
    cells = {(cell["runner"], cell["clock"]["threads"]): cell for cell in cells_of(name) if cell["workload"] == "closed"}
    threads = sorted({number for _, number in cells})
    head(["runner"] + [f"{n} thread{'s' if n > 1 else ''}" for n in threads] + ["2 over 1", "a start, p50", "p99", "a stop, p50", "p99"])
    for runner in ordered(runner for runner, _ in cells):
        rates = {n: middle(cells[runner, n], "operations_per_s") for n in threads}
        two = cells[runner, 2]
        row([f"`{runner}`"] + [f"{rates[n] / 1e6:.3g}M" for n in threads] + [f"{rates[2] / rates[1]:.2f}"] +
            [spoken(middle(two, f"times_ns.{what}.{share}")) for what in ("start", "stop") for share in ("p50", "p99")])


def store_cells(name, **load):
    """Sound cells without kills of that load; in the order of the file."""
    return [cell for cell in read(name)["cells"]
            if cell["status"] == "ok" and not cell["load"]["kills"] and all(cell["load"][key] == value for key, value in load.items())]


def store_figure(cell, key, scale=1):
    """The median, with its interval where there were enough runs for one of 95 % and it is no single figure."""
    figure = cell["figures"].get(key) if cell else None
    if not figure:
        return "not known"
    median, low, high = (short(figure[of] * scale) for of in ("median", "low", "high"))
    return median + (f" ({low} to {high})" if len(figure["samples"]) >= 6 and (low, high) != (median, median) else "")


def store_puts(cell):
    return store_figure(cell, "puts_per_s")


def print_runs(cells):
    """How many runs are behind a figure, from the file."""
    runs = sorted({cell["runs"] for cell in cells if cell["status"] == "ok"})
    print(f"\nRuns of each cell: {' or '.join(map(str, runs))}." + (" The intervals have a confidence of 95 %." if max(runs, default=0) >= 6 else ""))


def print_stores(name, what):
    full_speed = store_cells(name, rate=0, batch=1)
    status = {(cell["store"], cell["sync"], cell["load"]["producers"]): cell["status"] for cell in read(name)["cells"]
              if cell["load"]["rate"] == 0 and cell["load"]["batch"] == 1}
    stores = ordered(cell["store"] for cell in read(name)["cells"])
    if what == "load":
        sizes = {kind: sorted({cell["load"]["tasks"] for cell in cells}) for kind, cells in (
            ("policies", full_speed), ("recovery", store_cells(name, rate=0, batch=100)),
            ("lateness", [cell for cell in store_cells(name) if cell["load"]["rate"] > 0]))}
        print(f"Messages of a run: {'; '.join(kind + ' ' + ', '.join(map(power, tasks)) for kind, tasks in sizes.items())}.")
        print_runs(store_cells(name))
    elif what == "puts":
        kinds = ordered((cell["sync"], cell["load"]["producers"]) for cell in full_speed)
        head(["store"] + [f"`{sync}`, {count} producer{'s' if count > 1 else ''}" for sync, count in kinds])
        for store in stores:
            cells = {(cell["sync"], cell["load"]["producers"]): cell for cell in full_speed if cell["store"] == store}
            row([f"`{store}`"] + [store_puts(cells[kind]) if kind in cells else status.get((store, *kind), "") for kind in kinds])
    elif what == "costs":
        steady = any(cell["figures"].get("checkpoints") for cell in full_speed)
        head(["store", "written, B/message", "syncs/message", "memory, B/pending", "disk, B/pending", "put p99, us", "drained, 1/s"] +
             ["checkpoints"] * steady)
        for cell in full_speed:
            if cell["sync"] == "group" and cell["load"]["producers"] == 1:
                row([f"`{cell['store']}`"] + [store_figure(cell, key) for key in (
                    "written_bytes_per_message", "syncs_per_message", "memory_bytes_per_pending", "disk_bytes_per_pending",
                    "ack_p99_us", "dispatch_per_s") + ("checkpoints",) * steady])
    elif what == "recovery":
        cells = {(cell["store"], cell["load"]["tasks"]): cell for cell in store_cells(name, rate=0, batch=100)}
        sizes = sorted({tasks for _, tasks in cells})
        head(["store"] + [f"{power(tasks)} messages" for tasks in sizes])
        for store in ordered(store for store, _ in cells):
            row([f"`{store}`"] + [store_figure(cells.get((store, tasks)), "recovery_s", 1000) for tasks in sizes])
    else:
        head(["store", "p50, ms", "p99, ms", "longest, ms"])
        for cell in store_cells(name):
            if cell["load"]["rate"] > 0:
                row([f"`{cell['store']}`"] + [store_figure(cell, key) for key in ("late_p50_ms", "late_p99_ms", "late_max_ms")])


def print_stores_disk(name):
    """A row for each load."""
    loads = {}
    for cell in store_cells(name):
        load = cell["load"]
        kind = (load["producers"], load["batch"], load["cancel_permille"], cell["sync"])
        loads.setdefault(kind, {})[cell["store"]] = cell
    head(["producers", "batch", "cancelled", "policy", "the disk alone", "`wheel-log`", "best other",
          "`wheel-log` : other", "disk : other"])
    for (producers, batch, cancelled, sync), cells in loads.items():
        puts = {store: cell["figures"]["puts_per_s"]["median"] for store, cell in cells.items()}
        disk, log = (puts.pop(store, None) for store in ("null", "wheel-log"))
        best = max(puts, key=puts.get, default=None)
        row([producers, batch, f"{cancelled / 10:g} %", f"`{sync}`"] +
            [store_puts(cells[store]) if store in cells else "" for store in ("null", "wheel-log")] +
            [f"`{best}` {store_puts(cells[best])}" if best else ""] +
            [f"{rate / puts[best]:.2f}" if rate and best else "" for rate in (log, disk)])


def print_stores_kills(*names):
    """The ledger of each store and policy that was killed, or the script that makes it."""
    keys, defects = ("acknowledged", "again", "dropped"), ("lost", "twice", "early", "late", "out_of_order", "changed")
    if not all(map(os.path.exists, names)):
        print("Not measured yet: `tools/reference/stores_kills.sh FILE`, then `make pages`.")
        return
    head(["store", "policy", "kills", *keys, "defects"])
    for cell in (cell for name in names for cell in read(name)["cells"]):
        sync = cell["sync"] + (f":{cell['interval_ms']}ms" if cell["interval_ms"] else "")
        kills = sum(cell["kills"].get(victim, 0) for victim in ("client", "server", "both"))
        if not kills:
            row([f"`{cell['store']}`", f"`{sync}`", cell["status"]] + [""] * 4)
            continue
        cut = "" if cell["status"] in ("ok", "mismatch") else f" ({cell['status']})"
        row([f"`{cell['store']}`", f"`{sync}`{cut}", kills] + [cell["ledger"][key] for key in keys] +
            [", ".join(f"{cell['ledger'][key]} {key}" for key in defects if cell["ledger"][key]) or 0])


def print_stores_cold(name):
    """Dispatch from a log larger than memory: a row for each store, and how many times slower than the fastest."""
    if not os.path.exists(name):
        print("Not measured yet: `tools/reference/stores_cold.sh FILE`, then `make pages`.")
        return
    cells = [cell for cell in store_cells(name) if cell["figures"]["dispatch_per_s"]]
    best = max(cell["figures"]["dispatch_per_s"]["median"] for cell in cells)
    head(["store", "messages", "payload, B", "drained, 1/s", "times slower", "disk, B/message"])
    for cell in cells:
        load = cell["load"]
        row([f"`{cell['store']}`", power(load["tasks"]), load["payload_max"], store_figure(cell, "dispatch_per_s"),
             f"{best / cell['figures']['dispatch_per_s']['median']:.2f}", store_figure(cell, "disk_bytes_per_pending")])
    print_runs(cells)


def print_stores_large(name):
    cells = sorted(read(name)["cells"], key=lambda cell: cell["load"]["tasks"])
    served = {(cell["store"], cell["load"]["tasks"]): cell["figures"]["served_s"]["median"] for cell in cells
              if cell["status"] == "ok" and cell["figures"]["served_s"]}
    head(["store", "messages", "resident, MiB", "disk, B/message", "open, ms", "first messages, ms", "times `wheel-log`",
          "open, ms, no page cache", "first messages, ms, no page cache"])
    for cell in cells:
        tasks = cell["load"]["tasks"]
        first = [f"`{cell['store']}`", power(tasks)]
        if cell["status"] != "ok":
            row(first + [cell["status"]] + [""] * 6)
            continue
        own, log = (served.get((store, tasks)) for store in (cell["store"], "wheel-log"))
        row(first + [store_figure(cell, "resident_bytes", 1 / 2 ** 20), store_figure(cell, "disk_bytes_per_pending")] +
            [store_figure(cell, key, 1000) for key in ("recovery_s", "served_s")] + [short(own and log and own / log)] +
            [store_figure(cell, key, 1000) if cell["load"]["cold"] else "" for key in ("cold_recovery_s", "cold_served_s")])
    print_runs(cells)


WAYS = {"none": "back to back", "chain": "chained", "32KiB": "behind 32 KiB", "1MiB": "behind 1 MiB"}


def interval_of(samples):
    """Median, low, high: the narrowest pair of order statistics with 95 % (src/harness/measure/stats/summary.h)."""
    ordered, count = sorted(samples), len(samples)
    trim, miss = 0, 2 / 2 ** count
    while 2 * (trim + 1) < count and miss + 2 * math.comb(count, trim + 1) / 2 ** count <= 0.05:
        trim += 1
        miss += 2 * math.comb(count, trim) / 2 ** count
    return statistics.median(ordered), ordered[trim], ordered[count - 1 - trim]


def between_costs(name):
    """(tasks, design, way) -> median, low and high of a start and its stop, ns, less the harness."""
    found = {}
    for cell in cells_of(name) if os.path.exists(name) else []:
        phases = [phase_of(cell, which) for which in ("start", "stop")]
        if all(phase and phase.get("corrected") for phase in phases):
            samples = [sum(pair) for pair in zip(*(phase["corrected"]["ns_per_op"]["samples"] for phase in phases))]
            found[cell["tasks"], cell["impl"], cell["params"]["between"]] = interval_of(samples)
    return found


def is_clear(interval):
    """As corrected.reason of a result has it."""
    return interval[1] > 0 and interval[2] <= 2 * interval[1]


def best_between(found, tasks, way):
    """The designs whose intervals overlap that of the least, the least first; none where one is not clear."""
    here = {design: of for (size, design, which), of in found.items() if (size, which) == (tasks, way)}
    if not here or not all(is_clear(of) for of in here.values()):
        return {}
    least = min(here.values())
    return {design: of for design, of in sorted(here.items(), key=lambda item: item[1]) if of[1] <= least[2]}


def print_between(name):
    found = between_costs(name)
    head(["timers", "design", *WAYS.values()], 2)
    if not found:
        row(["1e3 to 1e6", "not measured", "", "", "", ""])
    best = {(tasks, way): best_between(found, tasks, way) for tasks in {key[0] for key in found} for way in WAYS}
    for tasks, design in ordered(key[:2] for key in sorted(found, key=lambda key: key[0])):
        cells = []
        for way in WAYS:
            of = found.get((tasks, design, way))
            star = "**" if design in best[tasks, way] else ""
            cells.append("" if of is None else star + short(of[0]) + star if is_clear(of) else "unclear")
        row([power(int(tasks)), f"`{design}`"] + cells)


TEXTBOOK = ("list", "heap", "hashed", "round", "hier")


def choice_row(load, cells, point, tasks, figure, but=()):
    """The design with the least of a figure of a cell and its phase, a text behind it, and how many might have less."""
    found = []
    for cell in cells:
        phase = phase_of(cell, point[1]) if (cell["workload"], cell["tasks"]) == (point[0], tasks) else None
        if phase and is_exact(cell) and cell["params"].get("huge_pages") != "on" and (not but or cell["impl"] in but):
            value, text = figure(cell, phase)
            if value is not None:
                found.append((value, cell["impl"], text))
    left = [] if but else not_run(cells, point, tasks)
    if found:
        _, design, text = min(found)
        row([load, f"`{design}`", text + (f"; {len(left)} designs were not run" if left else "")])


def figure_time(_, phase):
    return phase["cpu_ns_per_op"], f"{short(phase['cpu_ns_per_op'])} ns per operation"


def figure_longest(_, phase):
    own = phase["latency_ns"]["advance"] and phase["latency_ns"]["advance"].get("own")
    return own and own["max"], f"longest advance {spoken(own['max'])}" if own else ""


def figure_memory(cell, _):
    share = cell["memory"]["peak_bytes"] / cell["tasks"]
    return share, f"{short(share)} bytes per timer"


def named(designs):
    return " or ".join(f"`{design}`" for design in designs)


def print_choice(advice, points, between=""):
    """What README recommends without measuring: the files decide."""
    apart = between_costs(between)
    load, cells = read(advice)["advice"], [cell for cell in read(points)["cells"] if cell["impl"] not in GONE]
    ok = [cell for cell in cells if cell["status"] == "ok"]
    by_name = {each["name"]: each for each in load["candidates"]}
    names = [load["recommendation"]["candidate"]] + [name for name, each in by_name.items() if each["status"] == "not-told-apart"]
    take = list(dict.fromkeys(name.split()[0] for name in names))
    cost = by_name[names[0]]["figures"]["cost_ns_per_op"]["median"]
    head(["your load", "take", "measured"], 3)
    row([f"a server's timeouts: recorded {load['load']['workload']} traffic, ticks of {spoken(load['load']['tick_ns'])}",
         named(take), f"{short(cost)} ns {'for one call' if load['wishes'].get('between') else 'per operation'}"])
    choice_row("a million timers, mostly stopped or re-armed", cells, ("P3", "traffic"), 1e6, figure_time)
    choice_row("the same, of the five textbook designs", ok, ("P3", "traffic"), 1e6, figure_time, TEXTBOOK)
    choice_row("the same, but no call may take long", cells, ("P3", "traffic"), 1e6, figure_longest)
    choice_row("the same, but memory is scarce", cells, ("P3", "traffic"), 1e6, figure_memory)
    choice_row("a thousand timers, thousands of ticks from one expiry to the next", cells, ("P2", "expire"), 1e3, figure_time)
    for tasks in (1e3, 1e4, 1e5, 1e6):
        close, behind = (best_between(apart, tasks, way) for way in ("none", "32KiB"))
        if close and behind and not close.keys() & behind.keys():
            row([f"{power(int(tasks))} timeouts, calls behind 32 KiB of other work", f"{named(behind)}; back to back {named(close)}",
                 f"{short(next(iter(behind.values()))[0])} ns for start and stop"])


TABLES = {"between": print_between, "choice": print_choice, "stores": print_stores, "stores-disk": print_stores_disk, "stores-large": print_stores_large, "stores-kills": print_stores_kills, "stores-cold": print_stores_cold, "runners": print_runners, "origin": print_origin, "pages": print_pages, "libraries": print_libraries,
          "idle": print_idle, "fresh": print_fresh, "question": print_question, "traces": print_traces,
          "targets": print_targets, "ratios": print_ratios, "within": print_within, "processors": print_processors, "ticks": print_ticks, "ablation": print_ablation, "batches": print_batches, "misses": print_misses, "same-counts": print_same_counts, "steps": print_steps}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in TABLES:
        sys.exit(__doc__)
    TABLES[sys.argv[1]](*sys.argv[2:])
