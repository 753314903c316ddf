# greys.gp - in the strip along the lower edge: the names of the grey lines (panels.gp, latency.gp).

unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid; unset logscale; unset key
set lmargin at screen 0.02
set rmargin at screen 0.98
set bmargin at screen 0.1 * strip
set tmargin at screen 0.9 * strip
set xrange [0:1]
set yrange [0:1]
grey = ""
do for [s = 1:series] { if (!named[s]) { grey = grey.(grey eq "" ? "" : ", ").name[s] } }
space(text, i) = i < 2 ? strlen(text) : text[i:i] eq " " ? i : space(text, i - 1)
fold(text, width) = strlen(text) <= width ? plain(text) : \
    plain(text[1:space(text, width) - 1])."\n".fold(text[space(text, width) + 1:], width)
if (grey ne "") { set label 1 fold("Grey, not among the three least at the right end: ".grey, int(wide * 12)) at graph 0.5, graph 0.7 \
    center font ",11" textcolor rgb "#555555" }
plot NaN notitle
