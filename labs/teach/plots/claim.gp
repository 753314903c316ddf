# claim.gp - a picture of a claim: panels side by side, each with its own legend.
#
#     GNUPLOT_LIB=plots gnuplot -c plots/claim.gp T09.tsv T09.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c plots/claim.gp T09.tsv              (text, on the terminal)
#
# Data: src/harness/tell/report/plot.h.  Lines over x with the interval of each point, or the curve of
# the class of growth that the points leave possible; bars side by side; or the calls of advance by the
# share that took no longer, each further nine as wide as the one before.  On a logarithmic axis 0 stands
# below the least value, marked as such.

data = ARG1
out = ARG2

panels = 0
most = 0
set datafile separator "\t"
stats data index 0 every ::2::2 using (panels = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (most = int(strcol(2)), 0) nooutput
columns = panels <= 3 ? panels : panels == 4 ? 2 : 3
rows = (panels + columns - 1) / columns
each = columns == 1 ? 8 : columns == 2 ? 5.6 : 4.6
wide = each * columns + 0.1

id = ""; verdict = ""; statement = ""; shape = ""; xname = ""; xscale = ""
stats data index 0 every ::4::4 using (id = strcol(2), verdict = strcol(3), 0) nooutput
stats data index 0 every ::5::5 using (statement = strcol(2), 0) nooutput
stats data index 0 every ::6::6 using (shape = strcol(2), 0) nooutput
stats data index 0 every ::7::7 using (xname = strcol(2), xscale = strcol(3), 0) nooutput

is_bars = shape eq "bars"
is_shares = shape eq "shares"
tallest = 1
folds = 0 # 1: names below bars take two lines
array header[panels]
array yname[panels]
array yscale[panels]
array first[panels]  # of its series, among all
array count[panels]
array least[panels]  # above 0
array largest[panels]
array zero[panels]   # 1: a value is 0
array beside[panels] # columns of its legend
total = 0
do for [p = 1:panels] {
    stats data index p every ::0::0 using (header[p] = strcol(1), yname[p] = strcol(2), \
        yscale[p] = strcol(3), count[p] = int(strcol(5)), 0) nooutput
    first[p] = total + 1
    total = total + count[p]
}
block(s) = panels + 2 * s - 1
array name[total]
array look[total]
array mean[total]
ticks = "" # every x there is
left = 1e300; right = -1e300
do for [p = 1:panels] {
    least[p] = 1e300; largest[p] = -1e300; zero[p] = 0
    longest = 1
    do for [s = first[p]:first[p] + count[p] - 1] {
        stats data index block(s) every ::0::0 using (name[s] = strcol(1), look[s] = strcol(2), 0) nooutput
        if (strlen(name[s]) > longest) { longest = strlen(name[s]) }
        if (is_bars && strstrt(name[s], ", ")) { folds = 1 }
        stats data index block(s) every ::1 using 1 nooutput
        if (STATS_min < left) { left = STATS_min }
        if (STATS_max > right) { right = STATS_max }
        if (!is_shares) { do for [row = 1:STATS_records] {
            stats data index block(s) every ::row::row using (x = $1) nooutput
            if (!strstrt(ticks." ", sprintf(" %.15g ", x))) { ticks = ticks.sprintf(" %.15g", x) }
        } }
        stats data index block(s) every ::1 using 3 nooutput
        if (STATS_min <= 0) { zero[p] = 1 }
        stats data index block(s) every ::1 using 4 nooutput
        if (STATS_max > largest[p]) { largest[p] = STATS_max }
        stats data index block(s) every ::1 using 2 nooutput
        mean[s] = STATS_mean
        stats data index block(s) every ::1 using ($3 > 0 ? $3 : $2 > 0 ? $2 : 1e300) nooutput
        if (STATS_min < least[p]) { least[p] = STATS_min }
    }
    if (least[p] > largest[p]) { least[p] = 0.5; largest[p] = 1 }
    beside[p] = int((each - 0.5) / (0.75 + 0.085 * longest))
    beside[p] = beside[p] < 1 ? 1 : beside[p] > 3 ? 3 : beside[p]
    needed = (count[p] + beside[p] - 1) / beside[p]
    if (needed > tallest) { tallest = needed }
}
# Panels that show the same have the same axis.
do for [p = 1:panels] { do for [q = 1:panels] {
    if (yname[p] eq yname[q]) {
        if (least[q] < least[p]) { least[p] = least[q] }
        if (largest[q] > largest[p]) { largest[p] = largest[q] }
        if (zero[q]) { zero[p] = 1 }
    }
} }
# One decade at least, or what does not grow would look as if it did.
do for [p = 1:panels] {
    short = sqrt(10 * least[p] / largest[p])
    if (yscale[p] eq "log" && !zero[p] && short > 1) {
        least[p] = least[p] / short; largest[p] = largest[p] * short
    }
}
# The legend of a panel stands below it, in as many columns as its longest name leaves room for.
legend = is_bars ? 0 : 0.12 + 0.21 * tallest

# Lines of at most so many letters, broken between words.
space(text, i) = i < 2 ? strlen(text) : text[i:i] eq " " ? i : space(text, i - 1)
wrap(text, room) = strlen(text) <= room ? plain(text) : \
    plain(text[1:space(text, room) - 1])."\n".wrap(text[space(text, room) + 1:], room)
lines(text, room) = strlen(text) <= room ? 1 : 1 + lines(text[space(text, room) + 1:], room)
below = "Claim ".id.": ".statement
room = int(wide * 12.5)
head = 0.62 + 0.2 * (lines(below, room) + 1)
foot = 0.6 + legend + 0.2 * folds
frame = 3.1 # height of a panel's plot, with its title
high = head + rows * (frame + foot)
load "common.gp"
look_of(text, s) = text[1:1] eq "#" ? (text eq "#0" ? 98 : 80 + int(text[2:])) : style(text, s)

colour_of(text, s) = position(text) ? word(colours, position(text)) : \
    text[1:1] eq "#" && text ne "#0" ? word(colour, (8 - int(text[2:])) % 7 + 1) : "#888888"
# 12,345 with its commas up to a million: people count the digits of long bars.
commas(text) = strlen(text) > 3 ? commas(text[1:strlen(text) - 3]).",".text[strlen(text) - 2:] : text
exactly(value) = value >= 1000 ? commas(sprintf("%.0f", value)) : value == floor(value) ? sprintf("%.0f", value) : figure(value)
said = verdict eq "holds" ? "Holds here" : verdict eq "does-not-hold" ? "Does not hold here" : \
    "Inconclusive here"
verdict_colour = verdict eq "holds" ? "#006B4E" : verdict eq "does-not-hold" ? "#B04A00" : "#555555"

set errorbars 0.6
if (!draws_text) {
    set multiplot
    set label 1 plain(title) at screen 0.25 / wide, screen 1 - 0.27 / high font ",16"
    set label 2 wrap(below, room) at screen 0.25 / wide, screen 1 - 0.58 / high font ",11" \
        textcolor rgb "#333333"
    set label 3 said."  {/*0.85 (".plain(machine).")}" at screen 0.25 / wide, \
        screen 1 - (0.58 + 0.2 * lines(below, room)) / high font ",11" textcolor rgb verdict_colour
}

# ---- x.

# 500, 4k, 65536.
spell(x) = x >= 1e6 && x - 1e6 * floor(x / 1e6) < 1 ? sprintf("%gM", x / 1e6) : \
    x >= 1000 && x - 1000 * floor(x / 1000) < 0.5 ? sprintf("%gk", x / 1000) : sprintf("%.10g", x)

if (is_shares) {
    set logscale x 10
    set xrange [1.7 : 1.4e5]
    set xtics ("50 %%" 2, "90 %%" 10, "99 %%" 100, "99.9 %%" 1e3, "99.99 %%" 1e4, "max" 1e5)
}
if (!is_bars && !is_shares) {
    set format x "%g"
    if (xscale eq "log") {
        set logscale x 10
        set xrange [left / 1.35 : right * 1.35]
        # Where the points are, as far as there is room.
        set xtics ("" left)
        width = log(right / left)
        last = ""
        sorted = words(ticks)
        do for [i = 1:sorted] {
            x = real(word(ticks, i))
            free = 1
            do for [tick in last] { if (abs(log(real(tick) / x)) < 0.085 * width) { free = 0 } }
            if (free) { set xtics add (spell(x) x); last = last." ".word(ticks, i) }
        }
    } else {
        set xrange [left - 0.05 * (right - left) : right + 0.05 * (right - left)]
    }
}
set xlabel plain(xname) offset 0, 0.3 - 1.1 * folds

# ---- Panels.

unset key
do for [p = 1:panels] {
    a = first[p]
    z = first[p] + count[p] - 1
    times = yname[p][1:3] eq "ns " || yname[p] eq "ns"
    if (yscale[p] eq "log") {
        # 0 has no logarithm: it stands a step below the least value, and says that it is 0.
        ground = zero[p] ? least[p] / (largest[p] > 100 * least[p] ? 10.0 : 4.0) : least[p]
        real_least = least[p]
        least_shown = ground
        most_shown = largest[p]
        load "claim_ticks.gp"
    } else {
        ground = 0
        unset logscale y
        set yrange [0 : largest[p] > 0 ? largest[p] * 1.12 : 1]
        set ytics autofreq
        set format y "%g"
    }
    shown(value) = value > 0 || yscale[p] ne "log" ? value : ground
    column = (p - 1) % columns
    row = (p - 1) / columns
    if (draws_text) {
        set title header[p].": ".yname[p]
        set key outside bottom center horizontal width 2
    } else {
        set title plain(header[p]) offset 0, -0.6 font ",13"
        set lmargin at screen (column * each + 1.0) / wide
        set rmargin at screen ((column + 1) * each - 0.1) / wide
        top = high - head - row * (frame + foot)
        set tmargin at screen (top - 0.3) / high
        set bmargin at screen (top - frame) / high
        set key at screen (column * each + 0.5) / wide, (top - frame - 0.55) / high left top \
            horizontal maxcols beside[p] Left reverse samplen 2.2 width 1 spacing 1.05 font ",11"
    }
    set ylabel plain(yname[p])
    if (is_bars) { load "claim_bars.gp" } else { load "claim_lines.gp" }
    if (!draws_text) { unset label 1; unset label 2; unset label 3 }
}
if (!draws_text) { unset multiplot }
