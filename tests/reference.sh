#!/bin/bash
# reference.sh - does make reference keep its rules: one build, a quiet machine, no work twice?  Prints TAP.
# shellcheck disable=SC2016,SC2317  # text of scripts; functions that check calls
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/tap.bash
. tests/tap.bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each script with tiny sizes, and what the pages read of it.
every_script() {
    REFERENCE=partial REFERENCE_DIR=$work/tiny tools/reference.sh && REFERENCE_DIR=$work/tiny tools/reference.sh --check
}
check "every script leaves a whole file of this build" every_script

# What make reference writes must not make another build of the program, or it could not go on.
commit_after() {
    echo more >>"$work/tree/$1"
    "$work/tree/tools/build_info.sh" "$work/tree/info.h" gcc "" "" "" && sed -n 's/#define BUILD_COMMIT "\(.*\)"/\1/p' "$work/tree/info.h"
}
mkdir -p "$work/tree/tools" "$work/tree/src" "$work/tree/results" "$work/tree/docs"
cp tools/build_info.sh "$work/tree/tools"
for file in VERSION README.md src/main.c results/one.json docs/CI.md; do echo 1 >"$work/tree/$file"; done
git -C "$work/tree" init -q && git -C "$work/tree" add VERSION README.md src results docs tools &&
    git -C "$work/tree" -c user.name=a -c user.email=a@b commit -qm one
[[ $(commit_after results/one.json) != *dirty ]] && [[ $(commit_after docs/CI.md) != *dirty ]] && [[ $(commit_after README.md) != *dirty ]]
tell $? "results and pages leave the build as it is"
[[ $(commit_after src/main.c) == *-dirty ]]
tell $? "sources do not"

# The designs of the next size.
jq -n '{cells: [["best", 1], ["near", 5], ["far", 5.1], ["null", 0.1]] | map({impl: .[0], workload: "P4", tasks: 10, status: "ok", params: {}, phases: [{name: "steady", cpu_ns_per_op: .[1]}]})}' >"$work/near.json"
near=$(bash -c '. tools/reference/measure.bash && both heap,best "$(near "$1" 5 P4 10)"' - "$work/near.json")
tell "$([ "$near" = best,heap,near ]; echo $?)" "what is within five times of the best runs at the next size, each once" "$near"

# A program that says what a test wants: its build, and what disturbs it.
printf '#!/bin/bash\ncat "$FAKE/document.json"\n' >"$work/twbench"
chmod +x "$work/twbench"
export FAKE=$work TWBENCH=$work/twbench REFERENCE_DIR=$work/files REFERENCE_SCRIPTS=$work/scripts
mkdir "$work/scripts" "$work/files"
# build COMMIT [WARNING] - what the program says of itself from now on.
build() {
    cat >"$work/document.json" <<JSON
{"tool": {"version": "1", "commit": "$1", "compiler": "c", "flags": "f", "date_utc": "2026-01-01T00:00:00Z"}, "complete": true,
 "machine": {"checks": [{"name": "core_busy_share", "value": 0, "warning": $([ -n "${2:-}" ] && echo "\"$2\"" || echo null)}]}}
JSON
}
for name in first second; do
    printf '#!/bin/bash\n# takes: 1 s\necho %s >>"$FAKE/ran"\n[ ! -e "$FAKE/stop-%s" ] || { "$TWBENCH" >"$1"; exit 130; }\n"$TWBENCH" >"$1"\n' $name $name >"$work/scripts/$name.sh"
    chmod +x "$work/scripts/$name.sh"
done
ran() { tr '\n' ' ' <"$work/ran"; : >"$work/ran"; }

build one
refused "a partial run does not touch what is published" "REFERENCE=partial is for tests" env -u REFERENCE_DIR REFERENCE=partial tools/reference.sh
build one 'core 1, to be timed, is 90 % busy'
refused "a busy machine is refused, and what keeps it busy is said" "the machine is busy: core 1, to be timed, is 90 % busy" tools/reference.sh
[ ! -e "$work/ran" ]
tell $? "nothing was measured then"
export REFERENCE=partial
build one
touch "$work/stop-second"
refused "a script that is interrupted ends the run" "ended with 130" tools/reference.sh
[ "$(ran)" = "first second " ] && [ -e "$work/files/first.json" ] && [ ! -e "$work/files/second.json" ]
tell $? "what was whole is kept, what was not is not published"
rm "$work/stop-second"
check "the next run" tools/reference.sh
has_said '1 of 2 files are to be measured, about 0:01 min' && [ "$(ran)" = "second " ]
tell $? "goes on with what is missing, and says how long that takes" "$said"
build two
check "another build" tools/reference.sh first
refused "files of two builds are refused" "second.json: of another build: 1; one" tools/reference.sh --check
check "all of that build" tools/reference.sh
[ "$(ran)" = "first second " ]
tell $? "is measured, none of it twice"
cp "$work/files/first.json" "$work/files/third.json"
refused "a file that no script makes is found" "third.json: no $work/scripts/third.sh makes it" tools/reference.sh --check
rm "$work/files/third.json" "$work/files/second.json"
refused "so is a script whose file is missing" "second.json is missing" tools/reference.sh --check
printf 'second\tnone\n' >"$work/files/OLD.tsv"
check "OLD.tsv excuses it" tools/reference.sh --check
check "until it is measured" tools/reference.sh
[ ! -e "$work/files/OLD.tsv" ]
tell $? "OLD.tsv goes with its last file" "$(ls -A "$work/files")"
# What only counts needs no quiet machine.
build three 'core 1, to be timed, is 90 % busy'
printf '#!/bin/bash\n# takes: 1 s\n# quiet: no\necho counts >>"$FAKE/ran"\n"$TWBENCH" >"$1"\n' >"$work/scripts/counts.sh"
chmod +x "$work/scripts/counts.sh"
check "a script that only counts runs on a busy machine" env REFERENCE=full tools/reference.sh counts
: >"$work/ran"
build four
check "beside the others it runs last" tools/reference.sh
[ "$(ran)" = "first second counts " ]
tell $? "after what needs a quiet machine"
rm "$work/scripts/counts.sh" "$work/files/counts.json"
# What reads another file is measured behind it.
build after
sed -i '2a # after: second' "$work/scripts/first.sh"
refused "a script that reads a file of another build is refused" "first reads $work/files/second.json: expected one of this build" tools/reference.sh first
check "all of them" tools/reference.sh
[ "$(ran)" = "second first " ]
tell $? "begin with what another reads"
sed -i '/^# after/d' "$work/scripts/first.sh"
# What no page reads.
cat >"$work/bins.json" <<'JSON'
{
"tool": {"version": "1", "commit": "after", "compiler": "c", "flags": "f"},
"kind": "claims",
"claims": [{"id": "T1"}],
"cells": [
{"start":{"p50":2.5,"bins":[[1.5,2],[3,4]],"own":{"slowest":[[1,2]]}},"stop":{"bins":[]}},
{"late":{"bins":[[7,8]]}}
]
}
JSON
printf '#!/bin/bash\n# takes: 1 s\ncat "$FAKE/bins.json" >"$1"\n' >"$work/scripts/trimmed.sh"
chmod +x "$work/scripts/trimmed.sh"
cp "$work/bins.json" "$work/files/trimmed.json"
refused "a file with what no page reads is refused" "trimmed.json: has bins or cells that no page reads" tools/reference.sh --check
sed -i 's/"after"/"left"/' "$work/files/trimmed.json"
check "a claim's cells are left out, as they are measured anew" tools/reference.sh trimmed
[ "$(jq -c '[.claims, .cells]' "$work/files/trimmed.json")" = '[[{"id":"T1"}],[]]' ]
tell $? "the claims stay" "$(cat "$work/files/trimmed.json")"
sed -i '/"kind"/d' "$work/bins.json"
rm "$work/files/trimmed.json"
check "of other documents the cells stay" tools/reference.sh trimmed
[ "$(jq -c '.cells' "$work/files/trimmed.json")" = '[{"start":{"p50":2.5,"bins":[],"own":{"slowest":[[1,2]]}},"stop":{"bins":[]}},{"late":{"bins":[]}}]' ]
tell $? "without the bins" "$(cat "$work/files/trimmed.json")"
rm "$work/scripts/trimmed.sh" "$work/files/trimmed.json"
# Quiet when it is looked at, busy while the file is measured.
build five
printf '#!/bin/bash\n# takes: 1 s\nsed "s/null/\\"the host took it\\"/" "$FAKE/document.json" >"$1"\n' >"$work/scripts/first.sh"
REFERENCE=full refused "what a busy machine measured is discarded" "the host took it" tools/reference.sh first
[ "$(jq -r .tool.commit "$work/files/first.json")" = after ] && ! grep -q 'none' <(find "$work/files" -name '.*part*' | sed s/.*/none/)
tell $? "the file of before stays" "$(ls -A "$work/files")"
echo "1..$number"
exit "$failed"
