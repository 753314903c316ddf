# advise.gp - the candidates for a load: time per operation against memory per task; on the real clock processor time
# against lateness.
#
#     GNUPLOT_LIB=plots gnuplot -c labs/advise/plots/advise.gp advise-nginx.tsv advise-nginx.svg      (or .png, .pdf)
#     GNUPLOT_LIB=plots gnuplot -c labs/advise/plots/advise.gp advise-nginx.tsv                       (text, on the terminal)
#
# Data: labs/advise/advise.h.  What is recommended and what lies on the steps have their names to the left of their points,
# where no point can be.  The steps join those that none beats in both cost and memory.  Other points on the front lie within an interval of the steps; the dominated ones are grey.

data = ARG1
out = ARG2

wide = 10.5
high = 6.8
load "common.gp"

real_clock = 0
stats data index 0 using (strcol(1) eq "clock" ? (real_clock = 1, 0) : 0) nooutput

# ---- What there is.

stats data index 1 using 4 nooutput
left = STATS_min
stats data index 1 using 5 nooutput
right = STATS_max
stats data index 1 using 6 nooutput
low = STATS_min / 2
top = STATS_max * 1.25
# What is hopeless would press the others into a corner: it is counted in the legend.
# (stats refuses a column without a number: what is not meant is 0 there.)
stats data index 1 using ($2 > 0 ? $3 : 0) nooutput
edge = 2 * STATS_max > 8 * left ? 2 * STATS_max : 8 * left
beyond = 0
if (right > edge) {
    stats data index 1 using ($3 > edge ? 1 : 0) nooutput
    beyond = int(STATS_sum)
    right = edge
}
right = right * 1.15
stats data index 1 using 7 nooutput
named = int(STATS_sum)
array name[named + 1]
array sort[named + 1]
array px[named + 1]
array py[named + 1]
array at[named + 1]
found = 0
do for [i = 1:series] {
    is_named = 0
    stats data index 1 every ::i - 1::i - 1 using (text = strcol(1), sort_of = int($2), cost = $3, bytes = $6, is_named = int($7), 0) nooutput
    if (is_named) {
        found = found + 1
        name[found] = text; sort[found] = sort_of; px[found] = cost; py[found] = bytes
        at[found] = log(bytes / low) / log(top / low) - 0.045
    }
}

# ---- Where the names stand: below and to the left of their points, and none over another.

longest = 0
do for [i = 1:found] { if (strlen(name[i]) > longest) { longest = strlen(name[i]) } }
# Room for the longest name beside the leftmost point.
name_width(chars) = (right / left)**(0.02 + 0.011 * chars)
left = left / name_width(longest)
do for [k = 1:found - 1] {
    i = found - k
    if (at[i] > at[i + 1] - 0.042 && px[i] < px[i + 1] * name_width(strlen(name[i]))) { at[i] = at[i + 1] - 0.042 }
}

kinds = "#777777 #0072B2 #E69F00 #D55E00"
paint(s) = word(kinds, s + 1)
mark(s) = 0 + word("6 7 5 9", s + 1)

# ---- The picture.

set logscale xy
set xrange [left : right]
set yrange [low : top]
set xlabel real_clock ? "processor time per start and stop (ns): median and its interval (of six samples and more)" : \
    "time per start, stop or expiry (ns): median and its interval (of six samples and more)"
set ylabel real_clock ? "lateness, 99th percentile" : "memory per task (bytes)"
set format x "%g"
set format y "%g"
ticks = "1 2 5 10 20 50 100 200 500 1000 2000 5000 10000 20000 50000 100000 200000 500000 1000000"
set xtics ("" left)
set ytics ("" low)
last = 0
do for [t in ticks] {
    if (t >= left && t <= right && (last == 0 || log(t / last) > 0.055 * log(right / left))) {
        set xtics add (sprintf("%g", real(t)) real(t)); last = real(t)
    }
}
last = 0
do for [t in ticks] {
    if (t >= low && t <= top && (last == 0 || log(t / last) > 0.05 * log(top / low))) {
        set ytics add ((real_clock ? duration(1e3 * t) : sprintf("%g", real(t))) real(t)); last = real(t)
    }
}

if (draws_text) {
    set title "Candidates for ".title
    set key outside bottom center horizontal
} else {
    set title headline("Candidates for ".title) font ",15"
    set lmargin at screen (real_clock ? 1.05 : 0.85) / wide
    set rmargin at screen 1 - 0.4 / wide
    set tmargin at screen 1 - 0.85 / high
    set bmargin at screen 1.8 / high
    set key at screen 0.75 / wide, 1.14 / high left top vertical Left reverse samplen 2 width 1 font ",11"
    do for [i = 1:found] {
        set label 100 + i plain(name[i]) at first px[i], graph at[i] right offset -0.8, 0 font ",12" \
            textcolor rgb (sort[i] == 3 ? "#A04000" : sort[i] == 2 ? "#8A5A00" : "#00507E")
    }
}

plot data index 2 using 1:2 with steps linecolor rgb "#009E73" linewidth 1.6 dashtype 2 title "none is better in both", \
     data index 1 using ($2 > 0 ? $3 : NaN):6:4:5 with xerrorbars linecolor rgb "#999999" linewidth 0.8 \
         pointtype 0 notitle, \
     data index 1 using ($2 == 0 ? $3 : NaN):6 with points linecolor rgb paint(0) pointtype mark(0) \
         pointsize 0.55 title "dominated".(beyond > 0 ? sprintf(" (%d farther right)", beyond) : ""), \
     data index 1 using ($2 == 1 ? $3 : NaN):6 with points linecolor rgb paint(1) pointtype mark(1) \
         pointsize 0.9 title "not dominated", \
     data index 1 using ($2 == 2 ? $3 : NaN):6 with points linecolor rgb paint(2) pointtype mark(2) \
         pointsize 0.9 title "tied: not significantly different", \
     data index 1 using ($2 == 3 ? $3 : NaN):6 with points linecolor rgb paint(3) pointtype mark(3) \
         pointsize 1.6 title "recommended"
