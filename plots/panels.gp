# panels.gp - panels side by side, a line per series, both axes logarithmic.
#
# Loaded by cost.gp, memory.gp and slots.gp after they have set data, out, heading, xname,
# yname, xbase (10 or 2) and dodge: the factor by which a series stands beside the one before it, so
# that equal values do not hide each other.  With one_scale all panels have the same y axis.
#
# Of more than nine series those that a reader looks for have a colour, and their names at the ends of their
# lines: the five designs of the textbook, and in each panel the three that are least at its right end.  The
# others are grey, and named below.

panels = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
columns = panels <= 3 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
stats data index 0 every ::3::3 using (crowded = int(strcol(2)) > 9, 0) nooutput
crowded = crowded && out ne ""
beside = crowded ? 1.15 : 0 # inches to the right of a panel, for names
wide = (columns == 1 ? 8.5 : columns == 2 ? 11 : 14) + columns * beside
high = 1.8 + (rows == 1 ? 3.8 : 3.5 * rows)
load "common.gp"

array name[series]
array header[panels]
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), 0) nooutput
}
do for [s = 1:series] {
    stats data index 1 every ::0::0 using (name[s] = strcol(s + 1), 0) nooutput
}
stats data index 1 every ::1 using 1 nooutput
first = STATS_min
last = STATS_max

set logscale x xbase
set format x "%.0s%c"
if (xbase == 2) {
    # 64, 512, 4Ki: each power of two, or as many of them as have room.
    binary(power) = sprintf("%d", 2**(power % 10)).word("_ Ki Mi Gi", power / 10 + 1)[1 + (power < 10):]
    skip = 1 + int(log(last / first) / log(2)) / (columns > 2 ? 8 : 12)
    set xtics ("" 1)
    do for [power = 0:39:skip] { set xtics add (binary(power) 2**power) }
}
set xlabel plain(xname)

# On a terminal the panels come one after the other: it scrolls down, not to the side.
strip = (crowded ? 0.6 : 0.35 + 0.22 * ((series - 1) / (wide > 12 ? 8 : 5))) / high
if (draws_text) {
    set key outside bottom center horizontal width 2
} else {
    set multiplot layout rows, columns \
        margins 1.05 / wide, 1 - (0.25 + beside) / wide, strip + 0.65 / high, 1 - 1.05 / high \
        spacing (0.8 + beside) / wide, 1.15 / high title headline(heading.title) font ",15"
    unset key
}
array last_y[panels * series]
if (crowded) {
    do for [p = 1:panels] { do for [s = 1:series] {
        end = NaN
        stats data index p every ::1 using ($1 == last && column(3*s - 1) > 0 ? (end = column(3*s - 1), 0) : 0) nooutput
        last_y[(p - 1) * series + s] = end
    } }
}
load "named.gp"
if (!exists("one_scale")) { one_scale = 0 }
do for [p = 1:panels] {
    set autoscale # or `stats` would leave out what the last panel did not show
    least = 1e300
    most = 0
    # A series without any value in the panel leaves `stats` with nothing to say, not even how many there are.
    do for [q = one_scale ? 1 : p : one_scale ? panels : p] { do for [s = 1:series] {
        stats data index q every ::1 using (column(3*s) > 0 ? column(3*s) : NaN) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_min < least) { least = STATS_min }
        stats data index q every ::1 using (column(3*s + 1)) nooutput
        if (exists("STATS_records") && STATS_records > 0 && STATS_max > most) { most = STATS_max }
    } }
    load "ticks.gp"
    set xrange [first / 1.25 : last * 1.25]
    if (draws_text) {
        set title header[p]." - ".heading.title
        plot for [s = 1:series] data index p every ::1 using 1:(column(3*s - 1)) \
            with linespoints title name[s]
    } else {
        set title plain(header[p]) offset 0, -0.5
        if ((p - 1) % columns != 0) { unset ylabel } else { set ylabel plain(yname) }
        if (crowded) { load "ends.gp" }
        plot for [s = 1:series] data index p every ::1 using 1:(named[s] ? NaN : column(3*s - 1)) \
                 with lines linecolor rgb "#c4c4c4" linewidth 1.2, \
             for [s = 1:series] data index p every ::1 \
                 using ($1 * dodge**(s - (series + 1) / 2.0)):(named[s] ? column(3*s - 1) : NaN):(column(3*s)):(column(3*s + 1)) \
                 with yerrorlines linestyle style(name[s], s)
    }
}
if (!draws_text) {
    unset label
    unset arrow
    load (crowded ? "greys.gp" : "legend.gp")
    unset multiplot
}
