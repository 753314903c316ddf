# named.gp - which series of a crowded picture have a colour and a name at the end of their lines.
#
# Loaded by panels.gp and latency.gp with name[], series, panels, crowded, and last_y[(p - 1) * series + s]: the value at
# the right end of the line, NaN if it ends before.  Leaves named[s].

array named[series]
do for [s = 1:series] {
    named[s] = !crowded || strstrt(name[s], "(harness)") || (position(name[s]) > 0 && position(name[s]) <= 5)
}
if (crowded) {
    do for [p = 1:panels] {
        # The three least; the one before excludes itself by its value.
        above = 0
        do for [place = 1:3] {
            best = 1e300
            do for [s = 1:series] {
                end = last_y[(p - 1) * series + s]
                if (end > above && end < best && !strstrt(name[s], "(harness)")) { best = end }
            }
            do for [s = 1:series] { if (last_y[(p - 1) * series + s] == best) { named[s] = 1 } }
            above = best
        }
    }
}
