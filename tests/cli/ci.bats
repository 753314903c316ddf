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
 "workloads": ["hold"], "tasks": [50], "pairs": 0, "json": "out/new.json"${1:+, $1}}
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
    [[ $output == *"contract  not tested"* ]]
    run "$twbench" ci --fail-on=work --progress=never # the flag takes the place of the file's
    [ "$status" -eq 3 ]
    python3 -c 'import json
d = json.load(open("out/new.json"))
assert d["contract"] == {"status": "not-tested", "text": None}, d["contract"]
assert d["verdict"] == "regressed" and d["exit_status"] == 3'
}
