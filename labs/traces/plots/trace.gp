# trace.gp - what is in a trace: timers armed over time, the delays asked for, how their stretches end.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/trace.gp trace-nginx.tsv trace-nginx.svg      (or .png, .pdf)
#
# Data: src/harness/tell/report/plot.h has the form.

data = ARG1
out = ARG2
wide = 9
high = 10.5
load "common.gp"

none = NaN
least = 0
stats data index 0 every ::4::4 using (none = valid(2) ? $2 : NaN, 0) nooutput
stats data index 0 every ::5::5 using (least = $2, 0) nooutput

array name[4]
name[1] = "re-armed"; name[2] = "cancelled"; name[3] = "expired"; name[4] = "left armed at the end"
array fill[4]
fill[1] = "#56B4E9"; fill[2] = "#E69F00"; fill[3] = "#0072B2"; fill[4] = "#999999"

set multiplot title headline("What is in the trace ".title) font ",15"
set lmargin at screen 0.95 / wide
set rmargin at screen 1 - 0.3 / wide

# ---- Armed over time.

set bmargin at screen 7.4 / high
set tmargin at screen 9.4 / high
set xlabel "time, s" offset 0, 0.4
set ylabel "timers armed"
set yrange [0:*]
stats data index 1 using 1 nooutput
set xrange [0:STATS_max * (240.0 / 239.5)]
set key at screen 1 - 0.3 / wide, screen 9.68 / high right horizontal samplen 2 width 1
plot data index 1 using 1:3 with lines linecolor rgb "#D55E00" linewidth 1.5 title "most in each of 240 parts", \
     data index 1 using 1:2 with lines linecolor rgb "#0072B2" linewidth 2 title "mean"

# ---- Delays, and their ends: the same axis below each other.

stats data index 2 using 1 nooutput
left = STATS_min / 1.3
stats data index 2 using 2 nooutput
right = STATS_max * 1.3
set logscale x 10
set xrange [left:right]
times = "1_ns 10_ns 100_ns 1_µs 10_µs 100_µs 1_ms 10_ms 100_ms 1_s 10_s 100_s 1000_s 10^4_s 10^5_s 10^6_s"
spoken(i) = word(times, i)[1:strstrt(word(times, i), "_") - 1]." ".word(times, i)[strstrt(word(times, i), "_") + 1:*]
unset xtics
set xtics nomirror textcolor rgb "#222222" ("" 1e-12)
if (none == none) { set xtics add ("≤ 0" none) }
do for [i = 1:words(times)] { if (10.0 ** (i - 10) >= least * 0.999) { set xtics add (spoken(i) 10.0 ** (i - 10)) } }
set style fill solid 1.0 noborder

set bmargin at screen 4.35 / high
set tmargin at screen 6.45 / high
set xlabel "delay asked for, a bar per tenth of a decade" offset 0, 0.4
set ylabel "starts (new ones and re-arms)"
set format y "%.0s%c"
set logscale y 10
set yrange [0.7:*]
unset key
plot data index 2 using (sqrt($1 * $2)):3:1:2:(0.7):3 with boxxyerror linecolor rgb "#009E73"
unset logscale y

set bmargin at screen 1.15 / high
set tmargin at screen 3.35 / high
set ylabel "how they end, share"
set yrange [0:1]
set format y "%g"
set key outside bottom center horizontal maxrows 1 samplen 1.5 width 2
under(i, a, b, c) = i == 1 ? 0 : i == 2 ? a : i == 3 ? a + b : a + b + c
over(i, a, b, c, d) = under(i, a, b, c) + (i == 1 ? a : i == 2 ? b : i == 3 ? c : d)
plot for [i = 1:4] data index 2 \
    using (sqrt($1 * $2)):(0.5):1:2:(under(i, $4, $5, $6)):(over(i, $4, $5, $6, $7)) \
    with boxxyerror linecolor rgb fill[i] title name[i]
unset multiplot
