#!/bin/bash
# floors_selftest.sh - can floors.sh fail?  Plants violations of each rule, one at a time, in a copy of
# the tree, and expects that rule to be reported (and not to have been broken before).  Prints TAP.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# Sentence of the rule, the file to plant in, and the text appended to it ("\n" is a new line).  Words
# that no file of the project may contain, this one included, are put together here.
undone=TO; undone+=DO
outside=../sha; outside+=red
tall_body=$(printf '    ;\\n%.0s' {1..60})
plants=$(cat <<END
every source file is in a room of the table|src/attic/old.c|int old;
a room includes only rooms on lower floors|src/harness/base/diag.c|#include "harness/measure/plan/plan.h"
a room includes only rooms on lower floors|src/harness/prove/conform.h|#include "harness/measure/run/outcome.h"
no module includes itself by way of others|src/harness/tell/result/cell.h|#include "harness/tell/result/document.h"
no module includes itself by way of others|src/harness/base/diag.h|#include "harness/base/units.h"
every included file of the project exists|src/harness/base/diag.c|#include "harness/base/nowhere.h"
a design includes libc and its own folder, and never prints, exits or reads a clock|src/impls/null.c|#include <time.h>
a design includes libc and its own folder, and never prints, exits or reads a clock|src/impls/null.c|static void shout(void) { printf("now"); }
the core includes nothing of a lab|src/harness/base/diag.c|#include "labs/fleet/fleet.h"
the core includes nothing of a lab|tests/unit/programs.h|#include "labs/fleet/fleet.h"
a lab includes another lab only if its README says so|labs/fleet/fleet.h|#include "labs/live/live.h"
headers of the C library that libc.h brings are not named again|labs/fleet/series.c|#include <stdio.h>
every part keeps its bound of lines|tests/bounds.tsv|designs\t1000
every part keeps its bound of lines|labs/attic/old.c|int old;
main.c includes only harness/command|src/main.c|#include "harness/base/diag.h"
a report includes nothing of a run|src/harness/tell/report/view.h|#include "harness/measure/run/outcome.h"
only run/, sched/ and prove/ call a design|src/harness/base/diag.c|static int go(struct x *x) { return x->advance(x, 1); }
nothing at file scope can be written|src/harness/base/diag.c|static unsigned calls;
nothing at file scope can be written|src/harness/base/diag.c|struct diag last[4];
nothing at file scope can be written|src/harness/base/diag.c|int next(void) {\n    static int n = 0;\n    return n++;\n}
no function is over 60 lines|src/harness/base/diag.c|static void tall(void)\n{\n$tall_body}
JSON is read, and strings for it are made, in one file|src/harness/tell/result/cell.c|static cJSON *planted(void)\n{\n    return cJSON_Parse("{}");\n}
every public declaration has a comment|src/harness/base/diag.h|int planted_function(struct diag *diag,\n                     const char *text);
every public declaration has a comment|src/harness/base/diag.h|struct planted_type {\n    int count;\n};
every package has its reason|tools/packages.txt|test       cowsay                announces the results
no test of the core calls a command of a lab, or gives a flag of one|tests/cli/report.bats|    run --run\x6eer=locked
no test asks how fast, how quiet or how significant|tests/cli/report.bats|    sl\x65ep 1
file names are unique|src/impls/diag.h|
nothing is marked as left undone|docs/ARCHITECTURE.md|$undone: say more
nothing points out of the project|docs/ARCHITECTURE.md|see $outside/notes
END
)

reported() {
    "$root/tests/floors.sh" "$1" | grep '^not ok' | sed 's/^not ok [0-9]* - //'
}

echo "1..$(wc -l <<<"$plants")"
number=0 failed=0
before=$(reported "$root")
while IFS='|' read -r sentence file text; do
    number=$((number + 1))
    rm -rf "$copy/tree"
    mkdir "$copy/tree"
    cp -r "$root/src" "$root/docs" "$root/labs" "$root/tests" "$root/tools" "$copy/tree"
    mkdir -p "$(dirname "$copy/tree/$file")"
    printf '%b\n' "$text" >>"$copy/tree/$file"
    caught=$(RULE=$sentence reported "$copy/tree")
    if grep -qxF "$sentence" <<<"$caught" && ! grep -qxF "$sentence" <<<"$before"; then
        echo "ok $number - planted in $file: $sentence"
    else
        echo "not ok $number - planted in $file: $sentence"
        echo "# reported was: ${caught:-nothing}"
        failed=1
    fi
done <<<"$plants"
exit $failed
