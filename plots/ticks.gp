# ticks.gp - labels of a logarithmic y axis from `least` to `most`: every power of ten, and more
# between them the shorter the range is.  The least value has a label at or below it.

decade = 10.0**floor(log10(least))
ground = least / 1.6
label_below = decade * (least < 3 * decade ? 1 : 3)
if (least < 8 * decade && ground > 0.93 * label_below) { ground = 0.93 * label_below }
set logscale y 10
set yrange [ground : most * 1.6]
set format y ""
set ytics 10
set ytics ("" 1e-9)
steps = most > 100 * least ? "1" : most > 6 * least ? "1 2 5" : "1 1.5 2 3 4 5 6 8"
do for [power = floor(log10(least)) - 1 : ceil(log10(most))] {
    do for [step in steps] {
        at = step * 10.0**power
        set ytics add (tick_label(at) at)
    }
}
if (steps eq "1") { set ytics add (tick_label(label_below) label_below) }
