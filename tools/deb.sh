#!/bin/bash
# deb.sh DIR - build the Debian packages from a copy of the files of this checkout; the packages go into DIR.
#
# Replaces DIR.  Files that git does not know or ignore are part of the copy, so that uncommitted work can be packaged;
# the commit that the program names then ends in "-dirty".  The same sources give the same bytes in any directory at any
# time: dates are that of the last entry of debian/changelog.
set -euo pipefail

[ $# -eq 1 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
out=$(realpath -m "$1")
cd "$(dirname "$0")/.."

version=$(dpkg-parsechangelog -S Version)
[ "$version" = "$(cat VERSION)" ] ||
    { echo "deb: debian/changelog has version $version, VERSION has $(cat VERSION): expected the same" >&2; exit 2; }

# dpkg gives the compiler the name of the folder of sources as part of a word, where a blank breaks the map of names.
[[ ${TMPDIR:-} != *[[:space:]]* ]] || TMPDIR=/tmp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/twbench-$version
rm -rf "$out"
mkdir -p "$copy" "$out"
if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        if [ -e "$file" ]; then printf '%s\0' "$file"; fi
    done | tar --null -T - -cf - | tar -xf - -C "$copy"
    commit=$(git rev-parse --short=12 HEAD)
    git diff --quiet HEAD -- || commit+=-dirty
    echo "$commit" >"$copy/COMMIT"
else
    tar --exclude=./build --exclude=./twbench -cf - . | tar -xf - -C "$copy"
fi

cd "$copy"
# A ccache that makes paths relative would change the names of folders in the debug information.
export CCACHE_DISABLE=1
# Make's own flags would reach the Makefile of the copy.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES FLAVOUR CC CFLAGS PREFIX LIBDIR DESTDIR
dpkg-buildpackage -us -uc -j"$(nproc)" >"$out/build.log" 2>&1 ||
    { tail -n 30 "$out/build.log" >&2; echo "deb: dpkg-buildpackage failed; $out/build.log has all of it" >&2; exit 1; }
rm -rf "$copy"
mv "$work"/* "$out"
cd "$out"
ls ./*.deb
