#!/bin/bash
# scale_pictures.sh [SCALE.json...] - draws the pictures of docs/PERFORMANCE.md from results of tools/scale.sh
#
# docs/pictures/scale.svg has pages of 4 KiB, scale-pages.svg some designs with pages of either size.  Of a cell that is
# in several files the last counts.  Without a file:
# results/reference/points.json and large.json.  PICTURES=DIR: the pictures go there.
set -euo pipefail

cd "$(dirname "$0")/.."
documents=("$@")
[ $# -gt 0 ] || documents=(results/reference/points.json results/reference/large.json)
pictures=${PICTURES:-docs/pictures}
panels="P1/start P1/stop P3/traffic P4/steady"
few=" fast hashed hier " # in the second picture

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in "${!documents[@]}"; do
    ./twbench report "${documents[i]}" --export-csv="$work/$i.csv" >/dev/null
done
# One header, and no commas within settings.
awk -F'"' -v OFS= 'FNR > 1 || NR == 1 { for (i = 2; i <= NF; i += 2) gsub(/,/, ";", $i); print }' "$work"/[0-9]*.csv \
    >"$work/cells.csv"

# draw FILE SERIES - the data of a picture: a block for each panel
draw() {
    local file=$1 series=$2
    awk -F, -v OFS='\t' -v panels="$panels" -v series="$series" -v machine="$machine" '
        BEGIN { panel_count = split(panels, panel, " "); count = split(series, name, ";") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["ns_per_op"] == "" { next }
        {
            pages = $at["params"] ~ /huge_pages=on/ ? " huge" : ""
            key = $at["workload"] "/" $at["phase"] SUBSEP $at["tasks"] SUBSEP $at["impl"] pages
            figure[key] = $at["ns_per_op"] OFS $at["ns_per_op_low"] OFS $at["ns_per_op_high"]
            tasks[$at["tasks"] + 0]
        }
        END {
            printf "title\tP1, P3 and P4\nmachine\t%s\nblocks\t%d\nseries\t%d\n", machine, panel_count, count
            for (n in tasks) order[++rows] = n + 0
            for (i = 2; i <= rows; i++) # by size
                for (j = i; j > 1 && order[j] < order[j - 1]; j--) {
                    n = order[j]; order[j] = order[j - 1]; order[j - 1] = n
                }
            for (p = 1; p <= panel_count; p++) {
                printf "\n\n%s", panel[p]
                for (s = 1; s <= count; s++) printf "\t%s", name[s]
                print ""
                for (i = 1; i <= rows; i++) {
                    printf "%d", order[i]
                    for (s = 1; s <= count; s++) {
                        key = panel[p] SUBSEP order[i] SUBSEP name[s]
                        printf "\t%s", key in figure ? figure[key] : "?\t?\t?"
                    }
                    print ""
                }
            }
        }' "$work/cells.csv" >"$work/data.tsv"
    GNUPLOT_LIB=plots gnuplot -c plots/scale.gp "$work/data.tsv" "$work/picture.svg" "$l2" "$l3"
    sed -E -f tools/picture.sed "$work/picture.svg" >"$pictures/$file"
}

cache() {
    tr -d ' \n' <"${documents[0]}" | grep -o "\"level\":$1,\"type\":\"Unified\",\"size_bytes\":[0-9]*" | grep -o '[0-9]*$' || echo 0
}
machine=$(sed -n 's/.*"cpu_model":[[:space:]]*"\([^"]*\)".*/\1/p' "${documents[0]}" | head -n 1)
l2=$(cache 2)
l3=$(cache 3)
# Only what has been measured has a panel.
wanted=$panels
panels=
for panel in $wanted; do
    ! grep -q ",${panel%/*},.*,ok,,${panel#*/}," "$work/cells.csv" || panels+=" $panel"
done
# Those of tools/tables.py, as far as they were measured.
designs=$(awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' "$work/cells.csv" | grep -xE 'fast|callwheel|linux26|hashed|hier|hier-bitmap|heap4|heap')
draw scale.svg "$(echo "$designs" | paste -sd';')"
both=$(for design in $designs; do
    case $few in *" $design "*) echo "$design"; echo "$design huge" ;; esac
done | paste -sd';')
draw scale-pages.svg "$both"
