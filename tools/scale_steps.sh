#!/bin/bash
# scale_steps.sh MISSES.json LIMITS.json SCALE.json... - do simulated misses explain the steps of the curves?
#
#     tools/scale_steps.sh results/reference/{misses,limits,points,large}.json
#
# MISSES is what tools/reference/misses.sh writes, or what tools/misses.sh prints.  Of a cell that is in several
# results the last counts.
#
# For each design and phase and each tenfold more timers: by how many nanoseconds an operation became dearer, and
# what its additional misses cost at the price of this machine, if each waits for the one before it and if as many
# are under way as can be.  The price of a line that is not in L2 is taken from the limits, of as many nodes of 16
# bytes: what a load costs there more than among a thousand, by the share of such loads that miss L2.  The TLB is in
# that price.  The share is that of the stops of `fast` on P1, which touch one such node each at random.  Prints
# Markdown.
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: tools/scale_steps.sh MISSES.json LIMITS.json SCALE.json..." >&2
    exit 2
fi
misses=$1 limits=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $misses in
    *.json)
        jq -r '.rows[] | [.workload, .tasks, .design, .phase, .operations, .accesses, .L1, .L2, .L3, .dTLB, .STLB, ."dTLB-2M", ."STLB-2M"] | @tsv' \
            "$misses" >"$work/misses.tsv"
        misses=$work/misses.tsv
        ;;
esac
for ((i = 1; i <= $#; i++)); do
    "$(dirname "$0")/../twbench" report "${!i}" --export-csv="$work/$i.csv" >/dev/null
done
# One header, and no commas within settings.
awk -F'"' -v OFS= 'FNR > 1 || NR == 1 { for (i = 2; i <= NF; i += 2) gsub(/,/, ";", $i); print }' "$work"/[0-9]*.csv \
    >"$work/cells.csv"
# One point of the limits a line: limit, tasks, ns.
tr -d ' \t\n' <"$limits" | sed 's/{[[:space:]]*"limit"/\n&/g' | awk '
    /"node_bytes": *16[,}]/ && /"huge_pages": *false/ {
        match($0, /"limit": *"[^"]*"/); limit = substr($0, RSTART, RLENGTH); gsub(/.*: *"|"/, "", limit)
        match($0, /"tasks": *[0-9]*/); tasks = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", tasks)
        if (match($0, /"median": *[0-9.]*/)) { ns = substr($0, RSTART, RLENGTH); gsub(/[^0-9.]/, "", ns) } else next
        print limit, tasks, ns
    }' >"$work/limits"
awk -v limits="$work/limits" -v misses="$misses" '
    function line(limit, tasks, share) {
        share = l2["P1", tasks, "fast", "stop"]
        return share > 0.01 ? (price[limit, tasks] - price[limit, 1000]) / share : 0
    }
    BEGIN {
        FS = " "
        while ((getline <limits) > 0) price[$1, $2] = $3
        FS = "\t"
        while ((getline <misses) > 0)
            if ($2 + 0 > 0) { l1[$1, $2, $3, $4] = $7; l2[$1, $2, $3, $4] = $8; walks[$1, $2, $3, $4] = $11 }
        FS = ","
        split("P1/start P1/stop P3/traffic P4/steady", list, " ")
        for (i in list) shown[list[i]]
        print "| | timers | ns more per operation | lines more | page walks more | if all overlap | if none do |"
        print "|---|---|--:|--:|--:|--:|--:|"
    }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["ns_per_op"] == "" || $at["params"] ~ /huge_pages=on/ { next }
    { key = $at["workload"] SUBSEP $at["tasks"] SUBSEP $at["impl"] SUBSEP $at["phase"]; if (!(key in ns)) order[++count] = key; ns[key] = $at["ns_per_op"] }
    END {
        for (i = 1; i <= count; i++) {
            split(order[i], part, SUBSEP)
            to = part[2]; from = to / 10
            old = part[1] SUBSEP from SUBSEP part[3] SUBSEP part[4]
            if (to < 1e6 || !(old in l2) || !((part[1] "/" part[4]) in shown) || !(old in ns) || !(order[i] in l2) || !(("dependent-load", to) in price)) continue
            overlapped = l2[order[i]] * line("independent-load", to) - l2[old] * line("independent-load", from)
            waited = l2[order[i]] * line("dependent-load", to) - l2[old] * line("dependent-load", from)
            printf "| %s %s, `%s` | 1e%d to 1e%d | %.3g | %.2f | %.2f | %.3g | %.3g |\n", part[1], part[4], part[3], length(from "") - 1, \
                length(to "") - 1, ns[order[i]] - ns[old], l2[order[i]] - l2[old], walks[order[i]] - walks[old], overlapped, waited
        }
    }' "$work/cells.csv"
