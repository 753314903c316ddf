# caller.gp - how long a start and a stop keep their caller, by runner.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/caller.gp caller-hold.tsv caller-hold.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/caller.gp caller-hold.tsv                  (text, on the terminal)
#
# Data: as for bars.gp; median over the runs, least and most.

data = ARG1
out = ARG2
heading = "Time of a start and a stop, load "
stacked = 1
load "sidebyside.gp"
