# latency.gp - how long single calls of advance take: percentiles up to the maximum.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/latency.gp latency-hold.tsv latency-hold.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/latency.gp latency-hold.tsv                       (text, on the terminal)
#
# Data: a block per design; first line its name, then 1 / (1 - share), nanoseconds, and nanoseconds
# again where a percentile is marked.  The x axis is the logarithm of that, so that each further nine
# takes as much room as the one before (HdrHistogram's way).  At the right stand the longest call without preemption (1e5,
# no line) and the longest seen (1e6).  Of more than nine series some have a colour and the others are grey, as in panels.gp.

data = ARG1
out = ARG2
wide = 10
times = 1
high = 6.6
load "common.gp"

crowded = series > 9 && !draws_text
panels = 1
p = 1
last = 1e6
array name[series]
array last_y[series]
least = 1e300
most = 0
do for [s = 1:series] {
    stats data index s every ::0::0 using (name[s] = strcol(1), 0) nooutput
    stats data index s every ::1 using ($1 == last ? (last_y[s] = $2, 0) : 0) nooutput
    stats data index s every ::1 using 3 nooutput
    if (STATS_min < least) { least = STATS_min }
    if (STATS_max > most) { most = STATS_max }
}

set logscale x 10
set xrange [1.7 : 1.5e6]
set format x "%g"
set xtics ("50 %%" 2, "90 %%" 10, "99 %%" 100, "99.9 %%" 1e3, "99.99 %%" 1e4, "longest\nadvance" 1e5, "longest\nseen" 1e6)
set xlabel "share of the calls that took at most this long; longest advance: without preemption" offset 0, -0.8
set ylabel "one call of advance"

load "ticks.gp"
if (draws_text) {
    set title "Latency of advance on ".title
    set key outside bottom center horizontal width 2
    plot for [s = 1:series] data index s every ::1 using ($1 == 1e5 ? NaN : $1):3 with linespoints title name[s]
    exit
}

load "named.gp"
strip = (crowded ? 0.6 : 0.35 + 0.22 * ((series - 1) / 5)) / high
if (crowded) { load "ends.gp" }
set multiplot title headline("Latency of advance on ".title) font ",15"
set lmargin at screen 1.05 / wide
set rmargin at screen 1 - (crowded ? 1.4 : 0.25) / wide
set bmargin at screen strip + 0.95 / high
set tmargin at screen 1 - 0.85 / high
unset key
plot for [s = 1:series] data index s every ::1 using 1:(named[s] ? NaN : $2) with lines linecolor rgb "#c4c4c4" linewidth 1.2, \
     for [s = 1:series] data index s every ::1 using 1:(named[s] ? $2 : NaN) with lines linestyle style(name[s], s), \
     for [s = 1:series] data index s every ::1 using 1:(named[s] ? $3 : NaN) with points linestyle style(name[s], s)
unset label
unset arrow
load (crowded ? "greys.gp" : "legend.gp")
unset multiplot
