# recovery.gp - the time of an open after a kill against the messages that were pending, a line per store.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/recovery.gp stores-recovery.tsv stores-recovery.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/recovery.gp stores-recovery.tsv                          (text, on the terminal)
#
# Data: as for cost.gp, its rows being messages; median over the runs with its interval.

data = ARG1
out = ARG2
heading = ""
xname = "messages pending when the process was killed"
yname = "time of the open"
xbase = 10
dodge = 1.02
times = 1
load "panels.gp"
