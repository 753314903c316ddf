# throughput.gp - starts and stops a second against the threads that make them, a line per runner.
#
#     gnuplot -c plots/throughput.gp throughput-closed.tsv throughput-closed.svg      (or .png, .pdf)
#     gnuplot -c plots/throughput.gp throughput-closed.tsv                            (text, on the terminal)
#
# Data: as for cost.gp, its rows being numbers of threads; median over the runs, least and most.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("throughput.gp")]
heading = "Throughput on "
xname = "threads that start and stop"
yname = "starts and stops a second"
xbase = 2
dodge = 1.012
load here."panels.gp"
