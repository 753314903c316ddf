#!/bin/bash
# compare_with_base.sh [BASE-REF] [FLAG...] - build this tree and the commit at which it left
# BASE-REF, and hold the two programs against each other with `twbench compare`, which is given the
# flags.
#
# What is judged is what this branch did: OLD is not the tip of BASE-REF, to which others have
# added since, but the merge base.  NEW is this tree as it is, uncommitted changes included; on a
# branch without commits of its own it is these that are judged.  BASE-REF is a branch, a tag or a
# commit; without one it is the first that exists of origin/HEAD, origin/main, origin/master, main
# and master.
#
# Both are built by make in the same environment (CC, CFLAGS), and of the libraries only those that --impl
# names.  The base is built in build/base and stays there: the next call with the same base, compiler, flags
# and libraries builds nothing of it.  The program of this tree is the judge of both.
#
# Exit status: that of `twbench compare` (docs/CI.md), or 2 when there is nothing to compare,
# because one of the two cannot be found or built; the reason is on standard error.
set -euo pipefail

# A git hook sets these for the repository it runs in; the worktree is another one.
# shellcheck disable=SC2046  # names of variables, one a word
unset $(git rev-parse --local-env-vars 2>/dev/null || true)

root=$(cd "$(dirname "$0")/.." && pwd -P)
base_tree=$root/build/base

say() {
    echo "compare_with_base: $*" >&2
}

stop() {
    say "$@"
    exit 2
}

in_root() {
    git -C "$root" "$@"
}

# ---- Which commit. -------------------------------------------------------------------------------

default_ref() {
    local ref
    for ref in origin/HEAD origin/main origin/master main master; do
        if in_root rev-parse --quiet --verify "$ref^{commit}" >/dev/null; then
            echo "$ref"
            return
        fi
    done
    stop "no origin/HEAD, main or master here; expected a branch, tag or commit to compare with"
}

# The commit at which HEAD left the reference.
find_base() {
    local ref=$1 base hint=''
    in_root rev-parse --quiet --verify "$ref^{commit}" >/dev/null ||
        stop "'$ref' is no commit here; expected a branch, tag or commit that has been fetched"
    if ! base=$(in_root merge-base HEAD "$ref"); then
        if [ "$(in_root rev-parse --is-shallow-repository)" = true ]; then
            hint=": this clone is shallow; fetch the whole history (git fetch --unshallow;"
            hint+=" in CI fetch-depth: 0 or GIT_DEPTH: 0)"
        fi
        stop "HEAD and '$ref' have no commit in common$hint"
    fi
    echo "$base"
}

# ---- Building. -----------------------------------------------------------------------------------

# What to make for the flags given: the program, and each library that is named as a design.
targets_for() {
    local flag word names='' library
    while [ $# -gt 0 ]; do
        flag=$1
        shift
        case $flag in
        --impl=*) names+=,${flag#--impl=} ;;
        --impl) names+=,${1:-} ;;
        esac
    done
    echo twbench
    while read -r library; do
        for word in ${names//,/ }; do
            [ "$word" != "$library" ] || echo "build/release/libraries/${library//-/_}.so"
        done
    done < <(sed -n 's/^DESIGN("\([^"]*\)".*/\1/p' "$root"/labs/*/lab.def)
}

# All that the program of the base depends on: its commit, what is made, and how.
key_of_base() {
    # shellcheck disable=SC2086  # CC may be "ccache gcc"
    printf '%s\n' "$1" "${targets[*]}" "${CC:-}" "${CFLAGS:-}" "${CPPFLAGS:-}" "${LDFLAGS:-}" \
        "$(${CC:-gcc} --version 2>&1 | head -n 1)"
}

remove_base_tree() {
    in_root worktree remove --force "$base_tree" 2>/dev/null || rm -rf "$base_tree"
    in_root worktree prune
}

# Two of these at once would build over each other and disturb each other's times.
lock_base_tree() {
    mkdir -p "$root/build"
    exec 8>"$root/build/base.lock"
    flock --nonblock 8 || stop "another comparison is running in $root"
}

# A make that called this script has settings of its own, which are not for these builds.
build_tree() {
    say "building $1"
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
        make -C "$1" --no-print-directory FLAVOUR=release "${targets[@]}" >&2 8>&- && [ -x "$1/twbench" ]
}

# The key is written last: what a killed build has left has none, and is removed.
build_base() {
    local base=$1 key
    key=$(key_of_base "$base")
    if [ "$(cat "$base_tree/key" 2>/dev/null)" = "$key" ]; then
        say "the base ${base:0:12} is built already"
        return
    fi
    trap remove_base_tree EXIT
    remove_base_tree
    in_root worktree add --quiet --force --detach "$base_tree" "$base" >&2 ||
        stop "git could not check out the base ${base:0:12} into $base_tree"
    build_tree "$base_tree" ||
        stop "the base ${base:0:12} does not build here; the compiler's words are above"
    "$base_tree/twbench" probe --help >/dev/null 2>&1 ||
        stop "the base ${base:0:12} is older than 'twbench probe'; docs/CI.md, \"The first time\""
    # What was built stays; git forgets that it was a worktree.
    rm -f "$base_tree/.git"
    in_root worktree prune
    printf '%s\n' "$key" >"$base_tree/key"
    trap - EXIT
}

# ---- The comparison. -----------------------------------------------------------------------------

# A tarball unpacked inside somebody else's repository has no history either.
if [ "$(in_root rev-parse --show-toplevel)" != "$root" ] ||
    ! in_root rev-parse --quiet --verify HEAD >/dev/null; then
    stop "$root is no git repository with a commit in it, so there is no base to compare with"
fi

ref=
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    ref=$1
    shift
fi
ref=${ref:-$(default_ref)}
base=$(find_base "$ref")
changes=
in_root diff --quiet HEAD -- || changes=' with uncommitted changes'
head=$(in_root rev-parse HEAD)
say "OLD is ${base:0:12}, where this tree left $ref; NEW is ${head:0:12}$changes"

mapfile -t targets < <(targets_for "$@")
lock_base_tree
build_base "$base"
build_tree "$root" || stop "this tree does not build; the compiler's words are above"

status=0
"$root/twbench" compare "$base_tree/twbench" "$root/twbench" "$@" 8>&- || status=$?
exit "$status"
