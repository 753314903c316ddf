# stores.gp - stores side by side: a figure by policy or by store, a point per series, logarithmic.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/stores.gp stores-puts.tsv stores-puts.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/stores.gp stores-puts.tsv                      (text, on the terminal)
#
# Data: a block per panel; its first line has the title, the unit and the names of the series, then a line per category
# with median, low and high of each series.  Times are nanoseconds.

data = ARG1
out = ARG2

panels = 0
categories = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (count = int(strcol(2)), 0) nooutput
stats data index 0 every ::4::4 using (categories = int(strcol(2)), 0) nooutput
wide = 7.5
rows = 1 + (count - 1) / 5
high = 1.15 + 3.1 * panels + 0.3 * rows
load "common.gp"

array header[panels]
array unit[panels]
array name[series]
array category[categories]
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), unit[p] = strcol(2), 0) nooutput
}
do for [s = 1:series] {
    stats data index 1 every ::0::0 using (name[s] = strcol(s + 2), 0) nooutput
}
do for [c = 1:categories] {
    stats data index 1 every ::c::c using (category[c] = strcol(1), 0) nooutput
}

# Series stand beside each other within a category; a faint line parts the categories.
aside(s) = (s - (series + 1) / 2.0) * 0.72 / series
set xtics ("" 1) scale 0
do for [c = 1:categories] { set xtics add (plain(category[c]) c) }
unset grid
set grid ytics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
set errorbars 0.5

strip = (0.25 + 0.3 * rows) / high
if (draws_text) {
    set key outside bottom center horizontal
} else {
    set multiplot layout panels, 1 \
        margins 1.1 / wide, 1 - 0.25 / wide, strip + 0.4 / high, 1 - 1.1 / high \
        spacing 0, 0.85 / high title headline(title) font ",15"
    unset key
}
do for [p = 1:panels] {
    set autoscale # or `stats` would leave out what the last panel did not show
    least = 1e300
    most = 0
    zeros = 0 # a logarithmic axis has no place for 0: what reaches it ends at the lower edge
    do for [q = 1:panels] { do for [s = 1:series] { # panels of one unit have one scale
        if (unit[q] ne unit[p]) { continue }
        stats data index q every ::1 \
            using (column(3 * s) > 0 ? column(3 * s) : column(3 * s - 1) > 0 ? column(3 * s - 1) : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_min < least) { least = STATS_min }
        stats data index q every ::1 using (column(3 * s + 1) > 0 ? column(3 * s + 1) : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_max > most) { most = STATS_max }
        stats data index q every ::1 using (zeros = zeros + (q == p && column(3 * s) == 0), 0) nooutput
    } }
    times = unit[p] eq "ns"
    load "ticks.gp"
    set xrange [0.5 : categories + 0.5]
    do for [c = 1:categories - 1] {
        set arrow c from first c + 0.5, graph 0 to first c + 0.5, graph 1 nohead back linecolor rgb "#cccccc" linewidth 0.7
    }
    set ylabel draws_text ? "" : (times ? "time" : plain(unit[p]))
    heading = header[p].(zeros > 0 ? " (the lower edge stands for 0)" : "")
    set title draws_text ? heading." - ".title : plain(heading) offset 0, -0.4
    edge = least / 1.6
    shown(value) = value > 0 ? value : value == 0 ? edge : NaN
    if (draws_text) {
        plot for [s = 1:series] data index p every ::1 using ($0 + 1 + aside(s)):(shown(column(3 * s - 1))) with points title name[s]
    } else {
        plot for [s = 1:series] data index p every ::1 \
            using ($0 + 1 + aside(s)):(shown(column(3 * s - 1))):(shown(column(3 * s))):(shown(column(3 * s + 1))) \
            with yerrorbars linestyle style(name[s], s) dashtype 1 pointsize 1.1
    }
}
if (!draws_text) {
    unset arrow
    load "legend.gp"
    unset multiplot
}
