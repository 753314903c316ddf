#!/bin/bash
# pages.sh - do the figures of README.md and of the pages come from results/reference, and its files from one build?  Prints TAP.
# shellcheck disable=SC2016,SC2317  # text of scripts; functions that check calls
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The commands of labs print some of them.
missing=''
for program in labs/*/program.c; do
    [ -x "build/release/twbench-$(basename "$(dirname "$program")")" ] || missing+=" $(basename "$(dirname "$program")")"
done
if [ -n "$missing" ]; then
    tell 0 "every marked part of a page is what its command prints # skip not built:$missing"
else
    check "every marked part of a page is what its command prints" tools/pages.py --check
    # The lecture shows what `show` and `trace` print.
    if [ -d labs/teach ] && [ -d labs/traces ]; then
        check "the slides are what their source makes, and take 90 minutes" tools/slides.py --check
    fi
fi
check "every table with figures is marked or excused, and no excuse is left over" tools/pages.py --unmarked
check "the files come from the scripts and from one build, or stand in OLD.tsv" tools/reference.sh --check

sed 's/(2 min)/(3 min)/' docs/slides/lecture.md >"$work/long.md"
refused "a lecture of more minutes is refused" "expected 90" tools/slides.py "$work/long.md" "$work/long.html"

# Each planted page has one thing wrong; one call looks at several.
line=$(($(grep -n '^<!-- printed by' README.md | head -n 1 | cut -d: -f1) + 1))
sed 's/^hashed  .*/hashed 1/' README.md >"$work/changed.md"
printf 'It took <!-- figure: echo 7 -->8<!-- end --> ns.\n' >"$work/line.md"
refused "a figure that was changed by hand is found" "changed.md:$line: is not what this prints" tools/pages.py --check "$work/changed.md" "$work/line.md"
has_said 'line.md:1: is not'
tell $? "so is one within a line"
printf '<!-- shown by: echo 7 -->\n' >"$work/page.md"
refused "a marked part without an end is refused" "page.md:2: a marked part has no" tools/pages.py --check "$work/page.md"
printf '<!-- shown by: false -->\n<!-- end -->\n' >"$work/page.md"
refused "a command that fails is no empty table" "status 1 of: false" tools/pages.py "$work/page.md"
printf '| design | ns |\n|---|--:|\n| a | 1.5 |\n| b | 2.5 ns |\n| c | 1,300 |\n' >"$work/table.md"
printf '```text\na 1.5 2.5 3.5\nb 1.5 2.5 3.5\n```\n' >"$work/fence.md"
printf '| key | meaning |\n|---|---|\n| a | the first of 3 |\n| b | more |\n' >"$work/words.md"
printf '<!-- shown by: echo 7 -->\n7\n<!-- end -->\nIt took 7.5 ns.\n' >"$work/text.md"
refused "a table of figures without a mark is found" "table.md:1: a table with figures" \
    tools/pages.py --unmarked "$work/table.md" "$work/fence.md" "$work/words.md" "$work/text.md"
has_said 'fence.md:2: a table with figures' && ! has_said words.md
tell $? "so is one in a fence; a table of words is none"
has_said 'text.md:4: a figure in running text'
tell $? "running text has no figure without a source"
printf 'It is\n1.4 times as fast.\n\n- Seen (commit 0123abcd): 5 ns.\n- A third\n  of 18 %% is less.\n\n`--tail=5us` is a flag.\n' >"$work/ratio.md"
refused "nor a ratio, also of a point of a list" "ratio.md:1: a figure in running text" tools/pages.py --unmarked "$work/ratio.md"
has_said 'ratio.md:5: a figure' && ! has_said 'ratio.md:4:' && ! has_said 'ratio.md:8:'
tell $? "one with a commit has a source, and a flag is no figure"
# What is excused are settings, rules and exercises.  This number only goes down.
[ "$(grep -vc '^#' tests/pages_texts.tsv)" -le 70 ]
tell $? "no more paragraphs are excused than were"

# `b` is 3 times as slow as the best among 1e5, `c` 6 times: a million without `b` has no best, and none of c is missed.
python3 - "$work" <<'PLANT'
import json, sys
def cell(design, tasks, ns):
    return {"impl": design, "workload": "P4", "tasks": tasks, "status": "ok", "params": {}, "harness_ns_per_op": 0,
            "traits": {"late_ticks": 0, "late_shift": 0}, "phases": [{"name": "steady", "cpu_ns_per_op": ns}]}
least = [cell("fast", 100000, 4), cell("a", 100000, 2), cell("b", 100000, 6), cell("c", 100000, 12),
         cell("fast", 1000000, 4), cell("a", 1000000, 8)]
json.dump({"cells": least}, open(sys.argv[1] + "/less.json", "w"))
json.dump({"cells": least + [dict(cell("b", 1000000, 6), status="timeout")]}, open(sys.argv[1] + "/more.json", "w"))
PLANT
for name in less more; do tools/standing.py "$work/$name.json" --ratios >"$work/$name"; done
grep -qx '| P4 steady | 0.50 (a) | not known: 1 not run |' "$work/less" && grep -qx '| P4 steady | 0.50 (a) | 2.00 (a) |' "$work/more"
tell $? "the best is known only where all designs ran that were near it at the size before"

# Another advice is another row of README.
jq '.advice.recommendation.candidate = "hashed slots=512"' results/reference/advise.json >"$work/advise.json"
tools/tables.py choice "$work/advise.json" results/reference/points.json >"$work/choice"
grep -q 'nginx traffic.* | `hashed`' "$work/choice"
tell $? "the choice without measuring is what the advice says"

# heap wins back to back and is clearly slower behind 32 KiB, where hashed overlaps fast; 1 MiB hides one of them.
python3 - "$work" <<'PLANT'
import json, sys
def cell(design, way, ns, step):
    samples = [ns + step * i for i in range(7)]
    return {"impl": design, "workload": "P1", "tasks": 1000, "status": "ok", "params": {"between": way},
            "phases": [{"name": name, "corrected": {"ns_per_op": {"samples": samples}}} for name in ("start", "stop")]}
json.dump({"cells": [cell("heap", "none", 1, 0.01), cell("fast", "none", 2, 0.01), cell("heap", "32KiB", 30, 0.1), cell("fast", "32KiB", 10, 0.1),
                     cell("hashed", "32KiB", 10.5, 0.1), cell("heap", "1MiB", 40, 0.1), cell("fast", "1MiB", -1, 5)]},
          open(sys.argv[1] + "/between.json", "w"))
PLANT
tools/tables.py between "$work/between.json" >"$work/between"
grep -qx '| 1e3 | `heap` | \*\*2.06\*\* |  | 60.6 | 80.6 |' "$work/between" && grep -qx '| 1e3 | `fast` | 4.06 |  | \*\*20.6\*\* | unclear |' "$work/between" &&
    grep -qx '| 1e3 | `hashed` |  |  | \*\*21.6\*\* |  |' "$work/between"
tell $? "the best behind other work are the least and what overlaps it" "$(cat "$work/between")"
tools/tables.py choice results/reference/advise.json results/reference/points.json "$work/between.json" >"$work/choice"
grep -q '^| 1e3 timeouts.*behind 32 KiB of other work | `fast` or `hashed`; back to back `heap` | 20.6 ns' "$work/choice"
tell $? "the choice says where the order changes"

named() {
    local file bad=0 pictures
    for pictures in docs/pictures labs/*/docs/pictures; do
        [ -d "$pictures" ] || continue
        while read -r file; do
            grep -q "pictures/$file" README.md docs/*.md labs/*/docs/*.md || { echo "$pictures/$file: no page shows it"; bad=1; }
        done < <(cd "$pictures" && find . -name '*.svg' | cut -c3-)
    done
    return "$bad"
}
check "every picture is shown by a page" named

echo "1..$number"
exit "$failed"
