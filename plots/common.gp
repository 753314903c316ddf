# common.gp - what all pictures share: output, colours, points, and the reading of a data file's head.
#
# Loaded by the other scripts after they have set
#
#     data     the data file (see src/harness/tell/report/plot.h for its form)
#     out      name of the picture: .svg, .png or .pdf; empty: text on the terminal
#     wide     width of the picture in inches, high: its height
#     times    1 if the y axis has nanoseconds, whose labels then have units of their own; else unset
#
# It leaves title, machine, blocks and series from the head of the data file, `draws_text`, and the
# function style(name, i) that gives a series its line style: a design always the same, others by their
# number.

set datafile separator "\t"
set datafile missing "?"
set encoding utf8

# ---- The terminal.

draws_text = out eq ""
kind = draws_text ? "" : out[strlen(out)-2:strlen(out)]
font = "DejaVu Sans"
if (draws_text) {
    # The caller says how wide the terminal is.
    set terminal dumb size int(system("echo ${COLUMNS:-80}")), 30
} else { if (kind eq "svg") {
    set terminal svg size 96*wide, 96*high enhanced font font.",13" background "white" linewidth 1.2
} else { if (kind eq "png") {
    set terminal pngcairo size 160*wide, 160*high enhanced font font.",10" fontscale 1.6 linewidth 2
} else { if (kind eq "pdf") {
    set terminal pdfcairo size wide*1in, high*1in enhanced font font.",10" linewidth 1.3
} else {
    print "the picture's name must end in svg, png or pdf: ", out
    exit status 2
}}}}
if (!draws_text) { set output out }

# ---- The head of the data file: one "key<TAB>text" a line.

title = ""; machine = ""; blocks = 0; series = 0
stats data index 0 every ::0::0 using (title = strcol(2), 0) nooutput
stats data index 0 every ::1::1 using (machine = strcol(2), 0) nooutput
stats data index 0 every ::2::2 using (blocks = int(strcol(2)), 0) nooutput
stats data index 0 every ::3::3 using (series = int(strcol(2)), 0) nooutput
note = "" # what is not in the picture, and why
stats data index 0 using (strcol(1) eq "note" ? (note = strcol(2), 0) : 0) nooutput

# Names are data, not markup: what would be read as sub- or superscript is escaped.
plain(text) = draws_text ? text : plain_from(text, 1)
plain_from(text, i) = i > strlen(text) ? "" : \
    (strstrt("_^@&~{}", text[i:i]) ? "\\" : "").text[i:i].plain_from(text, i + 1)

# ---- Colours of Okabe and Ito (2008), which colour-blind readers can tell apart; yellow is left
# out, because it is lost on white.  A design has the same line in every picture: the five of the
# textbook a colour each with filled points, the others a colour that those beside whom they are mostly
# seen have not, with another dash and point; libraries are dotted.

colour = "#E69F00 #56B4E9 #009E73 #CC79A7 #0072B2 #D55E00 #000000"
# The terminals have five dashes.
set dashtype 6 (14, 3, 2, 3, 2, 3)
known = ""; colours = ""
do for [design in "list:1:1:5 heap:2:1:7 hashed:3:1:9 round:4:1:11 hier:5:1:13 scan:7:1:3 simple:3:4:15 \
sorted-wheel:2:2:8 ring:5:2:6 multi:1:2:4 round-mod:1:4:10 heap-scan:6:2:6 heap-lazy:7:2:10 heap4:4:4:4 \
hier-preheat:6:4:12 hier-queue:7:4:14 hier-bitmap:3:2:12 linux:4:2:14 callwheel:5:4:6 linux26:2:4:6 cffs:3:5:10 lawn:1:5:12 todo:2:5:14 rbtree:4:5:7 delta:7:5:9 calendar:2:6:11 two-lists:5:6:13 timer-set:6:6:15 coalesce:3:6:8 slack-wheel:1:6:10 fast:6:1:3 \
libev:1:3:4 libuv:2:3:6 libevent:3:3:8 glib:4:3:10 sd-event:5:3:12 asio:6:3:14 dpdk:7:3:2 timerfd:6:5:5 posix-timer:5:5:9"] {
    i = words(known) + 1
    parts = ""
    do for [c = 1:strlen(design)] { parts = parts.(design[c:c] eq ":" ? " " : design[c:c]) }
    known = known.(i > 1 ? " " : "").word(parts, 1)
    colours = colours.word(colour, int(word(parts, 2)))." "
    set style line i linecolor rgb word(colour, int(word(parts, 2))) linewidth 2 pointsize 0.9 \
        dashtype int(word(parts, 3)) pointtype int(word(parts, 4))
}
# A design with its settings, or one that is not known here: by its number.
do for [i = 1:42] {
    set style line 100 + i linecolor rgb word(colour, (i - 1) % 7 + 1) linewidth 2 pointsize 0.9 \
        dashtype 1 + (i - 1) / 7 pointtype 0 + word("5 7 9 11 13 4 6 8 10 12 14 1 2 3", (i - 1) % 14 + 1)
}
# Runners, and originals behind them: a colour and a point each; those behind the seventh have dashes.
runners = "locked sharded per-thread tick-queue delay-queue pool one-thread bucket-locks netty jdk-timer jdk-pool go mpsc-heap"
do for [i = 1:words(runners)] {
    set style line 200 + i linecolor rgb word(colour, (i - 1) % 7 + 1) linewidth 2 pointsize 0.9 \
        dashtype 1 + (i - 1) / 7 pointtype 0 + word("7 5 9 11 13 15 4 6 8 10 12 14 3", i)
}
runner(name) = (sum [k = 1:words(runners)] (word(runners, k) eq name ? k : 0))
# Stores: a colour and a point each; null and memory, which survive nothing, are grey.
stores = "wheel-log redis-wheel redis-zset sqlite lmdb rocksdb postgres"
do for [i = 1:words(stores)] {
    set style line 300 + i linecolor rgb word("#D55E00 #E69F00 #CC79A7 #0072B2 #56B4E9 #009E73 #000000", i) linewidth 2 \
        pointsize 0.9 dashtype 1 pointtype 0 + word("7 5 9 11 13 15 4", i)
}
store(name) = (sum [k = 1:words(stores)] (word(stores, k) eq name ? k : 0))
# What is no design: six ways of doing, a prediction, the harness.
do for [i = 1:6] {
    set style line 80 + i linecolor rgb word(colour, (8 - i) % 7 + 1) linewidth 2 pointsize 0.9 \
        dashtype i pointtype 0 + word("7 5 9 13 11 6", i)
}
set style line 98 linecolor rgb "#bbbbbb" linewidth 9 dashtype 1 pointtype 0
set style line 99 linecolor rgb "#888888" linewidth 1.5 dashtype 3 pointtype 2 pointsize 0.7

position(name) = (sum [k = 1:words(known)] (word(known, k) eq name ? k : 0))
plain_design(name) = strstrt(name, " (real clock)") ? name[1:strstrt(name, " (real clock)") - 1] : name
style(name, i) = strstrt(name, "(harness)") ? 99 : runner(name) ? 200 + runner(name) : store(name) ? 300 + store(name) : position(plain_design(name)) ? position(plain_design(name)) : 100 + (i + 5 - 1) % 42 + 1

set border 3 linecolor rgb "#444444"
set tics nomirror textcolor rgb "#222222"
set grid xtics ytics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
set tics scale 0.7, 0.35

# Numbers as people read them: 0.5, 10, 5k, 1M; nanoseconds as 200 ns, 5 µs, 10 ms.
label(value) = value < 1 ? gprintf("%g", value) : gprintf("%.0s%c", value)
duration(ns) = ns < 1e3 ? sprintf("%g ns", ns) : ns < 1e6 ? sprintf("%g µs", ns / 1e3) : \
    ns < 1e9 ? sprintf("%g ms", ns / 1e6) : sprintf("%g s", ns / 1e9)
if (!exists("times")) { times = 0 }
tick_label(value) = times ? duration(value) : label(value)
figure(value) = value == 0 ? "0" : value >= 99999.5 ? gprintf("%.1s%c", value) : \
    gprintf(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value)

# A time of three digits: 51.5 ms.
spoken(ns) = ns < 999.5 ? sprintf("%.3g ns", ns) : ns < 999.5e3 ? sprintf("%.3g µs", ns / 1e3) : \
    ns < 999.5e6 ? sprintf("%.3g ms", ns / 1e6) : sprintf("%.3g s", ns / 1e9)

# The name over a picture, with the machine and the note below it in smaller letters, in as many lines as they need.  Of a
# name that is wider than the picture, what stands behind "on the real clock" goes there too.
tail_at(text) = strlen(text) * 0.1 > wide - 0.4 ? strstrt(text, ", on the real clock") : 0
small(text) = (tail_at(text) ? text[tail_at(text) + 2:].".  " : "").machine.(note eq "" ? "" : ".  ".note)
break_at(text, i) = i < 1 ? 0 : text[i:i + 1] eq "; " ? i : break_at(text, i - 1)
line_end(text) = strlen(text) * 0.075 > wide - 0.4 ? break_at(text, int((wide - 0.4) / 0.075)) : 0
folded(text) = "\n{/*0.75 ".plain(line_end(text) ? text[1:line_end(text)] : text)."}". \
    (line_end(text) ? folded(text[line_end(text) + 2:]) : "")
headline(text) = plain(tail_at(text) ? text[1:tail_at(text) - 1] : text).folded(small(text))
