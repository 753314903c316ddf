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
    quick --impl=heap --json=looked.json >/dev/null
    [ "$(json looked.json 'len(d["machine"]["checks"])')" -eq 9 ]
    [ "$(json looked.json '[c["name"] for c in d["machine"]["checks"]].index("load_1min") >= 0')" = True ]
    quick --impl=heap --no-system-check --json=not.json >/dev/null
    [ "$(json not.json 'd["machine"]["checks"]')" = "[]" ]
}

@test "what is found is told on stderr, one line each" {
    run --separate-stderr "$twbench" --impl=heap --tasks=50 --runs=1 --progress=lines --json=-
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
