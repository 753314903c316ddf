# throughput.gp - starts and stops a second against the threads that make them, a line per runner.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/throughput.gp throughput-closed.tsv throughput-closed.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/throughput.gp throughput-closed.tsv                            (text, on the terminal)
#
# Data: as for cost.gp, its rows being numbers of threads; median over the runs, least and most.

data = ARG1
out = ARG2
heading = "Throughput on "
xname = "threads that start and stop"
yname = "starts and stops a second"
xbase = 2
dodge = 1.012
load "panels.gp"
