# slots.gp - cost of an operation, and of a tick, against the number of slots of a wheel.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/slots.gp slots-long-horizon.tsv slots-long-horizon.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/slots.gp slots-long-horizon.tsv                (text, on the terminal)
#
# Data: a block per panel, whose rows are slots, then median, low and high in nanoseconds of each
# design, as in cost.gp.

data = ARG1
out = ARG2
heading = "Cost against slots on "
xname = "slots"
yname = "time, median and its interval"
times = 1
xbase = 2
dodge = 1.0
load "panels.gp"
