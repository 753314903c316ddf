# claim_ticks.gp - labels of a logarithmic y axis from `ground` to `most_shown`.
#
# As ticks.gp, with more room below and above, and with a 0 at `ground` where panel p has one.

set logscale y 10
set yrange [ground / 1.5 : most_shown * 1.7]
set format y ""
set ytics 10
set ytics ("" 1e-9)
steps = most_shown > 100 * ground ? "1" : most_shown > 6 * ground ? "1 2 5" : "1 1.5 2 3 4 5 6 8"
every_power = 1 + int(log10(most_shown / ground) / 8)
do for [power = floor(log10(ground)) - 1 : ceil(log10(most_shown))] {
    do for [step in steps] {
        at = step * 10.0**power
        if (!(zero[p] && at < real_least * 0.999) && power % every_power == 0) { set ytics add (tick_label(at) at) }
    }
}
if (zero[p]) { set ytics add ("0" ground) }
