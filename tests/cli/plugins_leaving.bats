# plugins_leaving.bats - plugins that leave something in their process, and tables that count and are wrong.

load support.bash

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    gcc -O1 -w -D_GNU_SOURCE -shared -fPIC -pthread -I "$root/src/impls" -o "$BATS_FILE_TMPDIR/leaves.so" \
        "$root/tests/plugins/leaves.c"
}

# conforms STATUS LEAVES ARGUMENT... - what conform says of the plugin that leaves that.
conforms() {
    export LEAVES=$2
    run --separate-stderr timeout 100 "$twbench" conform --plugin="$BATS_FILE_TMPDIR/leaves.so" --operations=1e3 "${@:3}"
    echo "--- $LEAVES: status $status, $output"
    [ "$status" -eq "$1" ]
}

# leaving - each row of stdin: what LEAVES says|what conform says of it.
leaving() {
    while IFS='|' read -r kind found; do
        conforms 1 "$kind"
        [ "$(sed -n 1p <<<"$output")" = "leaves: BROKEN: every function leaves its process as it was" ]
        [[ $(sed -n 2p <<<"$output") == "  $found"* ]]
    done
}

@test "what a function leaves in its process is told by its kind" {
    leaving <<'ROWS'
start thread|start leaves a thread behind
start file|start leaves a file open
start closed|start closes or replaces files of the process
start replaced|start closes or replaces files of the process
start alarm|start leaves a timer of the system armed
start itimer|start leaves a timer of the system armed
start timer|start leaves a timer of the system armed
start handler|start changes what a signal does
start mask|start changes which signals are blocked
start directory|start changes the working directory
start rounding|start changes the rounding mode
start locale|start changes the locale
start environment|start changes the environment
start umask|start changes the umask
start limit|start changes the limits of the process
ROWS
}

@test "... and by the function that left it" {
    leaving <<'ROWS'
open umask|open changes the umask
refusal umask|open changes the umask
stop umask|stop changes the umask
advance umask|advance changes the umask
next umask|next changes the umask
visit umask|visit changes the umask
check umask|check changes the umask
footprint umask|footprint changes the umask
describe umask|describe changes the umask
work umask|work changes the umask
close umask|close changes the umask
start-late umask|start changes the umask
ROWS
}

@test "a list shows it again, and a thread that has been joined is none" {
    printf 'capacity 2\nstart 0..1 +1\nstop 1\nadvance +1\n' >list
    conforms 1 "stop rounding" --operations-file=list
    [[ $output == *"stop changes the rounding mode"* ]]
    conforms 0 "start joined" --operations-file=list
    conforms 0 "start nothing" --operations-file=list
}

# miscounts ARGUMENT... - conform on a plugin of which only the table that counts is wrong.
miscounts() {
    gcc -O1 -w -shared -fPIC -I "$root/src/impls" -o miscounts.so "$root/tests/plugins/miscounts.c"
    run --separate-stderr "$twbench" conform --plugin=./miscounts.so "$@"
    echo "status $status, $output"
    [ "$status" -eq 1 ]
    [ "$(sed -n 1p <<<"$output")" = "miscounts: BROKEN: no timer fires later than declared" ]
    [[ $(sed -n 2p <<<"$output") == *"; in the table that counts" ]]
}

@test "the table that counts is judged as well as the one that is timed" {
    printf 'capacity 3\nstart 0 +2\nstart 1 +1\nadvance +4\n' >list
    miscounts --operations-file=list
    [ "$(sed -n '/^capacity/,$p' <<<"$output")" = $'capacity 1\nstart 0 +2\nadvance +2' ]
}

@test "... by all cases too, and when both are right it is said how often the second one was" {
    [ "${DEPTH:-}" = all ] || skip "it takes 30 s: only with DEPTH=all"
    miscounts --operations=1e3
    for flags in "" -DTW_COUNTED; do
        gcc -O2 -fPIC -I "$root/src/impls" $flags -c -o "skeleton$flags.o" "$root/docs/skeleton.c"
    done
    printf '%s\n' '#include "backend.h"' 'extern const struct tw_backend tw_skeleton_timed, tw_skeleton_counted;' \
        'TW_PLUGIN(tw_skeleton_timed, tw_skeleton_counted);' >both.c
    gcc -O2 -shared -fPIC -I "$root/src/impls" -o both.so both.c skeleton.o skeleton-DTW_COUNTED.o
    run --separate-stderr "$twbench" conform --plugin=./both.so --operations=1e3
    echo "status $status, $output"
    [ "$status" -eq 0 ]
    [[ $output == *"the table that counts holds it in "* ]]
}
