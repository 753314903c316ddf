"""unpack_history.py FILE.xz DIRECTORY [FIRST LAST [RUN RATIO DESIGN]] - results FIRST..LAST of labs/fleet/tests/history/measured.json.xz, a file each.

From run RUN on, DESIGN's times are multiplied by RATIO: a step of known size in measured noise.
"""
import json, lzma, os, sys

packed, directory = json.load(lzma.open(sys.argv[1])), sys.argv[2]
first, last = (int(word) for word in sys.argv[3:5]) if len(sys.argv) > 3 else (0, len(packed["runs"]) - 1)
step, ratio, design = (int(sys.argv[5]), float(sys.argv[6]), sys.argv[7]) if len(sys.argv) > 5 else (last + 1, 1, "")
os.makedirs(directory, exist_ok=True)
result = packed["result"]
for number in range(first, last + 1):
    run = packed["runs"][number]
    result["tool"].update(commit=run["commit"], date_utc=run["date_utc"])
    times = iter(run["cpu_ns_per_op"])
    for cell in result["cells"]:
        slower = ratio if number >= step and cell["impl"] == design else 1
        for phase in cell["phases"]:
            time = next(times)
            phase["cpu_ns_per_op"] = time * slower if time is not None else None
            phase.pop("cpu_ns_per_op_interval", None)  # of one of the runs
    with open(f"{directory}/{number:03d}.json", "w") as out:
        json.dump(result, out)
