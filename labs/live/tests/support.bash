# support.bash - what the tests of the lab live share: those of the core's command line, and runners made into plugins.
# shellcheck shell=bash disable=SC2154
load ../../../tests/cli/support

# runner_plugin NAME RUNNER [SOURCE-EDIT] - NAME.so is that runner of the program, changed by a sed script.
runner_plugin() {
    runner_plugin_source "$@"
    build_runner_plugin "$1" "$2"
}

# The same without NAME.so; false if the edit finds nothing to change.
runner_plugin_source() {
    mkdir -p "$1/runners"
    cp "$root"/labs/live/runners/* "$1/runners"
    sed -i "${3:-}" "$1/runners/$2.c" && { [ -z "${3:-}" ] || ! cmp -s "$root/labs/live/runners/$2.c" "$1/runners/$2.c"; }
}

# build_runner_plugin NAME RUNNER - NAME.so again, from what is in NAME/runners by now.
build_runner_plugin() {
    gcc -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -I"$1" -I"$root/src" -DRUNNER="$2" "-DSOURCE=\"runners/$2.c\"" \
        "$root/labs/live/tests/faults/plugin.c" -o "$1.so" -lpthread
}

# bad_runner_stop NAME STATEMENT - NAME.so is the locked runner whose stop begins with the statement, by the name of my-NAME.
bad_runner_stop() {
    runner_plugin "$1" locked "s/\.name = \".*\",/.name = \"my-$1\",/; s/\.stop = single_stop/.stop = bad_stop/; s/^const struct tw_runner TW_RUNNER.*/static int bad_stop(struct tw_seat *seat, tw_timer timer) { $2; return single_stop(seat, timer); }\n&/"
}
