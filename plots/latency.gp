# latency.gp - how long single calls of advance take: percentiles up to the maximum.
#
#     gnuplot -c plots/latency.gp latency-hold.tsv latency-hold.svg      (or .png, .pdf)
#     gnuplot -c plots/latency.gp latency-hold.tsv                       (text, on the terminal)
#
# Data: a block per design; first line its name, then 1 / (1 - share), nanoseconds, and nanoseconds
# again where a percentile is marked.  The x axis is the logarithm of that, so that each further nine
# takes as much room as the one before (HdrHistogram's way); the maximum stands at the right edge.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("latency.gp")]
wide = 10
high = 6.2
load here."common.gp"

array name[series]
do for [s = 1:series] {
    stats data index s every ::0::0 using (name[s] = strcol(1), 0) nooutput
}

set logscale xy 10
set xrange [1.7 : 1.3e5]
set xtics ("50 %%" 2, "90 %%" 10, "99 %%" 100, "99.9 %%" 1e3, "99.99 %%" 1e4, "max" 1e5)
if (draws_text) { set xtics ("50%%" 2, "90%%" 10, "99%%" 100, "99.9%%" 1e3, "99.99%%" 1e4, "max" 1e5) }
unset mxtics
set format y "%.0s%c"
set xlabel "share of the calls that took at most this long"
set ylabel "one call of advance, ns"

if (draws_text) {
    set title "Latency of advance: ".title
    set key outside bottom center horizontal
    plot for [s = 1:series] data index s every ::1 using 1:3 with linespoints pointtype 64 + s title name[s]
    exit
}

set title plain("Latency of advance: ".title)."\n{/*0.75 ".plain(machine)."}" font ",15"
set key outside bottom center horizontal maxcols 6 samplen 2.5 width 1 textcolor rgb "#222222"
plot for [s = 1:series] data index s every ::1 using 1:2 with lines linestyle style(name[s], s) notitle, \
     for [s = 1:series] data index s every ::1 using 1:3 with points linestyle style(name[s], s) notitle, \
     for [s = 1:series] NaN with linespoints linestyle style(name[s], s) title plain(name[s])
