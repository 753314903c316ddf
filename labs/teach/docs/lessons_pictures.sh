#!/bin/bash
# lessons_pictures.sh [DIRECTORY] - draw the pictures of LESSONS.md, each by the command that stands
# below it there, into DIRECTORY (default: labs/teach/docs/lessons).
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
to=$(realpath -m "${1:-$root/labs/teach/docs/lessons}")
mkdir -p "$to"
cd "$root"
awk '/^!\[.*\]\(lessons\// { name = $0; sub(/.*\(lessons\//, "", name); sub(/\).*/, "", name) }
     /^Drawn by `/ && name { command = $0; sub(/^Drawn by `/, "", command); sub(/`.*/, "", command)
                             print name "\t" command; name = "" }' labs/teach/docs/LESSONS.md |
    while IFS=$'\t' read -r name command; do
        bash -c "$command --svg='$to/$name' --force" >/dev/null </dev/null
    done
