# limits.gp - what the machine can do at best: time per operation against the bytes of all nodes.
#
#     GNUPLOT_LIB=plots gnuplot -c labs/advise/plots/limits.gp limits.tsv limits.svg      (or .png, .pdf)
#
# Data: labs/advise/advise.h has the form.  On the left single nodes, on the right lists; nodes of 16
# bytes are lines, those of 8 and 64 marks of the same colour; dashed is on pages of 2 MiB.  Upright lines are the
# caches.

data = ARG1
out = ARG2
wide = 13
high = 6.4
load "common.gp"

# ---- The head, and what each series is.

array cache[3]
do for [i = 1:3] { stats data index 0 every ::3 + i::3 + i using (cache[i] = $2, 0) nooutput }
array limit[series]
array node[series]
array huge[series]
least = 1e300; most = 0; first = 1e300; last = 0; any_small = 0; any_huge = 0
do for [s = 1:series] {
    stats data index s every ::0::0 using (limit[s] = strcol(1), node[s] = $2, huge[s] = $3, 0) nooutput
    if (huge[s] > 0) { any_huge = 1 } else { any_small = 1 }
    stats data index s every ::1 using 1:3 nooutput
    if (STATS_min_x < first) { first = STATS_min_x }
    if (STATS_max_x > last) { last = STATS_max_x }
    if (STATS_min_y < least) { least = STATS_min_y }
    stats data index s every ::1 using 1:4 nooutput
    if (STATS_max_y > most) { most = STATS_max_y }
}

# Measures with their panel, their colour and their point.
names = "dependent-load late-store load-store independent-load unlink-far unlink-near expire-one-list expire-eight-lists start-table start-one-list"
panels = "1 1 1 1 2 2 2 2 2 2"
inks = "#D55E00 #CC79A7 #E69F00 #0072B2 #D55E00 #E69F00 #CC79A7 #009E73 #56B4E9 #000000"
marks = "7 11 9 5 7 9 11 13 5 4"
place(name) = (sum [k = 1:words(names)] (word(names, k) eq name ? k : 0))
is_of(s, p) = place(limit[s]) > 0 && int(word(panels, place(limit[s]))) == p
ink(s) = word(inks, place(limit[s]))
mark(s) = 0 + word(marks, place(limit[s]))
titled(s) = huge[s] > 0 && any_small ? "notitle" : sprintf("title '%s'", limit[s])
as_line(s) = sprintf("data index %d every ::1 using 1:2:3:4 with yerrorlines linecolor rgb '%s' linewidth 2 dashtype %d pointtype %d pointsize 0.8 %s", \
    s, ink(s), huge[s] > 0 ? 2 : 1, mark(s), titled(s))
as_points(s) = sprintf("data index %d every ::1 using 1:2 with points linecolor rgb '%s' linewidth 1.5 pointtype %d pointsize 0.9 notitle", \
    s, ink(s), node[s] < 16 ? 2 : 6)
pages = any_small == 0 ? ", on pages of 2 MiB" : any_huge ? "; dashed on pages of 2 MiB" : ""

# ---- Both panels.

set logscale x 2
set logscale y 10
set xrange [first / 2.0 : last * 2.0]
bottom = least / 1.4
top = most * 1.5
set yrange [bottom : top]
set xlabel "bytes of all nodes"
set ytics ("" 0)
do for [t in "0.2 0.3 0.5 0.7 1 2 3 5 7 10 20 30 50 70 100 200 300 500 1000"] {
    if (t >= bottom && t <= top) { set ytics add (t real(t)) }
}
units = "B KiB MiB GiB TiB"
binary(power) = sprintf("%d %s", 2 ** (power % 10), word(units, power / 10 + 1))
set xtics ("" 0)
skip = int(log(last / first) / log(2)) / 8 + 1
do for [power = 0:40:skip] { set xtics add (binary(power) 2.0 ** power) }
do for [i = 1:3] {
    if (cache[i] > 0 && cache[i] > first / 2 && cache[i] < last * 2) {
        set arrow i from first cache[i], graph 0 to first cache[i], graph 1 nohead back \
            linecolor rgb "#777777" linewidth 1.2 dashtype 4
        set label i sprintf("L%d", i) at first cache[i], graph 1.0 offset 0.4, -0.6 left \
            textcolor rgb "#555555" font ",11"
    }
}

if (draws_text) {
    set title title
    set key outside bottom center horizontal
} else {
    set multiplot title headline(title) font ",15"
    set tmargin at screen 1 - 1.15 / high
    set bmargin at screen 1.75 / high
}
do for [p = 1:2] {
    if (!draws_text) {
        set lmargin at screen (p == 1 ? 0.85 : wide / 2 + 0.55) / wide
        set rmargin at screen (p == 1 ? wide / 2 - 0.1 : wide - 0.3) / wide
        set key at screen (p == 1 ? 0.75 : wide / 2 + 0.45) / wide, 1.1 / high left top vertical maxrows 3 \
            Left reverse samplen 3 width 1 font ",11"
        if (p == 1) { set ylabel "ns per operation, with the interval of the median" } else { unset ylabel }
    }
    set title (p == 1 ? "single nodes of 16 bytes; crosses 8, circles 64" : "lists of nodes of 16 bytes").pages
    drawn = ""
    do for [s = 1:series] {
        if (is_of(s, p) && (node[s] == 16 || (huge[s] == 0 || any_small == 0))) {
            drawn = drawn.(drawn eq "" ? "plot " : ", ").(node[s] == 16 ? as_line(s) : as_points(s))
        }
    }
    if (drawn ne "") { eval drawn }
}
if (!draws_text) { unset multiplot }
