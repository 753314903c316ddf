#!/usr/bin/env python3
"""advise_check.py - does advise recommend a design within 5 % of the best?

    tools/advise_check.py [LOAD...] [--budget=20s] [--between=none|chain|SIZE] [--busy=N]

For each load it asks `twbench advise`, then measures all exact designs at length, and prints a row of Markdown: what advise
recommends, the best, and the ratio of their costs: the overhead-corrected time of one call, or with --between=none CPU time
of all phases per operation, or behind other work.  With --busy=N each advice is asked for beside N busy processes, and may be
10 % off; the long runs are quiet.  DEBUG=1 tells the costs of the best eight, too.  A load is a workload of twbench, with its
timers behind a colon ("P2:1e4"), or a recorded trace: "nginx", "nginx/16" (a sixteenth of its timers), "nginx*4" (four
recordings, each beginning an eighth later).  Default: the five recorded traces in these three sizes.

The long run takes two samples of each exact design and nine of those within 1.3 of the best.  Candidates with settings
("ring tickless") that advise measured within 1.1 of its choice are measured beside its design, which ties them to that run.
"Unclear" are answers whose first sentence names several, one of them within 5 %.  The status is 1 if more than one answer in
fifteen is neither.
"""
import heapq
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TWBENCH = os.path.join(ROOT, "twbench")
TRACES = ["libuv-bind", "linux-hrtimer", "libevent-unbound", "linux-timer", "nginx"]
SIZES = ["/16", "", "*4"]
LATE = {"linux", "multi", "null"}
GOOD, GOOD_BUSY, NEAR, RIVAL, MISSES = 1.05, 1.10, 1.3, 1.1, 1 / 15
BETWEEN = ["--between=chain"]


# ---- Traces of another size.

def read_trace(name):
    """The values of the header, and the operations: (now, id, delay), delay None for a cancel."""
    head, operations = {}, []
    with lzma.open(os.path.join(ROOT, "workloads/traces", name + ".tt.xz"), "rt", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "#":
                head[words[1].rstrip(":")] = words[-1]
            else:
                operations.append((int(words[0]), int(words[2]), int(words[3]) if words[1] == "s" else None))
    return head, operations


def most_armed(operations):
    """Of the timers at one time: whenever the clock grows, what is due has expired."""
    due, deadlines, clock, most = {}, [], 0, 0
    for now, timer, delay in operations:
        while now > clock and deadlines and deadlines[0][0] <= now:
            deadline, expired = heapq.heappop(deadlines)
            if due.get(expired) == deadline:
                del due[expired]
        clock = now
        if delay is None:
            del due[timer]
            continue
        due[timer] = now + delay
        heapq.heappush(deadlines, (now + delay, timer))
        most = max(most, len(due))
    return most


def write_trace(path, unit, end, operations):
    ids = {}
    operations = [(now, ids.setdefault(timer, len(ids)), delay) for now, timer, delay in operations]
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(f"# timer-trace 1\n# unit_ns: {unit}\n# ids: {len(ids)}\n# ops: {len(operations)}\n"
                   f"# max_armed: {most_armed(operations)}\n# end: {end}\n")
        for now, timer, delay in operations:
            file.write(f"{now} c {timer}\n" if delay is None else f"{now} s {timer} {delay}\n")
    os.replace(path + ".new", path)


def thinned(name, parts, path):
    head, operations = read_trace(name)
    write_trace(path, head["unit_ns"], head["end"], [each for each in operations if each[1] % parts == 0])


def copied(name, copies, path):
    head, operations = read_trace(name)
    ids, end = int(head["ids"]), int(head["end"])
    late = [copy * (end // 8) for copy in range(copies)]
    shifted = [[(now + late[copy], timer + copy * ids, delay) for now, timer, delay in operations] for copy in range(copies)]
    write_trace(path, head["unit_ns"], end + late[-1], heapq.merge(*shifted, key=lambda each: each[0]))


def workload_of(load):
    """The arguments that choose the load; the file of a trace of another size is kept in build/traces."""
    name, colon, tasks = load.partition(":")
    for sign, make in (("/", thinned), ("*", copied)):
        trace, found, number = load.partition(sign)
        if found:
            path = os.path.join(ROOT, f"build/traces/{trace}-{'part' if sign == '/' else 'times'}{number}.tt")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.exists(path):
                make(trace, int(number), path)
            return [path]
    return [name, f"--tasks={tasks}"] if colon else [name]


# ---- What twbench says.

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
    """ns of all phases, over their operations."""
    ns = operations = 0
    for phase in cell["phases"]:
        count = sum(phase["operations"][kind] for kind in ("start", "stop", "expire"))
        corrected = phase["corrected"] and phase["corrected"]["ns_per_op"]
        ns += (corrected["median"] if corrected else phase["cpu_ns_per_op"] or 0) * count
        operations += count
    return ns / operations if operations else None


def costs_of(document, drive="ticks"):
    """Design -> cost, of the cells with that driver."""
    found = {cell["impl"]: cost(cell) for cell in document["cells"]
             if cell["status"] == "ok" and cell["params"].get("drive", "ticks") == drive}
    return {impl: ns for impl, ns in found.items() if ns}


def measure(load, designs, flags=()):
    between = [] if BETWEEN == ["--between=none"] else BETWEEN
    return ask(["run", f"--workload={load[0]}", *load[1:], "--impl=" + ",".join(designs), *between, *flags])


def long_run(load):
    costs = costs_of(measure(load, exact_designs(), ["--runs=2", "--budget=3s"]))
    best = min(costs.values())
    near = [name for name, ns in costs.items() if ns <= NEAR * best]
    costs.update(costs_of(measure(load, {*near, "heap"}, ["--runs=9"])))
    return costs


def add_with_settings(costs, names, load, tie):
    """Of "hashed slots=512 tickless": its ratio to the design `tie`, or to heap if the settings are the tie's too, in a run of
    both, times that design in the long run."""
    groups = {}
    for name in names:
        groups.setdefault(tuple(name.split()[1:]), []).append(name)
    for settings, group in groups.items():
        drive = "next" if "tickless" in settings else "ticks"
        flags = [f"--{each}" for each in settings if each != "tickless"]
        beside = measure(load, {*(name.split()[0] for name in group), tie, "heap"},
                         [*flags, "--runs=9", *(["--drive=ticks,next"] if drive == "next" else [])])
        shared = any(each.split("=")[0] in cell["params"] for cell in beside["cells"] if cell["impl"] == tie for each in settings)
        by = "heap" if shared else tie
        own, tied = costs_of(beside, drive), costs_of(beside).get(by)
        for name in group:
            if tied and name.split()[0] in own:
                costs[name] = own[name.split()[0]] / tied * costs[by]


def ask_beside(count, words):
    """As ask, beside so many busy processes."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        return ask(words)
    finally:
        for each in busy:
            each.kill()
            each.wait()


def judge(name, budget, count):
    """Prints the row of a load, and answers its verdict: "yes", "unclear" or "no"."""
    load, good = workload_of(name), GOOD_BUSY if count else GOOD
    advice = ask_beside(count, ["advise", *load, f"--budget={budget}", *BETWEEN])["advice"]
    choice = advice["recommendation"]
    if not choice:
        print(f"| {name} | - | - | - | no |", flush=True)
        return "no"
    measured = {each["name"]: each["figures"]["cost_ns_per_op"]["median"] for each in advice["candidates"]
                if each["figures"] and (each["figures"]["cost_ns_per_op"] or {}).get("median")}
    chosen = choice["candidate"]
    costs = long_run(load)
    add_with_settings(costs, [each for each in {chosen: 0, **measured} if " " in each and
                              (each == chosen or measured[each] <= RIVAL * measured.get(chosen, 0))], load,
                      chosen.split()[0] if chosen.split()[0] in costs else "heap")
    best = min(costs, key=costs.get)
    ratio = costs[chosen] / costs[best] if chosen in costs else None
    tied = re.split(", | and | by ", (choice.get("unclear") or "").removeprefix("No clear answer between "))
    verdict = ("yes" if ratio and ratio <= good else
               "unclear" if any(costs.get(each, float("inf")) <= good * costs[best] for each in tied) else "no")
    print(f"| {name} | {chosen} | {best} | {f'{ratio:.2f}' if ratio else '-'} | {verdict} |", flush=True)
    if os.environ.get("DEBUG"):
        print({each: (round(ns, 2), round(measured.get(each, 0), 2)) for each, ns in sorted(costs.items(), key=lambda e: e[1])[:8]},
              choice.get("unclear"), file=sys.stderr, flush=True)
    return verdict


def main(arguments):
    flags = dict(each[2:].split("=", 1) for each in arguments if each.startswith("--") and "=" in each)
    loads = [each for each in arguments if not each.startswith("--")] or [trace + size for size in SIZES for trace in TRACES]
    if "between" in flags:
        BETWEEN[:] = [f"--between={flags['between']}"]
    if set(flags) - {"budget", "between", "busy"} or any(each.startswith("--") and "=" not in each for each in arguments):
        sys.exit(__doc__)
    count = int(flags.get("busy", "0"))
    within = f"within {10 if count else 5} %"
    print(f"| load | recommended | best | times the best | {within} |\n|---|---|---|--:|---|")
    found = [judge(load, flags.get("budget", "20s"), count) for load in loads]
    print(f"\n{found.count('yes')} of {len(found)} {within}, {found.count('unclear')} unclear, {found.count('no')} wrong")
    sys.exit(found.count("no") > MISSES * len(found))


main(sys.argv[1:])
