# ticks.gp - labels of a logarithmic y axis from `least` to `most`: every power of ten, and more
# between them the shorter the range is.

set logscale y 10
set yrange [least / 1.6 : most * 1.6]
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
