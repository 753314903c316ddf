#!/bin/bash
# claims_pictures.sh [CLAIMS.json] - draws docs/pictures/claims/*.svg anew from a document of claims.
#
# Without a document all claims are run first, which takes minutes and a quiet machine; the document is
# then left in results/claims-DATE.json.  `make claims` runs it so.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=docs/pictures/claims
document=${1:-results/claims-$(date -u +%Y-%m-%dT%H%M%SZ).json}
if [ $# -eq 0 ]; then
    mkdir -p results
    ./twbench claims --json="$document"
fi

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
./twbench plot "$document" --plots="$work" 2>/dev/null
mkdir -p "$folder"
rm -f "$folder"/*.svg
for picture in "$work"/*.svg; do
    # gnuplot writes comments, empty groups and blanks that nobody sees: a quarter of the file.
    sed -e 's/[[:space:]]*$//' -e '/^$/d' "$picture" >"$folder/$(basename "$picture")"
done
echo "$(find "$folder" -name '*.svg' | wc -l) pictures of $document in $folder"
