#!/bin/bash
# floors.sh [ROOT|--lines] - hold the tree to the rules of docs/ARCHITECTURE.md that a script can see.
#
# The floors are read from the table there, so that the document and the check cannot differ.  Prints
# TAP; tests/floors_selftest.sh plants a violation of each rule and sees it caught.
# RULE=WORDS holds it to the rule of these words alone; --lines prints how many lines each part has, for tests/bounds.tsv.
# shellcheck disable=SC2317  # the rules are called by name, from the table at the end
set -uo pipefail

only_lines=
[ "${1:-}" != --lines ] || { only_lines=1 && shift; }
cd "${1:-$(dirname "$0")/..}" || exit 2

longest_function_lines=60

project_files() {
    find . \( -path ./.git -o -path ./build -o -path ./results \) -prune -o -type f \
        ! -name '*.xz' ! -path ./twbench ! -name '*.svg' ! -name '*.png' ! -name '*.pdf' -print
}

source_files() {
    find src -name '*.[ch]' | sort
}

lab_files() {
    find labs \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' \) | sort
}

# "floor room" for each room of the table, the longest room first so that the first match is it.
rooms() {
    awk -F'|' '/^\| *[0-9]+ *\|/ {
        while (match($3, /`[^`]+`/)) {
            print $2 + 0, substr($3, RSTART + 1, RLENGTH - 2)
            $3 = substr($3, RSTART + RLENGTH)
        }
    }' docs/ARCHITECTURE.md | awk '{ print length($2), $0 }' | sort -rn | cut -d' ' -f2-
}

# "file included" for each include of a file of the project, as paths from the root.  A name is looked
# for beside the file, then under src/.
includes() {
    source_files | xargs grep -Ho '^ *# *include *"[^"]*"' | awk -F'[:"]' '
        NR == FNR { known[$0]; next }
        { beside = $1; sub(/[^\/]*$/, $3, beside); print $1, (beside in known ? beside : "src/" $3) }
    ' <(find src -type f) -
}

every_file_has_a_room() {
    source_files | awk '
        NR == FNR { room[++count] = $2; next }
        { for (i = 1; i <= count; i++) if (index($0, room[i]) == 1) next; print $0 " is in no room of the table" }
    ' <(rooms) -
}

# Down only: to a lower floor, or inside the room.  The header that the build makes counts as floor 1.
includes_go_down() {
    includes | awk '
        function room_of(path, i) {
            if (path == "src/build_info.h") path = "src/harness/base/"
            for (i = 1; i <= count; i++) if (index(path, room[i]) == 1) return i
            return 0
        }
        NR == FNR { floor[++count] = $1; room[count] = $2; next }
        {
            from = room_of($1); to = room_of($2)
            if (from && to && from != to && floor[to] >= floor[from])
                print $1 " includes " $2 ": floor " floor[to] " from floor " floor[from]
        }' <(rooms) -
}

# A .c file and its header are one module, and no module comes back to itself by way of others.
modules_have_no_circles() {
    includes | sed -E 's/\.[ch]( |$)/\1/g' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null |
        awk '
            function say() { if (circle) print circle " includes " first; circle = "" }
            /contains a loop/ { say(); next }
            { if (!circle) first = $2; circle = circle ? circle " includes " $2 : $2 }
            END { say() }'
}

included_files_exist() {
    includes | while read -r file included; do
        [ -e "$included" ] || [[ $included =~ ^src/(build_info\.h|labs\.def)$ ]] ||
            echo "$file includes $included, which is not there"
    done
}

# Tests of the core are of the core too.
core_includes_no_lab() {
    grep -rHnE '# *include *"([^"]*/)?labs/' src tests docs --include='*.[ch]' --include='*.cpp' --include='*.def'
}

# Where a lab is deleted, the core's tests pass.  Those of tests/timing ask whether it is there.
core_tests_call_no_lab() {
    sed -nE 's/^COMMAND\("([a-z ]+)".*/twbench"? \1\\b/p; s/^FLAG\("([a-z]+)", "([a-z-]+)"\).*/\\b\1 .*--\2\\b/p' labs/*/lab.def |
        grep -rHnEf - tests --include='*.bats' --include='*.sh' --exclude-dir=timing
}

# "file lab" for each include of a file below labs/.
includes_of_labs() {
    lab_files | xargs grep -HoE '(# *include|__has_include\() *"labs/[a-z0-9_-]+' | sed -E 's|:.*"labs/| |'
}

# Another lab is included by whoever says so in a line "includes: NAME" of the README.
labs_include_what_they_name() {
    local file lab other
    includes_of_labs | sort -u | while read -r file other; do
        lab=$(cut -d/ -f2 <<<"$file")
        [ "$lab" = "$other" ] || grep -qE "^includes:.*\b$other\b" "labs/$lab/README.md" ||
            echo "$file includes the lab $other, which labs/$lab/README.md does not name"
    done
}

# base/libc.h brings these to whatever includes a header of the harness.
libc_is_named_once() {
    local names
    names=$(sed -n 's/#include <\(.*\)\.h>/\1/p' src/harness/base/libc.h | paste -sd'|')
    { grep -rlE '# *include "harness/' src labs tests --include='*.[ch]'; echo /dev/null; } |
        xargs grep -HnE "# *include <($names)\.h>" | grep -v ^src/harness/base/libc.h
}

# Lines of C, headers and .def below the folders given; of folders of tests all text.
lines_of() {
    find "$@" -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' \) ! -path 'labs/*/tests/*' -exec cat {} + 2>/dev/null | wc -l
}
lines_of_tests() {
    grep -rIc '' "$@" --exclude='*.svg' 2>/dev/null | awk -F: '{ lines += $NF } END { print lines + 0 }'
}
lines_now() {
    local lab designs
    designs=$(lines_of src/impls)
    printf 'core\t%d\n' "$(($(lines_of src) - designs))"
    printf 'designs\t%d\n' "$designs"
    printf 'labs\t%d\n' "$(lines_of labs)"
    printf 'tests\t%d\n' "$(lines_of_tests tests labs/*/tests)"
    for lab in labs/*/; do
        printf '%s\t%d\n' "${lab%/}" "$(lines_of "$lab")"
    done
}

# tests/bounds.tsv has how many lines each part may have.  It goes down when a part does: `tests/floors.sh --lines`.
parts_keep_their_bounds() {
    awk -F'\t' 'NR == FNR { if (!/^#/ && (!($1 in bound) || $2 < bound[$1])) bound[$1] = $2 + 0; next }
        !($1 in bound) { print $1 " has no bound in tests/bounds.tsv"; next }
        $2 > bound[$1] { print $1 " has " $2 " lines; its bound is " bound[$1] }' tests/bounds.tsv - < <(lines_now)
}

# A design knows the C library and its own folder; as a plugin it has nothing else.  Its memory comes from
# malloc, where it is counted; arrays.h alone may say what pages it is to lie on.
designs_stand_alone() {
    includes | awk '$1 ~ /^src\/impls\// && $2 !~ /^src\/impls\// { print $1 " includes " $2 }'
    local standard='assert|ctype|errno|float|inttypes|limits|stdalign|stdbool|stddef|stdint|stdio|stdlib|string'
    grep -Hn '# *include *<' src/impls/*.[ch] | grep -Ev "<($standard)\.h>|^src/impls/arrays.h:[0-9]+:#include <sys/mman.h>$"
    grep -HnE '\b(fopen|f?printf|puts|putchar|perror|exit|abort|_exit|time|clock|clock_gettime|gettimeofday)\(' \
        src/impls/*.[ch]
}

main_includes_only_commands() {
    includes | awk '$1 == "src/main.c" && $2 !~ /^src\/harness\/command\// { print $1 " includes " $2 }'
}

# A renderer sees the document alone, so that an old result can be shown without a run.
reports_see_no_run() {
    includes | awk '$1 ~ /^src\/harness\/tell\/report\// &&
        $2 ~ /^src\/(impls|harness\/(command|measure\/(run|plan|session|designs|workload)|prove))\// { print $1 " includes " $2 }'
}

only_some_rooms_call_designs() {
    source_files | grep -Ev '^src/(impls|harness/(prove|measure/(run|sched)))/' |
        xargs grep -HnE '(->|\.)(open|start|stop|advance|footprint|describe)\(' | grep -v 'stage->open('
}

# Everything a call needs comes in through its arguments: two runs, or two instances, share nothing.  But
# for answer_current, guard_current and lock_current: what asks the C library, and a signal, has no argument to come in
# through.
no_state_is_shared() {
    source_files | xargs grep -HnE '^ *static [^(]*(;|=|\{)' | grep -Ev 'const|inline' |
        grep -v '_Thread_local struct guard \*guard_current;$' | grep -v '^src/harness/base/lock.c:[0-9]*:static struct lock \*volatile lock_current;$'
    source_files | xargs grep -HnE '^[A-Za-z_][A-Za-z0-9_ ]* \**[a-z_0-9]+(\[[^]]*\])*( = .*)?;$' |
        grep -Ev '^[^:]*:[0-9]+:(.*typedef|extern|static|const|(struct|enum|union) [a-z0-9_]+;)' |
        grep -v '_Thread_local struct answer \*answer_current;$'
}

# What is written into a document is UTF-8, and what is read is JSON: both are seen to in one file.
json_has_one_door() {
    source_files | grep -v '^src/harness/base/jsontext.c$' |
        xargs grep -HnE 'cJSON_(Parse[A-Za-z]*|CreateString|AddStringToObject)\('
}

functions_are_short() {
    { source_files; find tests docs labs -name '*.[ch]'; } | xargs awk -v limit="$longest_function_lines" '
        FNR == 1 { start = 0 }
        /^$/ || /^}/ { if (start && /^}/ && FNR - start + 1 > limit)
                           print FILENAME ":" start ": a function of " FNR - start + 1 " lines"
                       signature = 0; if (/^}/) start = 0; next }
        /^[a-zA-Z]/ && !start { if (!signature) signature = FNR }
        /^{/ { start = signature ? signature : FNR }'
}

# In a header a function, a type or a table has a comment above it, beside it or inside it, or stands right below one that
# has.  Static functions and macros are left to their writer; the file's own comment and headings are nobody's.
public_declarations_have_comments() {
    # shellcheck disable=SC2016  # $0 is awk's
    find src -name '*.h' | sort | xargs awk '
        FNR == 1 { comments = covered = inside = in_comment = continued = 0 }
        continued { continued = /\\$/; next }
        in_comment { in_comment = !/\*\//; next }
        !inside && /^\/\*/ { covered = ++comments > 1 && !/^\/\* ----/; in_comment = !/\*\//; next }
        !inside && /^$/ { covered = 0; next }
        /^ *#/ { continued = /\\$/; next }
        !inside { inside = 1; depth = 0; first = $0; start = FNR }
        {
            if (/\/\*/) covered = 1
            gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
            in_comment = sub(/\/\*.*/, "")
            depth += gsub(/[{(]/, "&") - gsub(/[})]/, "&")
            if (depth > 0 || !/[;}] *$/) next
            inside = 0
            if (!covered && first !~ /^(static|inline|extern "C"|namespace|_Static_assert|__attribute__|struct [a-z0-9_]+;)/)
                print FILENAME ":" start ": no comment says what this is for: " first
        }'
}

# "Why these packages" of docs/PACKAGES.md is the one place for reasons, tools/packages.txt for what is installed.
packages_have_reasons() {
    awk -F'|' 'NR == FNR { if (/^\| [a-z]/) { gsub(/,/, " ", $2); n = split($2, names, " "); while (n) named[names[n--]] } next }
        !/^#/ && NF { split($0, word, " "); if (!(word[2] in named)) print word[2] " (" word[1] ") has no reason in docs/PACKAGES.md" }
    ' <(sed -n '/^## Why these packages/,/^## Other processors/p' docs/PACKAGES.md) tools/packages.txt
}

file_names_are_unique() {
    source_files | sed 's|.*/||' | sort | uniq -d | sed 's/$/ is the name of more than one file/'
}

nothing_is_left_undone() {
    project_files | xargs grep -HnE '\b(TO''DO|FIX''ME|XX''X)\b'
}

# The project stands alone: nothing points out of the checkout.
nothing_points_outside() {
    project_files | xargs grep -HnE '\.\./sha''red|/wo''rk/' | grep -v 'https\?://'
}

# No test of `make test` asks how fast, how quiet or how significant: `make test-timing` does, with a control.  Sleeping,
# reading a clock and trying again are how such a question looks; tests/times_excused.tsv has the files that do so for
# another reason, with how many lines at most.  That list goes down only.
tests_ask_no_times() {
    local pattern='(^|[^a-z"])sleep [0-9.$]|(nano|u)sleep\(|time\.sleep|in_some_of [0-9]|given_time [a-z]|until_true "|date \+%s'
    pattern+='|clock_(read_ns|gettime)\(|[^_a-z]clock\(\)|perf_counter|time\.(time|monotonic)\(|isolate_now_ns\('
    pattern+='|\bSECONDS=0|moment_(now|sleep)\(|for (try|attempt|budget) in'
    pattern+='|(_ns|median|p50|p99|max)"\] *<=? *[1-9]|fastest"\]'
    find tests labs/*/tests \( -name '*.bats' -o -name '*.sh' -o -name '*.bash' -o -name '*.py' -o -name '*.c' \) \
        ! -path 'tests/plugins/*' ! -path 'tests/timing/*' ! -path tests/floors.sh | sort | xargs grep -cE "$pattern" |
        awk -F'[\t:]' 'FILENAME != "-" { if (!/^#/) excused[$1] = $2; next }
            $2 > excused[$1] + 0 { print $1 ": " $2 " lines that sleep, read a clock or try again; " excused[$1] + 0 " are excused" }' \
            tests/times_excused.tsv -
}

# Each rule is a function that prints what breaks it, and the sentence it stands for.
rules='every_file_has_a_room            every source file is in a room of the table
includes_go_down                 a room includes only rooms on lower floors
modules_have_no_circles          no module includes itself by way of others
included_files_exist             every included file of the project exists
designs_stand_alone              a design includes libc and its own folder, and never prints, exits or reads a clock
core_includes_no_lab             the core includes nothing of a lab
core_tests_call_no_lab           no test of the core calls a command of a lab, or gives a flag of one
labs_include_what_they_name      a lab includes another lab only if its README says so
libc_is_named_once               headers of the C library that libc.h brings are not named again
parts_keep_their_bounds          every part keeps its bound of lines
main_includes_only_commands      main.c includes only harness/command
reports_see_no_run               a report includes nothing of a run
only_some_rooms_call_designs     only run/, sched/ and prove/ call a design
no_state_is_shared               nothing at file scope can be written
json_has_one_door                JSON is read, and strings for it are made, in one file
functions_are_short              no function is over 60 lines
public_declarations_have_comments every public declaration has a comment
packages_have_reasons            every package has its reason
tests_ask_no_times               no test asks how fast, how quiet or how significant
file_names_are_unique            file names are unique
nothing_is_left_undone           nothing is marked as left undone
nothing_points_outside           nothing points out of the project'

if [ -n "$only_lines" ]; then
    lines_now
    exit
fi
if [ "$(rooms | wc -l)" -lt 2 ]; then
    echo "1..1"
    echo "not ok 1 - docs/ARCHITECTURE.md has a table of floors"
    exit 1
fi

[ -z "${RULE:-}" ] || rules=$(grep -F "$RULE" <<<"$rules")
echo "1..$(wc -l <<<"$rules")"
number=0 failed=0
while read -r rule sentence; do
    number=$((number + 1))
    broken=$($rule)
    if [ -z "$broken" ]; then
        echo "ok $number - $sentence"
    else
        echo "not ok $number - $sentence"
        echo "# ${broken//$'\n'/$'\n# '}"
        failed=1
    fi
done <<<"$rules"
exit $failed
