# interrupted.bats - whatever happens to a run, finished cells are safe, and it can go on.

load support

many_cells=(--impl=heap,hashed,hier --tasks=10..1e4 --runs=3 --min-time=60ms --progress=never)

# has_cells FILE COUNT - or more of them
has_cells() {
    [ -e "$1" ] && [ "$(json "$1" 'len(d["cells"])')" -ge "$2" ]
}

# Does no process run the given binary (any more)?
is_gone() {
    [ "$(find /proc -maxdepth 2 -name exe -lname "$1" 2>/dev/null | wc -l)" = 0 ]
}

# A machine that stands still between the third cell and the signal lets the run come to its end: then again.
killed_on_the_way() {
    rm -f out.json
    ./own "${many_cells[@]}" --workloads-dir="$root/workloads" --json=out.json >/dev/null 3>&- &
    pid=$!
    comes_true has_cells out.json 3
    kill -9 $pid
    wait $pid
    cp out.json killed.json
    finished=$(json killed.json 'len(d["cells"])')
    [ "$finished" -ge 3 ] && [ "$finished" -lt 12 ]
}

@test "kill -9 loses no finished cell, leaves no process, and --resume does the rest" {
    cp "$twbench" own
    in_some_of 10 killed_on_the_way
    [ "$(json killed.json 'd["complete"]')" = False ]
    comes_true is_gone "$PWD/own"

    "$twbench" "${many_cells[@]}" --workloads-dir="$root/workloads" --json=out.json --resume >/dev/null
    [ "$(json out.json 'len(d["cells"]), d["complete"]')" = "(12, True)" ]
    for cell in $(seq 0 $((finished - 1))); do
        [ "$(json killed.json "d['cells'][$cell]")" = "$(json out.json "d['cells'][$cell]")" ]
    done
}

@test "Ctrl-C ends with status 130 and a valid file" {
    interrupts INT true "$twbench" "${many_cells[@]}" --min-time=400ms --json=out.json >/dev/null 2>err
    [ "$status" -eq 130 ]
    grep -q resume err
    [ "$(json out.json 'd["complete"], len(d["cells"]) < 12')" = "(False, True)" ]
    "$twbench" report out.json >/dev/null || [ "$(json out.json 'len(d["cells"])')" = 0 ]
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
