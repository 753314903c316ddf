#!/bin/bash
# takes: 10 s
# nginx.sh FILE - README.md: the textbook designs on recorded nginx traffic.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

designs=list,heap,hashed,round,hier
[ "${REFERENCE:-full}" = full ] || designs=heap,hashed
measure "$file" replay nginx --impl=$designs --runs=7
