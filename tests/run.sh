#!/bin/bash
# run.sh SUITE... [--alone SUITE...] - run test suites that print TAP, and add them up.
#
# A suite is a program (cmocka), a script or a .bats file.  Suites run JOBS at a time (default: one
# more than there are cores, because some wait, and at most 4); those behind --alone, which measure time,
# run one by one afterwards.  A suite that crashes, is over its LIMIT_SECONDS (default 300), has no plan,
# or reports another number of results than it planned, counts as one failure more.  The last line is
# "N passed, N failed", and the exit status is 1 when any failed.  Each suite's line has its processor time
# and its wall time; the line before the last has the processor time of all.
set -uo pipefail

limit_seconds=${LIMIT_SECONDS:-300}
cores=$(nproc)
jobs=${JOBS:-$((cores < 4 ? cores + 1 : 4))}

# Reads the log of a suite and its exit status; writes "passed failed skipped", then what to show of
# the failures: each "not ok" with the output around it, and what is wrong with the suite as a whole.
judge() {
    awk -v status="$2" -v limit="$limit_seconds" '
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

# Reads what `times` printed; writes the processor time of the shell's children in tenths of a second.
children_cpu() {
    awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); sum += part[1] * 60 + part[2] }
                           printf "%d\n", sum * 10 }' "$1"
}

run_suite() {
    local suite=$1 logs=$2 cpu
    local name=${suite//\//_}
    local log=$logs/$name.log begin status=0 passed failed skipped
    begin=$(date +%s%N)
    CMOCKA_MESSAGE_OUTPUT=TAP start_suite "$suite" >"$log" 2>&1 </dev/null || status=$?
    # A subshell's own children begin at zero, so `times` has to run in this shell.
    times >"$logs/$name.times"
    cpu=$(children_cpu "$logs/$name.times")
    judge "$log" "$status" >"$logs/$name.verdict"
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
        run_suite "$suite" "$logs" &
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

# A make that a test starts is not part of the build that started the tests.
unset MAKEFLAGS MAKELEVEL MFLAGS

logs=build/test-logs/$$
rm -rf "$logs"
mkdir -p "$logs"
: >"$logs/sum"
run_suites "$jobs" ${together[@]+"${together[@]}"}
run_suites 1 ${alone[@]+"${alone[@]}"}

# A suite whose runner itself was lost has left no line in the sum: that is a failure too.
awk -v suites="$((${#together[@]} + ${#alone[@]}))" '
    { passed += $1; failed += $2; cpu += $3 }
    END {
        failed += suites - NR
        printf "%.0f s of processor time\n", cpu / 10
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0 || passed == 0
    }' "$logs/sum"
