# cost.gp - cost of an operation against the number of tasks, a panel per phase.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/cost.gp cost-hold.tsv cost-hold.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/cost.gp cost-hold.tsv                    (text, on the terminal)
#
# Data: a block per panel, whose rows are tasks, then median, low and high in nanoseconds of each
# design; src/harness/tell/report/plot.h has the details.  A flat line is O(1), a straight rising one a
# power of the number of tasks.

data = ARG1
out = ARG2
heading = "Cost per operation on "
xname = "tasks"
yname = "time per operation, median and its interval"
times = 1
# Cells of several machines have no common unit.
ratios = ""
set datafile separator "\t"
stats data index 0 using (strcol(1) eq "ratios" ? (ratios = strcol(2), 0) : 0) nooutput
if (ratios ne "") {
    times = 0
    yname = "time / that of ".ratios." on the same machine"
}
xbase = 10
dodge = 1.05
one_scale = 1
load "panels.gp"
