"""make_history.py BASE DIRECTORY RUNS - results of RUNS commits made from one, with planted steps, drift and noise.

Planted: list does 2 % more comparisons on hold from a quarter on; hashed/hold is 5 % slower from a third on; hier/keepalive
is 10 % faster from a half to two thirds; the machine is twice as slow in every seventh run.
"""
import copy, json, os, random, sys

base, directory, runs = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
random.seed(7)
os.makedirs(directory, exist_ok=True)


def slowdown(cell, run):
    key = cell["impl"], cell["workload"]
    if key == ("hashed", "hold") and run >= runs // 3:
        return 1.05
    if key == ("hier", "keepalive") and runs // 2 <= run < 2 * runs // 3:
        return 0.9
    return 1


for run in range(runs):
    result = copy.deepcopy(base)
    result["tool"]["commit"] = f"{run:03d}{random.getrandbits(36):09x}"
    result["tool"]["date_utc"] = f"2026-{1 + run // 28:02d}-{1 + run % 28:02d}T12:00:00Z"
    machine = 2 if run % 7 == 0 else 1
    for cell in result["cells"]:
        factor = slowdown(cell, run) * machine * random.gauss(1, 0.01)
        for phase in cell["phases"]:
            interval = phase["cpu_ns_per_op_interval"]
            if interval:
                phase["cpu_ns_per_op"] *= factor
                interval.update({key: interval[key] * factor for key in ("median", "low", "high")})
                interval["samples"] = [sample * factor for sample in interval["samples"]]
            if (cell["impl"], cell["workload"]) == ("list", "hold") and run >= runs // 4:
                phase["work"]["comparisons"] = int(phase["work"]["comparisons"] * 1.02)
    with open(f"{directory}/{runs - run:04d}.json", "w") as out:
        json.dump(result, out)
