#!/bin/bash
# claims_pictures.sh [CLAIMS.json] - draws those pictures of claims anew that a page shows.
#
# The document comes from tools/reference/claims.sh (default: results/reference/claims.json).  PICTURES=DIR: DIR/claims.
set -euo pipefail

cd "$(dirname "$0")/../../.."
folder=${PICTURES:-labs/teach/docs}/claims
document=${1:-results/reference/claims.json}

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
./twbench report "$document" --plots="$work" >/dev/null 2>&1
mkdir -p "$folder"
rm -f "$folder"/*.svg
for picture in "$work"/*.svg; do
    grep -qF "claims/$(basename "$picture")" README.md docs/*.md labs/*/README.md labs/*/docs/*.md || continue
    sed -E -f tools/picture.sed "$picture" >"$folder/$(basename "$picture")"
done
echo "$(find "$folder" -name '*.svg' | wc -l) pictures of $document in $folder"
