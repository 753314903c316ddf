# take.bats - a design taken home: what is written compiles alone, works, and is the design that was tested.

load ../../../tests/cli/support

# Every design but the one that keeps nothing, as the registry names them.
designs() {
    sed -n 's/^TW_DESIGN(\(.*\))/\1/p' "$root/src/impls/registry.def" | grep -vx null | tr _ -
}

# builds HOME ARGUMENT... - what take writes there compiles without a warning, by each compiler, as C, and as C++ but for a
# runner; tests and example pass.
builds() {
    local file compiler
    "$twbench" take "${@:2}" -o "$1"
    make -C "$1" CFLAGS='-O1 -Werror' check check-cpp plugin
    for file in "$1"/*.c; do
        for compiler in gcc clang; do
            "$compiler" -std=c11 -Wall -Wextra -Werror -fsyntax-only "$file"
        done
        [[ $file == *_runner.c ]] && continue
        for compiler in g++ clang++; do
            "$compiler" -std=c++20 -x c++ -Wall -Wextra -Werror -fsyntax-only "$file"
        done
    done
}

@test "take names the files that it wrote: header, C file, licence, example, test and Makefile" {
    run --separate-stderr "$twbench" take hier-queue -o new/home
    [ "$status" -eq 0 ]
    [ "$(sort <<<"$output")" = "$(printf 'new/home/%s\n' LICENSE Makefile example.c test.c tw_hier_queue.c tw_hier_queue.h)" ]
    [ "$(ls new/home | wc -l)" -eq 6 ]
    cmp new/home/LICENSE "$root/LICENSE"
    [[ $stderr == *"make -C new/home check"* ]]
}

# Every runner, as the registry names them.
runners() {
    sed -n 's/^TW_RUNNER_ROW(\(.*\))/\1/p' "$root/labs/live/runners/registry.def" | tr _ -
}

# Without the lab live there are no runners.
needs_runners() {
    [ -d "$root/labs/live/runners" ] || skip "labs/live"
}

@test "with --runner a runner is written beside the design" {
    needs_runners
    run --separate-stderr "$twbench" take hier-queue --runner=tick-queue -o home
    [ "$status" -eq 0 ]
    [ "$(sort <<<"$output")" = "$(printf 'home/%s\n' LICENSE Makefile example.c runner_test.c test.c tw_hier_queue.c \
        tw_hier_queue.h tw_tick_queue_runner.c tw_tick_queue_runner.h)" ]
    grep -q '^/\*$' home/tw_tick_queue_runner.c
    grep -q 'the runner tick-queue of twbench .* MIT licence' home/tw_tick_queue_runner.c
    refuses "'netty' is not a runner" take heap --runner=netty -o other
    refuses "'locked,pool' is not a runner" take heap --runner=locked,pool -o other
    [ ! -e other ]
}

@test "every runner compiles alone, and passes its test" {
    needs_runners
    # What two runners share is in both; all of them with DEPTH=all.
    [ "${DEPTH:-}" = all ] && names=$(runners) || names="tick-queue"
    [ "${DEPTH:-}" = all ] && behind="heap hashed hier-queue multi" || behind="hashed"
    for runner in $names; do
        for design in $behind; do
            echo "$runner over $design"
            builds "$design-$runner" "$design" --runner="$runner"
        done
    done
}

# same_code TIMED TAKEN - two sources compile to the same instructions.
same_code() {
    gcc -O2 -std=c11 -D_GNU_SOURCE -I"$root/src" -I"$root" -c "$1" -o timed.o
    gcc -O2 -std=c11 -c "$2" -o taken.o
    objcopy -O binary -j .text timed.o timed.text
    objcopy -O binary -j .text taken.o taken.text
    [ -s timed.text ] && cmp timed.text taken.text
}

@test "what was taken has the machine code of the timed runner" {
    needs_runners
    for runner in $(runners); do
        [ "${DEPTH:-}" = all ] || [ "$runner" = locked ] || continue
        echo "$runner"
        file=${runner//-/_}
        "$twbench" take heap --runner="$runner" -o "$runner"
        run grep -rE 'TW_(PROVED|RUNNER_POINT|COUNT)\b|NOLINT|@[A-Z_]+@|#include "[^t]' "$runner"
        echo "$output"
        [ "$status" -eq 1 ]
        same_code "$root/labs/live/runners/$file.c" "$runner/tw_${file}_runner.c"
    done
}

@test "the test that is written notices a runner that is wrong" {
    needs_runners
    deep
    "$twbench" take heap --runner=locked -o home
    make -s -C home check
    # A task up to a tick too early.
    sed -i 's|return (moment - ticking->open_ns - 1) / ticking->tick_ns + 1;|return (moment - ticking->open_ns) / ticking->tick_ns;|' home/tw_locked_runner.c
    ! grep -q 'open_ns - 1' home/tw_locked_runner.c
    run make -s -C home check
    [ "$status" -ne 0 ]
    [[ $output == *"a task ran before its time"* ]]
}

@test "a runner that was taken is proved by conform as a plugin" {
    needs_runners
    # It has the machine code of a runner that is.
    deep
    for runner in $(runners); do
        "$twbench" take heap --runner="$runner" -o "$runner"
        make -s -C "$runner" plugin
        "$twbench" conform --plugin="$(echo "$PWD/$runner"/*_runner.so)" --operations=1e4 --patience=100s
    done
}

@test "every design compiles alone, as C and as C++, and passes its test" {
    # What two designs share is in both; all of them with DEPTH=all.
    [ "${DEPTH:-}" = all ] && names=$(designs) || names="hashed multi"
    for design in $names; do
        echo "$design"
        builds "$design" "$design"
    done
}

@test "--growable: every design that can tell its earliest deadline compiles with the layer, as C and as C++, and passes its test" {
    [ "${DEPTH:-}" = all ] && names="fast hier-bitmap heap heap4 hier linux26 hashed rbtree list" || names="fast linux26"
    for design in $names; do
        echo "$design"
        builds "$design" "$design" --growable
        # A process may have several, each in a shared object.
        [ "$(nm -D --defined-only "$design"/tw_*.so | grep -c ' twt_')" -eq 0 ]
        run grep -nE 'TW_(COUNT|COUNTED|WORK_[A-Z]+)\b|@[A-Z]+@|TWTIMERS_API|#include "[^t]' "$design"/*
        echo "$output"
        [ "$status" -eq 1 ]
        # One that fires the latest first.
        sed -i 's/return a->deadline != b->deadline ? .*;/return a->deadline > b->deadline;/' "$design"/*.c
        ! grep -q 'a->order < b->order' "$design"/tw_*.c
        run make -s -C "$design" check
        [[ $status -ne 0 && $output == *"before an earlier one"* ]]
    done
    refuses "cannot tell its earliest deadline" take lawn --growable -o home
    refuses "may fire late" take multi --growable -o home
    refuses "a runner has ids of its own" take heap --growable --runner=locked -o home
    refuses "is a store" take wheel-log --growable -o home
    [ ! -e home ]
}

@test "no counting and nothing to be filled in is left in any of them" {
    for design in $(designs); do
        "$twbench" take "$design" -o "$design"
        run grep -rE 'TW_(COUNT|COUNTED|WORK_[A-Z]+)\b|@[A-Z]+@|\bbackend\.h"|#include "[^t]' "$design"
        echo "$design: $output"
        [ "$status" -eq 1 ]
    done
}

@test "what was taken passes conform as a plugin" {
    # It has the machine code of a design that does: the last test.
    deep
    for design in $(designs); do
        "$twbench" take "$design" -o "$design"
        make -s -C "$design" plugin
        "$twbench" conform --plugin="$(echo "$PWD/$design"/*.so)"
    done
}

@test "the test that is written notices a design that is wrong" {
    "$twbench" take heap -o heap
    make -s -C heap check
    # A start one tick too late.
    sed -i 's/\(tw_tick due = deadline > timers->now ? deadline\) :/\1 + 1 :/' heap/tw_heap.c
    grep -q 'deadline + 1 :' heap/tw_heap.c
    run make -s -C heap check
    [ "$status" -ne 0 ]
    [[ $output == *"did not fire"* || $output == *"later than the design allows"* ]]
}

@test "two designs taken fit into one program" {
    "$twbench" take heap -o both
    "$twbench" take hashed -o both --force
    cat >both/two.c <<'END'
#include "tw_hashed.h"
#include "tw_heap.h"
int main(void) { return strcmp(tw_hashed.name, "tw-hashed") || strcmp(tw_heap.name, "tw-heap"); }
END
    gcc -std=c11 -Wall -Wextra -Werror both/two.c both/tw_hashed.c both/tw_heap.c -o two
    ./two
}

@test "nothing is overwritten unasked; all that is there is named" {
    mkdir home
    echo mine >home/example.c
    echo mine >home/tw_fast.h
    refuses "home: there already: tw_fast.h, example.c; --force overwrites" take fast -o home
    [ "$(ls home | wc -l)" -eq 2 ]
    [ "$(cat home/example.c)" = mine ]
    "$twbench" take fast -o home --force
    grep -q tw_fast home/example.c
}

@test "what cannot be taken is refused" {
    refuses "did you mean 'hashed'" take hashd -o home
    refuses "expected a design that fires" take null -o home
    refuses "expected one design" take -o home
    refuses "2 operands given" take hashed heap -o home
    refuses "-o is missing" take hashed
    refuses "-o: a value is missing; expected DIR" take hashed -o
    refuses "begin with two dashes" run -x home
    echo file >file
    refuses "-o: file" take hashed -o file
    [ ! -e home ]
}

@test "what was taken has the machine code of the timed design" {
    [ "${DEPTH:-}" = all ] && names=$(designs) || names="hashed linux"
    for design in $names; do
        echo "$design"
        file=${design//-/_}
        "$twbench" take "$design" -o "$design"
        same_code "$root/src/impls/$file.c" "$design/tw_$file.c"
    done
}

@test "run --layer: each design beside itself with handles over it, and how many times its time that takes" {
    "$twbench" run --layer --impl=fast,heap --tasks=100 --runs=1 --min-time=1ms --progress=never --style=plain --json=out.json --force >page
    [ "$(json out.json '[(c["impl"], c["status"]) for c in d["cells"]]')" = \
        "$(python3 -c 'print([(d + k, "ok") for d in ("fast", "heap") for k in ("", "-by-hand", "-layer")])')" ]
    [ "$(grep -cE '^(fast|heap)-layer .* ~[0-9.]+ ' page)" -eq 2 ]
    ! grep -E '^((fast|heap)(-by-hand)? .*~|Growth)' page
    refuses "multi: design: the design may fire late" run --layer --impl=multi
    refuses "expected a design of the program" run --layer --impl=timerfd
    [ "$("$twbench" run --layer --tasks=100 --plan | grep -c -- '-layer$')" -gt 10 ]
}
