#!/bin/bash
# slurm.sh - the job array of labs/fleet/scripts/twbench.sbatch under a real slurmctld and slurmd on this machine.
#
# One job is killed in the middle and requeued; it goes on where it was, and the merged result has all cells.  Needs root
# and Debian's slurmctld, slurmd, slurm-client and munge; without them it is skipped.  Prints TAP.
# shellcheck disable=SC2317  # stop is called by the trap
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.bash
twbench=${TWBENCH:-$PWD/twbench}

echo 1..4
for command in slurmctld slurmd sbatch munged; do
    if [ "$(id -u)" != 0 ] || ! command -v $command >/dev/null; then
        for i in 1 2 3 4; do echo "ok $i - skipped # SKIP needs root and $command"; done
        exit 0
    fi
done

work=$(mktemp -d)
chmod 755 "$work"
stop() {
    scancel --user=root 2>/dev/null
    kill "$(cat "$work/slurmd.pid" 2>/dev/null)" "$(cat "$work/slurmctld.pid" 2>/dev/null)" 2>/dev/null
    kill "$(cat "$work/munge/pid" 2>/dev/null)" 2>/dev/null
    sleep 1
    rm -rf "$work"
}
trap stop EXIT

start_munge() {
    mkdir "$work/munge"
    head -c 64 /dev/urandom >"$work/munge/key"
    chmod 400 "$work/munge/key"
    chown -R munge: "$work/munge"
    setpriv --reuid=munge --regid=munge --clear-groups \
        munged --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
        --log-file="$work/munge/log" --seed-file="$work/munge/seed"
}

start_slurm() {
    local name
    name=$(hostname -s)
    export SLURM_CONF=$work/slurm.conf
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 10000))
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/linear
ReturnToService=2
JobRequeue=1
KillWait=2
MpiDefault=none
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$name Default=YES State=UP
CONF
    mkdir "$work/state" "$work/spool"
    slurmctld && slurmd
    for _ in {1..120}; do
        [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return
        sleep 0.5
    done
    tail -n 5 "$work"/slurm*.log | sed 's/^/# /'
    return 1
}

start_munge && start_slurm
tell $? "a controller and a node are up"
[ "$failed" -eq 0 ] || exit 1

# shellcheck disable=SC2054  # commas are twbench's
plan=(run --impl=heap,hashed,list --workload=hold,keepalive --tasks=100,1e3,3e3 --runs=3 --no-system-check)
job=$(sbatch --parsable --array=1-3 --chdir="$work" --output="$work/%a.log" labs/fleet/scripts/twbench.sbatch \
    "$work/out" "$twbench" "${plan[@]}")
tell $? "the array is taken: $job"

# The first shard is killed as soon as it has a cell, and requeued.
killed=1
for _ in {1..900}; do
    if grep -q '"impl"' "$work/out/shard-1.json" 2>/dev/null; then
        pkill -KILL -f -- "--json=$work/out/shard-1.json" && killed=0
        break
    fi
    sleep 0.1
done
sleep 1
for _ in {1..20}; do
    scontrol requeue "${job}_1" 2>/dev/null && break
    sleep 0.5
done
tell $killed "a job is killed in the middle and requeued"

for _ in {1..360}; do
    [ -z "$(squeue -h 2>/dev/null)" ] && break
    sleep 0.5
done
"$twbench" merge "$work"/out/shard-*.json --json="$work/merged.json" >/dev/null 2>"$work/merge.err" &&
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert d["complete"] and len(d["cells"]) == 18, (d["complete"], len(d["cells"]))' "$work/merged.json"
tell $? "the merged result has all 18 cells" "$(tail -n 5 "$work"/*.log; cat "$work/merge.err")"
exit "$failed"
