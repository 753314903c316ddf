#!/bin/bash
# points.sh [FILE...] - lists the stores to shared memory that follow a check without a point between.  Prints TAP.
#
# In each function of a runner: an atomic store, exchange or compare-and-swap after an atomic load, with no
# TW_RUNNER_POINT behind that load.  conform could not let another thread come between the two.  A line "SOLE: why" in a
# comment on the line before excuses a store of which the thread is the only writer.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2

list() {
    awk '
        FNR == 1 || /^}/ { looked = 0 }
        /TW_RUNNER_POINT/ { looked = 0 }
        { stores = /atomic_(store|exchange|compare_exchange_weak|compare_exchange_strong)(_explicit)?\(/
          sole = before ~ /SOLE: / || /tally/
          before = $0 }
        stores && looked && !sole { print FILENAME ":" FNR ": a store follows the check on line " looked " without a point" }
        /atomic_load(_explicit)?\(/ && !/tally/ { looked = FNR }' "$@"
}

if [ $# -gt 0 ]; then
    list "$@"
    exit
fi
echo "1..2"
found=$(list labs/live/runners/*.[ch])
[ -z "$found" ] || echo "not ok 1 - every store that follows a check has a point before it"
[ -n "$found" ] || echo "ok 1 - every store that follows a check has a point before it"
[ -z "$found" ] || printf '# %s\n' "${found//$'\n'/$'\n'# }"
# It would find one.
planted=$(sed '/stop_looked/d' labs/live/runners/timer_words.h | list)
[ -n "$planted" ] && echo "ok 2 - a point that is taken away is missed" || echo "not ok 2 - a point that is taken away is missed"
[ -z "$found" ] && [ -n "$planted" ]
