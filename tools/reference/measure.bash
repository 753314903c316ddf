# measure.bash - what the scripts of this folder share.  Source it after `file=$1`.
# shellcheck shell=bash
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
TWBENCH=${TWBENCH:-./twbench}

# sizes FULL - numbers of tasks; in a partial run a tiny one.
sizes() { if [ "${REFERENCE:-full}" = partial ]; then echo 20; else echo "$1"; fi; }

# measure FILE COMMAND... - a command of twbench that leaves FILE, or adds its cells to it; stdout is discarded.  The n-th call of a
# script leaves FILE.n, and goes on with it.
measured=0
measure() {
    local file=$1 part word words=() more=(--progress=never)
    shift
    measured=$((measured + 1)) part=$file.$measured
    [ ! -e "$part" ] || more+=(--resume)
    [ "${REFERENCE:-full}" != partial ] || more+=(--runs=1 --warmup=0 --min-time=0ns --no-system-check)
    for word in "$@"; do
        # What a partial run has its own of.
        [[ " ${more[*]} " == *" ${word%%=*}="* ]] || words+=("$word")
    done
    "$TWBENCH" "${words[@]}" --json="$part" "${more[@]}" >/dev/null
    if [ "$measured" -eq 1 ]; then
        cp "$part" "$file"
    else
        jq -s '.[0].cells += .[1].cells | if .[0].standing then .[0].standing += (.[1].standing // []) else . end | .[0]' "$file" "$part" >"$file.both"
        mv "$file.both" "$file"
    fi
}

# exact - the exact designs and libraries of this build that run on the virtual clock, by commas; in a partial run a few.
exact() {
    if [ "${REFERENCE:-full}" = partial ]; then
        echo fast,heap,hashed,libev
        return
    fi
    "$TWBENCH" list --json=- | jq -r '[.designs[] | select(.traits | .keeps_nothing == false and .late_ticks == 0 and .late_shift == 0
        and (.flags | index("real clock") | not)) | .name] | join(",")'
}

# loopless DESIGNS - the flag that runs the libraries among them without the system calls of their loops; empty when
# there are none.
loopless() {
    "$TWBENCH" list --json=- | jq -r --arg chosen "$1" 'first(.designs[] | select(any(.parameters[]; .name == "poll"))
        | select(.name as $name | $chosen | split(",") | index($name)) | "--poll=0") // ""'
}

# near FILE TIMES WORKLOAD [TASKS] - the designs that a run in FILE shows within TIMES of the best in some phase, by
# commas; empty when it has no such cell.  Pages of 2 MiB are not compared with those of 4 KiB.  A trace has one number of tasks.
near() {
    jq -r --argjson times "$2" --arg workload "$3" --argjson tasks "${4:-0}" '
        [.cells[] | select(.status == "ok" and .workload == $workload and ($tasks == 0 or .tasks == $tasks) and .impl != "null" and .params.huge_pages != "on")
            | .impl as $impl | .phases[] | select(.cpu_ns_per_op) | {impl: $impl, phase: .name, ns: .cpu_ns_per_op}]
        | group_by(.phase)
        | map(select(.[0].phase != "start" or $workload == "P1") | (map(.ns) | min) as $best | .[] | select(.ns <= $times * $best) | .impl)
        | unique | join(",")' "$1"
}

# both NAMES NAMES - by commas, each once: a list that names a design twice is refused.
both() { tr , '\n' <<<"$1,$2" | sed '/^$/d' | sort -u | paste -sd,; }

# kill_stores FILE STORES POLICIES KILLS - messages of four producers, while stores are killed; a file that is there is resumed.
kill_stores() {
    local more=(--progress=never)
    [ ! -e "$1" ] || more+=(--resume)
    "$TWBENCH" stores --stores="$2" --sync="$3" --kills="$4" --tasks="$(sizes 2e4)" --producers=4 --batch=3 --payload=0..700 \
        --cancels=0.1 --hot=0.2 --runs=1 --budget=5400s --json="$1" "${more[@]}" >/dev/null
}
