# documents.bats - the documents of trace and import are shown again as they were, and locked and refused as any other.

load ../../../tests/cli/support

log() {
    xzcat "$BATS_TEST_DIRNAME/import/samples/$1.xz" >log
}

@test "a trace is shown again" {
    "$twbench" trace libuv-bind --json=t.json >first.txt
    "$twbench" report t.json >shown.txt
    diff first.txt shown.txt
    "$twbench" report t.json -o shown.html --export-markdown=shown.md --export-csv=shown.csv
    grep -q '<h1>Trace' shown.html
    grep -q '<figure>.*<svg' <(tr '\n' ' ' <shown.html)
    [ -s shown.md ] && [ -s shown.csv ]
    "$twbench" plot t.json --plots=pictures
    [ -s pictures/trace-libuv-bind.svg ]
}

@test "an import is shown again" {
    log nginx-debug_event-mid.log
    "$twbench" import nginx log -o out.tt --json=i.json 2>first.txt
    "$twbench" report i.json >shown.txt
    diff first.txt shown.txt
    grep -q '146 re-arms' shown.txt
    [ "$(json i.json 'd["log"], d["track"], d["chosen"] == d["pids"][0][0], d["notes"]')" = "('log', 'pid', True, [])" ]
}

@test "what the documents have not is refused by name" {
    "$twbench" trace libuv-bind --json=t.json >/dev/null
    refuses "--export-gbench: a trace document is not a result" report t.json --export-gbench=x
    refuses "--assert: a trace document has no cells" report t.json --assert='heap.start<=O(n)'
    sed 's/"schema_version":[^,]*/"schema_version": 2/' t.json >later.json
    refuses "later.json: schema_version: another version" report later.json
    # Any other JSON is shown as far as it goes, and never more than that.
    echo '{"schema_version": 1, "kind": "trace", "delays": [[]], "operations": 3, "armed": {"over_time_mean": [{}]}}' >odd.json
    "$twbench" report odd.json --export-csv=odd.csv --export-markdown=odd.md >odd.txt
}

@test "both take the lock of their document, and leave nothing when a file may not grow" {
    log libuv-uprobe-bind.txt
    python3 -c 'import fcntl, signal
file = open("d.json.lock", "w")
fcntl.lockf(file, fcntl.LOCK_EX)
open("held", "w").close()
signal.pause()' 3>&- &
    holder=$!
    comes_true test -e held
    refuses "d.json: is being written by process $holder" trace nginx --json=d.json
    refuses "d.json: is being written by process $holder" import libuv log -o new.tt --json=d.json
    kill $holder
    mkdir folder && mv log folder && cd folder
    for out in x.tt x.tt.xz; do
        run --separate-stderr bash -c "ulimit -f 1; '$twbench' import libuv log -o $out"
        [ "$status" -eq 1 ]
        [[ $stderr == *": "*"File too large"* ]]
        [ "$(ls)" = log ]
    done
}
