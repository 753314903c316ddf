# sidebyside.gp - panels of bars, a bar per series; of points, where the axis is logarithmic.
#
# Loaded by bars.gp, lateness.gp, caller.gp and idle.gp after they have set data, out, here and heading; stacked = 1 for
# panels one below the other, so that eight names and their values have room on a narrow page.

panels = 0
bars = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (bars = int(strcol(2)), 0) nooutput
if (!exists("stacked")) { stacked = 0 }
columns = bars > 8 || stacked ? 1 : panels <= 3 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
wide = columns == 1 ? (bars > 8 ? 13 : stacked ? 7 : 8) : columns == 2 ? 12 : 15
slanted = bars * columns > (stacked ? 7 : 14)
high = 1.3 + (stacked ? 2.9 : slanted ? 4.4 : 3.8) * rows
load "common.gp"

array header[panels]
array unit[panels]
array name[bars]
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), unit[p] = strcol(2), 0) nooutput
}
do for [s = 1:bars] {
    stats data index 1 every ::s::s using (name[s] = strcol(1), 0) nooutput
}

unset key
set style fill solid 0.9 border linecolor rgb "#555555"
set boxwidth 0.7
set xrange [0.4 : bars + 0.6]
unset grid
set grid ytics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
set xtics ("" 1) scale 0
do for [s = 1:bars] { set xtics add (plain(name[s]) s) }
if (slanted && !draws_text) { set xtics rotate by 30 right }

set errorbars 0.6
foot = slanted ? (stacked ? 0.8 : 1.1) : 0.45
if (!draws_text) {
    set multiplot layout rows, columns \
        margins 0.95 / wide, 1 - 0.25 / wide, foot / high, 1 - 1.1 / high \
        spacing 0.95 / wide, (foot + (stacked ? 0.45 : 0.6)) / high \
        title headline(heading.title) font ",15"
}
do for [p = 1:panels] {
    set autoscale # or `stats` would leave out what the last panel did not show
    stats data index p every ::1 using 4 nooutput
    least = most = STATS_max
    if (most > 0) {
        stats data index p every ::1 using ($2 > 0 ? $2 : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0) { least = STATS_min }
    }
    set xrange [0.4 : bars + 0.6]
    logarithmic = most > 30 * least
    # Long times are told in the unit in which they read well.
    times = logarithmic && unit[p] eq "ns"
    per = unit[p] ne "ns" || most < 1e5 ? 1 : most < 1e8 ? 1e3 : 1e6
    shown = per == 1 ? unit[p] : per == 1e3 ? "µs" : "ms"
    said(value) = unit[p] eq "ns" && logarithmic && (most >= 1e5 || stacked) ? spoken(value) : figure(value / per)
    set title draws_text ? header[p]." - ".title : plain(header[p]) offset 0, -0.3
    set ylabel draws_text ? "" : (times ? "time" : plain(shown)).(logarithmic ? ", logarithmic axis" : "")
    if (logarithmic) {
        # The axis begins below the least that an interval has, not the least value.
        stats data index p every ::1 using ($3 > 0 ? $3 : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_min < least) { least = STATS_min }
        load "ticks.gp"
        set yrange [least / 2 : most * 3]
    } else {
        unset logscale y
        set yrange [0 : most > 0 ? most * 1.15 / per : 1]
        set ytics autofreq
        set format y "%g"
    }
    if (draws_text) {
        plot data index p every ::1 using ($0 + 1):2 with boxes, \
             data index p every ::1 using ($0 + 1):2:(said($2)) with labels offset 0, 1
    } else {
        plot for [s = 1:bars] data index p every ::s::s using (s):(logarithmic ? NaN : $2 / per):($3 / per):($4 / per):(0.7) \
                 with boxerrorbars linestyle style(name[s], s) linewidth 1 dashtype 1, \
             for [s = 1:bars] data index p every ::s::s using (s):(logarithmic ? $2 : NaN):3:4 \
                 with yerrorbars linestyle style(name[s], s) pointsize 1.2 dashtype 1, \
             data index p every ::1 using ($0 + 1):(logarithmic ? $4 : $4 / per):(said($2)) with labels offset 0, 0.8
    }
}
if (!draws_text) { unset multiplot }
