#!/bin/bash
# cross.sh ARCH [TARGET...] - builds twbench for another processor with Debian's cross compiler.
#
# ARCH: aarch64, riscv64, s390x (big-endian) or i386 (32 bits).  cJSON, zlib, liblzma and cmocka are built from Debian's source
# packages, because not every processor is in the release; they are static and lie in build/cross/ARCH.  There is no
# jemalloc there, and no real library, store module or plugin.  TARGETs are of the Makefile (default: the program and what
# tests/cross.sh runs).  Exit status: 2 for wrong usage or no compiler, 3 when Debian's sources cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${1:-} flags="" atomic=""
case $arch in
aarch64) triplet=aarch64-linux-gnu package=arm64 ;;
riscv64) triplet=riscv64-linux-gnu package=riscv64 atomic=-latomic ;;
s390x) triplet=s390x-linux-gnu package=s390x ;;
i386) triplet=i686-linux-gnu package=i386 flags="-msse2 -mfpmath=sse" ;;
*)
    echo "cross.sh: '$arch': expected aarch64, riscv64, s390x or i386" >&2
    exit 2
    ;;
esac
shift
build=build/cross/$arch prefix=$PWD/build/cross/$arch/libraries sources=build/cross/sources
command -v $triplet-gcc >/dev/null ||
    { echo "cross.sh: no $triplet-gcc here (Debian packages gcc-$triplet and libc6-dev-$package-cross)" >&2; exit 2; }
mkdir -p "$prefix/lib" "$prefix/include" "$sources"

# Downloads the sources once, with an index of our own: the system's lists of packages stay as they are.
fetch() {
    local state=$PWD/$sources/apt
    [ ! -e "$sources/complete" ] || return 0
    mkdir -p "$state/lists/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release) main" \
        >"$state/sources.list"
    local apt=(apt-get -q -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$state/lists")
    (cd "$sources" && "${apt[@]}" update && "${apt[@]}" source --only-source --download-only cjson zlib xz-utils cmocka) >"$sources/apt.log" 2>&1 ||
        { tail -n 5 "$sources/apt.log" >&2; echo "cross.sh: Debian's sources cannot be fetched; is deb.debian.org reachable?" >&2; exit 3; }
    touch "$sources/complete"
}

# unpack NAME - into the folder of this processor.
unpack() {
    local archives=("$sources/$1"_*.orig.tar.*[0-9z2])
    rm -rf "${build:?}/$1"
    mkdir -p "$build/$1"
    tar -xf "${archives[0]}" -C "$build/$1" --strip-components=1
}

archive() {
    (cd "$1" && shift && $triplet-gcc -O2 -fPIC "${@:2}" && $triplet-ar rcs "$prefix/lib/$1" ./*.o)
}

build_libraries() {
    [ ! -e "$prefix/complete" ] || return 0
    fetch
    for name in cjson zlib xz-utils cmocka; do unpack $name; done
    archive "$build/cjson" libcjson.a -c cJSON.c
    install -D -m 644 "$build/cjson/cJSON.h" "$prefix/include/cjson/cJSON.h"
    archive "$build/zlib" libz.a -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -c adler32.c crc32.c deflate.c infback.c inffast.c \
        inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c gzclose.c gzlib.c gzread.c gzwrite.c
    cp "$build"/zlib/{zlib,zconf}.h "$prefix/include"
    (cd "$build/xz-utils" && ./configure -q --host=$triplet --disable-shared --disable-xz --disable-xzdec --disable-lzmadec \
        --disable-lzmainfo --disable-scripts --disable-doc --disable-nls CC=$triplet-gcc &&
        make -s -C src/liblzma MAKELEVEL=0) >"$build/xz.log" 2>&1 || { tail -n 5 "$build/xz.log" >&2; exit 1; }
    cp "$build/xz-utils/src/liblzma/.libs/liblzma.a" "$prefix/lib"
    cp -r "$build"/xz-utils/src/liblzma/api/{lzma.h,lzma} "$prefix/include"
    archive "$build/cmocka/src" libcmocka.a -DHAVE_STDINT_H=1 -DHAVE_INTTYPES_H=1 -DHAVE_STRUCT_TIMESPEC=1 -DHAVE_CLOCK_GETTIME=1 \
        -DHAVE_TIME_H=1 -DHAVE_UNISTD_H=1 -DHAVE_SIGNAL_H=1 -DHAVE_STRING_H=1 -DHAVE_GCC_THREAD_LOCAL_STORAGE=1 -DHAVE_STRSIGNAL=1 \
        -I../include -c cmocka.c
    cp "$build"/cmocka/include/*.h "$prefix/include"
    # Headers that are all there is to them are the same everywhere.
    for header in xxhash.h uthash.h; do
        [ ! -e "/usr/include/$header" ] || cp "/usr/include/$header" "$prefix/include"
    done
    touch "$prefix/complete"
}

build_libraries
[ $# -gt 0 ] || set -- "$build/twbench" "$build/tests/test_same_streams" "$build"/tests/test_{samemath,conformance}
exec make FLAVOUR=cross BUILD="$build" CC="$triplet-gcc" LAYOUT= LAYOUT_OF_LOOP= LANGUAGE="-std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -Isrc $flags" JEMALLOC="$atomic" \
    CPPFLAGS="-isystem $prefix/include" LDFLAGS="-L$prefix/lib -rdynamic" LINK_TEST="$triplet-gcc -L$prefix/lib -rdynamic" \
    LIBRARIES_HERE= STORES_HERE= "$@"
