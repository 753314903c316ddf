# idle.gp - wake-ups and processor time of runners when nothing happens.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/idle.gp idle-idle.tsv idle-idle.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/idle.gp idle-idle.tsv                  (text, on the terminal)
#
# Data: as for bars.gp; median over the runs, least and most.

data = ARG1
out = ARG2
heading = "Wake-ups and processor time, load "
stacked = 1
load "sidebyside.gp"
