# ends.gp - the names at the right ends of the lines of panel p, no two on one line (panels.gp, latency.gp).

unset label
unset arrow
array at[series]
array order[series]
found = 0
do for [s = 1:series] {
    end = last_y[(p - 1) * series + s]
    if (named[s] && end > 0) {
        at[s] = log(end * 1.6 / least) / log(most * 1.6 * 1.6 / least)
        found = found + 1
        order[found] = s
    }
}
# By height; there are few.
do for [i = 2:found] {
    do for [k = 1:i - 1] {
        j = i - k
        if (at[order[j]] > at[order[j + 1]]) { swap = order[j]; order[j] = order[j + 1]; order[j + 1] = swap }
    }
}
array height[series]
room = 0.058
do for [i = 1:found] {
    height[i] = at[order[i]]
    if (i > 1 && height[i] < height[i - 1] + room) { height[i] = height[i - 1] + room }
}
if (found > 0 && height[found] > 1) { height[found] = 1 }
do for [k = 1:found - 1] {
    i = found - k
    if (height[i] > height[i + 1] - room) { height[i] = height[i + 1] - room }
}
do for [i = 1:found] {
    s = order[i]
    set arrow 200 + i from first last, graph at[s] to graph 1.03, graph height[i] nohead \
        linecolor rgb "#b0b0b0" linewidth 0.7 back
    set label 200 + i plain(name[s]) at graph 1.04, graph height[i] left font ",11" \
        textcolor linestyle style(name[s], s)
}
