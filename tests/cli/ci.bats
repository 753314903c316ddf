#!/usr/bin/env bats
# ci.bats - the project file of `twbench ci`: its keys, what is refused before anything is built, what the build's
# failures become, and the baseline.  The walk with branches is tests/users/ci_of_another_repository.bats.

load support

# A plugin that counts, and a project file with the given keys.
project() {
    sed 's/skeleton/mine/g' "$root/docs/skeleton.c" >mine.c
    echo 'TW_PLUGIN(TW_BACKEND(mine), TW_BACKEND(mine));' >>mine.c
    cat >twbench.json <<END
{"plugin": "mine.so", "build": "cc -O1 -shared -fPIC -I '$root/src/impls' -o mine.so mine.c", "conform": "off",
 "workloads": ["fill-cancel"], "tasks": [50], "pairs": 0, "json": "out/new.json"${1:+, $1}}
END
}

# refused CULPRIT JSON - as the project file.
refused() {
    echo "$2" >p.json
    refuses "p.json: $1" ci --config=p.json --base=.
}

@test "the schema has the keys that the program has, and no others" {
    echo '{"nonsense": 1}' >p.json
    run "$twbench" ci --config=p.json
    diff <(tr -d ' ' <<<"${output##*expected one of}" | tr , '\n' | sort) \
        <(python3 -c "import json; print('\n'.join(json.load(open('$root/schema/project-1.json'))['properties']))" | sort)
}

@test "what is wrong in the file is said with its name and key" {
    refused "plugn: unknown key; did you mean 'plugin'?" '{"plugn": "x.so"}'
    refused "plugin: missing" '{}'
    refused "plugin: there twice" '{"plugin": "x", "plugin": "y"}'
    refused "set.delay: there twice" '{"plugin": "x", "set": {"delay": "1", "delay": "2"}}'
    refused "plugin: expected a text" '{"plugin": 3}'
    refused "tasks: 0 given" '{"plugin": "x", "tasks": [0]}'
    refused "workloads: expected an array" '{"plugin": "x", "workloads": "hold"}'
    refused "limits.wurk:" '{"plugin": "x", "limits": {"wurk": "1%"}}'
    refused "limits: expected an object" '{"plugin": "x", "limits": "1%"}'
    refused "pairs: 3 given" '{"plugin": "x", "pairs": 3}'
    refused "fail_on: 'all' given" '{"plugin": "x", "fail_on": "all"}'
    refused "conform: 'no' given" '{"plugin": "x", "conform": "no"}'
    refused "designs: " '{"plugin": "x", "designs": ["heep"]}'
    refused "json: p.json is read as well" '{"plugin": "x", "json": "p.json"}'
    refused "expected an object" '[]'
    refuses twbench.json ci
}

@test "nothing to compare with is refused, and so is a baseline that was never saved" {
    echo '{"plugin": "x.so"}' >twbench.json
    refuses "nothing to compare with" ci
    refuses "no key 'baseline'" ci --save-baseline
    echo '{"plugin": "x.so", "baseline": "b.json"}' >twbench.json
    refuses "twbench ci --save-baseline" ci
    refuses "--base=nowhere" ci --base=nowhere
}

@test "a build that fails is status 2 and leaves no document of an earlier call" {
    project
    mkdir -p out base
    cp mine.c base
    echo stale >out/new.json
    echo 'no C' >>base/mine.c
    run --separate-stderr "$twbench" ci --base=base
    [ "$status" -eq 2 ]
    [[ $stderr == *"failed in the base (status 1)"* ]]
    [ ! -e out/new.json ]
    echo 'no C' >>mine.c
    echo '#include "backend.h"' >base/mine.c
    run --separate-stderr "$twbench" ci --base=base
    [ "$status" -eq 2 ]
    [[ $stderr == *"failed in the head (status 1)"* ]]
}

@test "a parameter that the plugin has not got is said before conform runs" {
    project '"parameters": {"slots": 4}'
    mkdir base
    cp mine.c base
    run --separate-stderr "$twbench" ci --base=base
    [ "$status" -eq 2 ]
    [[ ${stderr##*$'\n'} == *"twbench.json: parameters.slots: the design 'mine'"* ]]
}

@test "a baseline is saved, is the same as itself, and finds more instructions" {
    project '"baseline": "kept/mine.json", "fail_on": "regressed", "parameters": {"max-running": 60}'
    "$twbench" ci --save-baseline --progress=never
    "$twbench" ci --progress=never
    sed -i '/^static int mine_start/,/^{/ s/^{/&\n    for (volatile int i = 0; i < 40; i++) {}/' mine.c
    run "$twbench" ci --progress=never
    [ "$status" -eq 3 ]
    [[ $output == *"contract: not-tested"* ]]
    run "$twbench" ci --fail-on=work --progress=never # the flag takes the place of the file's
    [ "$status" -eq 3 ]
    python3 -c 'import json
d = json.load(open("out/new.json"))
assert d["contract"] == {"status": "not-tested", "text": None, "changed": [], "accepted": []}, d["contract"]
assert d["verdict"] == "regressed" and d["exit_status"] == 3'
}

# A repository with the timer, its base in .base, and more instructions per start in the working directory.
slower() {
    export XDG_CACHE_HOME=$PWD/cache
    project "$1"
    git init --quiet && git add mine.c && git -c user.name=a -c user.email=a@example.org commit --quiet -m one
    git worktree add --quiet .base HEAD
    sed -i '/^static int mine_start/,/^{/ s/^{/&\n    for (volatile int i = 0; i < 40; i++) {}/' mine.c
}

@test "ci: the first line says what regressed, where, and which files changed; the rest takes twenty lines" {
    slower
    run --separate-stderr "$twbench" ci --base=.base --progress=never
    echo "$output"
    [ "$status" -eq 3 ]
    [[ ${lines[0]} == "regressed: +"*" % instructions per operation in mine on fill-cancel, 50 tasks (mine.c changed)" ]]
    [ "${#lines[@]}" -le 20 ]
    [[ $output == *"the whole: twbench report out/new.json"* ]]
    commit=$(git rev-parse --short=12 HEAD)
    [ "$(json out/new.json 'd["old"]["commit"], d["new"]["commit"], d["contract"]["changed"]')" = "('$commit', '$commit-dirty', ['mine.c'])" ]
    python3 -m jsonschema -i out/new.json "$root/schema/comparison-1.json"
}

@test "ci: limits of some cells, and a regression that is accepted until a day" {
    slower '"limits": {"mine/fill-cancel:instructions": "1000%"}'
    "$twbench" ci --base=.base --progress=never
    project '"limits": {"keepalive:instructions": "1000%"}' && cp .base/mine.c . && slower_again
    run "$twbench" ci --base=.base --progress=never
    [ "$status" -eq 3 ]
    accept '9999-12-31'
    run --separate-stderr "$twbench" ci --base=.base --progress=never
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"accepted until 9999-12-31: fill-cancel:instructions: checks arguments"* ]]
    accept '2000-01-01'
    run --separate-stderr "$twbench" ci --base=.base --progress=never
    [ "$status" -eq 3 ]
    [[ $stderr == *"was accepted until 2000-01-01, and fails again: checks arguments"* ]]
    refused "accept: expected {" '{"plugin": "x", "accept": [{"of": "work", "to": "5%", "until": "2000-01-01"}]}'
    refused "accept: expected {" '{"plugin": "x", "accept": [{"of": "work", "to": "5%", "reason": "r", "until": "soon"}]}'
    refused "accept: \"wurk" '{"plugin": "x", "accept": [{"of": "wurk", "to": "5%", "reason": "r", "until": "2000-01-01"}]}'
}

slower_again() {
    sed -i '/^static int mine_start/,/^{/ s/^{/&\n    for (volatile int i = 0; i < 40; i++) {}/' mine.c
}

accept() {
    project "\"accept\": [{\"of\": \"fill-cancel:instructions\", \"to\": \"1000%\", \"reason\": \"checks arguments\", \"until\": \"$1\"}]"
    cp .base/mine.c . && slower_again
}

@test "ci: an unchanged object takes no times" {
    export XDG_CACHE_HOME=$PWD/cache
    project '"pairs": 30'
    sed -i 's/, "pairs": 0//' twbench.json
    mkdir base && cp mine.c base
    run --separate-stderr "$twbench" ci --base=base --progress=never
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "same: "* && $stderr == *"identical files: no times are taken"* ]]
    [ "$(json out/new.json 'd["method"]["pairs"], d["verdict"]')" = "(0, 'same')" ]
}

@test "ci: an unchanged object is not tested again, but when a library that it loads has changed" {
    deep
    export XDG_CACHE_HOME=$PWD/cache
    project '"pairs": 30'
    sed -i 's/"off"/"on"/; s/, "pairs": 0//; s/mine\.c"/mine.c .\/helps.so"/' twbench.json
    mkdir base && cp mine.c base
    echo 'int helps(void) { return 1; }' | cc -shared -fPIC -o helps.so -x c - && cp helps.so base
    echo 'int helps(void); int mine_helps(void) { return helps(); }' >>mine.c && cp mine.c base
    run "$twbench" ci --base=base --progress=never
    [[ $output == *"contract: held"* ]]
    kept=("$XDG_CACHE_HOME"/twbench/held-*-on)
    echo "mine: planted" >"${kept[0]}"
    "$twbench" ci --base=base --progress=never
    [ "$(json out/new.json 'd["contract"]["text"]')" = "mine: planted" ]
    echo 'int helps(void) { return 2; }' | cc -shared -fPIC -o helps.so -x c -
    "$twbench" ci --base=base --progress=never
    kept=("$XDG_CACHE_HOME"/twbench/held-*-on)
    [ "${#kept[@]}" -eq 2 ]
}

@test "init: what it writes builds, and ci passes at once" {
    "$twbench" init "a timer" >said.txt
    cat said.txt
    grep -q 'twbench ci --base=\.' said.txt
    refuses "init overwrites nothing" init "a timer"; touch file; refuses "file/.github/workflows: cannot be made" init file
    refuses "expected a directory" init
    cd "a timer"
    [ "$(grep -c skeleton mytimer.c)" = 0 ]
    diff "$root/docs/ci/twbench.json" twbench.json
    diff "$root/docs/ci/plugin-github-comment.yml" .github/workflows/timer-comment.yml
    sed -i '1s/{/{"conform": "off",/; s/"tasks": \[1000\]/"tasks": [50]/; s/"designs": .*/"designs": ["heap"],/' twbench.json
    make
    "$twbench" ci --base=. --progress=never >said.txt
    cat said.txt
    [[ $(head -n 1 said.txt) == "same: 2 cells, none of them changed" && $(wc -l <said.txt) -le 5 ]] && grep -q '^| heap' twbench-results/summary.md
}

# comments HEAD - the step of the second workflow, with an artifact of pull request 7 whose head is HEAD, and of run 5.
comments() {
    mkdir -p bin
    cat >bin/gh <<'END'
#!/bin/bash
echo "$*" >>calls
case "$*" in
"run download 5"*) mkdir -p found && echo 7 >found/pull-request && echo "## twbench: same" >found/summary.md ;;
*/pulls/7*) echo abc ;;
*--paginate*) cat ids 2>/dev/null || : ;;
esac
END
    chmod +x bin/gh
    python3 -c "import yaml; print(yaml.safe_load(open('$root/docs/ci/plugin-github-comment.yml'))['jobs']['comment']['steps'][0]['run'])" >step.sh
    PATH=$PWD/bin:$PATH REPOSITORY=o/r RUN=5 HEAD_SHA=$1 bash -e step.sh
}

@test "the workflow for forks writes one comment, brings it up to date, and believes no other number" {
    comments abc
    grep -q 'POST repos/o/r/issues/7/comments' calls
    grep -q '^## twbench: same' comment.md
    echo 99 >ids
    comments abc
    grep -q 'PATCH repos/o/r/issues/comments/99' calls
    rm calls
    run comments other
    [ "$status" -eq 1 ]
    [ "$(grep -c -e POST -e PATCH calls)" = 0 ]
}
