# DPDK reads the processor's counter itself: the instruction is answered, or the design is refused.
load support

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    [ -e "$root/build/release/libraries/dpdk.so" ] || skip "libdpdk-dev is not here"
}

library=librte_timer.so.23

# other_code OLD NEW - a copy of the library in ., with other bytes in the place of these.
other_code() {
    python3 - "$(ldconfig -p | awk -v name=$library '$1 == name { print $NF; exit }')" "$@" <<'END'
import sys
path, old, new = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
code = open(path, "rb").read()
assert code.count(old) >= 1 and len(old) == len(new)
open("librte_timer.so.23", "wb").write(code.replace(old, new))
END
}

@test "dpdk: what it answers is what the library does with its own clock" {
    "$twbench" conform --impl=dpdk --operations=2e4
    quick --impl=dpdk,heap --rdtsc=0 --cycles=1 --json=r.json
    [ "$(json r.json '[c["status"] for c in d["cells"]]')" = "['ok', 'ok']" ]
}

# refused_with REASON - the design is not run on the library in ., and the result says why.
refused_with() {
    LD_LIBRARY_PATH=. quick --impl=dpdk,heap --json=r.json
    [ "$(json r.json '[c["status"] for c in d["cells"]]')" = "['unsupported', 'ok']" ]
    [ "$(json r.json 'd["cells"][0]["reason"]')" = "open: ./$library: $1" ]
}

@test "dpdk: the same instructions in another order are not touched" {
    other_code 0f3148c1e22089c04809d0 0f3189c048c1e2204809d0
    refused_with "rte_timer_alt_reset: its RDTSC is followed by other instructions"
}

@test "dpdk: a function without the instruction is not touched" {
    other_code 0f3148c1e22089c74809d7 9090909090909031ff9090
    refused_with "rte_timer_alt_manage: no RDTSC in it, which was expected"
}
