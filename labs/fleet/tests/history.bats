#!/usr/bin/env bats
# history.bats - results of many commits: what changed is told with its commit, and what is wrong is refused.

load ../../../tests/cli/support

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_FILE_TMPDIR" || exit 1
    "${TWBENCH:-$root/twbench}" run --impl=heap,hashed,list,hier --workload=hold,keepalive --tasks=200 --runs=1 --warmup=0 \
        --min-time=0ns --progress=never --no-system-check --json=base.json >/dev/null
    python3 "$BATS_TEST_DIRNAME/make_history.py" base.json runs 60
    "${TWBENCH:-$root/twbench}" history runs --json=h.json --style=plain --export-markdown=h.md -o h.html --plots=pictures >h.txt 2>/dev/null
}

# The whole history, in every format; each test that wants another looks for it itself.
runs=$BATS_FILE_TMPDIR/runs whole=$BATS_FILE_TMPDIR

# changes FILE - "cell figure run ratio" of each change.
changes() {
    python3 - "$1" <<'PYTHON'
import json, sys
for series in json.load(open(sys.argv[1]))["series"]:
    for change in series["changes"]:
        print(series["cell"], series["figure"], change["run"], round(change["ratio"], 2))
PYTHON
}

@test "planted steps are found at their commits, and a machine that slows down is none" {
    changes "$whole/h.json" >found
    cat found
    grep -qx 'list/hold/200 comparisons 15 1.02' found
    grep -q '^hashed/hold/200 time \(19\|20\|21\) 1.0[456]$' found
    grep -q '^hier/keepalive/200 time \(29\|30\|31\) 0.9' found
    grep -q '^hier/keepalive/200 time \(39\|40\|41\) 1.1' found
    [ "$(wc -l <found)" -eq 4 ]
    grep -q '^015.*list/hold/200 .*comparisons .*+2.0 %' "$whole/h.txt"
    grep -q '^Changes: 1 of counts, 3 of times, as ratios to heap\.$' "$whole/h.txt"
}

@test "the document keeps to its schema, which says what every key means" {
    PYTHONPATH=$root/tests python3 -B - "$whole/h.json" "$root" <<'PYTHON'
import os, sys
sample = os.path.abspath(sys.argv[1])
os.chdir(sys.argv[2])
import tap
from format_check import Format
form = Format("labs/fleet/schema/history-1.json", None, sample)
form.check(least=(20, 20, 4))
tap.end()
PYTHON
}

@test "every format shows it, again from the document, and the picture has a panel per series of times" {
    "$twbench" report "$whole/h.json" --style=plain --export-markdown=again.md --export-csv=again.csv | diff "$whole/h.txt" -
    diff "$whole/h.md" again.md && head -1 again.csv | grep -q '^figure,value'
    grep -q '<figure>.*<svg' <(tr '\n' ' ' <"$whole/h.html")
    [ "$(grep -c 'hashed/hold/200' "$whole/pictures/history.tsv")" -eq 1 ]
}

@test "--since, --least and --reference choose what is told; --commits the order" {
    "$twbench" history "$runs" --since=2026-02-05 --json=h.json >/dev/null
    changes h.json | cut -d' ' -f3 >told
    [ "$(sort -n told | head -n 1)" -ge 32 ]
    "$twbench" history "$runs" --least='8%' --json=h.json --force >/dev/null
    [ "$(changes h.json | grep -c hashed)" -eq 0 ]
    "$twbench" history "$runs" --reference=list --json=h.json --force >/dev/null
    [ "$(json h.json 'd["anchor"]')" = list ]
    # The order turned round: what grew shrinks.  Seven digits of a commit are enough.
    json "$whole/h.json" '"\n".join(r["commit"][:9] for r in reversed(d["runs"][1:]))' >commits
    "$twbench" history "$runs" --commits=commits --json=back.json >/dev/null
    changes back.json | grep -qx 'list/hold/200 comparisons 45 0.98'
    [[ "$(json back.json 'd["left_out"]')" == *"its commit is not in the file of --commits"* ]]
}

@test "--propose-limits gives each cell a limit from its spread, which ci takes" {
    "$twbench" history "$runs" --propose-limits --json=h.json --style=plain >h.txt
    cat h.txt
    grep -q '^ *"hashed/hold:time": *"[0-9.]*%",*$' h.txt
    # Planted noise is 1 % of each time and of the anchor's: six per cent and a half or so, and no step in it.
    [ "$(json h.json 'all(1 <= float(v[:-1]) < 15 for v in d["limits"].values()) and len(d["limits"]) == 6')" = True ]
    json h.json 'json.dumps({"plugin": "no.so", "limits": d["limits"]})' >p.json
    refuses "no.so: No such file" ci --config=p.json --base=.
    mkdir few
    files=("$runs"/*.json)
    cp "${files[@]:0:2}" few
    run -0 "$twbench" history few --propose-limits --style=plain
    [[ $output == *"None: a limit needs twelve times"* && $output != *'"limits": {'* ]]
}

@test "run --commit and --commit-date name whose result it is, not the commit of twbench" {
    for day in 2 1; do
        "$twbench" run --impl=heap --workload=hold --tasks=50 --counts-only --progress=never --no-system-check \
            --commit=abc000$day --commit-date=2026-11-0${day}T01:30:00+02:00 --json=day$day.json >/dev/null
    done
    "$twbench" history day2.json day1.json --json=h.json >/dev/null
    [ "$(json h.json '[(r["commit"], r["date_utc"]) for r in d["runs"]]')" = \
        "[('abc0001', '2026-10-31T23:30:00Z'), ('abc0002', '2026-11-01T23:30:00Z')]" ]
    refuses "--commit-date: 'today' given" run --commit=a --commit-date=today
    refuses "--commit=ID" run --commit-date=2026-11-01
}

# 120 results of one build on a busy machine, then 30 of a build whose hashed wheel starts more slowly (labs/fleet/docs/FLEET.md).
measured() {
    python3 "$BATS_TEST_DIRNAME/unpack_history.py" "$BATS_TEST_DIRNAME/history/measured.json.xz" measured "$@"
    "$twbench" history measured --json=h.json >/dev/null
    changes h.json | tee found
}

@test "a slower build is found at its first result in measured noise, and no other design is named" {
    measured 60 149
    grep -qx 'hashed/keepalive/1000 time 60 1.04' found
    [ "$(grep -vc '^hashed/' found)" -eq 0 ]
}

@test "a step of all times at once is told as the machine's or the anchor's, and not counted" {
    python3 "$BATS_TEST_DIRNAME/unpack_history.py" "$BATS_TEST_DIRNAME/history/measured.json.xz" anchor 0 59 30 0.9 heap
    "$twbench" history anchor --json=anchor.json --style=plain >anchor.txt
    grep -q '^Changes: 0 of counts, 0 of times' anchor.txt
    grep -q '^- Changes of times not counted: 8\. ' anchor.txt
    [ "$(json anchor.json 'all(c["everywhere"] for s in d["series"] for c in s["changes"])')" = True ]
}

@test "120 results of one build raise no alarm" {
    deep
    measured 0 119
    [ ! -s found ]
}

@test "what is wrong is refused with its name" {
    mkdir empty && echo '{"schema_version": 1, "kind": "limits"}' >other.json
    refuses "no operand given" history
    refuses "empty: no file in it ends in .json" history empty
    refuses "nowhere" history nowhere
    refuses "--since: 'abcdefabc'" history "$runs" --since=abcdefabc
    refuses "--reference: 'ring'" history "$runs" --reference=ring
    refuses "--least: 'much'" history "$runs" --least=much
    refuses "no cell is in two of the results (1); expected two or more" history "$runs/0001.json"
    refuses "other.json: is of kind 'limits'" history "$runs/0001.json" other.json
}

# A plugin whose start does ever more at the 37th of 60 commits.
make_repository() {
    git init -q repository
    cd repository
    git config user.name nobody
    git config user.email nobody@example.org
    sed 's/skeleton/mine/g' "$root/docs/skeleton.c" >mine.c
    echo 'TW_PLUGIN(TW_BACKEND(mine), TW_BACKEND(mine));' >>mine.c
    printf 'mine.so: mine.c\n\tcc -O1 -DTW_COUNTED -shared -fPIC -I %s/src/impls -o $@ $<\n' "$root" >Makefile
    git add .
    for i in {1..60}; do
        [ "$i" -ne 37 ] || sed -i 's/TW_COUNT(timers, comparisons, 2 \* timers->capacity)/TW_COUNT(timers, comparisons, 3 * timers->capacity)/' mine.c
        echo "/* $i */" >>mine.c
        git commit -qam "Change $i"
    done
}

@test "bisect.sh finds a planted regression among 60 commits, and skips what does not build" {
    deep
    make_repository
    grep -q 'comparisons, 3 \* timers' mine.c
    run --separate-stderr "$root/tools/bisect.sh" --build=make --artifact=mine.so HEAD~59 HEAD mine/hold/200 --pairs=0
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [[ $output == *" Change 37" ]]
    [ "$(git status --porcelain | wc -l)" -eq 0 ]
    run "$root/tools/bisect.sh" --build=make --artifact=mine.so HEAD~59 HEAD~50 mine/hold/200 --pairs=0
    [ "$status" -eq 2 ]
    [[ $output == *"is not slower in BAD than in GOOD"* ]]
    run "$root/tools/bisect.sh" HEAD HEAD~5 mine/hold/200
    [ "$status" -eq 2 ]
    run "$root/tools/bisect.sh" HEAD~5 HEAD mine/hold
    [ "$status" -eq 2 ]
}

@test "a signal before anything runs leaves no lock behind, unless it is ignored" {
    mkfifo commits && mkdir results
    for signal in INT TERM HUP; do
        # bash lets what it starts in the background ignore SIGINT.
        python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$twbench" history results --commits=commits --json=out.json 3>&- &
        comes_true [ -e out.json.lock ]
        kill -$signal $!
        status=0; wait $! || status=$?
        [ "$status" -eq $((128 + $(kill -l $signal))) ]
        [ ! -e out.json.lock ]
    done
    "$twbench" history results --commits=commits --json=out.json 3>&- &
    comes_true [ -e out.json.lock ]
    # Bit 2 is SIGINT: the kernel drops it as it is sent.
    [ $((16#$(awk '/^SigIgn:/ { print $2 }' /proc/$!/status) & 2)) -ne 0 ]
    kill -INT $! && kill $!
    status=0; wait $! || status=$?
    [ "$status" -eq 143 ]
}
