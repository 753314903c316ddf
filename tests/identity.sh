#!/bin/bash
# identity.sh - the timed object of a design is the object of its source without any counting in it.
# Prints TAP.
#
# For each design and compiler, the design as it stands and a copy of it from which the counting
# macros have been deleted, uses and definitions alike, are compiled with the same flags; the two
# object files have to be equal byte for byte: code, data and relocations.  That this would notice a
# residue is shown with counting macros that leave a trace behind.  With DEPTH=all by each compiler and on every
# design; else by gcc, and on the first design.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 2
read -ra flags <<<"${CFLAGS:--O2}"
# Debug information names lines and macros; it is the only thing that may differ.
flags+=(-std=c11 -D_GNU_SOURCE -g0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compilers=()
[ "${DEPTH:-}" = all ] && wanted=(gcc clang) || wanted=(gcc)
for compiler in "${wanted[@]}"; do
    command -v "$compiler" >/dev/null && compilers+=("$compiler")
done
designs=()
for source in src/impls/*.c; do
    [ "$source" = src/impls/registry.c ] || designs+=("$(basename "$source" .c)")
done

# Deletes what counts from the sources in a directory; statements leave their semicolon.
delete_counting() {
    perl -0777 -pi -e '
        s/^#define TW_(?:COUNT|WORK_FIELD|WORK_OF)\b(?:[^\n]*\\\n)*[^\n]*\n//mg;
        s/\bTW_COUNT(\((?:[^()]++|(?1))*\))//g;
        s/\bTW_WORK_FIELD\b//g;
        s/\bTW_WORK_OF\(\w+\)/NULL/g' "$1"/*.[ch]
}

# In a directory of its own, so that the name of the source in the object is the same.
compile() {
    local compiler=$1 directory=$2 design=$3
    (cd "$directory" && "$compiler" "${flags[@]}" -c "$design.c" -o "$compiler-$design.o")
}

same_object() {
    local compiler=$1 directory=$2 design=$3
    compile "$compiler" "$directory" "$design" || return 2
    cmp -s "$work/as_it_is/$compiler-$design.o" "$directory/$compiler-$design.o"
}

. tests/tap.bash

# Copies of the sources: as they are, without counting, and with a counting that leaves a trace in
# the code, or in the instance.
for copy in as_it_is deleted residue_in_code residue_in_field; do
    mkdir "$work/$copy" && cp src/impls/*.[ch] src/impls/*.def "$work/$copy"
done
delete_counting "$work/deleted"
sed -i 's/^#define TW_COUNT(timers, what, n) ((void)0)$/#define TW_COUNT(timers, what, n) ((void)*(const volatile char *)(timers))/' \
    "$work/residue_in_code/backend.h"
# Of a cache line, so that no padding hides it.
sed -i 's/^#define TW_WORK_FIELD$/#define TW_WORK_FIELD uint64_t residue[8];/' \
    "$work/residue_in_field/backend.h"

# The designs that are shown to betray a residue.
residues=("${designs[@]}")
[ "${DEPTH:-}" = all ] || residues=("${designs[0]}")
count=0
for design in "${residues[@]}"; do
    grep -q 'TW_COUNT(' "src/impls/$design.c" && count=$((count + 1))
done
echo "1..$((1 + ${#compilers[@]} * (${#designs[@]} + ${#residues[@]} + count)))"

remaining=$(grep -nE '\bTW_(COUNT|WORK_FIELD|WORK_OF)\b' "$work"/deleted/*.c)
[ -z "$remaining" ]
tell $? "nothing that counts is left in the copies"
[ -z "$remaining" ] || echo "# $remaining"

for compiler in "${compilers[@]}"; do
    for design in "${designs[@]}"; do
        compile "$compiler" "$work/as_it_is" "$design" &&
            same_object "$compiler" "$work/deleted" "$design"
        tell $? "$design, $compiler: the timed object is that of the source without counting"
    done
    for design in "${residues[@]}"; do
        if grep -q 'TW_COUNT(' "src/impls/$design.c"; then
            same_object "$compiler" "$work/residue_in_code" "$design"
            [ $? -eq 1 ]
            tell $? "$design, $compiler: a counting macro that leaves code behind is noticed"
        fi
        same_object "$compiler" "$work/residue_in_field" "$design"
        [ $? -eq 1 ]
        tell $? "$design, $compiler: a counting field that is left behind is noticed"
    done
done
exit $failed
