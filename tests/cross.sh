#!/bin/bash
# cross.sh [--conform[=SHARD,...]] [ARCH...] - twbench built for other processors, run under qemu: it does there what it does here.
#
# Streams, digests and counts are compared, then conformance runs.  Default: s390x, which is big-endian, with less and
# without conformance; DEPTH=all: aarch64, riscv64, s390x and i386 with everything.  --conform runs conformance alone.
#
# Conformance has shards: proof (that a liar is found), and each design.
# Each runs every case; of the long random streams half a million operations
# per design, an eighth of those of make test.  What a shard said stays in build/cross/ARCH/conform; one that passed with the same
# program is not run again, and the result says how many those are.  FRESH=1 runs all again.
#
# What has no cross compiler or no qemu here, or whose libraries' sources cannot be fetched, is skipped by name.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tests/tap.bash
twbench=${TWBENCH:-$PWD/twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

all_shards() {
    echo proof
    sed -n 's/^TW_DESIGN(\(.*\))$/\1/p' src/impls/registry.def | tr _ -
}

compares=yes conforms=''
[ "${DEPTH:-}" != all ] || conforms=yes
read -r -d '' -a shards < <(all_shards)
if [[ ${1:-} == --conform* ]]; then
    compares='' conforms=yes
    if [[ $1 == --conform=* ]]; then
        IFS=, read -r -a shards <<<"${1#--conform=}"
        for shard in "${shards[@]}"; do
            all_shards | tr ' ' '\n' | grep -qxF -e "$shard" || { echo "cross.sh: --conform=$shard: expected one of $(all_shards | xargs)" >&2; exit 2; }
        done
    fi
    shift
fi
archs=("$@")
if [ $# -eq 0 ]; then
    archs=(s390x)
    [ "${DEPTH:-}" != all ] || archs=(s390x aarch64 riscv64 i386)
fi
for arch in "${archs[@]}"; do
    [[ $arch =~ ^(aarch64|riscv64|s390x|i386)$ ]] || { echo "cross.sh: '$arch': expected aarch64, riscv64, s390x or i386" >&2; exit 2; }
done
workloads=hold,network
traces=(nginx)
designs=all
if [ "${DEPTH:-}" = all ]; then
    workloads=hold,network,keepalive,standard
    traces=(nginx libuv-bind libevent-unbound linux-timer linux-hrtimer)
fi

# run_all PROGRAM... - every design on the workloads, and the traces, into the file of the last argument.
counts=(--counts-only --progress=never --no-system-check --style=plain --workloads-dir=workloads --force --budget=1000s)
run_all() {
    local out=$1
    shift
    "$@" run --impl=$designs --workload=$workloads --tasks=200 "${counts[@]}" --json="$out.runs" >/dev/null 2>"$out.err" &&
        "$@" replay "${traces[@]}" --impl=list,heap,hashed,hier,fast "${counts[@]}" --json="$out.traces" >/dev/null 2>>"$out.err"
}

# Says which cells differ in stream, digest or work.
compare() {
    python3 - "$@" <<'PYTHON'
import json, sys

def cells(path):
    return {(c["impl"], c["workload"], c["tasks"]): c for c in json.load(open(path))["cells"]}

found, differ = 0, []
for kind in ("runs", "traces"):
    here, there = (cells(f"{path}.{kind}") for path in sys.argv[1:3])
    if here.keys() != there.keys():
        differ.append(f"{kind}: other cells")
    for key in here.keys() & there.keys():
        found += 1
        for what, of in (("stream", lambda c: c["stream"]["hash"]), ("digest", lambda c: c["digest"]), ("status", lambda c: c["status"]),
                         ("work", lambda c: [p["work"] for p in c["phases"]])):
            if of(here[key]) != of(there[key]):
                differ.append(f"{'/'.join(map(str, key))}: another {what}")
print(f"{found} cells compared", *differ[:20], sep="\n")
sys.exit(bool(differ) or found < 50)
PYTHON
}

# What gcc calls i686 and qemu i386.
triplet_of() {
    case $1 in i386) echo i686-linux-gnu ;; *) echo "$1-linux-gnu" ;; esac
}

# skip ARCH REASON
skip() {
    local what
    for what in $steps; do tell 0 "$1: $what # SKIP $2"; done
}

test_arch() {
    local arch=$1 triplet emulate status what
    triplet=$(triplet_of "$arch")
    if ! command -v "$triplet-gcc" >/dev/null || ! command -v "qemu-$arch" >/dev/null; then
        skip "$arch" "no $triplet-gcc or qemu-$arch here (tools/deps.sh cross)"
        return
    fi
    emulate=("qemu-$arch" -L "/usr/$triplet")
    # An x86-64 runs it as it is; under qemu 7.2 a child of this process spins for ever.
    [ "$arch" != i386 ] || emulate=("/usr/$triplet/lib/ld-linux.so.2" --library-path "/usr/$triplet/lib")
    tools/cross.sh "$arch" >"$work/build.log" 2>&1
    status=$?
    if [ $status -eq 3 ]; then
        skip "$arch" "$(tail -n 1 "$work/build.log")"
        return
    fi
    tell $status "$arch: it builds" "$(grep -E 'error|Error|cross.sh' "$work/build.log" | tail -n 10)"
    if [ $status -ne 0 ]; then
        for what in ${steps#build }; do tell 1 "$arch: $what" "it does not build"; done
        return
    fi
    if [ -z "$compares" ]; then
        conform_all "$arch"
        return
    fi
    said=$("${emulate[@]}" "build/cross/$arch/tests/test_samemath" 2>&1 && "${emulate[@]}" "build/cross/$arch/tests/test_same_streams" 2>&1)
    tell $? "$arch: logarithms have the same bits, streams the reference hashes" "$(tail -n 5 <<<"$said")"
    run_all "$work/$arch" "${emulate[@]}" "build/cross/$arch/twbench" && said=$(compare "$work/here" "$work/$arch")
    tell $? "$arch: stream, digest and work of all designs are those of here: $(head -n 1 <<<"$said")" "$(tail -n +2 <<<"$said"; tail -n 3 "$work/$arch.err")"
    if [ -z "$conforms" ]; then
        tell 0 "$arch: conformance # SKIP make test-all"
    else
        conform_all "$arch"
    fi
}

# run_shard ARCH SHARD - by ${emulate[@]}.
run_shard() {
    "${emulate[@]}" "build/cross/$1/tests/test_conformance" "--impl=$2"
}

# passed_of LOG - how many cases passed; nothing where one failed, or the log has no end or more than one.
passed_of() {
    grep -qE '^\[  FAILED  \]|^not ok' "$1" ||
        sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s)\.$/\1/p' "$1" | awk '{ last = $0 } END { if (NR == 1) print last }'
}

conform_all() {
    local arch=$1 shard log passed cases=0 kept=0 wrong=
    local folder=build/cross/$arch/conform
    mkdir -p "$folder"
    for shard in "${shards[@]}"; do
        log=$folder/$shard.log
        if [ -z "${FRESH:-}" ] && [ -e "$log" ] && [ "$(head -n 1 "$log")" = "$(programs_of "$arch")" ] && [ -n "$(passed_of "$log")" ]; then
            kept=$((kept + 1))
        else
            programs_of "$arch" >"$log.$$"
            run_shard "$arch" "$shard" >>"$log.$$" 2>&1
            mv "$log.$$" "$log"
        fi
        passed=$(passed_of "$log")
        [ -n "$passed" ] || wrong+="$shard: $(grep -E 'FAILED|ERROR|^# ' "$log" | tail -n 8)"$'\n'"$(tail -n 1 "$log")"$'\n'
        cases=$((cases + ${passed:-0}))
        echo "# $arch: $shard: ${passed:-did not pass}"
    done
    [ -z "$wrong" ]
    tell $? "$arch: ${#shards[@]} shards conform, $cases cases; $kept of the shards passed in an earlier run" "$wrong"
}

# The programs that a log is of.
programs_of() {
    sha256sum "build/cross/$1"/tests/test_conformance | awk '{ printf "%s ", substr($1, 1, 16) }'
    echo
}

steps="build streams cells conform"
[ -n "$compares" ] || steps="build conform"
echo 1..$(($(wc -w <<<"$steps") * ${#archs[@]}))
[ -z "$compares" ] || run_all "$work/here" "$twbench" || { cat "$work/here.err"; echo "Bail out! $twbench does not run"; exit 1; }
for arch in "${archs[@]}"; do
    test_arch "$arch"
done
exit "$failed"
