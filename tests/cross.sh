#!/bin/bash
# cross.sh [ARCH...] - twbench built for other processors, run under qemu: streams, digests and counts equal those here.
#
# Default: s390x, which is big-endian, with less; DEPTH=all: aarch64, riscv64, s390x and i386 with everything.  What
# has no cross compiler or no qemu here, or whose libraries' sources cannot be fetched, is skipped by name.  Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
. tests/tap.bash
twbench=${TWBENCH:-$PWD/twbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

archs=("$@")
if [ $# -eq 0 ]; then
    archs=(s390x)
    [ "${DEPTH:-}" != all ] || archs=(s390x aarch64 riscv64 i386)
fi
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
    for what in build streams cells conform; do tell 0 "$1: $what # SKIP $2"; done
}

test_arch() {
    local arch=$1 triplet emulate status
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
    tell $status "$arch: it builds" "$(grep -E 'error|Error|cross.sh' "$work/build.log" | tail -n 10)" || return
    [ "$failed" -eq 0 ] || return
    said=$("${emulate[@]}" "build/cross/$arch/tests/test_samemath" 2>&1 && "${emulate[@]}" "build/cross/$arch/tests/test_same_streams" 2>&1)
    tell $? "$arch: logarithms have the same bits, streams the reference hashes" "$(tail -n 5 <<<"$said")"
    run_all "$work/$arch" "${emulate[@]}" "build/cross/$arch/twbench" && said=$(compare "$work/here" "$work/$arch")
    tell $? "$arch: stream, digest and work of all designs are those of here: $(head -n 1 <<<"$said")" "$(tail -n +2 <<<"$said"; tail -n 3 "$work/$arch.err")"
    if [ "${DEPTH:-}" != all ]; then
        tell 0 "$arch: conformance # SKIP make test-all"
        return
    fi
    said=$("${emulate[@]}" "build/cross/$arch/tests/test_conformance" 2>&1)
    tell $? "$arch: every design conforms" "$(grep -E 'FAILED|ERROR' <<<"$said" | tail -n 8)"
}

echo 1..$((4 * ${#archs[@]}))
run_all "$work/here" "$twbench" || { cat "$work/here.err"; echo "Bail out! $twbench does not run"; exit 1; }
for arch in "${archs[@]}"; do
    test_arch "$arch"
done
exit "$failed"
