#!/usr/bin/env bats
# limits.bats - what the machine can do: what is measured, written, read again, and refused.
# Times are not judged.
load ../../../tests/cli/support

# 100 nodes and more: over in two seconds
limits() {
    "$twbench" limits --tasks=100,1000 --runs=1 --patience=0s --progress=never --no-system-check --style=plain "$@"
}

@test "every limit has its figures, and the table the medians" {
    limits --json=l.json >l.txt
    [ "$(json l.json 'd["kind"], d["complete"], d["method"]["runs"]')" = "('limits', True, 1)" ]
    # branch-miss is a difference of two times, either of which may be disturbed.
    [ "$(json l.json 'len(d["points"]), [p for p in d["points"] if p["limit"] != "branch-miss"
        and not (p["status"] == "ok" and p["ns"]["median"] > 0 and len(p["ns"]["samples"]) == 1)]')" = "(36, [])" ]
    [ "$(json l.json 'sorted({p["node_bytes"] for p in d["points"] if p["limit"] == "load-store"})')" = "[8, 16, 64]" ]
    [ "$(json l.json 'all(p["huge_bytes"] == 0 for p in d["points"] if p["huge_bytes"] is not None)')" = True ]
    [ "$(json l.json 'all(p["footprint_bytes"] == p["tasks"] * p["node_bytes"] for p in d["points"] if p["node_bytes"])')" = True ]
    [ "$(grep -c '^[a-z-]* .* B  4 KiB' l.txt)" -eq 16 ]
    grep -q '^null-call ' l.txt
    grep -q '^- A mispredicted branch costs' l.txt
}

@test "huge pages are asked for only where that was said, and counted" {
    limits --huge-pages=on --json=l.json >l.txt
    [ "$(json l.json 'd["method"]["huge_pages"], {p["huge_pages"] for p in d["points"] if p["node_bytes"]}')" = "(True, {True})" ]
    [ "$(json l.json 'all(0 <= p["huge_bytes"] <= p["touched_bytes"] for p in d["points"] if p["node_bytes"])')" = True ]
    grep -q '^- Where 2 MiB pages were requested\|^- 2 MiB pages were requested' l.txt
    limits --huge-pages=off,on --json=both.json >/dev/null
    [ "$(json both.json 'len([p for p in d["points"] if p["node_bytes"]])')" -eq 64 ]
}

@test "a result's designs are multiples of limits, measured now or before" {
    "$twbench" run --impl=heap,hashed --workload=standard --tasks=100,1000 --runs=1 --warmup=0 --min-time=0ns \
        --progress=never --no-system-check --json=r.json >/dev/null
    limits --json=l.json --of=r.json >l.txt
    "$twbench" limits --limits=l.json --of=r.json --style=plain --json=again.json >again.txt
    diff l.txt again.txt
    [ "$(json l.json 'd["multiples"]')" = "$(json again.json 'd["multiples"]')" ]
    [ "$(json l.json 'sorted({r["impl"] for r in d["multiples"]["rows"]}), d["multiples"]["source"]')" = "(['hashed', 'heap'], 'r.json')" ]
    [ "$(json l.json 'all(abs(r["multiple"] * r["limit_ns"] / r["ns_per_op"] - 1) < 1e-3 for r in d["multiples"]["rows"])')" = True ]
    grep -q '^standard, start: multiples of the limit' l.txt
    "$twbench" limits --limits=l.json --style=plain >without.txt
    run ! grep -q 'multiples' without.txt
    # beyond what was measured there is no limit
    "$twbench" run --impl=heap --workload=hold --tasks=2000 --runs=1 --warmup=0 --min-time=0ns \
        --progress=never --no-system-check --json=larger.json >/dev/null
    "$twbench" limits --limits=l.json --of=larger.json --json=- | json /dev/stdin '{r["multiple"] for r in d["multiples"]["rows"]}' |
        grep -qx '{None}'
}

@test "Markdown, a picture, and JSON alone on stdout" {
    limits --json=l.json --export-markdown=l.md --plots=pictures --plot-format=png >/dev/null 2>l.err
    grep -q '^| load-store | 16 B | 4 KiB |' l.md
    grep -q '^picture: pictures/limits.png$' l.err
    [ -s pictures/limits.png ]
    [ -s pictures/limits.tsv ]
    "$twbench" limits --limits=l.json --json=- >alone.json
    [ "$(json alone.json 'd["points"]')" = "$(json l.json 'd["points"]')" ]
    "$twbench" limits --limits=- --export-markdown=- <l.json | diff - l.md
}

@test "a point beyond the memory limit says so, and the others are measured" {
    "$twbench" limits --tasks=64,1e7 --memory-limit=100Mi --runs=1 --patience=0s --progress=never --no-system-check \
        --json=l.json >l.txt
    [ "$(json l.json '{p["status"] for p in d["points"] if p["tasks"] == 64}')" = "{'ok'}" ]
    [ "$(json l.json '{p["status"] for p in d["points"] if p["node_bytes"] == 64 and p["tasks"] > 64}')" = "{'out-of-memory'}" ]
    grep -q 'out-of-memory: no memory for' l.txt
}

@test "interrupted, it leaves what it has" {
    interrupts INT true "$twbench" limits --tasks=1e3..1e6 --runs=100 --no-system-check --progress=never \
        --json=l.json >l.txt
    [ "$status" -eq 130 ]
    [ "$(json l.json 'd["complete"]')" = False ]
    grep -q '^- It was interrupted' l.txt
}

@test "what is wrong is refused by name" {
    echo '{"schema_version": 1, "kind": "selftest"}' >other.json
    refuses "--tasks: 10 given" limits --tasks=10
    refuses "x: limits takes no operands" limits x
    refuses "other.json: kind: " limits --limits=other.json
    refuses "nosuch.json" limits --limits=nosuch.json
    refuses "nosuch.json" limits --of=nosuch.json
    refuses "other.json: tool: missing" limits --of=other.json
    refuses "--plot-format: dumb" limits --plots=p --plot-format=dumb
    refuses "--huge-pages: 'maybe'" limits --huge-pages=maybe
    touch there.json
    refuses "there.json: is there already" limits --json=there.json
    [ ! -s there.json ]
}
