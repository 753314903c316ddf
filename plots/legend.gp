# legend.gp - the legend in a strip of its own along the lower edge of a multiplot.
#
# Loaded as the last plot of a multiplot; expects name[], series, and strip: the height of the strip
# as a share of the picture.

unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid; unset logscale
set lmargin at screen 0.02
set rmargin at screen 0.98
set bmargin at screen 0.1 * strip
set tmargin at screen 0.9 * strip
set xrange [0:1]
set yrange [0:1]
set key inside center center horizontal Left reverse samplen 2.5 width 1.5 textcolor rgb "#222222"
plot for [s = 1:series] NaN with linespoints linestyle style(name[s], s) title plain(name[s])
