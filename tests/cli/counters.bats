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
