# claim_bars.gp - the first point of each of the series a .. z of panel p as a bar, with its value; on a logarithmic axis, which has no 0 for a bar to
# stand on, as a point.

set xrange [0.4 : z - a + 1.6]
set xtics ("" 1) scale 0
set style fill solid 0.85 border linecolor rgb "#555555"
set boxwidth 0.6
unset grid
set grid ytics linecolor rgb "#cccccc" linewidth 0.7 dashtype 1
# "hier, each tick" on two lines.
comma(text) = strstrt(text, ", ")
folded(text) = comma(text) ? plain(text[1:comma(text) - 1])."\n".plain(text[comma(text) + 2:]) : plain(text)
do for [s = a:z] { set xtics add (folded(name[s]) s - a + 1) }
plot for [s = a:z] data index block(s) every ::1::1 \
         using (s - a + 1):(yscale[p] eq "log" ? NaN : $2) with boxes linecolor rgb colour_of(look[s], s) notitle, \
     for [s = a:z] data index block(s) every ::1::1 \
         using (s - a + 1):(yscale[p] eq "log" ? shown($2) : NaN) with points pointtype 7 pointsize 1.6 \
         linecolor rgb colour_of(look[s], s) notitle, \
     for [s = a:z] data index block(s) every ::1::1 \
         using (s - a + 1):($4 > $3 ? $3 : NaN):(0):($4 - $3) with vectors nohead linecolor rgb "#222222" linewidth 2 notitle, \
     for [s = a:z] data index block(s) every ::1::1 \
         using (s - a + 1):(shown($4)):(exactly($2)) with labels offset 0, 0.7 font ",11" textcolor rgb "#222222" notitle
