# libraries.gp - designs and real libraries on one load: time per operation, in use and the structure alone.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/libraries.gp libraries-nginx.tsv libraries-nginx.svg      (or .png, .pdf)
#
# Data, as tools/libraries_picture.sh writes it: block 0 as for every picture (common.gp); block 1 a line per row,
# from the top: name, 0 for a design and 1 for a library; median, low, high in use (or of the design); median,
# low, high of the structure alone (0: there is none); then what else the
# library did, as text: system calls, looks at the clock, allocations (per operation), and bytes per task.

data = ARG1
out = ARG2

set datafile separator "\t"
set datafile missing "?"
stats data index 1 using 3 nooutput
rows = STATS_records
wide = 11
high = 2.45 + 0.36 * rows
load "common.gp"

stats data index 1 using (column(6) > 0 ? column(6) : column(3)) nooutput
least = STATS_min
stats data index 1 using 5 nooutput
most = STATS_max
set title headline("Time per operation on ".title.": designs here, and libraries as Debian ships them") font ",15"
set lmargin at screen 0.14
set rmargin at screen 0.66
set tmargin at screen 1 - 0.95 / high
set bmargin at screen 1.4 / high
set ytics ("" 1) scale 0
do for [s = 1:rows] {
    stats data index 1 every ::(s - 1)::(s - 1) using (name = strcol(1), 0) nooutput
    set ytics add (plain(name) s)
    do for [c = 1:4] {
        stats data index 1 every ::(s - 1)::(s - 1) using (what = strcol(8 + c), 0) nooutput
        set label 10 * s + c plain(what) at screen 0.66 + 0.08 * c, first s right font ",11" textcolor rgb "#222222"
    }
}
array column_name[4] = ["system calls\nper operation", "clock reads\nper operation", "allocations\nper operation", \
                        "bytes\nper task"]
do for [c = 1:4] {
    set label c column_name[c] at screen 0.66 + 0.08 * c, first -0.5 right font ",9" textcolor rgb "#444444"
}
set yrange [rows + 0.6 : 0.4]
unset grid
set grid xtics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
set logscale x
set xrange [least / 2 : most * 4]
set xtics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1k" 1e3, \
           "2k" 2e3, "5k" 5e3, "10k" 1e4, "20k" 2e4, "50k" 5e4)
set xlabel "ns per start, stop and expiry (logarithmic axis; to the left is faster)"
set key at screen 0.13, 0.68 / high left top Left reverse samplen 1.5 maxrows 3

# Points: a logarithmic axis has no foot for bars to stand on.  The label stands behind the farther one.
longer(a, b) = b > a ? b : a
both(use, alone) = alone > 0 ? figure(use)."  (".figure(alone).")" : figure(use)
plot data index 1 using ($6 > 0 ? $6 : NaN):($0 + 1):6:3 with xerrorbars pointtype 0 linecolor rgb "#E69F00" linewidth 1.5 notitle, \
     data index 1 using 3:($0 + 1):4:5 with xerrorbars pointtype 0 linecolor rgb "#444444" linewidth 1 notitle, \
     data index 1 using ($2 == 0 ? $3 : NaN):($0 + 1) with points pointtype 7 pointsize 1.2 linecolor rgb "#0072B2" \
         title "a design of this program", \
     data index 1 using ($2 == 1 ? $3 : NaN):($0 + 1) with points pointtype 5 pointsize 1.2 linecolor rgb "#E69F00" \
         title "a library in use: each advance a turn of its loop, with its call into the kernel", \
     data index 1 using ($6 > 0 ? $6 : NaN):($0 + 1) with points pointtype 4 pointsize 1.2 linewidth 1.5 linecolor rgb "#E69F00" \
         title "(its structure alone)", \
     data index 1 using (longer($5, $8) * 1.12):($0 + 1):(both($3, $6)) \
         with labels left font ",11" notitle
