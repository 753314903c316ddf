# passes.bats - what the passes of a process run: nothing that it has run, unless asked.

load support.bash

sampling() {
    json p.json "[c['sampling'][k] for c in d['cells'] for k in ('passes_per_sample', 'distinct_passes', 'replays', 'passes_differ_in')]"
}

# An operation is taken for 10 ns.
@test "no pass of a process repeats another, and --same-pass has all repeat one" {
    quick --impl=heap,linux --workload=P1,hold --tasks=1000 --min-time=200us --warmup=1 --json=p.json >/dev/null
    [ "$(json p.json '{c["status"] for c in d["cells"]}')" = "{'ok'}" ]
    [ "$(json p.json '{c["sampling"]["replays"] for c in d["cells"]}, {c["sampling"]["passes_differ_in"] for c in d["cells"]}')" = "({1}, {'seeds'})" ]
    [ "$(json p.json 'all(c["sampling"]["distinct_passes"] == c["sampling"]["passes_per_sample"] + 1 for c in d["cells"])')" = True ]
    [ "$(json p.json '[c["sampling"]["distinct_operations"] == 2000 * c["sampling"]["distinct_passes"] for c in d["cells"] if c["workload"] == "P1"]')" = "[True, True]" ]
    quick --impl=heap --workload=P1 --tasks=1000 --min-time=200us --warmup=1 --same-pass --json=p.json --force >table
    grep -q "passes.*ran the same operations 11 times" table
    [ "$(sampling)" = "[10, 1, 11, None]" ]
}

@test "cells with and without --same-pass are different cells" {
    quick --impl=heap --json=p.json >/dev/null
    quick --impl=heap --json=p.json --same-pass --resume >/dev/null
    [ "$(json p.json 'len(d["cells"])')" = 2 ]
    refuses --rename-ids run --same-pass --rename-ids
}

@test "a long trace is timed once a process, a short one with other ids, and any so if asked" {
    "$twbench" replay linux-hrtimer --impl=heap --runs=1 --progress=never --json=p.json >/dev/null
    [ "$(sampling)" = "[1, 2, 1, 'ids']" ]
    "$twbench" replay libuv-bind --impl=heap --runs=1 --min-time=4ms --progress=never --json=p.json --force >table
    grep -q "2 of one recording, with other ids each" table
    [ "$(sampling)" = "[2, 3, 1, 'ids']" ]
    "$twbench" replay linux-hrtimer --impl=heap --runs=1 --min-time=5ms --rename-ids --progress=never --json=p.json --force >/dev/null
    [ "$(sampling)" = "[2, 3, 1, 'ids']" ]
}
