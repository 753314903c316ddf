#!/bin/bash
# adding.sh - the commands of docs/PLUGINS.md that add a design to the program, run one by one in a copy of the tree.
# Prints TAP.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

mapfile -t commands < <(sed -n '/^## Adding a design to the program/,$p' "$root/docs/PLUGINS.md" |
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside')

# What was built goes along, with its dates, so that only the new design is compiled.
cd "$root" && cp -a Makefile VERSION LICENSE src docs tools tests workloads "$copy" &&
    mkdir "$copy/build" && cp -a build/release "$copy/build" && cd "$copy" || exit 1

echo "1..${#commands[@]}"
failed=0
for index in "${!commands[@]}"; do
    if output=$(bash -c "${commands[index]}" 2>&1); then
        echo "ok $((index + 1)) - ${commands[index]}"
    else
        echo "not ok $((index + 1)) - ${commands[index]}"
        echo "# ${output//$'\n'/$'\n# '}"
        failed=1
    fi
done
exit $failed
