#!/usr/bin/env bats
# from_log_to_answer.bats - an engineer of a server takes the log of a proxy to a recommended design, by the
# README's commands, and gets that design as sources.
load ../../../tests/cli/support

setup_file() {
    local log="$BATS_TEST_DIRNAME/../../traces/tests/import/samples/nginx-filtered-60000-lines.log.gz"
    [ ! -e "$log" ] || gunzip -c "$log" >"$BATS_FILE_TMPDIR/error.log"
}

needs_labs() {
    for lab in traces embed; do
        [ -x "$BATS_TEST_DIRNAME/../../../build/release/twbench-$lab" ] || skip "the lab $lab is not built"
    done
}

@test "a log given to advise is told to be one, with the command that imports it" {
    needs_labs
    run -2 "$twbench" advise "$BATS_FILE_TMPDIR/error.log"
    [[ $output == *"twbench import nginx"* ]]
}

@test "the log becomes a trace, and its summary says what is in it" {
    needs_labs
    "$twbench" import nginx "$BATS_FILE_TMPDIR/error.log" -o "$BATS_FILE_TMPDIR/mytrace.tt.xz"
    "$twbench" trace "$BATS_FILE_TMPDIR/mytrace.tt.xz" | grep 'starts'
}

@test "the trace gets an answer, or is said to have none in its budget" {
    needs_labs
    local budget=8 && { [ "${DEPTH:-}" != all ] || budget=60; }
    advise() { run "$twbench" advise "$BATS_FILE_TMPDIR/mytrace.tt.xz" --budget=${budget}s --progress=never --json=answer.json --html=answer.html --force; }
    advise
    # A host that takes the core away for milliseconds makes times that contradict each other: said, and measured again.
    [[ $output != *"its times do not fit"* ]] || advise
    echo "$output"
    # 4: nothing could be measured, which is said.  An answer names a design, or says between which it is unclear.
    [[ $status -eq 0 || $status -eq 4 ]]
    if [ "$status" -eq 0 ]; then
        [[ ($output == *"Take "* || $output == *"No clear answer"*) && $output != *"Take "*"No clear answer"* ]]
        for design in list heap hashed hier fast; do [[ $output == *"$design"* ]]; done
    fi
    cp answer.json "$BATS_FILE_TMPDIR"
    "$twbench" report answer.json --export-markdown=answer.md >/dev/null
    grep -q 'Which design' answer.md
}

@test "the recommended design comes home as sources that compile" {
    needs_labs
    # Nothing measured, nothing recommended: then any design will do.
    design=$(jq -r '.advice.recommendation.candidate // "hashed"' "$BATS_FILE_TMPDIR/answer.json")
    "$twbench" take "${design%% *}" -o mine >/dev/null
    for source in mine/*.c; do
        "${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -c "$source" -o part.o -I mine
    done
}
