#!/bin/bash
# lessons_pictures.sh [DIRECTORY] - draw the pictures of docs/LESSONS.md, each by the command that stands
# below it there, into DIRECTORY (default: docs/pictures/lessons).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
to=$(realpath -m "${1:-$root/docs/pictures/lessons}")
mkdir -p "$to"
cd "$root"
awk '/^!\[.*\]\(pictures\/lessons\// { name = $0; sub(/.*\(pictures\/lessons\//, "", name); sub(/\).*/, "", name) }
     /^Drawn by `/ && name { command = $0; sub(/^Drawn by `/, "", command); sub(/`.*/, "", command)
                             print name "\t" command; name = "" }' docs/LESSONS.md |
    while IFS=$'\t' read -r name command; do
        bash -c "$command --svg='$to/$name' --force" >/dev/null </dev/null
    done
