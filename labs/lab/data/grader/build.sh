#!/bin/sh
# build.sh FILE DATA DIRECTORY - builds a solution: timers.so, and blocks.so, which counts the blocks and accesses that it runs.
# shellcheck disable=SC3045 # dash and bash have these limits
set -e
ulimit -t 20
ulimit -v 2000000
ulimit -f 200000
compile="${CC:-cc} -std=gnu11 -fPIC -I$2/handout"
$compile -O1 -Wall -c -o "$3/timed.o" "$1"
$compile -O1 -w -DTW_COUNTED -c -o "$3/counted.o" "$1"

# What the kernel, the assembler and most of the C library do is not counted.
may='_GLOBAL_OFFSET_TABLE_|malloc|calloc|realloc|aligned_alloc|free|(__)?(memcpy|memmove|memset|snprintf)(_chk)?|strcmp|abort|__assert_fail|__stack_chk_fail|__[a-z]+[dst]i[234]'
called=$(nm -u "$3/timed.o" "$3/counted.o" | awk 'NF == 2 { print $2 }' | sort -u | grep -Evx "$may" || true)
if [ -n "$called" ]; then
    echo "of the C library a solution may call malloc and its like, memcpy, memmove, memset, strcmp, snprintf and abort; not" "$called" >&2
    exit 1
fi
if $compile -DTW_COUNTED -E "$1" | awk -v own="\"$1\"" '/^# [0-9]+ "/ { mine = $3 == own } mine' | grep -E 'asm|sanitize' >&2; then
    echo "every function is counted, so it is in C" >&2
    exit 1
fi

$compile -shared -o "$3/timers.so" "$2/handout/plugin.c" "$3/timed.o" "$3/counted.o"
! $compile --version | grep -q clang || compile="$compile -mllvm -tsan-instrument-memintrinsics=0"
$compile -O1 -w -fsanitize-coverage=trace-pc -fsanitize=thread -c -o "$3/traced.o" "$1"
hooks=-Wl,--wrap=memmove,--defsym=__wrap_memcpy=__wrap_memmove,--wrap=memcpy
for name in $(nm -u "$3/traced.o" | awk '$2 ~ /^__tsan/ { print $2 }'); do
    case $name in
        *_range) hooks=$hooks,--defsym=$name=blocks_range ;;
        *read* | *write*) hooks=$hooks,--defsym=$name=blocks_access ;;
        *) hooks=$hooks,--defsym=$name=blocks_work ;; # entry and exit, which count nothing
    esac
done
$compile -w -shared "$hooks" -o "$3/blocks.so" "$2/grader/blocks.c" "$3/traced.o"
