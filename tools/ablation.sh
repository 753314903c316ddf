#!/bin/bash
# ablation.sh DIR - makes DIR/fast-no-IDEA.so, `fast` without one of its ideas, for each flag FAST_NO_IDEA of src/impls/fast.c, and DIR/fast-whole.so, with all.
#
# Prints the names.  All are plugins, so that their times compare: docs/FAST.md.
set -euo pipefail

cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
read -ra flags <<<"${CFLAGS:--O2 -g -falign-functions=64}"

# variant NAME FLAG...
variant() {
    local name=$1 plugin=$1.plugin.c
    shift
    sed "s/^    \.name = \"fast\",/    .name = \"$name\",/" src/impls/fast.c >"$directory/$name.c"
    for table in timed counted; do
        counted=()
        [ $table = timed ] || counted=(-DTW_COUNTED)
        "${CC:-gcc}" -std=c11 -D_GNU_SOURCE "${flags[@]}" -fPIC -Wall -Wextra -Werror -Isrc/impls "$@" "${counted[@]}" \
            -c "$directory/$name.c" -o "$directory/$name.$table.o"
    done
    printf '#include "backend.h"\nextern const struct tw_backend tw_fast_timed, tw_fast_counted;\nTW_PLUGIN(tw_fast_timed, tw_fast_counted);\n' >"$directory/$plugin"
    "${CC:-gcc}" -std=c11 -shared -fPIC -Isrc/impls "$directory/$plugin" "$directory/$name".{timed,counted}.o -o "$directory/$name.so"
    rm "$directory/$plugin" "$directory/$name".{c,timed.o,counted.o}
    echo "$name"
}

directory=$1
variant fast-whole
while read -r flag; do
    name=${flag,,}
    variant "${name//_/-}" "-D$flag"
done < <(sed -n 's/^#ifndef \(FAST_NO_[A-Z]*\)$/\1/p' src/impls/fast.c)
