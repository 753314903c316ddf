# lateness.gp - how late timers fire, by runner: median, 99th percentile and the longest.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/lateness.gp lateness-hold.tsv lateness-hold.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/lateness.gp lateness-hold.tsv                  (text, on the terminal)
#
# Data: as for bars.gp; median over the runs, least and most.

data = ARG1
out = ARG2
heading = "Lateness of timers, load "
stacked = 1
load "sidebyside.gp"
