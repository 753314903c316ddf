#!/bin/bash
# wrapped.sh [NAME...] - proves that conform's default finds each plugin of wrapped.tsv: those that are named, all of them
# (DEPTH=all), or the first of each class.  Prints TAP.
#
# wrapped.sh --table [NAME...] prints which cases find how many of them, and which find some alone:
# half an hour of processor time for all.  What an earlier call found in NAME.cases is not looked for again.
#
# A row of wrapped.tsv is a class, a name, a design, and hooks of wrapped.c with their code.  SED=[FILE:]SCRIPT changes the
# design's own source instead.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.bash

rows=tests/faults/wrapped.tsv work=$PWD/build/faults/wrapped library=build/release/libtwbench.a

# plant NAME - $work/NAME.so from its row.
plant() {
    local name design hooks=() flags=() hook file script
    IFS=$'\t' read -ra hooks <<<"$(grep -P "^[a-z]+\t$1\t" "$rows")"
    name=${hooks[1]} design=${hooks[2]}
    rm -rf "${work:?}/$name" && mkdir -p "$work/$name" && cp src/impls/*.h "src/impls/$design.c" "$work/$name"
    for hook in "${hooks[@]:3}"; do
        if [[ $hook != SED=* ]]; then
            flags+=("-D$hook")
            continue
        fi
        file=$design.c script=${hook#SED=}
        [[ $script != *.h:* ]] || { file=${script%%:*} script=${script#*:}; }
        sed -i.was "$script" "$work/$name/$file"
        ! cmp -s "$work/$name/$file" "$work/$name/$file.was" || { echo "its script changes nothing in $file"; return 1; }
    done
    "${CC:-gcc}" -O1 -w -shared -fPIC @tests/faults/wrapped.hooks -I"$work/$name" -DINNER="tw_${design}_timed" "-DBASE_FILE=\"$design.c\"" "${flags[@]}" \
        -o "$work/$name.so" tests/faults/wrapped.c
}

# is_found NAME - conform's default says that it is broken.
# shellcheck disable=SC2317 # by way of check
is_found() {
    local status=0
    plant "$1" || return 1
    "$work/probe" "$work/$1.so" || status=$?
    [ "$status" -eq 1 ]
}

# A row of the table of CONTRIBUTING.md for each case: its seconds for a design without a fault, how many it finds, and how many it alone.
table() {
    local name
    "${CC:-gcc}" -O2 -w -shared -fPIC @tests/faults/wrapped.hooks -Isrc/impls -DINNER=tw_hashed_timed '-DBASE_FILE="hashed.c"' -o "$work/hashed.so" \
        tests/faults/wrapped.c
    "$work/probe" "$work/hashed.so" seconds >"$work/seconds"
    for name in "$@"; do
        [ ! -e "$work/$name.cases" ] || continue
        plant "$name" && "$work/probe" "$work/$name.so" cases | sed "s/^/$name\t/" >"$work/cases" && mv "$work/cases" "$work/$name.cases"
    done
    (cd "$work" && cat "${@/%/.cases}") >"$work/found"
    echo '| case | seconds | found alone | of these |'
    echo '|---|---|---|---|'
    awk -F'\t' 'NR == FNR { count[$1]++; of[$1] = $2; next }
        count_read == 0 { for (name in count) if (count[name] == 1) { alone[of[name]]++
            if (alone[of[name]] <= 2) names[of[name]] = names[of[name]] (names[of[name]] ? ", " : "") "`" name "`" } count_read = 1 }
        { if (alone[$2] || $1 >= 0.3) printf "| %s | %.1f | %d | %s |\n", $2, $1, alone[$2], names[$2]; else { rest += $1; others++ } }
        END { printf "| %d others | %.1f | 0 | |\n", others, rest }' "$work/found" "$work/seconds"
}

if [ ! -e "$library" ]; then
    echo "Bail out! there is no $library: 'make tests' builds it"
    exit 1
fi
mkdir -p "$work"
"${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -Isrc tests/faults/wrapped_probe.c "$library" -ljemalloc -lcjson -llzma -lz -lm -rdynamic \
    -o "$work/probe" || exit 1
mode=prove
[ "${1:-}" != --table ] || { mode=table; shift; }
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    key=1
    { [ "${DEPTH:-}" = all ] || [ $mode = table ]; } && key=2
    mapfile -t names < <(awk -F'\t' -v key=$key '!/^#/ && !seen[$key]++ { print $2 }' "$rows")
fi
if [ $mode = table ]; then
    table "${names[@]}"
    exit
fi
echo "1..${#names[@]}"
for name in "${names[@]}"; do
    check "$name is found" is_found "$name"
done
exit "$failed"
