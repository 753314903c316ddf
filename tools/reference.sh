#!/bin/bash
# reference.sh [NAME...] - measures all that README.md and docs/ show, in one build: results/reference/NAME.json.
# reference.sh --check   - do the files there come from the scripts, and from one build?
#
# `make reference` runs it, draws the pictures of the pages anew and writes the pages (`make pages`).  tools/reference/NAME.sh FILE
# makes one file; its second line begins with "# takes: 90 s", the time on a quiet machine of two cores.  A file of
# the present build is kept, so that a run that was interrupted goes on where it was: a script finds in FILE what it
# had measured.  tools/reference/measure.bash has what the scripts share.
#
# A busy machine is refused, before each file and after it: what twbench's own look at the system warns of, but for
# what nobody can change (a virtual machine, the governor) and the load average, which our own work raises; and, over
# the whole time of a file, other programs or the host with over 5 % of the cores.  A script with a line "# quiet: no"
# counts what no other work can change: it runs on any machine, and last.  One with a line "# after: NAME" reads that
# file of this build, and is measured behind those without.
#
# What no page, picture or table reads is left out of a published file: the bins of all histograms, whose percentiles
# stay, and the cells of the claims.
#
# REFERENCE=partial is for tests: tiny sizes, one sample, no look at the machine.  REFERENCE_DIR=DIR must name another
# folder then.  Wants jq and a build of a commit.
set -euo pipefail

cd "$(dirname "$0")/.."
published=results/reference
folder=${REFERENCE_DIR:-$published}
export TWBENCH=${TWBENCH:-./twbench} REFERENCE=${REFERENCE:-full}
scripts=${REFERENCE_SCRIPTS:-tools/reference}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

fail() {
    echo "reference: $*" >&2
    exit 1
}

# Who made a document, as one line; "none" for what is no document of twbench.
build_jq='.tool // {} | if .commit then [.version, .commit, .compiler, .flags] | map(tostring) | join("; ") else "none" end'
build_of() { jq -r "$build_jq" "$1" 2>/dev/null || echo none; }

# The smallest document of this program: it says which build it is, and what disturbs the machine now.
probe() { "$TWBENCH" run --impl=null --workload=hold --tasks=10 --runs=1 --warmup=0 --min-time=0ns --progress=never --json=- 2>/dev/null; }
# One after the other, or jq would be what disturbs.
disturbance() {
    probe >"$work/look.json"
    jq -r "$warnings" "$work/look.json"
}
# shellcheck disable=SC2016  # jq's
warnings='.machine.checks[]? | select(.name | IN("steal_share", "core_busy_share", "sibling_busy_share", "busiest_process", "swapped_pages")) | .warning // empty'

# Processor time so far, in seconds: busy, stolen, all of it; and ours.
clocks() { awk -v hz="$(getconf CLK_TCK)" '/^cpu / { idle = $5 + $6; for (i = 2; i <= 9; i++) all += $i; print (all - idle - $9) / hz, $9 / hz, all / hz }' /proc/stat; }
own_time() {
    times >"$work/times" # not in a pipe: a subshell has no children yet
    awk '{ for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); sum += part[1] * 60 + part[2] } } END { print sum }' "$work/times"
}

# others BEFORE AFTER OWN - what others took of the cores between two readings of clocks, when it is over 5 %.
others() {
    awk -v own="$3" '{ busy = $4 - $1 - own; stolen = $5 - $2; all = $6 - $3
        if (all > 0 && busy > 0.05 * all) printf "other programs took %.0f %% of the cores\n", 100 * busy / all
        if (all > 0 && stolen > 0.05 * all) printf "the host took %.0f %% of the cores\n", 100 * stolen / all }' <<<"$1 $2"
}

is_timed() { ! grep -q '^# quiet: no' "$scripts/$1.sh"; }
before() { sed -n 's/^# after: //p' "$scripts/$1.sh"; }
seconds_of() { sed -n 's/^# takes: \([0-9]*\) s.*/\1/p' "$1" | head -n 1; }
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

check_all() {
    local bad=0 file name build commit complete first=
    while IFS=$'\t' read -r file build commit complete; do
        name=$(basename "$file" .json)
        [ -x "$scripts/$name.sh" ] || { echo "$file: no $scripts/$name.sh makes it"; bad=1; }
        # Files of before stand in OLD.tsv until they are measured again: name, commit.
        ! grep -qsxF "$name"$'\t'"$commit" "$folder/OLD.tsv" || continue
        [ "$build" != none ] || { echo "$file: no document of twbench: .tool.commit is missing"; bad=1; }
        [ "$complete" = true ] || { echo "$file: not complete"; bad=1; }
        [ "${first:=$build}" = "$build" ] || { echo "$file: of another build: $build; the first is of $first"; bad=1; }
    done < <(shopt -s nullglob; set -- "$folder"/*.json; [ $# -eq 0 ] || jq -r "[input_filename, ($build_jq), (.tool.commit | tostring), .complete != false] | @tsv" "$@")
    for file in "$folder"/*.json; do
        [ ! -e "$file" ] || leave_out "$file" | cmp -s - "$file" || { echo "$file: has bins or cells that no page reads"; bad=1; }
    done
    for file in "$scripts"/*.sh; do
        name=$(basename "$file" .sh)
        [ -e "$folder/$name.json" ] || grep -qsxF "$name"$'\t'none "$folder/OLD.tsv" || { echo "$folder/$name.json is missing: make reference"; bad=1; }
        [ -n "$(seconds_of "$file")" ] || { echo "$file: expected a line '# takes: N s'"; bad=1; }
    done
    return $bad
}

# leave_out FILE - what is published of a document, on stdout.
leave_out() {
    jq -r 'def lean: if type == "array" then map(lean) elif type != "object" then . else map_values(lean) | if has("bins") then .bins = [] else . end end;
        def line: if type == "array" then "[\n" + (map(tojson) | join(",\n")) + "\n]" else tojson end;
        (if .kind == "claims" then .cells = [] else . end) | lean | "{\n" + (to_entries | map((.key | tojson) + ": " + (.value | line)) | join(",\n")) + "\n}"' "$1"
}

# One file: resumed when the same build left a part of it, put in its place when it is whole.
measure_one() {
    local name=$1 file=$folder/$1.json part=$folder/.$1.part.json look before after own status=0 found begin=$SECONDS
    [ ! -e "$part" ] || [ "$(build_of "$part")" = "$build" ] || rm -f "$part" "$part".*
    look=$(before "$name")
    [ -z "$look" ] || [ "$(build_of "$folder/$look.json")" = "$build" ] || fail "$name reads $folder/$look.json: expected one of this build; call tools/reference.sh $look first"
    own_time >"$work/own"
    before=$(clocks)
    "$scripts/$name.sh" "$part" || status=$?
    [ $status -eq 0 ] || fail "$scripts/$name.sh ended with $status; what it measured stays for the next 'make reference'"
    [ "$(build_of "$part")" = "$build" ] || fail "$name: $(build_of "$part"), expected the build $build"
    after=$(clocks)
    own_time >>"$work/own"
    own=$(awk 'NR == 1 { first = $1 } END { print $1 - first }' "$work/own")
    if [ "$REFERENCE" = full ] && is_timed "$name"; then
        found=$(others "$before" "$after" "$own"; jq -r "$warnings" "$part")
        if [ -n "$found" ]; then
            rm -f "$part" "$part".*
            fail "$name: discarded, the machine was busy: ${found//$'\n'/; }; call 'make reference' again when it is quiet"
        fi
    fi
    leave_out "$part" >"$part.new"
    mv "$part.new" "$file"
    rm -f "$part" "$part".*
    [ ! -e "$folder/OLD.tsv" ] || { grep -v "^$name"$'\t' "$folder/OLD.tsv" >"$folder/OLD.new" || true; mv "$folder/OLD.new" "$folder/OLD.tsv"; }
    grep -qv '^#' "$folder/OLD.tsv" 2>/dev/null || rm -f "$folder/OLD.tsv"
    echo "    $file: $((SECONDS - begin)) s"
}

case $REFERENCE in
    full) ;;
    partial) [ "$(realpath -m "$folder")" != "$(realpath -m "$published")" ] || [ "${1:-}" = --check ] ||
        fail "REFERENCE=partial is for tests: expected REFERENCE_DIR=DIR, another folder than $published" ;;
    *) fail "REFERENCE=$REFERENCE: expected full or partial" ;;
esac
if [ "${1:-}" = --check ]; then
    check_all
    exit
fi

names=("$@")
[ $# -gt 0 ] || for script in "$scripts"/*.sh; do names+=("$(basename "$script" .sh)"); done
mkdir -p "$folder"
probe >"$work/probe.json" || fail "$TWBENCH does not run; expected a build of this checkout ('make')"
build=$(build_of "$work/probe.json")
case $build in *"; unknown; "* | *-dirty*) [ "$REFERENCE" = partial ] || fail "this build is of no commit (${build%%; gcc*}): commit first, then 'make reference'" ;; esac

left=() later=() last=() total=0
for name in "${names[@]}"; do
    [ -x "$scripts/$name.sh" ] || fail "$name: no such script: $scripts/$name.sh"
    if [ -e "$folder/$name.json" ] && [ "$(build_of "$folder/$name.json")" = "$build" ]; then continue; fi
    if ! is_timed "$name"; then last+=("$name"); elif [ -n "$(before "$name")" ]; then later+=("$name"); else left+=("$name"); fi
    total=$((total + $(seconds_of "$scripts/$name.sh")))
done
left+=("${later[@]}" "${last[@]}")
echo "==> ${#left[@]} of ${#names[@]} files are to be measured, about $(minutes $total) min on a quiet machine: ${left[*]}"
started=$SECONDS
for i in "${!left[@]}"; do
    if [ "$REFERENCE" = full ] && is_timed "${left[i]}"; then
        found=$(disturbance)
        # What has just ended is seen for a moment longer.
        [ -z "$found" ] || { sleep 5; found=$(disturbance); }
        [ -z "$found" ] || fail "the machine is busy: ${found//$'\n'/; }. ${#left[@]} files were to be measured, $i are done; call it again when it is quiet"
    fi
    echo "==> [$((i + 1))/${#left[@]}] ${left[i]}, about $(seconds_of "$scripts/${left[i]}.sh") s; $(minutes $((SECONDS - started))) of $(minutes $total) min are over"
    measure_one "${left[i]}"
done
echo "==> measured in $(minutes $((SECONDS - started))) min"
[ $# -gt 0 ] || check_all || fail "the files are not of one build"
