# history.gp - times of cells as ratios to the anchor over the runs, a panel each, with the commits at which they changed.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/history.gp history.tsv history.svg      (or .png, .pdf)
#
# Data: src/harness/tell/report/plot.h has the form.  Points are runs, the line is the mean between changes.

data = ARG1
out = ARG2
panels = 0
set datafile separator "\t"
stats data index 0 every ::3::3 using (panels = int(strcol(2)), 0) nooutput
wide = 10
high = 1.3 + 2.2 * panels
load "common.gp"

anchor = ""
stats data index 0 every ::4::4 using (anchor = strcol(2), 0) nooutput
last = 0
do for [p = 1:panels] {
    stats data index 2 * p - 1 every ::1 using 1 nooutput
    if (STATS_max > last) { last = STATS_max }
}
set format y "%.3g"
set xlabel ""
if (!draws_text) { set multiplot title headline(title) font ",15" }
do for [p = 1:panels] {
    set autoscale # or stats would leave out what the last panel did not show
    name = ""
    stats data index 2 * p - 1 every ::0::0 using (name = strcol(1), 0) nooutput
    changes = 0
    stats data index 2 * p every ::0::0 using (changes = int($1), 0) nooutput
    stats data index 2 * p - 1 every ::1 using 2 nooutput
    room = (STATS_max - STATS_min) * 0.2 + STATS_max * 0.01
    set xrange [-0.5:last * 1.02 + 0.5]
    if (last < 12) { set xtics 1 }
    set yrange [STATS_min - room : STATS_max + 1.6 * room]
    unset label
    unset arrow
    do for [c = 1:changes] {
        at = 0; word = ""
        stats data index 2 * p every ::c::c using (at = $1, 0) nooutput
        stats data index 2 * p every ::c::c using (word = strcol(2), 0) nooutput
        set arrow c from first at - 0.5, graph 0 to first at - 0.5, graph 1 nohead linecolor rgb "#D55E00" linewidth 1.5 dashtype 2
        height = c % 2 ? 0.94 : 0.84
        if (at > last * 0.8) {
            set label c plain(word) at first at - 0.5, graph height right offset -0.5, 0 textcolor rgb "#a04000" font ",11"
        } else {
            set label c plain(word) at first at - 0.5, graph height left offset 0.5, 0 textcolor rgb "#a04000" font ",11"
        }
    }
    if (!draws_text) {
        set lmargin at screen 0.95 / wide
        set rmargin at screen 1 - 0.25 / wide
        set tmargin at screen 1 - (0.95 + 2.2 * (p - 1)) / high
        set bmargin at screen 1 - (0.95 + 2.2 * (p - 1) + 1.6) / high
    }
    set title plain(name) offset 0, -0.7 font ",12"
    set ylabel "time / ".plain(anchor) font ",11"
    set xlabel (p == panels ? "run, by date or order of commits" : "")
    unset key
    plot data index 2 * p - 1 every ::1 using 1:2 with points pointtype 7 pointsize 0.4 linecolor rgb "#0072B2", \
         data index 2 * p - 1 every ::1 using 1:3 with steps linecolor rgb "#000000" linewidth 1.8
}
if (!draws_text) { unset multiplot }
