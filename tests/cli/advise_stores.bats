# advise_stores.bats - advise --durable: what is asked of stores, what is recommended, what is refused.
# No figure of a time is judged: a wheel-log alone with what survives nothing is the only one to recommend.

load support.bash

advise() {
    "$twbench" advise --durable --progress=never --style=plain "$@"
}

@test "it is measured, killed, dispatched on the real clock, and said in every form" {
    advise delay-message --stores=memory,wheel-log --sync=none --pending=1e3 --budget=15s --json=a.json -o a.html \
        --export-markdown=a.md --export-csv=a.csv >out || { cat out; false; }
    cat out
    grep -q '^1k messages pending, --sync=none' out
    grep -qE '^- memory, refused: it survives nothing' out
    grep -q 'twbench stores --stores=wheel-log --tasks=1000 --sync=none' out
    jq -e '.advice.recommendation | .store == "wheel-log" and .at == 1000 and (.refuses | test("hours ahead"))' a.json
    jq -e '.cells[.advice.candidates[1].kills_cell] | .status == "ok" and .ledger.lost == 0 and .kills.client >= 1' a.json
    jq -e '.cells[.advice.candidates[1].cell] | .load.tasks == 1000 and .figures.syncs_per_message != null' a.json
    grep -q 'Which store for delayed messages' a.html
    grep -q '| wheel-log |' a.md
    grep -q 'advice.recommendation.store,wheel-log' a.csv
    "$twbench" report a.json >again
    cmp out again
    [ -z "$(find . -name 'twbench-stores.*')" ]
}

@test "without time nothing is measured: status 4" {
    run -4 advise --stores=wheel-log --sync=none --budget=1ms
    [[ $output == *"No store was measured that may be recommended."* ]]
}

@test "interrupted it leaves a document with an answer of what was measured" {
    interrupts INT '[ -s s.json ]' "$twbench" advise --durable --stores=wheel-log,memory --sync=none --pending=1e6 --budget=60s \
        --json=s.json --progress=never
    [ "$status" -eq 130 ]
    jq -e '.complete == false and .advice.budget.interrupted and (.advice.candidates | length) == 2' s.json
    [ -z "$(find . -name 'twbench-stores.*')" ]
}

@test "what is of designs, of several values, or no load of stores is refused by its name" {
    refuses "--sync: is of stores, for messages that a crash must not lose: --durable is missing" advise hold --sync=none
    refuses "--impl: is of designs; --durable asks for a store" advise --durable --impl=heap
    refuses "advise --durable: 'hold' given; expected delay-message" advise hold --durable
    refuses "--sync: 2 values given; with --durable expected one" advise --durable --sync=none,always
    refuses "--for: wakeups given; with --durable expected cost" advise --durable --for=wakeups
    refuses "--late: a share of a delay given; with --durable expected a time" advise --durable --late=10%
    refuses "--stores: no store named 'sqlight'" advise --durable --stores=sqlight
    refuses "--pending: 5 given; expected 100 .." advise --durable --pending=5
    refuses "--export-gbench" advise --durable --export-gbench=x.json
}

@test "deep: more than 100,000 messages are put, recovered and not drained" {
    deep
    advise --stores=wheel-log --sync=none --batch=1000 --pending=3e5 --budget=60s --kills=0 --json=a.json >out || { cat out; false; }
    jq -e '.advice.recommendation.at == 300000' a.json
    jq -e '.cells | all(.load.drain == (.load.tasks <= 100000))' a.json
    grep -q -- '--batch=1000 --no-drain' out
}

@test "deep: all stores that are here, in steps up to a number that the budget does not reach" {
    deep
    advise --sync=group --producers=4 --pending=1e7 --budget=2m --json=a.json >out || { cat out; false; }
    jq -e '[.cells[] | select(.status == "mismatch")] == []' a.json
    jq -e '.advice.candidates | map(select(.status == "recommended")) | length == 1' a.json
    jq -e '.advice as $a | .cells | all(.load.tasks <= $a.load.pending)' a.json
    grep -q 'The budget did not reach 10M messages' out || jq -e '.advice.recommendation.at == 10000000' a.json
}
