# interrupted.bats - whatever happens to a run, finished cells are safe, and it can go on.

load support

# Groups of 10, 100, 1,000 and 1,100 tasks; before the third the plugin stands still until there is a file goes-on, so
# that two groups are finished and no more, whatever the machine does.
cells=(--impl=heap,hashed --plugin=./waits.so --tasks=10,100,1000,1100 --runs=1 --warmup=0 --min-time=0ns --budget=10m --progress=never)

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    gcc -O1 -shared -fPIC -I "$root/src/impls" -o "$BATS_FILE_TMPDIR/waits.so" "$root/tests/plugins/waits.c"
}

# stands_still PROGRAM [ARGUMENT...] - in the background, out.json has two groups, and pid is its id.
stands_still() {
    cp "$BATS_FILE_TMPDIR/waits.so" .
    "$1" "${cells[@]}" --json=out.json "${@:2}" >/dev/null 2>err 3>&- &
    pid=$!
    comes_true has_cells out.json 6
}

# has_cells FILE COUNT - or more of them
has_cells() {
    [ -e "$1" ] && [ "$(grep -o '"identity":' "$1" | wc -l)" -ge "$2" ]
}

# Does no process run the given binary (any more)?
is_gone() {
    [ "$(find /proc -maxdepth 2 -name exe -lname "$1" 2>/dev/null | wc -l)" = 0 ]
}

# Has a signal ended the process?
ended_by() {
    kill -"$1" "$2" 2>/dev/null || return 0
    return 1
}

# opens PID - does it wait in open (2 or 257 on x86-64, 56 on others), or cannot that be read here?
opens() {
    [ ! -r "/proc/$1/syscall" ] || grep -qE '^(2|257|56) ' "/proc/$1/syscall"
}

@test "kill -9 loses no finished cell, leaves no process, and --resume does the rest" {
    cp "$twbench" own
    stands_still ./own --workloads-dir="$root/workloads"
    kill -9 $pid
    wait $pid || true
    cp out.json killed.json
    [ "$(json killed.json 'len(d["cells"]), d["complete"]')" = "(6, False)" ]
    comes_true is_gone "$PWD/own"

    touch goes-on
    "$twbench" "${cells[@]}" --workloads-dir="$root/workloads" --json=out.json --resume >/dev/null
    [ "$(json out.json 'len(d["cells"]), d["complete"], d["cells"][:6] == json.load(open("killed.json"))["cells"]')" = "(12, True, True)" ]
}

@test "Ctrl-C ends with status 130 and a valid file" {
    cp "$BATS_FILE_TMPDIR/waits.so" .
    interrupts INT "has_cells out.json 6" "$twbench" "${cells[@]}" --json=out.json >/dev/null 2>err
    [ "$status" -eq 130 ]
    grep -q 'interrupted after 6 finished cells; continue with: twbench .* --json=out.json --resume' err
    [ "$(json out.json 'd["complete"], len(d["cells"])')" = "(False, 6)" ]
    "$twbench" report out.json >/dev/null
}

@test "resuming a finished run changes nothing and runs nothing" {
    quick --impl=heap,hashed --json=out.json >/dev/null
    json out.json 'd["cells"]' >before
    quick --impl=heap,hashed --json=out.json --resume >/dev/null
    json out.json 'd["cells"]' | diff before -
}

@test "a wider resume adds the cells that are new" {
    quick --impl=heap --json=out.json >/dev/null
    quick --impl=heap,hashed --json=out.json --resume >/dev/null
    [ "$(json out.json '[c["impl"] for c in d["cells"]]')" = "['heap', 'hashed']" ]
}

@test "a resumed run has the flags of its file, or names the difference" {
    quick --impl=heap --workload=hold --set=turns=2 --json=out.json >/dev/null
    cp out.json kept.json
    "$twbench" --json=out.json --resume --progress=never >/dev/null
    cmp out.json kept.json
    local plan=(--impl=heap --workload=hold --set=turns=2 --tasks=50 --runs=1 --warmup=0 --min-time=0ns) other i
    for other in --impl=list --workload=standard --set=turns=3 --tasks=60 --runs=2; do
        local edited=("${plan[@]}")
        for i in "${!plan[@]}"; do
            [[ $other != "${plan[i]%%=*}"=* ]] || edited[i]=$other
        done
        refuses "now $other; --resume" "${edited[@]}" --json=out.json --resume
    done
    refuses "without --seed, now --seed=2" "${plan[@]}" --seed=2 --json=out.json --resume
    refuses "without --workload" "${plan[@]/--workload=hold/--progress=never}" --json=out.json --resume
    cmp out.json kept.json
    quick --impl=heap,hashed --workload=hold --set=turns=2 --json=out.json --resume >/dev/null
}

@test "a file has one writer: a second run is refused and names the first; a killed one holds nothing" {
    stands_still "$twbench"
    mkdir -p folder
    ln -s "$PWD/out.json" folder/link.json
    refuses "out.json: is being written by process $pid (" --impl=list --tasks=50 --json=out.json
    refuses "process $pid (" --json=./out.json --resume
    refuses "process $pid (" --impl=list --tasks=50 --json=folder/../out.json --force
    refuses "process $pid (" --json=folder/link.json --resume
    kill -9 $pid
    wait $pid || true
    touch goes-on
    "$twbench" --json=out.json --resume --progress=never >/dev/null
    [ "$(json out.json 'len(d["cells"])')" = 12 ]
    [ ! -e out.json.lock ]
}

@test "two runs at the same time on one file: one is refused, and no result vanishes" {
    for how in --resume --force; do
        quick --impl=heap --json=out.json --force >/dev/null
        both=(--impl=heap,list,hashed --workload=fill-cancel --tasks=50 --runs=1 --warmup=0 --min-time=0ns --progress=never --json=out.json "$how")
        "$twbench" "${both[@]}" >/dev/null 2>err1 3>&- &
        first=$!
        "$twbench" "${both[@]}" >/dev/null 2>err2 3>&- &
        second=$!
        status1=0 status2=0
        wait $first || status1=$?
        wait $second || status2=$?
        [ "$(json out.json '[c["impl"] for c in d["cells"]]')" = "['heap', 'list', 'hashed']" ]
        if [ $((status1 + status2)) != 0 ]; then # else one had ended before the other began
            [ $((status1 + status2)) = 2 ]
            cat err1 err2 | grep -q "out.json: is being written by process"
        fi
    done
}

@test "every command that writes a document takes the lock before it does anything" {
    python3 -IS -c 'import fcntl, signal
file = open("d.json.lock", "w")
fcntl.lockf(file, fcntl.LOCK_EX)
open("held", "w").close()
signal.pause()' 3>&- &
    holder=$!
    comes_true test -e held
    for command in run "replay nginx" "compare a.json b.json" selftest; do
        # shellcheck disable=SC2086
        refuses "d.json: is being written by process $holder (" $command --json=d.json
    done
    kill $holder
    [ ! -e d.json ]
}

@test "--resume begins a file that is not there yet, and says so" {
    quick --impl=heap --json=new.json --resume >/dev/null 2>err
    grep -q "new.json: is not there yet; --resume begins it" err
    [ "$(json new.json 'len(d["cells"])')" = 1 ]
    mkfifo pipe
    refuses "pipe: not a file that --resume can continue" --impl=heap --tasks=50 --json=pipe --resume
}

@test "a pipe that nobody reads or writes does not keep a run from being ended" {
    mkfifo pipe
    for flag in json export-csv; do
        # The program itself: a function in the background would be a shell that waits for it.
        "$twbench" --impl=heap --workload=fill-cancel --tasks=50 --counts-only --progress=never "--$flag=pipe" >/dev/null 2>&1 3>&- &
        child=$!
        comes_true opens $child
        comes_true ended_by TERM $child
        # Ended at once, or where it had got to taking signals by itself.
        status=0
        wait $child || status=$?
        [[ $status = 143 || $status = 130 ]]
    done
    refuses "pipe: is a pipe or a device" --impl=heap --workload=./pipe
    refuses "pipe: is a pipe or a device" replay ./pipe --impl=heap
}

@test "a pipe takes one document, however many groups there are" {
    mkfifo pipe
    cat pipe >all.json 3>&- &
    quick --impl=heap --tasks=50,100 --json=pipe >/dev/null
    wait $!
    [ "$(json all.json 'len(d["cells"])')" = 2 ]
}
