# planting.bash - plants faults in copies of the sources and tells which of them are caught.  Source it.
#
# A fault is a patch NAME-WHAT.patch, or one of a list (patches.pl).  It plants one fault in NAME (a design, a runner, a store).  Its first line is
# "Rule: ..." and names the rule that has to catch it; several that are as good stand between "|".  The lines behind may
# have fields more.  A patch that no longer applies is a failure: bring it up to date.  So is a proof that fails
# without any fault, because then nothing is shown by failing.
#
# A suite sets
#   faults   the directory of its patches
#   rooms    the directories that a copy has; the patches change the first
#   work     where the copies are made, an absolute path
#   quick    the patches that are tried when none is named, and not all are (DEPTH=all), without their endings
# and defines
#   build NAME DIRECTORY    compiles what is found under DIRECTORY/src
#   prove DIRECTORY [PATCH] puts it to the proof, or to the part of it that the fault is for.  Leaves in
#                           DIRECTORY/found what the proof said.  The status is 0 when nothing was caught, 1 when something was.
# Then `judge "$@"` is all.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/tap.bash
. tests/tap.bash

# field PATCH NAME - what the fault's head says of it.
field() {
    sed -n "/^---/q; s/^$2: *//p" "$1"
}

# patches_of LIST ROOM - makes a patch in $faults of each fault of a list (patches.pl).  What no longer applies, `judge` says.
patches_of() {
    rm -rf "${faults:?}" && mkdir -p "$faults"
    stale=$(tests/faults/patches.pl "$1" "$2" "$faults" 2>&1)
    listed=$?
}

# names PATCH... - what the faults are planted in, each once.
names() {
    printf '%s\n' "${@##*/}" | sed 's/-.*//' | sort -u
}

# copy DIRECTORY - the sources, as they are.
copy() {
    rm -rf "${1:?}" && mkdir -p "$1/src" && cp -r "${rooms[@]}" "$1/src"
}

# apply DIRECTORY PATCH [OPTION...] - plants one more fault in a copy.
apply() {
    patch --directory="$1" --strip=1 --fuzz=0 --silent --force "${@:3}" <"$2" ||
        { echo "$2 no longer applies to ${rooms[0]}: bring it up to date"; return 1; }
}

# apply_all - every fault fits the sources as they are, those too that are not tried now.
apply_all() {
    local patch status=0
    [ -z "${listed:-}" ] || { echo "$stale" && return "$listed"; }
    copy "$work/all" || return 1
    for patch in "$faults"/*.patch; do
        apply "$work/all" "$patch" --dry-run || status=1
    done
    return $status
}

# caught STATUS DIRECTORY PATCH - was it the fault's own rule that the proof found?
caught() {
    local rule found
    rule=$(field "$3" Rule)
    found=$(sed -n '1s/^rule: //p; 1s/^.*: BROKEN: //p' "$2/found")
    [ "$1" -eq 1 ] && [ -n "$found" ] && [[ "|$rule|" == *"|$found|"* ]] && return 0
    echo "exit status $1 (0: not caught, 1: caught, over 128: by a signal, as after too long)"
    echo "expected: $rule"
    cat "$2/found"
    return 1
}

judge_sound() {
    local directory=$work/$1
    copy "$directory" && build "$1" "$directory" || return 1
    prove "$directory" && return 0
    echo "exit status $?"
    cat "$directory/found"
    return 1
}

judge_fault() {
    local directory
    directory=$work/$(basename "$1" .patch)
    copy "$directory" && apply "$directory" "$1" || return 1
    build "$(names "$1")" "$directory" || { echo "it does not compile with the fault in it"; return 1; }
    prove "$directory" "$1"
    caught $? "$directory" "$1"
}

tell_sound() {
    local name output
    for name in "$@"; do
        output=$(judge_sound "$name" 2>&1)
        tell $? "$name holds its contract without a fault" "$output"
    done
}

tell_faults() {
    local patch output
    for patch in "$@"; do
        output=$(judge_fault "$patch" 2>&1)
        tell $? "$(basename "$patch" .patch) is caught: $(field "$patch" Rule)" "$output"
    done
}

# judge [PATCH...] - the faults that are named, all of them (DEPTH=all), or the quick ones.  The suites of the contracts
# prove the same without a fault, so that the quick ones leave it to them.
judge() {
    local patches=("$@") sound=() output
    if [ $# -gt 0 ] || [ "${DEPTH:-}" = all ]; then
        [ $# -gt 0 ] || patches=("$faults"/*.patch)
        mapfile -t sound < <(names "${patches[@]}")
    else
        patches=("${quick[@]/#/$faults/}")
        patches=("${patches[@]/%/.patch}")
    fi
    mkdir -p "$work"
    echo "1..$((1 + ${#sound[@]} + ${#patches[@]}))"
    output=$(apply_all 2>&1)
    tell $? "every fault can still be planted" "$output"
    tell_sound "${sound[@]}"
    tell_faults "${patches[@]}"
    exit "$failed"
}
