#!/bin/bash
# hunts.sh DIR - builds the wrong designs of `lab hunt` into DIR: 01.so for the first row of hunts.def, and so on.
#
# A row's name is an exhibit of labs/teach/museum or a planted fault of tests/faults/faults.list, in a copy of the
# designs; without the folder teach its exhibits are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$1.work number=0
out=$work/all # moved when it is whole
rm -rf "$1" "$work"
mkdir -p "$out" "$work/patches"
tests/faults/patches.pl tests/faults/faults.list src/impls "$work/patches"
while IFS='"' read -r _ name _; do
    number=$((number + 1))
    source=labs/teach/museum/$name.c flags=(-Isrc/impls)
    if [ -e "$work/patches/$name.patch" ]; then
        design=${name%%-*} source=tests/faults/wrapped.c
        rm -rf "${work:?}/src"
        mkdir "$work/src" && cp -r src/impls "$work/src"
        patch --directory="$work" --strip=1 --fuzz=0 --silent --force <"$work/patches/$name.patch"
        flags=(@tests/faults/wrapped.hooks "-I$work/src/impls" "-DINNER=tw_${design}_timed" "-DBASE_FILE=\"$design.c\"")
    elif [ ! -e "$source" ]; then
        continue
    fi
    "${CC:-gcc}" -O1 -w -s -shared -fPIC "${flags[@]}" -o "$out/$(printf %02d $number).so" "$source"
done < <(grep '^HUNT(' labs/lab/hunts.def)
mv "$out" "$1"
rm -rf "$work"
