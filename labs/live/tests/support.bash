# support.bash - what the tests of the lab live share: those of the core's command line, and runners made into plugins.
# shellcheck shell=bash disable=SC2154
load ../../../tests/cli/support

# runner_plugin NAME RUNNER [EDIT [FILE EDIT]] - NAME.so is that runner of the program, with its file, and one more of runners/,
# changed by sed scripts; false if one of them finds nothing to change.
runner_plugin() {
    mkdir -p "$1/runners"
    cp "$root"/labs/live/runners/* "$1/runners"
    [ $# -lt 3 ] || edit "$1/runners/$2.c" "$3"
    [ $# -lt 5 ] || edit "$1/runners/$4" "$5"
    gcc -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$1" -I"$root/src" -DRUNNER="$2" "-DSOURCE=\"runners/$2.c\"" \
        "$root/labs/live/tests/faults/plugin.c" -o "$1.so" -lpthread
}
edit() {
    sed -i.was "$2" "$1"
    if cmp -s "$1" "$1.was"; then return 1; fi
}

# bad_runner_stop NAME STATEMENT - NAME.so is the locked runner whose stop begins with the statement, by the name of my-NAME.
bad_runner_stop() {
    runner_plugin "$1" locked "s/\.name = \".*\",/.name = \"my-$1\",/; s/\.stop = single_stop/.stop = bad_stop/; s/^const struct tw_runner TW_RUNNER.*/static int bad_stop(struct tw_seat *seat, tw_timer timer) { $2; return single_stop(seat, timer); }\n&/"
}
