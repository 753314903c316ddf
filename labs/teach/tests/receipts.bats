#!/usr/bin/env bats
# receipts.bats - `lab receipt` judges what the playground saved, and names what was changed.  When it does not know
# receipts/hier.json any more, the questions have changed: raise QUIZ_VERSION.
load ../../../tests/cli/support

receipt=$BATS_TEST_DIRNAME/receipts/hier.json

# The receipt with sed's change: status, and what is said of it.
changed() {
    sed "$1" "$receipt" >changed.json
    ! cmp -s changed.json "$receipt"
    run "$twbench" lab receipt changed.json
    [ "$status" -eq "$2" ]
    grep -q "$3" <<<"$output"
}

@test "a receipt is judged, and wrong answers are explained" {
    run "$twbench" lab receipt "$receipt"
    [ "$status" -eq 0 ]
    grep -q 'Zoë 1815, hier: 8 of 10' <<<"$output"
    [ "$(grep -c 'right is' <<<"$output")" -eq 2 ]
}

@test "every change is found and named" {
    changed 's/"score": 8/"score": 10/' 1 'score: 10 given, expected 8'
    changed 's/true, true, false/true, true, true/' 1 'right: \[true,true,true.*expected \[true,true,false'
    changed 's/"ad"/"abd"/' 1 'signature: .* given, expected'
    changed 's/"ad"/"bda x"/' 1 "answer 3: 'bda x' does not answer its question"
    changed 's/Zo/Jo/' 1 'questions: .*seed was changed'
    changed 's/"hier"/"round"/' 1 'settings: '
    changed 's/"signature": "[0-9a-f]*/"signature": "0/' 1 'signature: "0" given'
    changed 's/8,8,8/8,8,9/' 1 'settings: '
    changed 's/"score"/"grade": 1, "score"/' 1 'grade: 1 given, expected no such key'
}

@test "what is no receipt is refused, and of several files the worst counts" {
    changed 's/"receipt": 1/"receipt": 2/' 2 'version 2; this program checks version 1'
    changed 's/"receipt"/"r"/' 2 'no receipt; expected'
    changed 's/"hier"/"hear"/' 2 "design: 'hear' is unknown"
    changed 's/"hier"/"null"/' 2 'keeps no timer'
    changed 's/"1", //' 2 'answers: expected 10'
    run "$twbench" lab receipt "$receipt" changed.json "$receipt"
    [ "$status" -eq 2 ]
    [ "$(grep -c '8 of 10' <<<"$output")" -eq 2 ]
    run "$twbench" lab receipt
    [ "$status" -eq 2 ]
}
