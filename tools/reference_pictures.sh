#!/bin/bash
# reference_pictures.sh - draws the pictures of README.md, of docs/ and of the labs' pages from results/reference.
#
# Those of labs/teach/docs/LESSONS.md come from no measurement: labs/teach/docs/lessons_pictures.sh.
set -euo pipefail

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# keep FILE.json NAME FOLDER - one picture of a document, under its name; that of a lab that is not here stays away.
keep() {
    [ -d "$3" ] || return 0
    [ -e "results/reference/$1" ] || { echo "results/reference/$1 is missing, $2 stays: make reference" >&2; return 0; }
    rm -rf "$work/drawn"
    ./twbench report "results/reference/$1" --plots="$work/drawn" >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    sed -E -f tools/picture.sed "$work/drawn/$2" >"$3/$2"
}

keep standard.json cost-standard.svg docs/pictures
tools/scale_pictures.sh
keep advise.json advise-nginx.svg labs/advise/docs/pictures
for name in throughput-closed caller-closed lateness-fill-expire lateness-burst idle-idle; do
    keep runners.json $name.svg labs/live/docs/pictures
done
keep stores.json stores-puts.svg labs/durable/docs/pictures
[ ! -d labs/libraries ] || tools/libraries_picture.sh
if [ ! -d labs/teach ]; then
    :
elif [ -e results/reference/claims.json ]; then
    labs/teach/docs/claims_pictures.sh
else
    echo "results/reference/claims.json is missing, the pictures of claims stay: make reference" >&2
fi
echo "the pictures are those of results/reference"
