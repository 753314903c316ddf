# panels.gp - panels side by side, a line per series, both axes logarithmic.
#
# Loaded by cost.gp, memory.gp and slots.gp after they have set data, out, heading, xname, yname and
# xbase (10 or 2).

nice_columns(n) = n <= 3 ? n : n == 4 ? 2 : 3
panels = 0
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
columns = nice_columns(panels)
rows = (panels + columns - 1) / columns
wide = panels == 1 ? 8.5 : columns == 2 ? 11 : 14
high = rows == 1 ? 5.6 : 1.6 + 3.9 * rows

load here."common.gp"

array name[series]
array header[panels]
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), 0) nooutput
}
do for [s = 1:series] {
    stats data index 1 every ::0::0 using (name[s] = strcol(s + 1), 0) nooutput
}

set logscale x xbase
set logscale y 10
if (xbase == 2) { set format x "%.0f" } else { set format x short }
set format y short
set xlabel plain(xname) offset 0, 0.3
set ylabel plain(yname) offset 1, 0

# The legend stands in a strip of its own below the panels; only the first panel writes it.
strip = (draws_text ? 0.12 : 0.55 / high) * (1 + (series - 1) / 6)
top = draws_text ? 0.86 : 1 - 1.0 / high
left = draws_text ? 0.1 : 0.75 / wide
right = 1 - 0.25 / wide
bottom = strip + (draws_text ? 0.1 : 0.65 / high)

per_row = series < 6 ? series : 6
set key at screen 0.5, strip * 0.5 center center horizontal maxcols per_row samplen 2.5 width 1 \
    textcolor rgb "#222222"

if (draws_text) {
    # One panel after the other: the terminal scrolls down, not to the side.
    set key outside bottom center horizontal
    do for [p = 1:panels] {
        set title header[p]." - ".title
        plot for [s = 1:series] data index p every ::1 using 1:(column(3*s - 1)) with linespoints \
            pointtype 64 + s title name[s]
    }
    exit
}

set multiplot layout rows, columns margins left, right, bottom, top \
    spacing 0.8 / wide, (1.25 / high) title plain(heading.title)."\n{/*0.75 ".plain(machine)."}" font ",15"
do for [p = 1:panels] {
    set title plain(header[p]) offset 0, -0.5
    if (p > 1) { unset key }
    if ((p - 1) % columns != 0) { unset ylabel } else { set ylabel plain(yname) offset 1, 0 }
    plot for [s = 1:series] data index p every ::1 \
        using 1:(column(3*s - 1)):(column(3*s)):(column(3*s + 1)) \
        with yerrorlines linestyle style(name[s], s) title plain(name[s])
}
unset multiplot
