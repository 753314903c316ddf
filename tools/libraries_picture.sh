#!/bin/bash
# libraries_picture.sh [RESULT.json] - draws designs and real libraries on the recorded nginx load.
#
# RESULT comes from tools/reference/libraries.sh (default: results/reference/libraries.json).  The picture is
# labs/libraries/docs/pictures/libraries-nginx.svg (PICTURE=FILE: another one).
set -euo pipefail

cd "$(dirname "$0")/.."
picture=${PICTURE:-labs/libraries/docs/pictures/libraries-nginx.svg}
document=${1:-results/reference/libraries.json}
libraries=libev,libuv,libevent,asio,sd-event,glib

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./twbench report "$document" --export-csv="$work/all.csv" >/dev/null
sed 's/"[^"]*"/a list/g' "$work/all.csv" >"$work/cells.csv" # settings with a comma in them

# A line per design or library: the bars of plots/libraries.gp, and what stands beside them.  Cells that
# were not measured have no line, and are named.
awk -F, -v libraries="$libraries" '
    BEGIN { split(libraries, list, ","); for (i in list) is_library[list[i]] = 1 }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["status"] != "ok" { print $at["impl"] " " $at["params"] ": " $at["status"] >"/dev/stderr"; next }
    {
        name = $at["impl"]
        times = $at["ns_per_op"] "\t" $at["ns_per_op_low"] "\t" $at["ns_per_op_high"]
        if ($at["params"] ~ /poll=0/) { alone[name] = times; next }
        operations = $at["starts"] + $at["stops"] + $at["expires"]
        used[name] = times
        order[name] = $at["ns_per_op"]
        did[name] = sprintf("%.3g\t%.3g\t%.3g\t%.3g", $at["system_calls"] / operations, $at["clock_reads"] / operations,
                            $at["allocations"] / operations, $at["peak_bytes_per_task"])
    }
    END {
        for (name in used)
            print (name in is_library) + 0, order[name], name "\t" ((name in is_library) + 0) "\t" used[name] "\t" \
                (name in alone ? alone[name] : "0\t0\t0") "\t" did[name]
    }' "$work/cells.csv" | sort -k1,1n -k2,2n | cut -d' ' -f3- >"$work/lines"

processor=$(sed -n 's/.*"cpu_model":[[:space:]]*"\([^"]*\)".*/\1/p' "$document" | head -n 1)
printf 'title\tthe nginx trace\nmachine\t%s\nblocks\t1\nseries\t0\n\n\n' "$processor" >"$work/picture.tsv"
awk -F'\t' -v OFS='\t' '{
    for (i = 9; i <= 11; i++) did[i] = $2 ? sprintf("%.2f", $i) : ""
    print $1, $2, $3, $4, $5, $6, $7, $8, did[9], did[10], did[11], sprintf("%.0f", $12)
}' "$work/lines" >>"$work/picture.tsv"
GNUPLOT_LIB=plots gnuplot -c plots/libraries.gp "$work/picture.tsv" "$work/picture.svg"
# Titles of gnuplot's own, which a browser shows below the mouse.
sed -E -f tools/picture.sed "$work/picture.svg" >"$picture"
