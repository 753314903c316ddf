#!/bin/bash
# record_library.sh libuv|libevent OUT COMMAND [ARGUMENT...] - the timer calls of every process that uses the library.
#
# Probes on the entries of the library's functions (uprobes, by tracefs); no program is rebuilt or restarted, and
# those that run already are seen too.  OUT is for `twbench import libuv` or `libevent`.  Needs root, and for libuv
# its headers and a compiler, because the offsets in its structs are asked of them.  LIBRARY names another file
# than the system's, BUFFER_KB as in record_kernel.sh.
set -euo pipefail

[ $# -ge 3 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kind=$1 out=$2
shift 2

# The file that the dynamic linker takes for a name.
find_library() {
    local file
    file=$(ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }')
    [ -n "$file" ] || { echo "$1 is not installed" >&2; return 1; }
    readlink -f "$file"
}

# Where a function begins in the file.  The name alone would probe name@plt too, through which the library calls
# itself, and every such call would be there twice.
address_of() {
    local address
    address=$(nm -D --defined-only "$library" | awk -v name="$1" '$3 == name { print "0x" $1 }')
    [ -n "$address" ] || { echo "$library has no dynamic symbol $1" >&2; return 1; }
    echo "$address"
}

# Offsets of fields in libuv's structs, as its headers have them: loop flags timeout time.
uv_offsets() {
    local directory
    directory=$(mktemp -d)
    printf '%s\n' '#include <stddef.h>' '#include <stdio.h>' '#include <uv.h>' 'int main(void) {' \
        'printf("%zu %zu %zu %zu\n", offsetof(uv_timer_t, loop), offsetof(uv_timer_t, flags),' \
        'offsetof(uv_timer_t, timeout), offsetof(uv_loop_t, time)); }' >"$directory/offsets.c"
    cc -o "$directory/offsets" "$directory/offsets.c" && "$directory/offsets"
    rm -r "$directory"
}

probes=()
case $kind in
libuv)
    library=${LIBRARY:-$(find_library libuv.so.1)}
    read -r loop flags timeout time < <(uv_offsets)
    handle="h=%di:x64 loop=+$loop(%di):x64 flags=+$flags(%di):u32 now=+$time(+$loop(%di)):u64"
    probes+=("uv_timer_start $handle timeout=%dx:u64 repeat=%cx:u64")
    probes+=("uv_timer_stop $handle deadline=+$timeout(%di):u64")
    ;;
libevent)
    library=${LIBRARY:-$(find_library libevent-2.1.so.7)}
    probes+=("event_add_nolock_ ev=%di:x64 tv=%si:x64 sec=+0(%si):s64 usec=+8(%si):s64 abs=%dx:s32")
    probes+=("event_del_nolock_ ev=%di:x64 blocking=%si:s32")
    probes+=("event_active_nolock_ ev=%di:x64 res=%si:s32")
    ;;
*) echo "$kind: expected libuv or libevent" >&2; exit 2 ;;
esac
[ "$(uname -m)" = x86_64 ] || { echo "the registers are those of x86-64" >&2; exit 1; }

tracefs=/sys/kernel/tracing
[ -e $tracefs/trace ] || mount -t tracefs tracefs $tracefs
group=twbench_$$ instance=$tracefs/instances/twbench.$$ made=()
undo() {
    if [ -d "$instance" ]; then
        echo 0 >"$instance/tracing_on"
        [ ${#made[@]} -eq 0 ] || echo 0 >"$instance/events/$group/enable"
        rmdir "$instance"
    fi
    for name in "${made[@]}"; do echo "-:$group/$name" >>$tracefs/uprobe_events; done
}
trap undo EXIT

for probe in "${probes[@]}"; do
    name=${probe%% *}
    address=$(address_of "$name")
    echo "p:$group/$name $library:$address ${probe#* }" >>$tracefs/uprobe_events
    made+=("$name")
done
mkdir "$instance"
echo mono >"$instance/trace_clock"
echo 0 >"$instance/options/overwrite"
echo "${BUFFER_KB:-200000}" >"$instance/buffer_size_kb"
# res=1 (EV_TIMEOUT): a timer fired; all else that becomes active is of no interest here.
if [ "$kind" = libevent ]; then echo 'res == 1' >"$instance/events/$group/event_active_nolock_/filter"; fi

echo 1 >"$instance/events/$group/enable"
"$@" || echo "$1: exit status $?" >&2
echo 0 >"$instance/tracing_on"
cat "$instance/trace" >"$out"

lost=$(cat "$instance"/per_cpu/cpu*/stats | awk '/^(overrun|commit overrun|dropped events):/ { lost += $NF } END { print lost + 0 }')
echo "$(grep -vc '^#' "$out") events, $lost lost" >&2
if [ "$lost" -ne 0 ]; then
    echo "events were lost, and from then on a processor is missing: set BUFFER_KB higher" >&2
    exit 1
fi
