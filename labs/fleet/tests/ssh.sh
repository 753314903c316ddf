#!/bin/bash
# ssh.sh - labs/fleet/scripts/parallel.sh over ssh: two hosts, which are two sshds on the loopback, each with a folder of its own.
#
# One shard is killed in the middle; the second call goes on with it, and the merged result has all cells.  Needs sshd,
# ssh, rsync and GNU parallel; without them it is skipped.  Prints TAP.
# shellcheck disable=SC2317  # stop is called by the trap
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.bash
twbench=$(realpath "${TWBENCH:-twbench}")
call=$PWD/labs/fleet/scripts/parallel.sh
sshd=$(PATH=$PATH:/usr/sbin command -v sshd)

echo 1..6
for command in "${sshd:-sshd}" ssh rsync parallel; do
    if ! command -v "$command" >/dev/null; then
        for i in {1..6}; do echo "ok $i - skipped # SKIP needs $command: tools/deps.sh fleet"; done
        exit 0
    fi
done

work=$(mktemp -d)
stop() {
    cat "$work"/*.pid 2>/dev/null | xargs -r kill
    rm -rf "$work"
}
trap stop EXIT

# start_host NAME - whoever comes by this sshd is in the folder NAME.
start_host() {
    local port
    mkdir "$work/$1"
    for _ in {1..20}; do
        port=$((20000 + RANDOM % 12000))
        cat >"$work/$1.conf" <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $work/host_key
AuthorizedKeysFile $work/key.pub
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile $work/$1.pid
ForceCommand cd $work/$1 && HOME=$work/$1 exec bash -c "\$SSH_ORIGINAL_COMMAND"
CONF
        "$sshd" -f "$work/$1.conf" 2>>"$work/sshd.log" && break
    done
    printf 'Host %s\n Port %s\n' "$1" "$port" >>"$work/config"
    for _ in {1..50}; do
        [ ! -s "$work/$1.pid" ] || return 0
        sleep 0.1
    done
    return 1
}

[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
start_host node-a && start_host node-b
status=$?
cat >>"$work/config" <<CONF
Host *
 HostName 127.0.0.1
 User $(id -un)
 IdentityFile $work/key
 IdentitiesOnly yes
 StrictHostKeyChecking no
 UserKnownHostsFile /dev/null
 LogLevel ERROR
 BatchMode yes
CONF
export PARALLEL_SSH="ssh -F $work/config"
[ $status -eq 0 ] && said=$(ssh -F "$work/config" node-a pwd; ssh -F "$work/config" node-b pwd) && [ "$said" = "$work/node-a"$'\n'"$work/node-b" ]
tell $? "two hosts answer" "$said $(cat "$work/sshd.log")"
[ "$failed" -eq 0 ] || exit 1

mkdir "$work/here"
cd "$work/here" || exit 2
# shellcheck disable=SC2054  # commas are twbench's
plan=(run --impl=heap,hashed,list --workload=hold,keepalive --tasks=100,1e3,3e3 --runs=3 --no-system-check)
out=out-$$

"$call" --hosts=node-a,node-b 3 $out "$twbench" "${plan[@]}" >"$work/first.log" 2>&1 &
killed=1
for _ in {1..900}; do
    if grep -q '"impl"' "$work"/node-?/$out/shard-1.json 2>/dev/null; then
        pkill -KILL -f -- "^$twbench run .*--json=$out/shard-1.json" && killed=0
        break
    fi
    sleep 0.1
done
! wait $!
status=$?
tell $killed "a shard is killed in the middle"
[ $status -eq 0 ] && [ -e $out/shard-2.json ] && [ -e $out/shard-3.json ] && [ -e $out/shard-1.json ]
tell $? "the call fails, and all files are here, that of the killed shard too" "$(ls $out; tail -n 5 "$work/first.log")"

cp $out/shard-1.json before.json
said=$("$call" --hosts=node-b,node-a 3 $out "$twbench" "${plan[@]}" 2>&1)
tell $? "the next call ends" "$said"

"$twbench" merge $out/shard-*.json --json=merged.json >merge.txt 2>&1 &&
    python3 - $out >>merge.txt 2>&1 <<'PYTHON'
import json, sys

merged = json.load(open("merged.json"))
assert merged["complete"] and len(merged["cells"]) == 18, (merged["complete"], len(merged["cells"]))
before, after = (json.load(open(path))["cells"] for path in ("before.json", f"{sys.argv[1]}/shard-1.json"))
assert 0 < len(before) <= len(after) and all(cell in after for cell in before), "cells from before the kill are missing or were measured again"
PYTHON
tell $? "the merged result has all 18 cells, those from before the kill unchanged" "$(cat merge.txt)"

# A folder that all hosts share is named by its path, and keeps its files.
said=$("$call" --hosts=node-a,node-b 2 "$work/shared folder" "$twbench" run --impl=heap --workload=hold,keepalive --tasks=50 --counts-only --no-system-check 2>&1) &&
    said=$("$twbench" merge "$work/shared folder"/shard-*.json --json=shared.json 2>&1)
tell $? "a folder that is shared keeps its files" "$said"
exit "$failed"
