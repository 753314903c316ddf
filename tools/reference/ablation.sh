#!/bin/bash
# takes: 300 s
# ablation.sh FILE - docs/FAST.md: `fast` without each of its ideas.
file=$1
# shellcheck source=tools/reference/measure.bash
. "$(dirname "$0")/measure.bash"

# All are plugins, so that their code lies alike.  A partial run does without: tests/ablation.sh compiles them.
one=(--impl=fast) rings=(--impl=fast --share=0)
if [ "${REFERENCE:-full}" = full ]; then
    mapfile -t names < <(tools/ablation.sh build/ablation)
    one=("${names[@]/#/--plugin=build/ablation/}") one=("${one[@]/%/.so}") rings=("${one[@]/%/,share=0}")
fi
ablation() { measure "$file" run "$@" --min-time=2ms --runs=7 --budget=3s --huge-pages=off; }
ablation "${one[@]}" --workload=nginx,libuv-bind,linux-timer,libevent-unbound,linux-hrtimer
ablation "${one[@]}" --workload=P1,P2,P3,P4,P5 --tasks="$(sizes 1e4)"
ablation "${one[@]}" --workload=P2,P3,P4,P5 --tasks="$(sizes 1e6)"
# Where there is one ring for all delays, the ideas of several rings have nothing to do.
ablation "${rings[@]}" --workload=nginx,libuv-bind,linux-timer
ablation "${rings[@]}" --workload=P3,P4,P5 --tasks="$(sizes 1e4,1e6)"
