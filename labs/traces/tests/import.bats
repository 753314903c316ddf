# import.bats - logs of programs and kernels made into traces: the samples, what is refused, what is left.

load ../../../tests/cli/support

samples=$BATS_TEST_DIRNAME/import/samples
expected=$BATS_TEST_DIRNAME/import/expected

# each_sample COMMAND... - calls it with kind, log and the path of what is expected, without its ending.
each_sample() {
    local wanted name kind log count=0
    for wanted in "$expected"/*.json; do
        name=$(basename "$wanted" .json)
        kind=${name%%-*}
        for log in "$samples/$name".?z; do
            echo "$name"
            "$@" "$kind" "$log" "${wanted%.json}"
            count=$((count + 1))
        done
    done
    echo "$count samples"
    [ "$count" -eq 13 ]
}

agrees() {
    "$twbench" import "$1" "$2" -o out.tt --json=out.json --force 2>said
    xz -dc "$3.tt.xz" | cmp - out.tt
    python3 "$expected/../compare.py" out.json "$3.json"
}

@test "every sample becomes the expected trace, byte for byte, with the expected counts" {
    each_sample agrees
}

fires_as_counted() {
    "$twbench" import "$1" "$2" -o "$(basename "$3").tt" --json=out.json --force 2>said
    "$twbench" replay "$(basename "$3").tt" --impl=heap --counts-only --progress=never --json=run.json --force >table
    [ "$(json run.json '[c["fired"] for c in d["cells"]]')" = "[$(json out.json 'd["expired"]')]" ]
}

@test "replay of each imported trace fires what the import says expires" {
    each_sample fires_as_counted
}

# A small log of two workers; the second is the busier one.
two_workers() {
    local line=0 pid
    for pid in 7 8 8; do
        line=$((line + 1))
        printf '2026/11/21 01:36:03 [debug] %d#%d: *1 event timer add: %d: 3000:9000\n' $pid $pid $line
    done
    printf '2026/11/21 01:36:03 [debug] 8#8: *1 event timer del: 3: 9000\n'
}

@test "the busiest worker is chosen, and said so; pid= chooses another" {
    two_workers >log
    "$twbench" import nginx log -o busiest.tt 2>said
    grep -q 'pid 8 (3 lines), not 7 (1)' said
    "$twbench" import nginx log -o seven.tt pid=7 2>said
    grep -q 'pid 7 (1 lines), not 8 (3)' said
    [ "$(tail -n 3 busiest.tt)" = $'0 s 0 3000\n0 s 1 3000\n0 c 1' ]
    [ "$(tail -n 1 seven.tt)" = "0 s 0 3000" ]
    refuses "there are pid 8 (3 lines), 7 (1 lines)" import nginx log -o none.tt pid=9
    [ ! -e none.tt ]
}

@test "plain, gz, xz and standard input come to the same, and so do the three kinds of output" {
    two_workers >log
    gzip -k log
    xz -k log
    "$twbench" import nginx log -o a.tt 2>/dev/null
    "$twbench" import nginx log.gz -o b.tt.gz 2>/dev/null
    "$twbench" import nginx - -o c.tt.xz <log.xz 2>/dev/null
    "$twbench" import nginx - -o - <log 2>/dev/null >d.tt
    cat log | "$twbench" import nginx - -o e.tt 2>/dev/null
    gzip -dc b.tt.gz | cmp - a.tt
    xz -dc c.tt.xz | cmp - a.tt
    cmp d.tt a.tt
    cmp e.tt a.tt
}

@test "CRLF is as good as LF, and a last line that is torn is left out and said so" {
    two_workers >log
    "$twbench" import nginx log -o a.tt 2>/dev/null
    sed 's/$/\r/' log >crlf
    "$twbench" import nginx crlf -o b.tt 2>/dev/null
    cmp a.tt b.tt
    { cat log; printf '2026/11/21 01:36:03 [debug] 8#8: *1 event timer add: 4: 30'; } >torn
    "$twbench" import nginx torn -o c.tt --json=c.json 2>said
    cmp a.tt c.tt
    grep -q 'last line has no newline' said
    [ "$(json c.json 'd["torn_lines"]')" = 1 ]
}

@test "what is wrong on the command line is named, and no trace is left" {
    two_workers >log
    refuses "expected KIND LOG" import
    refuses "unknown log kind 'apache'; expected one of nginx" import apache log -o out.tt
    refuses "expected a log, or - for standard input" import nginx -o out.tt
    refuses "-o is missing" import nginx log
    refuses "expected a name that ends in .tt, .tt.xz or .tt.gz" import nginx log -o out.txt
    refuses "expected one of pid=, lazy=, ids=, source=" import nginx log -o out.tt hz=250
    refuses "expected one of pid=, lazy=, ids=, source=" import nginx log -o out.tt verbose
    refuses "lazy=often: expected apply or skip" import nginx log -o out.tt lazy=often
    refuses "pid=x: expected a whole number" import nginx log -o out.tt pid=x
    refuses "loop=x: expected an address" import libuv log -o out.tt loop=x
    refuses "missing.log" import nginx missing.log -o out.tt
    refuses "is a directory" import nginx . -o out.tt
    refuses "only one of them can go to stdout" import nginx log -o - --json=-
    refuses "no/such/out.tt: cannot be written" import nginx log -o no/such/out.tt
    [ "$(ls | grep -v '^separate-stderr-')" = log ]
}

@test "a trace or JSON that is there is left alone, unless --force" {
    two_workers >log
    echo mine >out.tt
    echo mine >out.json
    refuses "out.tt: is there already" import nginx log -o out.tt
    refuses "out.json: is there already" import nginx log -o new.tt --json=out.json
    [ "$(cat out.tt out.json)" = $'mine\nmine' ]
    "$twbench" import nginx log -o out.tt --json=out.json --force 2>/dev/null
    head -n 1 out.tt | grep -q timer-trace
}

@test "a log that does not fit is refused with its line, what was expected, and whose it looks like" {
    refuses "expected 'DATE TIME [debug] PID#TID: event timer add" import nginx - -o out.tt
    printf 'hello\nworld\n' >words
    refuses "words:1: 'hello' and no other line is of use, expected" import nginx words -o out.tt
    xz -dc "$samples/libuv-uprobe-bind.txt.xz" >uv
    refuses "uv:13: '    isc-net-0000-2284    [000] DBZff  2069.151737: uv_timer_start" import nginx uv -o out.tt
    refuses "looks like uprobes on libuv's uv_timer_start and uv_timer_stop (import libuv)" import libevent uv -o out.tt
    two_workers >log
    refuses "log:1:" import libuv log -o out.tt
    refuses "(import nginx)" import libuv log -o out.tt
    printf 'a-1 [000] ..... 1.000000: uv_timer_start: (0x1) h=0x1 loop=0x2 flags=8 now=1\n' >bare
    refuses "expected timeout= in milliseconds" import libuv bare -o out.tt
    printf '2026/11/21 01:36:03 [debug] 8#8: epoll timer: -1\n' >idle
    refuses "idle: nothing in it is what was selected; there are pid 8" import nginx idle -o out.tt pid=9
    refuses "idle: no timer is started in it" import nginx idle -o out.tt
    [ ! -e out.tt ]
}

@test "source= is the header's source" {
    two_workers >log
    "$twbench" import nginx log -o out.tt source="my own server, 2 h" 2>/dev/null
    grep -qx '# source: my own server, 2 h' out.tt
}

@test "an interrupted import leaves nothing" {
    deep
    mkfifo pipe
    "$twbench" import nginx pipe -o out.tt 2>/dev/null &
    importer=$!
    exec 4>pipe
    for _ in $(seq 2000); do two_workers; done >&4
    kill -TERM $importer
    status=0
    wait $importer || status=$?
    exec 4>&-
    [ "$status" -ne 0 ]
    [ "$(ls)" = pipe ]
}

@test "names by the 100,000 are counted, and not printed all" {
    awk 'BEGIN { for (i = 1; i <= 100000; i++)
        printf " task-1 [000] d.h. %.6f: timer_start: timer=00000000aa function=name_%d expires=%d [timeout=5] flags=f%d\n", i / 1e6, i, 100005, i }' >log
    run --separate-stderr bash -c "ulimit -v 300000; '$twbench' import ktimer log -o out.tt --json=out.json"
    echo "$status ${stderr:0:600}"
    [ "$status" -eq 0 ]
    [ "$(wc -c <<<"$stderr")" -lt 5000 ]
    [[ $stderr == *"more names"* ]]
    [ "$(json out.json 'len(d["functions"]) <= 1025, sum(n for _, n in d["functions"])')" = "(True, 100000)" ]
}
