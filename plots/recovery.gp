# recovery.gp - the time of an open after a kill against the messages that were pending, a line per store.
#
#     gnuplot -c plots/recovery.gp stores-recovery.tsv stores-recovery.svg      (or .png, .pdf)
#     gnuplot -c plots/recovery.gp stores-recovery.tsv                          (text, on the terminal)
#
# Data: as for cost.gp, its rows being messages; median over the runs with its interval.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("recovery.gp")]
heading = ""
xname = "messages pending when the process was killed"
yname = "time of the open"
xbase = 10
dodge = 1.02
times = 1
load here."panels.gp"
