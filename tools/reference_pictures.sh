#!/bin/bash
# reference_pictures.sh [DIR] - draws the pictures of README.md and docs/ from results/reference into DIR (docs/pictures).
#
# Those of LESSONS.md come from no measurement: labs/teach/docs/lessons_pictures.sh.
set -euo pipefail

cd "$(dirname "$0")/.."
pictures=$(realpath -m "${1:-docs/pictures}")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir -p "$pictures"

# keep FILE.json NAME - one picture of a document, under its name.
keep() {
    [ -e "results/reference/$1" ] || { echo "results/reference/$1 is missing, $2 stays: make reference" >&2; return 0; }
    rm -rf "$work/drawn"
    ./twbench plot "results/reference/$1" --plots="$work/drawn" >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    # gnuplot writes comments, empty groups and blanks that nobody sees.
    sed -e 's/[[:space:]]*$//' -e '/^$/d' "$work/drawn/$2" >"$pictures/$2"
}

keep standard.json cost-standard.svg
keep advise.json advise-nginx.svg
keep limits.json limits.svg
for name in throughput-closed caller-closed lateness-fill-expire lateness-burst idle-idle; do keep runners.json $name.svg; done
for name in puts lateness recovery bytes; do keep stores.json stores-$name.svg; done
PICTURE=$pictures/libraries-nginx.svg tools/libraries_picture.sh
PICTURES=$pictures tools/scale_pictures.sh
if [ -e results/reference/claims.json ] && [ -d labs/teach ]; then
    labs/teach/docs/claims_pictures.sh
else
    echo "results/reference/claims.json is missing, those of claims stay: make reference" >&2
fi
echo "pictures of results/reference are in $pictures"
