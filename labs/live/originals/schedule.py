#!/usr/bin/env python3
"""schedule.py LOAD [KEY=VALUE...] - writes a schedule for the drivers to standard output (README.md has the format).

Loads, with what can be set and its default:
  spread   starts evenly over over_ns=5e9, delays up to most_ns=1e9   timers=1000 producers=1
  burst    all starts at one moment, one delay                        timers=1000 producers=1 delay_ns=1e6
  stops    every second timer is stopped before it is due             timers=1000 producers=1 over_ns=1e9 most_ns=1e9
  slow     one task takes slow_ns=5e8, the others are due behind it   timers=100 gap_ns=1e7 slow_ns=5e8
  fail     one task in the middle fails                               timers=100 over_ns=5e8 most_ns=1e8
  idle     timers that are far away, and nothing else                 timers=10 over_ns=1e10

All take end_ns (when the timer is closed), pace=clock|free and seed=1.  The same arguments write the same bytes.
"""
import random
import sys

DEFAULTS = {
    "spread": {"timers": 1000, "producers": 1, "over_ns": 5 * 10**9, "most_ns": 10**9},
    "burst": {"timers": 1000, "producers": 1, "delay_ns": 10**6},
    "stops": {"timers": 1000, "producers": 1, "over_ns": 10**9, "most_ns": 10**9},
    "slow": {"timers": 100, "producers": 1, "gap_ns": 10**7, "slow_ns": 5 * 10**8},
    "fail": {"timers": 100, "producers": 1, "over_ns": 5 * 10**8, "most_ns": 10**8},
    "idle": {"timers": 10, "producers": 1, "over_ns": 10**10},
}
FAR_NS = 3600 * 10**9
SETTLE_NS = 10**9  # from the last deadline to the close, unless end_ns says otherwise


def operations(load, given, rng):
    """(at_ns, producer, text) of each operation, and the moment of the last deadline."""
    ops, last = [], 0
    for i in range(given["timers"]):
        producer, work = i % given["producers"], ""
        if load in ("spread", "stops", "fail"):
            at = i * given["over_ns"] // given["timers"]
            delay = rng.randrange(given["most_ns"] + 1)
        elif load == "burst":
            at, delay = 0, given["delay_ns"]
        elif load == "slow":
            at, delay = 0, (i + 1) * given["gap_ns"]
        else:
            at, delay = 0, FAR_NS
        if load == "slow" and i == 0:
            work = f" {given['slow_ns']}"
        if load == "fail" and i == given["timers"] // 2:
            work = " fail"
        ops.append((at, producer, f"s {i} {delay}{work}"))
        if load == "stops" and i % 2:
            ops.append((at + delay // 2, producer, f"c {i}"))
        last = max(last, at + delay)
    if load == "idle":
        last = given["over_ns"] - SETTLE_NS
    return sorted(ops, key=lambda op: op[0]), last


def main(arguments):
    if not arguments or arguments[0] not in DEFAULTS:
        sys.exit(__doc__)
    load = arguments[0]
    given = dict(DEFAULTS[load], end_ns=None, pace="clock", seed=1)
    for argument in arguments[1:]:
        key, _, value = argument.partition("=")
        if key not in given:
            sys.exit(f"schedule.py: {load} has no {key}; it has {', '.join(given)}")
        given[key] = value if key == "pace" else int(float(value))
    ops, last = operations(load, given, random.Random(given["seed"]))
    end = last + SETTLE_NS if given["end_ns"] is None else given["end_ns"]
    write = sys.stdout.write
    write(f"# twbench-schedule 1\n# source: schedule.py {' '.join(arguments)}\n# pace: {given['pace']}\n")
    write(f"# producers: {given['producers']}\n# ids: {given['timers']}\n# ops: {len(ops)}\n# end_ns: {end}\n")
    for at, producer, text in ops:
        write(f"{at} {producer} {text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
