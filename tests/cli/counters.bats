# Counters of the processor, and the look at the system before a run.
load support

@test "counters: off says so, auto has them or a reason" {
    quick --impl=heap --counters=off --json=off.json >/dev/null
    [ "$(json off.json 'd["cells"][0]["phases"][0]["counters_reason"]')" = --counters=off ]
    quick --impl=heap --json=auto.json >/dev/null
    [ "$(json auto.json 'all(p["counters"] or p["counters_reason"] for p in d["cells"][0]["phases"])')" = True ]
}

@test "counters: required ones are there, or nothing runs and the reason is told" {
    run --separate-stderr quick --impl=heap --counters=required --json=-
    if [ "$status" -eq 0 ]; then
        echo "$output" >required.json
        [ "$(json required.json 'd["cells"][0]["phases"][0]["counters"]["instructions_per_op"] > 1')" = True ]
    else
        [ "$status" -eq 1 ]
        [ -z "$output" ]
        [[ $stderr == "twbench: --counters=required: "* ]]
    fi
}

@test "counters of no known kind" { refuses "'maybe'" --counters=maybe; }

@test "the system is looked at before a run, and the result has what was found" {
    "$twbench" --impl=heap --workload=fill-cancel --tasks=50 --runs=1 --min-time=0ns --progress=never --json=looked.json >/dev/null
    [ "$(json looked.json 'len(d["machine"]["checks"])')" -eq 9 ]
    [ "$(json looked.json '[c["name"] for c in d["machine"]["checks"]].index("load_1min") >= 0')" = True ]
    quick --impl=heap --json=not.json >/dev/null
    [ "$(json not.json 'd["machine"]["checks"]')" = "[]" ]
}

@test "what is found is told on stderr, one line each" {
    run --separate-stderr "$twbench" --impl=heap --workload=fill-cancel --tasks=50 --runs=1 --min-time=0ns --progress=lines --json=-
    [ "$status" -eq 0 ]
    echo "$output" >told.json
    warnings=$(json told.json 'sum(c["warning"] is not None for c in d["machine"]["checks"])')
    [ "$(grep -c '^warning: ' <<<"$stderr")" -eq "$warnings" ]
}

@test "a result of a version that had no checks still loads" {
    quick --impl=heap --json=new.json >/dev/null
    python3 -c 'import json; d = json.load(open("new.json")); del d["machine"]["checks"]
json.dump(d, open("old.json", "w"))'
    "$twbench" report old.json
}

@test "counters: single steps count the same instructions each time, or say why not" {
    for i in 1 2; do
        quick --impl=heap,hashed --counters=step --json=step$i.json >/dev/null
    done
    [ "$(json step1.json 'all(c["stepped"]["tasks"] == 32 for c in d["cells"])')" = True ]
    [ "$(json step1.json 'all((c["stepped"]["instructions"] is None) == bool(c["stepped"]["reason"]) for c in d["cells"])')" = True ]
    figures='[(c["stepped"]["calls"], c["stepped"]["instructions"]) for c in d["cells"]]'
    [ "$(json step1.json "$figures")" = "$(json step2.json "$figures")" ]
}

@test "counters: steps through a small workload as it is, and through a trace itself" {
    deep
    "$twbench" --impl=heap --tasks=10 --runs=1 --min-time=0ns --counters=step --json=small.json >/dev/null
    [ "$(json small.json 'd["cells"][0]["stepped"]["tasks"]')" -eq 10 ]
    "$twbench" replay libevent-unbound --impl=heap --runs=1 --min-time=0ns --counters=step --json=trace.json >/dev/null
    [ "$(json trace.json 'd["cells"][0]["stepped"]["tasks"] == d["cells"][0]["tasks"]')" = True ]
}

@test "counters: without steps the result has none" {
    quick --impl=heap --json=plain.json >/dev/null
    [ "$(json plain.json 'd["cells"][0]["stepped"]')" = None ]
}
