# claim_lines.gp - the series a .. z of panel p as points with their intervals, and lines or curves.
#
# Lines that lie on each other are drawn one in the other, the first the widest, so that all are seen.

covers(s) = (sum [t = s + 1:z] (abs(mean[s] - mean[t]) <= 0.04 * abs(mean[t]) && look[t] ne "#0" ? 1 : 0))
wide_of(s) = look[s] eq "#0" ? 9 : s == z ? 2 : 2 + 2.6 * covers(s)
size_of(s) = s == z ? 0.9 : 0.9 + 0.35 * covers(s)
plot for [s = a:z] data index block(s) + 1 \
         using 1:(look[s] eq "#0" ? shown($2) : NaN) with lines linestyle 98 notitle, \
     for [s = a:z] data index block(s) + 1 \
         using 1:(look[s] eq "#0" ? NaN : shown($2)) with lines linestyle look_of(look[s], s) linewidth wide_of(s) notitle, \
     for [s = a:z] data index block(s) every ::1 \
         using 1:($4 > $3 ? shown($2) : NaN):(shown($3)):(shown($4)) with yerrorbars linestyle look_of(look[s], s) dashtype 1 notitle, \
     for [s = a:z] data index block(s) every (is_shares ? 1000 : 1)::1 \
         using 1:(shown($2)) with points linestyle look_of(look[s], s) pointsize size_of(s) notitle, \
     for [s = a:z] NaN with linespoints linestyle look_of(look[s], s) title plain(name[s])
