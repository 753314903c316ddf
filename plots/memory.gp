# memory.gp - memory per task against the number of tasks.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/memory.gp memory-hold.tsv memory-hold.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/memory.gp memory-hold.tsv                      (text, on the terminal)
#
# Data: one block, whose rows are tasks, then three times the bytes of each design, as in cost.gp.
# Everything allocated at the peak is divided by the tasks: on the left the fixed part of a design
# (its slots) is shared by few.

data = ARG1
out = ARG2
heading = "Memory on "
xname = "tasks (equal values stand side by side)"
yname = "bytes per task"
xbase = 10
dodge = 1.04
load "panels.gp"
