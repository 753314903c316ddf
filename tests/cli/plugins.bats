# plugins.bats - designs from shared objects: loading, proving, running; and wrong ones of every kind.

load support.bash

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    # Only what is there is installed: a test builds nothing of the program.
    make -s -C "$root" -o core install-core DESTDIR="$BATS_FILE_TMPDIR" >&2
    export prefix=$BATS_FILE_TMPDIR/usr/local
    export PATH=$prefix/bin:$PATH
}

# build NAME SOURCE [FLAG...] - ./NAME.so from the source, with the installed header alone.
build() {
    local name=$1 source=$2
    shift 2
    "${CC_PLUGIN:-gcc}" -O1 -shared -fPIC -I "$prefix/include/twbench" -I "$root/tests/plugins" -o "$name.so" "$source" "$@"
}

# plugin NAME - the wrong plugin of tests/plugins.
plugin() {
    build "$1" "$root/tests/plugins/$1.c" "${@:2}"
}

# proved NAME - conform's answer on the plugin, and the operations it prints in ./list.
proved() {
    run "$twbench" conform --plugin="./$1.so" --operations="${operations:-1e4}"
    sed -n '/^capacity/,/^$/p' <<<"$output" >list
}

# named NAME... - each is called what its source says in its first lines, and the operations that are printed
# show the same rule when they are run again.
named() {
    local name source rule found
    for name in "$@"; do
        source=$root/tests/plugins/$name
        if [ -e "$source.patch" ]; then
            source+=.patch
            mkdir -p tree/docs && cp -r "$root/docs/plugins" tree/docs
            patch -s -d tree -p1 <"$source"
            build "$name" tree/docs/plugins/wheel.c
        else
            source+=.c
            plugin "$name"
        fi
        rule=$(sed -n '1s|^\(// \)\?Rule: ||p' "$source")
        found=$(sed -n '2s|^\(// \)\?Found: ||p' "$source")
        proved "$name"
        echo "$name: status $status; expected '$rule' and '$found' of"
        echo "$output"
        [ "$status" -eq 1 ]
        [ "$(sed -n '1s/^[^:]*: BROKEN: //p' <<<"$output")" = "$rule" ]
        [[ $output == *"$found"* ]]
        [ -s list ] || continue
        run "$twbench" conform --plugin="./$name.so" --operations-file=list
        echo "again: $output"
        [ "$status" -eq 1 ]
        [ "$(sed -n '1s/^[^:]*: BROKEN: //p' <<<"$output")" = "$rule" ]
    done
}

# The output of a command of the document, without its figures.
figures_masked() {
    sed -E 's/\([0-9]+ operations, [0-9.]+ s\)/(N operations, T s)/; /^$/d
        /^  not covered: /d; /^  (timers fired|[0-9]+ starts)/s/[0-9]+/N/g'
}

@test "the commands of docs/PLUGINS.md, with the output that stands there" {
    deep

    awk '/^```sh run$/ { block++; kind = "sh"; next } /^```sh$/ { kind = "other"; next }
         /^```$/ { if (kind) { kind = "" } else { kind = "out" } next }
         kind == "sh" { print > "block" block ".sh" }
         kind == "out" { print > "block" block ".out" }' "$root/docs/PLUGINS.md"
    [ -s block6.out ]
    for number in 1 2 3 4 5 6; do
        echo "block $number"
        run --separate-stderr bash -e "block$number.sh"
        echo "$output $stderr"
        [ "$status" -eq 0 ]
        [ ! -e "block$number.out" ] || [ "$number" -eq 6 ] ||
            diff <(figures_masked <<<"$output") <(figures_masked <"block$number.out")
    done
    diff <(figures_masked <<<"$output") <(head -n 1 block6.out | figures_masked)
}

@test "the wheel to copy holds the contract, tick by tick and from next to next" {
    deep
    build wheel "$prefix/share/twbench/plugins/wheel.c" -Wall -Wextra -Wpedantic -Werror
    "$twbench" conform --plugin=./wheel.so --operations=1e5
    quick --plugin=./wheel.so --drive=ticks,next --workload=standard,hold --json=out.json
    [ "$(json out.json '{c["status"] for c in d["cells"]}')" = "{'ok'}" ]
    [ "$(json out.json 'd["cells"][0]["impl"]')" = wheel ]
}

@test "plugins agree with the oracle on recorded traffic, beside designs of the program" {
    deep
    build wheel "$prefix/share/twbench/plugins/wheel.c"
    g++ -O2 -Wall -Wextra -Wpedantic -Werror -shared -fPIC -I "$prefix/include/twbench" -o pq.so \
        "$prefix/share/twbench/plugins/priority_queue.cpp"
    "$twbench" replay nginx --impl=heap --plugin=./wheel.so --plugin=./pq.so --runs=1 --warmup=0 \
        --min-time=0ns --progress=never --json=out.json
    [ "$(json out.json '[c["impl"] + " " + c["status"] for c in d["cells"]]')" = \
        "['heap ok', 'wheel ok', 'priority-queue ok']" ]
}

@test "--impl takes the name of a plugin, before or behind it; run calls its batches" {
    gcc -O1 -w -shared -fPIC @"$root/tests/faults/wrapped.hooks" -I "$root/src/impls" -DINNER=tw_heap_timed '-DBASE_FILE="heap.c"' '-DMANY=if (i >= 64) continue' \
        -o wrapped.so "$root/tests/faults/wrapped.c"
    quick --impl=wrapped,list --plugin=./wrapped.so --huge-pages=off --json=out.json
    [ "$(json out.json '[c["impl"] + " " + c["status"] for c in d["cells"]]')" = "['list ok', 'wrapped ok']" ]
    run quick --plugin=./wrapped.so --impl=list,wraped
    [ "$status" -eq 2 ] && [[ $output == *"--impl: no design named 'wraped'"* ]]
    run "$twbench" --plugin=./wrapped.so --workload=P1 --tasks=1000 --runs=1 --warmup=0 --min-time=0ns --batch=1,128 --progress=never --json=batch.json
    [ "$(json batch.json '[c["status"] for c in d["cells"]]')" = "['ok', 'mismatch']" ]
}

@test "parameters of a plugin are its own, lists and sweeps as on the command line" {
    sed 's/skeleton/mine/g' "$root/docs/skeleton.c" >mine.c
    echo 'TW_PLUGIN(TW_BACKEND(mine), TW_BACKEND(mine));' >>mine.c
    build mine mine.c
    quick --plugin=./mine.so,max-running=60,70 --json=out.json
    [ "$(json out.json 'len(d["cells"])')" = 2 ]
    [ "$(json out.json '[c["requested"] for c in d["cells"]]')" = "[{'max-running': 60}, {'max-running': 70}]" ]
    [ "$(json out.json '[p["work"] for c in d["cells"] for p in c["phases"]][0]')" = None ]
    quick --plugin=./mine.so --max-running=80 --json=all.json
    [ "$(json all.json '[c["requested"] for c in d["cells"]]')" = "[{'max-running': 80}]" ]
    # What is the plugin's own goes first, and then nobody is left for the other.
    refuses "max-running" run --impl=heap --plugin=./mine.so,max-running=60 --max-running=70
    refuses "'slots'" run --plugin=./mine.so,slots=4
    refuses "max-running" run --plugin=./mine.so,max-running
    refuses "max-running" run --plugin=./mine.so,max-running=0
    refuses "max-running" run --plugin=./mine.so,max-running=4,max-running=5
    refuses "twice" run --plugin=./mine.so --plugin=./mine.so
}

@test "compare takes a plugin" {
    build wheel "$prefix/share/twbench/plugins/wheel.c"
    run "$twbench" compare "$twbench" "$twbench" --plugin=./wheel.so --impl=heap --workload=hold \
        --tasks=50 --pairs=0 --progress=never --no-system-check
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *wheel* && $output == *heap* ]]
}

@test "what is no plugin is refused, by name and with a reason" {
    build good "$prefix/share/twbench/plugins/wheel.c"
    refuses "./nothing.so: No such file" conform --plugin=./nothing.so
    echo text >text.so
    refuses "text.so: cannot be loaded" conform --plugin=text.so
    refuses "not a file" conform --plugin=.
    refuses "FILE" conform --plugin=
    echo 'int x;' >empty.c && build empty empty.c
    refuses "lacks the symbol tw_plugin" conform --plugin=./empty.so
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 empty.so
        refuses "Permission denied" conform --plugin=./empty.so
    fi
}

# table_with FLAGS - the skeleton as a plugin whose table has what the flags say.
table_with() {
    cat >table.c <<END
#include "wrong.h"
static const struct tw_param none[] = {{NULL, NULL, 0, 0, 0}};
static const struct tw_param odd[] = {$2 {NULL, NULL, 0, 0, 0}};
static const struct tw_backend table = {HONEST("table"), TRAITS(0), $1};
const struct tw_param *keep(void) { return none + (odd == none); }
TW_PLUGIN(table, table);
END
    build table table.c
}

@test "a table that is not whole is refused" {
    while IFS='|' read -r culprit field params; do
        table_with "$field" "$params"
        refuses "$culprit" run --plugin=./table.so
    done <<'END'
version 1 of the contract|.abi_version = 1|
no function open|.open = NULL|
no function work|.work = NULL|
no summary|.summary = NULL|
no table of parameters|.params = NULL|
name must be|.name = NULL|
name must be|.name = ""|
name must be|.name = "a,b"|
name must be|.name = "a/b"|
name must be|.name = "all"|
name must be|.name = "Ä"|
name must be|.name = "a-name-that-is-longer-than-any-table"|
'heap' is that of a design|.name = "heap"|
TW_KEEPS_NOTHING|.traits.flags = TW_KEEPS_NOTHING|
0x80000000|.traits.flags = 1u << 31|
late_shift|.traits.late_shift = 64|
growth|.traits.start.worst = 99|
parameter 1|.params = odd|{"a b", "help", 1, 2, 1},
min <= max|.params = odd|{"a", "help", 3, 2, 1},
values|.params = odd|{"a", "help", 1, 2, 17},
help|.params = odd|{"a", NULL, 1, 2, 1},
two parameters|.params = odd|{"a", "help", 1, 2, 1}, {"a", "help", 1, 2, 1},
END
    table_with '' ''
    sed 's/TW_PLUGIN(.*/const struct tw_design tw_plugin = {TW_ABI_VERSION + 1, NULL, NULL};/' table.c >abi.c
    build abi abi.c
    refuses "was built for version" run --plugin=./abi.so
    sed 's/TW_PLUGIN(.*/const struct tw_design tw_plugin = {TW_ABI_VERSION, \&table, NULL};/' table.c >null.c
    build null null.c
    refuses "NULL table" run --plugin=./null.so
    build one "$prefix/share/twbench/plugins/wheel.c"
    cp one.so two.so
    for command in run conform list; do
        refuses "two.so: the name 'wheel' is that of $PWD/one.so already" $command --plugin=./one.so --plugin=./two.so
        refuses "one.so is given twice" $command --plugin=./one.so --plugin=./one.so
    done
}

# loads_with CODE - the wheel, with code that runs when it is loaded.
loads_with() {
    { cat "$root/docs/plugins/wheel.c"
      printf '#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n'
      printf '%s static void at_load(void) { %s }\n' "${2:-__attribute__((constructor))}" "$1"; } >loads.c
    build loads loads.c
}

@test "loading is tried in a child: what constructors do harms nobody" {
    while IFS='|' read -r culprit code; do
        loads_with "$code"
        refuses "loads.so: $culprit" conform --plugin=./loads.so
    done <<'END'
loading it crashed: signal 11|*(volatile int *)8 = 1;
loading it crashed: signal 6|abort();
loading it ended the process, with exit status 7|_exit(7);
loading it ended the process, with exit status 0|exit(0);
loading it prints|puts("hello");
loading it prints|fputs("hello", stderr);
loading it crashed: signal 9|raise(SIGKILL);
END
    loads_with 'abort();' '__attribute__((destructor))'
    refuses "unloading it crashed" conform --plugin=./loads.so
}

@test "wrong: what fires, and when" {
    named fires-early fires-twice ignores-stop rounds loses-in-cascade
}

@test "wrong: traits and answers that do not hold" {
    deep
    named lies-fifo lies-ordered lies-next next-too-late visits-twice refuses
}

@test "wrong: describe, as its own word" {
    named refuses-all caps-itself short-span changes-its-word
}

@test "wrong: other settings than the default, a size in 32 bits, several instances, far horizons" {
    deep
    named ignores-setting keeps-name power-of-two-only default-only refuses-lists limits-crash size-in-32-bits \
        shares-mask narrow-horizon
}

@test "wrong: without memory" {
    named crashes-without-memory leaks-without-memory
    deep
    named wrong-word-without-memory sets-out-without-memory
    named allocates-in-start starts-without-memory gives-up-without-memory
}

@test "wrong: a footprint that is not true, and a clock" {
    deep
    named tells-no-pending tells-half tells-more maps-pages reads-clock
}

@test "poll for 0 ms waits for no clock, poll for 1 ms does" {
    echo 'start 0 +1' >list
    for ms in 0 1; do
        sed "s/<time.h>/<poll.h>/; s/struct timespec now;/int ms = $ms;/; s/clock_gettime.*/ms = poll(0, 0, ms);/; s/now.tv_sec/ms/" \
            "$root/tests/plugins/reads-clock.c" >polls.c
        build polls polls.c
        run "$twbench" conform --plugin=./polls.so --operations-file=list
        [[ $status -eq $ms && $output == *"$([ $ms = 0 ] && echo holds || echo 'start calls poll')"* ]]
    done
}

@test "wrong: what is lent to a function is kept by it, and what work says" {
    deep
    named keeps-ctx keeps-expire keeps-config work-goes-back work-crashes
}

@test "wrong: crashes, at once and at 100001 timers" {
    deep
    named aborts recurses takes-signals allocates-without-end
    operations=1e6 named crashes-at-1e5
    for last in 100000 99999; do
        printf 'capacity 200000\nstart 0..%s +5\n' $last >list
        run "$twbench" conform --plugin=./crashes-at-1e5.so --operations-file=list
        [ "$status" -eq $((last == 100000)) ]
    done
}

@test "wrong: does not return, exits, prints, closes files; memory" {
    deep
    named hangs exits prints closes-files past-window writes-past writes-slack writes-before uses-freed frees-twice leaks leaks-refused
}

@test "C++: what new gives is fenced, and asked for" {
    deep
    sed 's/timers(config.capacity)/timers(config.capacity - (config.capacity % 2 == 0))/' \
        "$root/docs/plugins/priority_queue.cpp" >past.cpp
    g++ -O1 -shared -fPIC -I "$prefix/include/twbench" -o past.so past.cpp
    run "$twbench" conform --plugin=./past.so --operations=1e4
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"memory is used within the blocks"* && $output == *"taken in open"* ]]
    sed 's/    delete timers;/    (void)timers;/' "$root/docs/plugins/priority_queue.cpp" >leaks.cpp
    g++ -O1 -shared -fPIC -I "$prefix/include/twbench" -o leaks.so leaks.cpp
    run "$twbench" conform --plugin=./leaks.so --operations=1e4
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"close gives all memory back"* || $output == *"bytes are held"* ]]
}

@test "an operation list that is not understood is refused" {
    build wheel "$prefix/share/twbench/plugins/wheel.c"
    printf 'capacity 4\nstart 9 +1\n' >list
    refuses "line 2" conform --plugin=./wheel.so --operations-file=list
    printf 'capacity 4\nstart 3..1 +1\n' >list
    refuses "line 2" conform --plugin=./wheel.so --operations-file=list
    refuses "nowhere" conform --plugin=./wheel.so --operations-file=nowhere
}

@test "a run with wrong plugins: each cell says what became of it, the others are as ever" {
    deep
    for name in exits hangs fires-early prints; do plugin $name; done
    # What hangs takes all of its budget, within which the others come to their end beside any load.
    run --separate-stderr quick --workload=hold --impl=heap --plugin=./exits.so --plugin=./hangs.so --plugin=./fires-early.so \
        --plugin=./prints.so --budget=20s --json=-
    echo "$stderr"
    echo "$output" >out.json
    json out.json '[(c["impl"], c["status"], c.get("reason")) for c in d["cells"]]'
    [ "$status" -eq 1 ]
    [ "$(json out.json '{c["impl"]: c["status"] for c in d["cells"]}')" = \
        "{'heap': 'ok', 'exits': 'crashed', 'hangs': 'crashed', 'fires-early': 'mismatch', 'prints': 'ok'}" ]
    [ "$(json out.json '[bool(c["reason"]) for c in d["cells"] if c["status"] != "ok"]')" = "[True, True, True]" ]
}

# miscounts ARGUMENT... - conform on a plugin of which only the table that counts is wrong.
miscounts() {
    gcc -O1 -w -shared -fPIC -I "$root/src/impls" -o miscounts.so "$root/tests/plugins/miscounts.c"
    run --separate-stderr "$twbench" conform --plugin=./miscounts.so "$@"
    echo "status $status, $output"
    [ "$status" -eq 1 ]
    [ "$(sed -n 1p <<<"$output")" = "miscounts: BROKEN: no timer fires later than declared" ]
    [[ $(sed -n 2p <<<"$output") == *"; in the table that counts" ]]
}

@test "the table that counts is judged as well as the one that is timed" {
    printf 'capacity 3\nstart 0 +2\nstart 1 +1\nadvance +4\n' >list
    miscounts --operations-file=list
    [ "$(sed -n '/^capacity/,$p' <<<"$output")" = $'capacity 1\nstart 0 +2\nadvance +2' ]
}

@test "... by all cases too, and when both are right it is said how often the second one was" {
    [ "${DEPTH:-}" = all ] || skip "it takes 30 s: only with DEPTH=all"
    miscounts --operations=1e3
    for flags in "" -DTW_COUNTED; do
        gcc -O2 -fPIC -I "$root/src/impls" $flags -c -o "skeleton$flags.o" "$root/docs/skeleton.c"
    done
    printf '%s\n' '#include "backend.h"' 'extern const struct tw_backend tw_skeleton_timed, tw_skeleton_counted;' \
        'TW_PLUGIN(tw_skeleton_timed, tw_skeleton_counted);' >both.c
    gcc -O2 -shared -fPIC -I "$root/src/impls" -o both.so both.c skeleton.o skeleton-DTW_COUNTED.o
    run --separate-stderr "$twbench" conform --plugin=./both.so --operations=1e3
    echo "status $status, $output"
    [ "$status" -eq 0 ]
    [[ $output == *"the table that counts holds it in "* ]]
}

@test "conform asks a plugin for the check of one list where it seldom checks all" {
    sed 's/skeleton/spotted/g' "$root/docs/skeleton.c" >spotted.c
    cat >>spotted.c <<'END'
TW_PLUGIN(TW_BACKEND(spotted), TW_BACKEND(spotted));
static const char *never_right(const struct tw_timers *timers, tw_id id)
{
    return id < timers->capacity ? "this list is wrong" : NULL;
}
const struct tw_spot tw_plugin_spot = {never_right};
END
    build spotted spotted.c
    run --separate-stderr "$twbench" conform --plugin=./spotted.so --operations=1e3
    echo "$output"
    [[ $status -eq 1 && $output == *"this list is wrong"* ]]
}

@test "run names a design whose calls pay for pages that open did not touch" {
    sed 's/    uint32_t running_max;/&\n    char *pages;/; s/    \*out = timers;/    timers->pages = calloc(config->capacity, 8192);\n&/
        s/    timers->running += !was_running;/    timers->pages[id * 8192ul] = 1;\n&/; s/    free(timers->dues);/    free(timers->pages);\n&/
        s/skeleton/lazy/g' "$root/docs/skeleton.c" >lazy.c
    echo 'TW_PLUGIN(TW_BACKEND(lazy), TW_BACKEND(lazy));' >>lazy.c
    build lazy lazy.c
    "$twbench" run --plugin=./lazy.so --impl=heap --tasks=200 --runs=2 --progress=never >said
    grep -q '^- lazy/standard/200: 2[0-9]* page faults in each timed pass' said
    [ "$(grep -c '^- .* page faults' said)" -eq 1 ]
}
