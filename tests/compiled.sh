#!/bin/bash
# compiled.sh - what a source is written for is in its object, too: prefetches, an empty tick that saves no register, a
# fence directly behind each call with something between calls (gap.h).  Prints TAP.
#
# gcc takes a function that only reads and prefetches for one without effect, and drops its calls before it is
# inlined.  So such a function is always_inline, which comes first.  Each function that prefetches is looked at: one that
# does nothing else must say so.
# shellcheck disable=SC2154
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash
objects=${OBJECTS:-build/release/impls}

for source in src/impls/*.c; do
    grep -q __builtin_prefetch "$source" || continue
    name=$(basename "$source" .c)
    [ -e "$objects/$name.timed.o" ] || continue
    found=$(objdump -d --no-show-raw-insn "$objects/$name.timed.o" | grep -cE '\<(prefetch|prfm|pref)')
    wanted=$(grep -c __builtin_prefetch "$source")
    [ "$found" -ge "$((wanted > 2 ? 2 : 1))" ]
    tell $? "$name prefetches" "$found instructions in $objects/$name.timed.o, $wanted in $source: is a function that only prefetches always_inline?"
    # The function above each prefetch, by its name.
    bad=$(awk '/^[a-z_].*\(/ { head = $0 } /prefetch\(const struct/ && /^static/ && !/always_inline/ { print FILENAME ": " head }' "$source")
    [ -z "$bad" ]
    tell $? "$name: what only prefetches is always_inline" "$bad"
done
# An empty tick of fast is four instructions and a return.  With a register to save for what may follow, P2 at 1e3 takes
# 1.4 times as long.
if [ "$(uname -m)" = x86_64 ] && [ -e "$objects/fast.timed.o" ]; then
    objdump -d --no-show-raw-insn --disassemble=fast_advance "$objects/fast.timed.o" | sed '/\<ret/q' >build/empty_tick.txt
    grep -q '\<ret' build/empty_tick.txt && ! grep -q '\<push' build/empty_tick.txt
    tell $? "an empty tick of fast saves no register" "$(cat build/empty_tick.txt)"
    unfenced=$(objdump -d --no-show-raw-insn --disassemble=replay_words_chained "${objects%/impls}/harness/measure/run/replay.o" |
        awk '/call +\*/ { calls++; call = $0; left = 2; next } /lfence/ { left = 0 } left && --left == 0 { print call } END { if (calls < 8) print "too few calls" }')
    [ -z "$unfenced" ]
    tell $? "a fence stands directly behind each chained call, or behind its answer" "$unfenced"
fi
[ "$number" -gt 0 ] || tell 1 "objects of designs are in $objects"
echo "1..$number"
exit $failed
