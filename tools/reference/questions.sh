#!/bin/bash
# takes: 20 s
# quiet: no
# questions.sh FILE - docs/QUESTIONS.md: work, wake-ups and memory of designs on the loads that people ask about.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

counted() { measure "$file" "$@" --counts-only; }
counted run --impl=rbtree,heap,heap4,hashed,hier,fast --workload=P1,P4 --tasks="$(sizes 1e3,1e5)"
counted run --impl=hashed --slots=512,4096,32768 --workload=keepalive --tasks="$(sizes 1e4)"
counted run --impl=round,hier,fast,ring --workload=keepalive --tasks="$(sizes 1e4)"
# Few timers that fire, and many: wake-ups of who wakes up each tick, and of who asks for the next expiry.
for tick in 1ms 10ms 100ms 1s; do
    counted run --impl=hashed,heap --workload=hold --tasks="$(sizes 10,1e3)" --tick=$tick --drive=ticks,next
done
for tick in 1ms 1s; do
    counted replay nginx --impl=scan,heap,hashed,todo,fast,ring --tick=$tick
done
