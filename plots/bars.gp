# bars.gp - designs side by side on one workload or trace: time per operation, and memory.
#
#     gnuplot -c plots/bars.gp bars-nginx.tsv bars-nginx.svg      (or .png, .pdf)
#     gnuplot -c plots/bars.gp bars-nginx.tsv                     (text, on the terminal)
#
# Data: a block per panel; first line its title and unit, then name of the design, median, low, high.
# A panel whose bars differ by more than thirty times has a logarithmic axis, and says so.

data = ARG1
out = ARG2
here = ARG0[1:strlen(ARG0) - strlen("bars.gp")]

panels = 0
bars = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (bars = int(strcol(2)), 0) nooutput
columns = panels <= 3 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
slanted = bars * columns > 18 || bars > 7
wide = columns == 1 ? 8 : columns == 2 ? 11 : 14
high = 1.4 + (slanted ? 4.2 : 3.8) * rows
load here."common.gp"

array header[panels]
array unit[panels]
array least[panels]
array most[panels]
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), unit[p] = strcol(2), 0) nooutput
    stats data index p every ::1 using (column(2) > 0 ? column(2) : NaN) nooutput
    least[p] = STATS_min
    stats data index p every ::1 using 4 nooutput
    most[p] = STATS_max
}

unset key
set style fill solid 0.85 border linecolor rgb "#444444"
set boxwidth 0.7
set xrange [-0.6 : bars - 0.4]
if (slanted) { set xtics rotate by 35 right }
set grid noxtics
number(value) = value >= 99999.5 ? gprintf("%.3s%c", value) : \
    gprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)

if (draws_text) {
    do for [p = 1:panels] {
        set title header[p]." - ".title
        set yrange [0:*]
        plot data index p every ::1 using 0:2:xtic(1) with boxes
    }
    exit
}

set errorbars 0.8 linewidth 1.2
set multiplot layout rows, columns margins 0.8 / wide, 1 - 0.25 / wide, \
    (slanted ? 1.15 : 0.5) / high, 1 - 1.15 / high \
    spacing 0.9 / wide, ((slanted ? 1.7 : 1.1) / high) \
    title plain("Designs side by side: ".title)."\n{/*0.75 ".plain(machine)."}" font ",15"
do for [p = 1:panels] {
    logarithmic = most[p] > 30 * least[p]
    set title plain(header[p]) offset 0, -0.3
    set ylabel plain(unit[p]).(logarithmic ? ", logarithmic" : "") offset 1, 0
    if (logarithmic) {
        set logscale y 10
        set yrange [10**floor(log10(least[p]) - 0.3) : most[p] * 3]
        set format y short
    } else {
        unset logscale y
        set yrange [0 : most[p] * 1.15]
        set format y "%g"
    }
    plot data index p every ::1 using 0:2:3:4:(0.7):xtic(plain(strcol(1))):(0) \
            with boxerrorbars linecolor rgb "#bbbbbb" notitle, \
         for [s = 1:bars] data index p every ::s::s using (s - 1):2 \
            with boxes linestyle 1 notitle, \
         data index p every ::1 using 0:4:(number(column(2))) with labels offset 0, 0.7 notitle
}
unset multiplot
