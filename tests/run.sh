#!/bin/bash
# run.sh SUITE... [--alone SUITE...] - run test suites that print TAP, and add them up.
#
# A suite is a program (cmocka), a script or a .bats file.  Suites run JOBS at a time (default: one
# more than there are cores, because some wait, and at most 4); those behind --alone, which measure time,
# run one by one afterwards.  A suite that crashes, is over its LIMIT_SECONDS (default 300), has no plan,
# or reports another number of results than it planned, counts as one failure more.  The last line is
# "N passed, N failed", and the exit status is 1 when any failed.  Each suite's line has its processor time
# and its wall time; the line before the last has the processor time of all.
#
# A suite fails too when it leaves something behind: a process, a file in its own TMPDIR, a file of twbench's in
# /dev/shm, or, as far as git knows, a file in the checkout.
set -uo pipefail

limit_seconds=${LIMIT_SECONDS:-300}
cores=$(nproc)
jobs=${JOBS:-$((cores < 4 ? cores + 1 : 4))}

# Reads the log of a suite, its exit status and what it left behind; writes "passed failed skipped", then what to show of
# the failures: each "not ok" with the output around it, and what is wrong with the suite as a whole.
judge() {
    awk -v status="$2" -v limit="$limit_seconds" -v left="$3" '
        function suite_fails(why) { failed++; shown = shown "    !! " why "\n"; broken = 1 }
        function keep_tail(line) { tail[lines++ % 25] = line }
        { keep_tail($0) }
        /^1\.\.[0-9]+/ { split($1, plan, "\\.\\."); planned += plan[2]; has_plan = 1; next }
        # cmocka writes "not ok" before a skipped test too.
        /^(not )?ok .*# *[Ss][Kk][Ii][Pp]/ { results++; skipped++; in_failure = 0; before = ""
                                             shown = shown "    " $0 "\n"; next }
        /^ok / { results++; passed++; in_failure = 0; before = ""; next }
        /^not ok / { results++; failed++; in_failure = 1
                     shown = shown before "    " $0 "\n"; before = ""; next }
        in_failure { shown = shown "    " $0 "\n"; next }
        { before = before "    " $0 "\n" }
        END {
            if (status == 124 || status == 137) suite_fails("stopped: over its limit of " limit " s")
            else if (status > 128) suite_fails("crashed: signal " status - 128)
            else if (!has_plan) suite_fails("printed no plan (exit status " status ")")
            else if (results != planned) suite_fails(planned " results planned, " results + 0 " came (exit status " status ")")
            else if (results == 0) suite_fails("ran no test")
            else if (status != 0 && !failed) suite_fails("exit status " status " though no test failed")
            for (i = split(left, thing, "\n"); i > 0; i--) suite_fails("left behind: " thing[i])
            print passed + 0, failed + 0, skipped + 0
            if (broken) {
                shown = shown "    the last lines of its output:\n"
                for (i = lines > 25 ? lines - 25 : 0; i < lines; i++)
                    shown = shown "    | " tail[i % 25] "\n"
            }
            printf "%s", shown
        }' "$1"
}

# How a suite is started, by what it is.
start_suite() {
    case $1 in
    *.bats) timeout -k 5 "$limit_seconds" bats --tap "$1" ;;
    *) timeout -k 5 "$limit_seconds" "$(realpath "$1")" ;;
    esac
}

# The ids of the processes whose environment has the text.
processes_of() {
    grep -lsF "$1" /proc/[0-9]*/environ | cut -d/ -f3
}

# What a suite that has ended left: lines.  Processes that are on their way out have ten seconds; those that stay are ended.
left_behind() {
    local room=$1 mark=TWBENCH_SUITE=$2 process
    for _ in {1..100}; do
        [ -n "$(processes_of "$mark")" ] || break
        sleep 0.1
    done
    for process in $(processes_of "$mark"); do
        echo "process $process, $(tr '\0' ' ' <"/proc/$process/cmdline")"
        kill -9 "$process"
    done 2>/dev/null
    (cd "$room" && find . -mindepth 1 -maxdepth 2 | head -n 5 | sed 's|^\.|its TMPDIR|')
}

# Files that suites share the place of: what is new there, and whose process (its id is in the name) has ended.
shared_memory() {
    find /dev/shm -maxdepth 1 \( -name 'twbench*' -o -name 'test_*' \) 2>/dev/null
}
new_in_checkout() {
    git ls-files --others --exclude-standard 2>/dev/null
}
left_by_any() {
    local file number numbers
    while read -r file; do
        numbers=$(grep -oE '[0-9]+' <<<"$file")
        for number in $numbers; do
            [ ! -e "/proc/$number" ] || continue 2
        done
        echo "$file"
    done < <(comm -13 "$logs/shm.before" <(shared_memory | sort))
    comm -13 "$logs/checkout.before" <(new_in_checkout | sort)
}

# Reads what `times` printed; writes the processor time of the shell's children in tenths of a second.
children_cpu() {
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); sum += part[1] * 60 + part[2] }
                           printf "%d\n", sum * 10 }' "$1"
}

run_suite() {
    local suite=$1 logs=$2 cpu
    local name=${suite//\//_}
    local log=$logs/$name.log begin status=0 passed failed skipped room=$rooms/$3 left
    mkdir "$room"
    begin=$(date +%s%N)
    TMPDIR=$room TWBENCH_SUITE=$room/ CMOCKA_MESSAGE_OUTPUT=TAP start_suite "$suite" >"$log" 2>&1 </dev/null || status=$?
    # A subshell's own children begin at zero, so `times` has to run in this shell.
    times >"$logs/$name.times"
    cpu=$(children_cpu "$logs/$name.times")
    left=$(left_behind "$room" "$room/")
    judge "$log" "$status" "$left" >"$logs/$name.verdict"
    read -r passed failed skipped <"$logs/$name.verdict"
    {
        flock 9
        printf '%-5s %4d passed %3d failed %3d skipped %6.1f s CPU %6.1f s  %s\n' \
            "$([ "$failed" = 0 ] && echo ok || echo FAIL)" "$passed" "$failed" "$skipped" \
            "${cpu}e-1" "$((($(date +%s%N) - begin) / 100000000))e-1" "$suite"
        tail -n +2 "$logs/$name.verdict"
        echo "$passed $failed $cpu" >>"$logs/sum"
    } 9>"$logs/lock"
}

# Runs the suites given, `width` at a time.
run_suites() {
    local width=$1 suite
    shift
    for suite in "$@"; do
        while [ "$(jobs -rp | wc -l)" -ge "$width" ]; do
            wait -n
        done
        suites=$((suites + 1))
        run_suite "$suite" "$logs" "$suites" &
    done
    wait
}

together=() alone=()
for argument in "$@"; do
    if [ "$argument" = --alone ]; then
        seen_alone=1
    elif [ -n "${seen_alone:-}" ]; then
        alone+=("$argument")
    else
        together+=("$argument")
    fi
done

# Where python3 is the script of a version manager, that costs as much as what it starts: suites find the interpreter itself.
python=$(command -v python3) && [ "$(head -c 2 "$python")" = '#!' ] &&
    PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH

# A make that a test starts is not part of the build that started the tests.
unset MAKEFLAGS MAKELEVEL MFLAGS

logs=build/test-logs/$$
rm -rf "$logs"
mkdir -p "$logs"
# Short, because a socket's path is.
rooms=$(mktemp -d /tmp/twb.XXXXXX)
trap 'rm -rf "$rooms"' EXIT
suites=0
shared_memory | sort >"$logs/shm.before"
new_in_checkout | sort >"$logs/checkout.before"
: >"$logs/sum"
run_suites "$jobs" ${together[@]+"${together[@]}"}
run_suites 1 ${alone[@]+"${alone[@]}"}

left=$(left_by_any)
if [ -n "$left" ]; then
    echo "FAIL  a suite left behind: ${left//$'\n'/, }"
    echo "0 1 0" >>"$logs/sum"
    suites=$((suites + 1))
fi

# A suite whose runner itself was lost has left no line in the sum: that is a failure too.
awk -v suites="$suites" '
    { passed += $1; failed += $2; cpu += $3 }
    END {
        failed += suites - NR
        printf "%.0f s of processor time\n", cpu / 10
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0 || passed == 0
    }' "$logs/sum"
