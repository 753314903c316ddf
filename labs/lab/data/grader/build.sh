#!/bin/sh
# build.sh FILE DATA DIRECTORY - builds a solution: timers.so, and blocks.so, which counts the blocks and accesses that it runs.
# shellcheck disable=SC3045 # dash and bash have these limits
set -e
ulimit -t 20
ulimit -v 2000000
ulimit -f 200000
compile="${CC:-cc} -std=gnu11 -fPIC -fno-common -U_FORTIFY_SOURCE -I$2/handout"
$compile -O1 -Wall -c -o "$3/timed.o" "$1"
$compile -O1 -w -DTW_COUNTED -c -o "$3/counted.o" "$1"

refuse() {
    echo "$@" >&2
    exit 1
}

# What the kernel, the assembler and most of the C library do is not counted.
may='_GLOBAL_OFFSET_TABLE_|malloc|calloc|realloc|aligned_alloc|free|memcpy|memmove|memset|snprintf|strcmp|abort|__assert_fail|__stack_chk_fail|__[a-z]+[dst]i[234]'
called=$(nm -u "$3/timed.o" "$3/counted.o" | awk 'NF == 2 { print $2 }' | sort -u | grep -Evx "$may" || true)
[ -z "$called" ] || refuse "of the C library a solution may call malloc and its like, memcpy, memmove, memset and abort; not" "$called"
constants='^ *\[ *[0-9]+\] \.data\.rel\.ro(\.local)? +PROGBITS| 000000 [0-9a-f]+ +W[A-Za-z]*( +[0-9]+){3}$'
if readelf -SW "$3/timed.o" "$3/counted.o" | grep -E ' WA' | grep -vEq "$constants"; then
    names=$(nm --format=sysv "$3/timed.o" | grep -E '\| *(OBJECT|TLS) *\|' | grep -Ev '\.rodata|\.data\.rel\.ro' | cut -d' ' -f1)
    refuse "keep everything in struct tw_timers, not in variables outside of it:" "$names"
fi

# Whose text it is the compiler says by marks, which no line of the solution may set.
if grep -nE '^(.*\*/)?[[:space:]]*(%\\|(#|%:)[[:space:]]*[0-9/\\])|__has_feature' "$1" >&2 ||
    $compile -DTW_COUNTED -E "$1" | awk '/^# [0-9]+ "/ { sub(/".*"/, ""); depth += ($3 == 1) - ($3 == 2); next } !depth' | grep -E 'asm|sanitize|tsan|ia32|_mm[0-9]*_|strcmp|printf' >&2; then
    refuse "every function is counted, so it is in C, without strcmp, snprintf and instructions of one processor"
fi

$compile -shared -o "$3/timers.so" "$2/handout/plugin.c" "$3/timed.o" "$3/counted.o"
! $compile --version | grep -q clang || compile="$compile -mllvm -tsan-instrument-memintrinsics=0"
$compile -O1 -w -fsanitize-coverage=trace-pc -fsanitize=thread -U__SANITIZE_THREAD__ -DTW_COUNTED -c -o "$3/traced.o" "$1"
hooks=-Wl,--wrap=memmove,--defsym=__wrap_memcpy=__wrap_memmove,--wrap=memcpy,--wrap=memset
for name in $(nm -u "$3/traced.o" | awk '$2 ~ /^__tsan/ { print $2 }'); do
    case $name in
        *_range) hooks=$hooks,--defsym=$name=blocks_range ;;
        *read* | *write*) hooks=$hooks,--defsym=$name=blocks_access ;;
        *entry | *exit | *init) hooks=$hooks,--defsym=$name=blocks_work ;; # which count nothing
        *) refuse "atomic operations are not counted: leave them out" ;;
    esac
done
$compile -w -shared "$hooks" -o "$3/blocks.so" "$2/grader/blocks.c" "$3/traced.o"
