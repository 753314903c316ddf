#!/bin/bash
# bisect.sh - finds the commit that made a cell slower, by git bisect and twbench compare.
#
#     tools/bisect.sh [--build=COMMAND] [--artifact=FILE] GOOD BAD CELL [FLAG...]
#
# CELL is DESIGN/WORKLOAD/TASKS, as histories name it.  Each commit is built in a clone of its own by COMMAND ("make all")
# and FILE ("twbench", or a plugin's .so) is compared with that of GOOD.  FLAGs go to compare: --pairs=0 compares counts
# alone.  Regressed is bad, the same or improved is good.  A commit that is inconclusive or does not build is
# skipped (125).  The sources here are not touched.
#
# Exit status: 0 and the first bad commit on stdout; 1 when skipped commits hide it; 2 when something given is
# wrong, among it GOOD and BAD that do not differ.
set -euo pipefail

build="make all" artifact=twbench
while [[ ${1:-} == --build=* || ${1:-} == --artifact=* ]]; do
    case $1 in
    --build=*) build=${1#--build=} ;;
    --artifact=*) artifact=${1#--artifact=} ;;
    esac
    shift
done
[ $# -ge 3 ] || { sed -n 2,14p "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
good=$1 bad=$2 cell=$3
shift 3
IFS=/ read -r design workload tasks rest <<<"$cell"
if [ -z "$tasks" ] || [ -n "$rest" ]; then
    echo "bisect.sh: '$cell': expected DESIGN/WORKLOAD/TASKS" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")/.." && pwd)
twbench=${TWBENCH:-$here/twbench}
[ -x "$twbench" ] || { echo "bisect.sh: $twbench: not there; build it, or name one in TWBENCH" >&2; exit 2; }
for commit in "$good" "$bad"; do
    git rev-parse -q --verify "$commit^{commit}" >/dev/null || { echo "bisect.sh: '$commit': not a commit" >&2; exit 2; }
done
good=$(git rev-parse "$good^{commit}") bad=$(git rev-parse "$bad^{commit}")
git merge-base --is-ancestor "$good" "$bad" || { echo "bisect.sh: GOOD is not an ancestor of BAD" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --no-checkout "$(git rev-parse --show-toplevel)" "$work/tree"
cd "$work/tree"

# A plugin's design is told by the plugin.
matrix=(--workload="$workload" --tasks="$tasks")
[[ $artifact == *.so ]] || matrix+=(--impl="$design")

cat >"$work/judge" <<'JUDGE'
#!/bin/bash
# judge WORK TWBENCH BUILD ARTIFACT FLAG... - 0 good, 1 bad, 125 nobody can say, 128 stop: for git bisect run.
work=$1 twbench=$2 build=$3 artifact=$4
shift 4
if ! bash -c "$build" >"$work/build.log" 2>&1 || [ ! -e "$artifact" ]; then
    echo "$(git rev-parse --short HEAD): does not build; skipped" >&2
    exit 125
fi
cp "$artifact" "$work/new-${artifact##*/}"
"$twbench" compare "$@" --fail-on=inconclusive --no-system-check --progress=never --style=plain \
    "$work/old-${artifact##*/}" "$work/new-${artifact##*/}" >"$work/compare.log" 2>&1
status=$?
echo "$(git rev-parse --short HEAD): $(grep -m 1 '^twbench: ' "$work/compare.log" | sed 's/^twbench: //')" >&2
case $status in
0) exit 0 ;;
3) exit 1 ;;
4) exit 125 ;;
*) cat "$work/compare.log" >&2; exit 128 ;;
esac
JUDGE
chmod +x "$work/judge"
judge=("$work/judge" "$work" "$twbench" "$build" "$artifact" "${matrix[@]}" "$@")

git checkout -q "$good"
bash -c "$build" >"$work/build.log" 2>&1 || { tail -n 5 "$work/build.log" >&2; echo "bisect.sh: GOOD does not build" >&2; exit 2; }
[ -e "$artifact" ] || { echo "bisect.sh: '$build' makes no $artifact" >&2; exit 2; }
cp "$artifact" "$work/old-${artifact##*/}"
git checkout -q "$bad"
status=0
"${judge[@]}" || status=$?
[ $status -ne 0 ] || { echo "bisect.sh: $cell is not slower in BAD than in GOOD" >&2; exit 2; }
[ $status -eq 1 ] || { echo "bisect.sh: nobody can say whether $cell is slower in BAD: give it more --pairs" >&2; exit 2; }

git bisect start "$bad" "$good" >/dev/null
git bisect run "${judge[@]}" >"$work/bisect.log" || true
if grep -q 'is the first bad commit' "$work/bisect.log"; then
    first=$(sed -n 's/ is the first bad commit//p' "$work/bisect.log" | head -n 1)
    git log -1 --format='%H %s' "$first"
else
    tail -n 30 "$work/bisect.log" >&2
    exit 1
fi
