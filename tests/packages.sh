#!/bin/bash
# packages.sh - the Debian packages: built twice to the same bytes, lintian-clean, and working without sources.
#
# `make test-all` runs it.  Without root the packages are not installed but unpacked into a folder, in which the program
# finds its files as it does in /usr.  Needs what tools/deps.sh package installs; without it, it is skipped.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

echo 1..14
for command in dpkg-buildpackage dh lintian fakeroot; do
    if ! command -v $command >/dev/null; then
        for i in {1..14}; do echo "ok $i - skipped # SKIP needs $command: tools/deps.sh package"; done
        exit 0
    fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A fact that stands twice: the packages that a build needs.  The compiler and C library are build-essential.
needed=$(awk '$1 == "build" && $2 !~ /^(gcc|g\+\+|libc6-dev)$/ { print $2 }' tools/packages.txt labs/*/packages.txt | sort -u)
declared=$(sed -n '/^Build-Depends:/,/^[A-Z]/p' debian/control | tr ' ,:' '\n' | grep -E '^(lib.*-dev|uthash-dev|zlib1g-dev|pkg-config)$' | sort)
[ "$needed" = "$declared" ]
tell $? "debian/control needs what the tables of packages say for a build" "$(diff <(echo "$needed") <(echo "$declared"))"

declared=$(sed -n 's/^Package: twbench-//p' debian/control | grep -vx doc | sort)
[ "$declared" = "$(for lab in labs/*/; do basename "$lab"; done | sort)" ]
tell $? "each lab has a package, and each package a lab" "$(diff <(for lab in labs/*/; do basename "$lab"; done | sort) <(echo "$declared"))"

[ "libtwtimers$(objdump -p build/release/libtwtimers.so | sed -n 's/.*SONAME *libtwtimers.so.//p')" = "$(awk '/^Package: libtwtimers[0-9]/ { print $2 }' debian/control)" ]
tell $? "the name of the library's package has the version in its soname"

[ "libtwlog$(objdump -p build/release/libtwlog.so | sed -n 's/.*SONAME *libtwlog.so.//p')" = "$(awk '/^Package: libtwlog[0-9]/ { print $2 }' debian/control)" ]
tell $? "so has that of libtwlog"

# Two builds, in folders of other names and lengths, at other times, with other masks, languages and zones.
said=$(TZ=UTC tools/deb.sh "$work/one" 2>&1)
tell $? "make deb builds packages" "$said"
mkdir -p "$work/a-much-longer/folder"
said=$(umask 027 && TMPDIR=$work/a-much-longer/folder TZ=Asia/Tokyo LC_ALL=C.UTF-8 tools/deb.sh "$work/with blanks/two" 2>&1)
differ=
for deb in "$work"/one/*.deb; do
    cmp "$deb" "$work/with blanks/two/${deb##*/}" >/dev/null 2>&1 || differ+=" ${deb##*/}"
done
[ -z "$differ" ] && [ "$(find "$work/one" -name '*.deb' | wc -l)" -ge 12 ]
tell $? "a second build in another folder, its packages in one with a blank in its name, is the same bytes" "differ:$differ $said"

said=$(lintian --allow-root --fail-on error,warning "$work"/one/*.changes 2>&1)
tell $? "lintian finds no error and no warning" "$said"

usr=$work/root/usr
twbench=$usr/bin/twbench
multiarch=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
checkout=$PWD

# The program is told apart from this tree by a folder of its own, in which nothing else is.
mkdir "$work/empty"
cd "$work/empty" || exit 2

# The core alone first: its package needs no library of a lab, and names the package of a command that it lacks.
dpkg-deb -x "$work"/one/twbench_*.deb "$work/root"
for lab in "$checkout"/labs/*/; do
    command=$(sed -n 's/^COMMAND("\([^"]*\)".*/\1/p' "$lab/lab.def" 2>/dev/null | head -n 1)
    [ -n "$command" ] || continue
    "$twbench" "$command" 2>&1 | grep -F "apt install twbench-$(basename "$lab")" >/dev/null || echo "$command"
done >missing
said=$("$twbench" run --workload=hold --tasks=50 --impl=heap,hashed --counts-only --progress=never 2>&1) && [ ! -s missing ]
tell $? "the package twbench works alone, and each command of a lab names its package" "$said $(cat missing)"

for deb in "$work"/one/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
"$twbench" list | grep hashed >/dev/null && [ -e "$usr/lib/$multiarch/twbench/libraries/libuv.so" ] &&
    said=$("$twbench" run --workload=hold --tasks=50 --impl=heap,hashed --counts-only --progress=never --json=r.json 2>&1) &&
    "$twbench" report r.json -o r.html >/dev/null && grep -q '<style' r.html
tell $? "list, run and report work from the folder" "$said"

zcat "$usr/share/man/man1/twbench.1.gz" | cmp - "$checkout/docs/man/twbench.1"
tell $? "the manual page is there"

cp "$usr/share/twbench/examples/idle_server.c" server.c
flags=$(PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_LIBDIR=$usr/lib/$multiarch/pkgconfig pkg-config --cflags --libs twtimers)
# shellcheck disable=SC2086  # flags are words
said=$(gcc -o server server.c -I"$usr/include" -L"$usr/lib/$multiarch" $flags 2>&1 && LD_LIBRARY_PATH=$usr/lib/$multiarch ldd ./server)
[[ $said == *"libtwtimers.so"*"$usr/lib"* ]]
tell $? "a program is built and linked by the pkg-config file of libtwtimers-dev" "$said"

# shellcheck disable=SC2086  # flags are words
said=$(gcc -o c "$usr/share/twbench/examples/handles.c" -I"$usr/include" -L"$usr/lib/$multiarch" $flags 2>&1 &&
    g++ -std=c++17 -o cpp "$usr/share/twbench/examples/handles.cpp" -I"$usr/include" -L"$usr/lib/$multiarch" $flags 2>&1 &&
    LD_LIBRARY_PATH=$usr/lib/$multiarch ./c && LD_LIBRARY_PATH=$usr/lib/$multiarch ./cpp)
tell $? "the examples in C and C++ are built from the packages alone, and run" "$said"

# shellcheck disable=SC2016
bash -c '. "$1" && complete -p twbench' - "$usr/share/bash-completion/completions/twbench" >/dev/null &&
    [ -e "$usr/share/zsh/vendor-completions/_twbench" ] && [ -e "$usr/share/fish/vendor_completions.d/twbench.fish" ]
tell $? "completions are where bash, zsh and fish look in Debian"

said=$(find "$usr/bin" "$usr/lib" -type f -exec strings -a {} + | grep -F -e "$work" -e "$checkout" | head -n 3)
[ -z "$said" ]
tell $? "no binary names the folder in which it was built" "$said"
exit "$failed"
