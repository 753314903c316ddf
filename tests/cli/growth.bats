# growth.bats - the section on growth, and --assert with its exit statuses.

load support

sweep() {
    "$twbench" --tasks=100,400,1600 --runs=1 --warmup=0 --min-time=0ns --progress=never "$@"
}

@test "a sweep ends with a section on growth; one size does not" {
    sweep --impl=list,heap >table
    grep -qE '^list +standard, start +start +O\(n\) ' table
    grep -qE '^heap +standard, start +start +O\(1\) ' table
    quick --impl=heap >table
    run ! grep -q '^growth' table
}

@test "an assertion that holds, on a run and on its result" {
    sweep --impl=list --json=r.json --assert='list.start<=O(n)' >/dev/null
    "$twbench" report r.json --assert='list.start <= O(n)' --assert 'list.stop<=O(1)' >/dev/null
}

@test "an assertion that is broken: status 3, and the text on stderr" {
    sweep --impl=list --json=r.json >/dev/null
    run --separate-stderr "$twbench" report r.json --assert='list.start<=O(log n)' --assert='list.stop<=O(1)'
    [ "$status" -eq 3 ]
    [[ $stderr == *"'list.start<=O(log n)' is broken"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    run --separate-stderr sweep --impl=list --assert='list.start<=O(1)'
    [ "$status" -eq 3 ]
}

@test "an assertion that cannot be read" { refuses "column 13" --assert='heap.start<=O(logn)'; }
@test "an assertion without an operation" { refuses "column 5" --assert=heap; }

@test "an assertion without a sweep" {
    quick --impl=heap --json=r.json >/dev/null
    run --separate-stderr "$twbench" report r.json --assert='heap.start<=O(1)'
    [ "$status" -eq 2 ]
    [[ $stderr == *"heap.start<=O(1)"*--tasks* ]]
}

@test "with slack, who takes it grows as declared" {
    for load in fill-cancel fill-expire; do
        "$twbench" run --workload=$load --tasks=100,400,1600,6400 --counts-only --progress=never --set=slack=1/8 --impl=coalesce,slack-wheel --json=$load.json >/dev/null
    done
    "$twbench" report fill-cancel.json --assert='slack-wheel.start<=O(1)' --assert='slack-wheel.stop<=O(1)' \
        --assert='coalesce.start<=O(log n)' --assert='coalesce.stop<=O(log n)' >/dev/null
    "$twbench" report fill-expire.json --assert='coalesce.start<=O(log n)' --assert='slack-wheel.start<=O(1)' >/dev/null
}
