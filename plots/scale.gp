# scale.gp - cost of an operation against the number of timers, with lines where timers of 16 bytes fill the caches.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/scale.gp scale.tsv scale.svg 1048576 37486592      (bytes of L2 and L3)
#
# Data: as cost.gp takes it.  tools/scale_pictures.sh makes it.

data = ARG1
out = ARG2
heading = "Cost per operation on "
yname = "time per operation, median and its interval"
times = 1
xbase = 10
dodge = 1.0
one_scale = 1
# A cache that the most timers do not fill has no line.
set datafile separator "\t"
most = 0
stats data index 1 every ::1 using (most = $1 > most ? $1 : most, 0) nooutput
filled = ""
do for [cache = 2:3] {
    timers = real(cache == 2 ? ARG3 : ARG4) / 16
    if (timers > 0 && timers <= most) {
        set arrow from timers, graph 0 to timers, graph 1 nohead linecolor rgb "#999999" dashtype 2 back
        filled = filled.(filled eq "" ? "L" : ", and L").sprintf("%d", cache)
    }
}
xname = "timers".(filled eq "" ? "" : " (dashed: timers of 16 bytes fill ".filled.")")
load "panels.gp"
