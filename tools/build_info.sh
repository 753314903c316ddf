#!/bin/bash
# build_info.sh OUT CC FLAGS PREFIX LIBDIR - write the header in which a binary says how it was built.
#
# Every result document carries these words.  The file is only touched when a word has changed, so
# that it can be made on every build without recompiling anything.
set -euo pipefail

out=$1 compiler=$2 flags=$3 prefix=$4 libdir=$5
root=$(cd "$(dirname "$0")/.." && pwd)

# The commit; "-dirty" when tracked files differ from it, other than documents and results, which are no part of the
# program (`make reference` writes them while it runs); "unknown" outside a checkout of twbench (a tarball, even one
# unpacked inside somebody else's repository).  A source package has the commit in the file COMMIT.
commit_name() {
    local git=(git -C "$root" -c safe.directory="$root") commit
    if [ "$("${git[@]}" rev-parse --show-toplevel 2>/dev/null)" != "$root" ] ||
        ! commit=$("${git[@]}" rev-parse --short=12 HEAD 2>/dev/null); then
        cat "$root/COMMIT" 2>/dev/null || echo unknown
        return
    fi
    "${git[@]}" diff --quiet HEAD -- ':/' ':(top,exclude)results' ':(top,exclude)docs' ':(top,exclude)*.md' 2>/dev/null || commit+=-dirty
    echo "$commit"
}

# A C string literal of the argument.
quote() {
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

# Where the sources happened to be does not belong to the flags: two builds of the same sources are the same bytes.
flags=$(sed -E 's/ *-f[a-z]+-prefix-map=[^ ]*//g' <<<"$flags")

# shellcheck disable=SC2086  # CC may be "ccache gcc"
compiler_version=$($compiler --version | head -n 1)

cat >"$out.new" <<END
/* Made by tools/build_info.sh; do not edit. */
#ifndef TWBENCH_BUILD_INFO_H
#define TWBENCH_BUILD_INFO_H

#define BUILD_VERSION $(quote "$(cat "$root/VERSION")")
#define BUILD_COMMIT $(quote "$(commit_name)")
#define BUILD_COMPILER $(quote "$compiler_version")
#define BUILD_FLAGS $(quote "$flags")
/* Where \`make install\` puts what is looked up at run time. */
#define BUILD_WORKLOADS_DIR $(quote "$prefix/share/twbench/workloads")
#define BUILD_PLOTS_DIR $(quote "$prefix/share/twbench/plots")

#define BUILD_LIBRARIES_DIR $(quote "$libdir/twbench/libraries")
#define BUILD_REPORT_DIR $(quote "$prefix/share/twbench/report")
/* Programs of the labs, and what they load. */
#define BUILD_LABS_DIR $(quote "$libdir/twbench")
/* Seen from the program: programs of the labs; seen from these: the data. */
#define BUILD_LABS_BESIDE $(quote "$(realpath -ms --relative-to="$prefix/bin" "$libdir/twbench")/")
#define BUILD_SHARE_BESIDE $(quote "$(realpath -ms --relative-to="$libdir/twbench" "$prefix/share/twbench")/")
/* Data of the labs. */
#define BUILD_SHARE_DIR $(quote "$prefix/share/twbench")

#endif
END
if cmp -s "$out.new" "$out"; then
    rm "$out.new"
else
    mv "$out.new" "$out"
fi
