#!/usr/bin/env bats
# ci_of_another_repository.bats - a repository of somebody else, whose timer is a plugin, sets up CI with the files of
# docs/ci and opens pull requests: nothing changed, 5 % more instructions, a tail, a wrong timer.
#
# The repository has the skeleton of docs/, the project file of docs/ci with a smaller load, and a Makefile.  The steps
# of the workflow files run as GitHub and GitLab run them (workflow.py).  Cloning and building twbench is stood in for
# by links to this tree, and apt-get by nothing.

load ../cli/support

# Keys of the project file that differ from docs/ci/twbench.json, as JSON.
small='"conform": "off", "designs": ["heap"], "workloads": ["hold"], "tasks": [50], "pairs": 0'

stand_ins() {
    mkdir -p bin
    GIT=$(command -v git) MAKE=$(command -v make) ROOT=$root TWBENCH_HERE=$twbench
    export GIT MAKE ROOT TWBENCH_HERE GITHUB_STEP_SUMMARY=$PWD/shown PATH=$PWD/bin:$PATH
    export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org \
        GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
    unset MAKEFLAGS MAKELEVEL MFLAGS CI
    cat >bin/git <<'END'
#!/bin/bash
[ "$1" = clone ] || exec "$GIT" "$@"
[[ "$*" == "clone --quiet --depth=1 --branch=main https://example.org/twbench.git .twbench" ]] || exit 9
mkdir .twbench && ln -s "$ROOT/src" "$ROOT/tools" .twbench
END
    cat >bin/make <<'END'
#!/bin/bash
[ "$*" = "-C .twbench core" ] || exec "$MAKE" "$@"
ln -s "$TWBENCH_HERE" .twbench/twbench
END
    printf '#!/bin/bash\nexit 0\n' >bin/apt-get
    chmod +x bin/*
}

# The key-value pairs go into the project file.
set_keys() {
    python3 -c 'import json, sys
project = json.load(open("twbench.json"))
project.update(json.loads("{%s}" % sys.argv[1]))
json.dump(project, open("twbench.json", "w"), indent=4)' "$1"
}

# ./theirs: main with the good timer, and a branch `change` that is checked out.
repository() {
    stand_ins
    mkdir theirs && cd theirs || return
    sed 's/skeleton/mytimer/g' "$root/docs/skeleton.c" >mytimer.c
    cat >plugin.c <<'END'
#include "backend.h"
extern const struct tw_backend tw_mytimer_timed, tw_mytimer_counted;
TW_PLUGIN(tw_mytimer_timed, tw_mytimer_counted);
END
    cat >Makefile <<'END'
CFLAGS = -O2 -fPIC -I$(TWBENCH_INCLUDE)
mytimer.so: mytimer.c plugin.c
	$(CC) $(CFLAGS) -c -o timed.o mytimer.c
	$(CC) $(CFLAGS) -DTW_COUNTED -c -o counted.o mytimer.c
	$(CC) $(CFLAGS) -shared -o $@ plugin.c timed.o counted.o
END
    printf '%s\n' '*.o' '*.so' .base .twbench twbench-results >.gitignore
    cp "$root/docs/ci/twbench.json" .
    set_keys "$small${1:+, $1}"
    git init --quiet --initial-branch=main && git add -A && git commit --quiet -m good
    BASE_SHA=$(git rev-parse main)
    export BASE_SHA
    git checkout --quiet -b change
}

# plant FUNCTION STATEMENT - at its beginning, as a commit.
plant() {
    sed -i "/^static.* mytimer_$1(/,/^{/ s/^{/&\n    $2/" mytimer.c
    git commit --quiet -a -m planted
}

# ends STATUS FILE - the job of that workflow file.
ends() {
    run timeout 300 "$root/tests/users/workflow.py" "$root/docs/ci/$2"
    echo "status $status, $output"
    [ "$status" -eq "$1" ]
}

# action STATUS OUTPUT INPUT=VALUE... - the step of action.yml ends so, and has that output.
action() {
    mkdir -p ../action && ln -sfn "$root"/{action.yml,src,tools,Makefile,VERSION} "$twbench" ../action
    run timeout 300 "$root/tests/users/workflow.py" ../action/action.yml "${@:3}"
    echo "status $status, $output"
    [ "$status" -eq "$1" ] && [[ $output == *"output status=$2"* ]]
}

# document EXPRESSION TEXT - of the comparison d.
document() {
    local found
    found=$(python3 -c "import json; d = json.load(open('twbench-results/comparison.json')); print(($1))")
    echo "$1: '$found', expected '$2'"
    [ "$found" = "$2" ]
}

@test "the project file of docs/ci keeps the schema" {
    python3 -c "import json, jsonschema
jsonschema.validate(json.load(open('$root/docs/ci/twbench.json')), json.load(open('$root/schema/project-1.json')))"
}

@test "a pull request without a change stays green, and the summary shows the designs beside the timer" {
    repository
    echo 'A timer.' >README && git add -A && git commit --quiet -m words
    ends 0 plugin-github-actions.yml
    document 'd["verdict"], d["exit_status"], d["contract"]["status"]' "('same', 0, 'not-tested')"
    document 'd["cells"][0]["impl"], d["cells"][0]["decided_by"]' "('mytimer', ['work', 'instructions', 'memory'])"
    cmp ../shown twbench-results/summary.md
    grep -q '^## twbench: same' ../shown
    grep -q '^| heap' ../shown
    python3 -c 'import xml.etree.ElementTree as e; e.parse("twbench-results/junit.xml")'
}

@test "5 % more instructions fail the job, on GitHub and on GitLab" {
    repository
    plant start 'for (volatile int i = 0; i < 2; i++) {}'
    ends 3 plugin-github-actions.yml
    [[ $output == *"::error::regressed"* ]]
    document 'd["verdict"], d["cells"][0]["gates"]["instructions"]' "('regressed', 'regressed')"
    document '0.04 < d["cells"][0]["instructions"]["change"] < 0.08' True
    grep -q 'instructions +' ../shown
    ends 3 plugin-gitlab-ci.yml
    document 'd["verdict"]' regressed
}

@test "5 % more work fails the job" {
    repository
    plant start 'TW_COUNT(timers, visits, 3);'
    ends 3 plugin-gitlab-ci.yml
    document 'd["cells"][0]["gates"]["work"]' regressed
    document '{0.02 < w["change"] < 0.2 for w in d["cells"][0]["work"] if w["change"]}' '{True}'
}

@test "a timer that is wrong fails the job with status 1, is not compared, and is shown with the operations" {
    repository '"conform": "on"'
    sed -i 's,timers->dues\[id\] = deadline > timers->now ? deadline,timers->dues[id] = deadline > timers->now ? (deadline + 7) / 8 * 8,' mytimer.c
    git commit --quiet -a -m wrong
    ends 1 plugin-github-actions.yml
    [[ $output == *"no timer fires later than declared"* ]]
    document 'd["exit_status"], d["contract"]["status"], len(d["cells"])' "(1, 'broken', 0)"
    grep -q '^start 0 +1' ../shown
    grep -q '<failure type="broken"' twbench-results/junit.xml
    python3 -W ignore -m jsonschema -i twbench-results/comparison.json "$root/schema/comparison-1.json"
}

@test "action.yml: nothing changed passes, more instructions fail unless they are not what it fails on, and the base is needed" {
    deep
    repository
    echo 'A timer.' >README && git add -A && git commit --quiet -m words
    action 0 0
    document 'd["verdict"], d["cells"][0]["impl"]' "('same', 'mytimer')"
    cmp ../shown twbench-results/summary.md
    plant start 'for (volatile int i = 0; i < 3; i++) {}'
    action 3 3 fail-on=work
    [[ $output == *"::error::regressed"* ]]
    [ -z "$(git worktree list | sed 1d)" ]
    action 2 "" base=
    [[ $output == *"set the input 'base'"* ]]
    action 2 2 config=none.json
    [[ $output == *"none.json"*"::error::no verdict (status 2)"* ]]
    action 2 2 fail-on=never
}

@test "what does not build is no verdict" {
    repository
    echo 'no C' >>mytimer.c && git commit --quiet -a -m broken
    ends 2 plugin-github-actions.yml
    [[ $output == *"'make mytimer.so' failed in the head"*"::error::no verdict (status 2)"* ]]
    [ ! -e twbench-results/summary.md ]
}

# The tail gate looks only where times are taken; the other gates get wide limits, for it alone shall find the stall.
@test "a stall in one advance of 10,000 fails the job, by the tail" {
    deep
    repository '"pairs": 14, "max_pairs": 14, "limits": {"instructions": "off", "time": "500%", "layout": "500%"}'
    plant advance 'if (to % 10000 == 5000) for (volatile int i = 0; i < 100000; i++) {}'
    ends 3 plugin-github-actions.yml
    document 'd["cells"][0]["gates"]["tail"], d["cells"][0]["decided_by"]' "('regressed', ['tail'])"
}

@test "the whole file of docs/ci, contract and times as well, beside what else runs: nothing changed is never red" {
    deep
    repository '"conform": "on", "workloads": ["hold", "keepalive"], "tasks": [100], "designs": ["heap", "hashed"], "pairs": 30'
    echo 'A timer.' >README && git add -A && git commit --quiet -m words
    ends 0 plugin-github-actions.yml
    document 'd["contract"]["status"], d["exit_status"] in (0, 4)' "('held', True)"
}
