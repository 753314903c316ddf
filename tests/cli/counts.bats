# counts.bats - runs that only count: proofs, work and memory, without a time.

load support

# counted ARGUMENT... - a run that takes no times.
counted() {
    "$twbench" --tasks=50 --counts-only --progress=never "$@"
}

@test "a run that only counts has proofs, work and memory, and no times" {
    counted --impl=hashed,heap --json=c.json >table
    [ "$(json c.json '[c["status"] for c in d["cells"]]')" = "['ok', 'ok']" ]
    [ "$(json c.json '[(c["sampling"]["runs"], c["sampling"]["samples"]) for c in d["cells"]]')" = "[(0, 0), (0, 0)]" ]
    [ "$(json c.json '{p[k] for c in d["cells"] for p in c["phases"] for k in ("ns_per_op", "cpu_ns_per_op", "ns_per_advance", "counters")}')" = "{None}" ]
    [ "$(json c.json '{str(l) for c in d["cells"] for p in c["phases"] for l in p["latency_ns"].values()}')" = "{'None'}" ]
    [ "$(json c.json '{c["harness_ns_per_op"] for c in d["cells"]}')" = "{None}" ]
    [ "$(json c.json 'min(c["memory"]["fixed_bytes"] for c in d["cells"]) > 0')" = True ]
    grep -q "nothing was timed" table
    grep -q "empty ticks" table
}

@test "every design is right, every exact one fires the same timers at the same ticks, and a timed run counts the same" {
    counted --impl=all --workload=hold --json=c.json >/dev/null
    quick --impl=all --workload=hold --json=t.json >/dev/null
    [ "$(json t.json '{c["status"] for c in d["cells"]}')" = "{'ok'}" ]
    exact='[c["digest"] for c in d["cells"] if c["late_max_ticks"] == 0]'
    [ "$(json t.json "len(set($exact)), len($exact) >= 16")" = "(1, True)" ]
    for file in c t; do
        json $file.json '[(c["impl"], c["digest"], p["name"], p["operations"], p["work"]) for c in d["cells"] for p in c["phases"]]'
    done >both
    [ "$(sed -n 1p both)" = "$(sed -n 2p both)" ]
    [ "$(wc -c <both)" -gt 1000 ]
}

@test "exports have the counts and say what is missing" {
    counted --impl=hashed,heap --json=c.json --export-markdown=c.md --export-csv=c.csv --export-bencher=b.json \
        --export-gbench=g.json --export-junit=c.xml >/dev/null
    grep -q "nothing was timed" c.md
    grep -q "pointer moves" c.md
    grep -q "steady: not timed" c.xml
    [ "$(json g.json 'len(d["benchmarks"])')" = 0 ]
    [ "$(json b.json 'any("pointer-moves" in m for m in d.values()), any("latency" in m for m in d.values())')" = "(True, False)" ]
}

@test "no picture of times is drawn where there are none" {
    "$twbench" --tasks=10,100 --counts-only --progress=never --impl=hashed,heap --json=c.json --plots=sweep >/dev/null
    [ "$(cd sweep && echo *.svg)" = memory-standard.svg ]
    run --separate-stderr counted --impl=hashed,heap --plots=single
    [ "$status" -eq 2 ]
    [[ $stderr == *"nothing to draw"*"timed"* ]]
}

@test "results without times are compared by their work" {
    counted --impl=hashed,heap --json=a.json >/dev/null
    run "$twbench" compare a.json a.json
    [ "$status" -eq 0 ]
    [[ $output == *"twbench: same"*"2 cells, none of them changed"* ]]
    python3 - <<'PYTHON'
import json
d = json.load(open("a.json"))
d["cells"][0]["phases"][0]["work"]["link_writes"] *= 2
json.dump(d, open("b.json", "w"))
PYTHON
    run "$twbench" compare a.json b.json
    [ "$status" -eq 3 ]
    [[ $output == *"link_writes"* ]]
}

@test "a run of counts is not resumed as one of times" {
    counted --impl=heap --json=c.json >/dev/null
    refuses "c.json: was measured with --counts-only, now without" --impl=heap --tasks=50 --runs=1 --json=c.json --resume
    counted --impl=heap,list --json=c.json --resume >/dev/null
    [ "$(json c.json 'len(d["cells"])')" = 2 ]
}

@test "counters of the processor need times" { refuses --counters --counts-only --counters=required; }

@test "a preset gives replay its designs, and neither workloads nor tasks" {
    "$twbench" replay libuv-bind --preset=ci --counts-only --progress=never --no-system-check --json=r.json >/dev/null
    [ "$(json r.json '{c["workload"] for c in d["cells"]}')" = "{'libuv-bind'}" ]
    [ "$(json r.json 'len({c["impl"] for c in d["cells"]}) > 1')" = True ]
    refuses "--tasks: a trace has its own timers" replay libuv-bind --preset=ci --tasks=5
}
