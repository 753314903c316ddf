# scale.gp - cost of an operation against the number of timers, with lines where timers of 16 bytes fill the caches.
#
#     gnuplot -c plots/scale.gp scale.tsv scale.svg 1048576 37486592      (bytes of L2 and L3)
#
# Data: as cost.gp takes it.  tools/scale_pictures.sh makes it.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("scale.gp")]
heading = "Cost per operation on "
xname = "timers; dashed: 16 bytes each fill L2, and L3"
yname = "time per operation, median and its interval"
times = 1
xbase = 10
dodge = 1.0
do for [bytes in ARG3." ".ARG4] {
    set arrow from real(bytes) / 16, graph 0 to real(bytes) / 16, graph 1 nohead linecolor rgb "#999999" dashtype 2 back
}
load here."panels.gp"
