# bars.gp - designs side by side on one workload or trace: time per operation, and memory.
#
#     gnuplot -c plots/bars.gp bars-nginx.tsv bars-nginx.svg      (or .png, .pdf)
#     gnuplot -c plots/bars.gp bars-nginx.tsv                     (text, on the terminal)
#
# Data: a block per panel; first line its title and unit, then name of the design, median, low, high.
# A panel whose values differ by more than thirty times has a logarithmic axis and says so; it shows points, because a
# bar stands for its length from 0.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("bars.gp")]

panels = 0
bars = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (bars = int(strcol(2)), 0) nooutput
columns = bars > 8 ? 1 : panels <= 3 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
wide = columns == 1 ? (bars > 8 ? 13 : 8) : columns == 2 ? 12 : 15
slanted = bars * columns > 14
high = 1.3 + (slanted ? 4.4 : 3.8) * rows
load here."common.gp"

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
foot = slanted ? 1.1 : 0.45
if (!draws_text) {
    set multiplot layout rows, columns \
        margins 0.95 / wide, 1 - 0.25 / wide, foot / high, 1 - 1.1 / high \
        spacing 0.95 / wide, (foot + 0.6) / high \
        title headline("Designs side by side on ".title) font ",15"
}
do for [p = 1:panels] {
    set autoscale # or `stats` would leave out what the last panel did not show
    stats data index p every ::1 using ($2 > 0 ? $2 : NaN) nooutput
    least = STATS_min
    stats data index p every ::1 using 4 nooutput
    most = STATS_max
    set xrange [0.4 : bars + 0.6]
    logarithmic = most > 30 * least
    times = logarithmic && unit[p] eq "ns"
    set title draws_text ? header[p]." - ".title : plain(header[p]) offset 0, -0.3
    set ylabel draws_text ? "" : (times ? "time" : plain(unit[p])).(logarithmic ? ", logarithmic axis" : "")
    if (logarithmic) {
        load here."ticks.gp"
        set yrange [least / 3 : most * 3]
    } else {
        unset logscale y
        set yrange [0 : most * 1.15]
        set ytics autofreq
        set format y "%g"
    }
    if (draws_text) {
        plot data index p every ::1 using ($0 + 1):2 with boxes, \
             data index p every ::1 using ($0 + 1):2:(figure($2)) with labels offset 0, 1
    } else {
        plot for [s = 1:bars] data index p every ::s::s using (s):(logarithmic ? NaN : $2):3:4:(0.7) \
                 with boxerrorbars linestyle style(name[s], s) linewidth 1 dashtype 1, \
             for [s = 1:bars] data index p every ::s::s using (s):(logarithmic ? $2 : NaN):3:4 \
                 with yerrorbars linestyle style(name[s], s) pointsize 1.2 dashtype 1, \
             data index p every ::1 using ($0 + 1):4:(figure($2)) with labels offset 0, 0.8
    }
}
if (!draws_text) { unset multiplot }
