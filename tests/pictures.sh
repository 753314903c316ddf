#!/bin/bash
# pictures.sh - pictures say what they show: lines that differ, units on the axes, what is missing, and
# SVG that a second program reads.  Prints TAP.
# shellcheck disable=SC2317  # functions that check calls
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

twbench=${TWBENCH:-./twbench}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

. tests/tap.bash

# A sweep of an older build, in which `list` timed out twice; and one with twelve designs more.
xzcat tests/results/standard.json.xz >"$work/standard.json"
xzcat tests/results/nginx.json.xz >"$work/nginx.json"
python3 - "$work/standard.json" "$work/crowd.json" <<'PYTHON'
import copy, json, sys
document = json.load(open(sys.argv[1]))
others = "scan simple sorted-wheel ring multi round-mod heap-scan heap-lazy heap4 hier-queue linux fast".split()
for cell in [cell for cell in document["cells"] if cell["impl"] == "hier"]:
    for place, name in enumerate(others):
        twin = copy.deepcopy(cell)
        twin["impl"] = name
        twin["identity"] = twin["identity"].replace("hier", name, 1)
        for phase in twin["phases"]:
            times = phase["ns_per_op"]
            for key in ("median", "low", "high"):
                times[key] *= 1.1 + place / 10
            times["samples"] = [sample * (1.1 + place / 10) for sample in times["samples"]]
        document["cells"].append(twin)
json.dump(document, open(sys.argv[2], "w"))
PYTHON

draw() { "$twbench" plot "$1" --plots="$work/$2" >/dev/null; }
is_drawn() { draw "$work/standard.json" few && draw "$work/crowd.json" crowd && draw "$work/nginx.json" bars; }
check "the pictures are drawn" is_drawn

# shellcheck disable=SC2016  # awk's
differ() {
    sed -n '/do for \[design in/,/{$/p' plots/common.gp | grep -oE '[a-z0-9-]+:[1-7]:[0-9]+:[0-9]+' |
        awk -F: 'seen[$2 ":" $3]++ { print $1 " has the colour and dashes of another line"; bad = 1 } END { exit bad || NR < 25 }'
}
check "no two designs have the same colour and dashes" differ

listed() { comm -23 <("$twbench" list --json=- | python3 -c 'import json,sys; [print(d["name"]) for d in json.load(sys.stdin)["designs"] if d["name"] != "null"]' | sort) \
    <(grep -oE '[a-z0-9-]+:[1-7]:[0-9]+:[0-9]+' plots/common.gp | cut -d: -f1 | sort) | { ! grep .; }; }
check "every design has a line of its own" listed

says() { grep -q -- "$2" "$work/$1" || { echo "$1 lacks '$2'"; return 1; }; }
lacks() { ! grep -n -- "$2" "$work/$1"; }
check "what timed out is named, with its sizes" says few/cost-standard.svg 'Not shown: list (timeout at 100k, 1M)'
check "times have their units on the axis" says few/cost-standard.svg '>1 µs<'
check "no axis counts millions of nanoseconds" lacks few/latency-standard.svg '>[0-9]*[kM]<'
check "equal points that stand side by side are explained" says few/memory-standard.svg 'equal values stand side by side'
check "a crowded picture names its lines at their ends" says crowd/cost-standard.svg '>hashed<'
check "and says which are grey" says crowd/cost-standard.svg 'Grey, not among the three least'
# A bar is a filled polygon; the first panel of this one has a logarithmic axis.
check "a logarithmic axis says so" says bars/bars-nginx.svg 'time, logarithmic axis'


# A bar on a logarithmic axis has no foot to stand on.
barless() { ! grep -n 'boxxyerror\|with boxes' plots/libraries.gp; }
check "designs and libraries are points on their logarithmic axis" barless
# L3 of this machine has room for more timers than were measured: its line would stand between the panels.
caches() {
    PICTURES=$work/scale tools/scale_pictures.sh results/reference/points.json && says scale/scale.svg '16 bytes fill L2)<' &&
        [ "$(grep -o 'stroke-dasharray' "$work/scale/scale.svg" | wc -l)" -gt 0 ]
}
mkdir "$work/scale"
check "a cache that the most timers do not fill has no line" caches

readable() {
    local file
    for file in $(find docs labs -name "*.svg") "$work"/*/*.svg; do
        rsvg-convert -w 300 "$file" -o "$work/picture.png" || { echo "$file"; return 1; }
    done
}
check "librsvg reads every picture" readable

named() { ! grep -rlE --include='*.svg' '<title>(data |gnuplot_plot_)' docs labs "$work"; }
check "no part of a picture has a title that only gnuplot understands" named

# gnuplot writes the fill of a bar as fill = 'rgb(...)'; that of scan is black.
sed 's/\blist\b/scan/g' "$work/nginx.json" >"$work/scan.json"
inked() { "$twbench" report "$work/scan.json" -o - | { ! grep -E "fill *= *.(black|rgb\( *0, *0, *0\))"; }; }
check "a black bar of a page takes the page's ink" inked

narrow() {
    python3 - "$twbench" "$work" <<'PYTHON'
import os, pty, subprocess, sys
leader, follower = pty.openpty()
child = subprocess.Popen([sys.argv[1], "plot", f"{sys.argv[2]}/nginx.json", "--plot-format=dumb", f"--plots={sys.argv[2]}/dumb"],
                         stdout=follower, env={**os.environ, "COLUMNS": "60", "TERM": "dumb"})
os.close(follower)
text = b""
try:
    while piece := os.read(leader, 65536):
        text += piece
except OSError:
    pass
child.wait()
lines = text.decode().replace("\r", "").replace("\f", "").split("\n")
assert child.returncode == 0 and len(lines) > 20, text
assert max(map(len, lines)) <= 60, max(lines, key=len)
PYTHON
}
check "a picture of text keeps to the columns of the terminal" narrow
echo "1..$number"
exit "$failed"
