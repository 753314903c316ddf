#!/bin/bash
# takes: 45 s
# libraries.sh FILE - labs/libraries/docs/LIBRARIES.md: designs and real libraries on recorded nginx traffic.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# One pass of the slowest is over a second: two processes of one pass make most of the time.
designs=list,heap,heap4,hashed,round,hier,libev,libuv,libevent,asio,sd-event,glib
[ "${REFERENCE:-full}" = full ] || designs=heap,libev
measure "$file" replay nginx --impl=$designs --poll=0,1 --budget=60s --runs=6 --warmup=0
