# adopt.bash - sourced by the scripts beside it: Debian's source of a program, the taken design in it, figures before and after.
#
# All is kept in build/adopt (ADOPT_DIR).  apt gets lists of its own there: the system's are not touched, nothing is installed.
# Figures are the medians of RUNS runs (3), before and after in turn.  DESIGN=heap takes another design.
# shellcheck disable=SC2034,SC2154  # of each other
set -euo pipefail
adopt=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$adopt/../../.." && pwd)
work=${ADOPT_DIR:-$root/build/adopt}
runs=${RUNS:-3}
mkdir -p "$work"

# wants PROGRAM... - ends with status 2 where one is missing.
wants() {
    local program
    for program in apt-get dpkg-source gcc "$@"; do
        command -v "$program" >/dev/null || { echo "$0: $program is not installed" >&2; exit 2; }
    done
}

# apt ARGUMENT... - apt-get with the sources and packages of this release.
apt() {
    local suite
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    printf '%s http://deb.debian.org/debian '"$suite"' main\n' deb deb-src >"$work/apt/sources.list"
    apt-get -qq -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root \
        -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" "$@"
}

updated() {
    [ -e "$work/apt/updated" ] || { apt update && touch "$work/apt/updated"; }
}

# fetched PACKAGE - its source in $work/PACKAGE/before and /after, the taken design in $work/PACKAGE/taken.
fetched() {
    package=$work/$1
    if [ ! -d "$package/before" ]; then
        updated
        rm -rf "$package" && mkdir -p "$package"
        (cd "$package" && apt source "$1" >/dev/null && mv "$(find . -mindepth 1 -maxdepth 1 -type d)" before)
    fi
    rm -rf "$package/after" "$package/taken"
    cp -r "$package/before" "$package/after"
    "${TWBENCH:-$root/twbench}" take "${DESIGN:-fast}" --growable -o "$package/taken" >/dev/null 2>&1
    # The glue calls it tw_fast, whichever it is.
    mv "$package/taken/tw_${DESIGN:-fast}.h" "$package/taken/tw_fast.h" 2>/dev/null || true
    mv "$package/taken/tw_${DESIGN:-fast}.c" "$package/taken/tw_fast.c" 2>/dev/null || true
    sed -i "s/tw_${DESIGN:-fast}\.h/tw_fast.h/" "$package/taken/tw_fast.c"
    cd "$package"
    echo "# $1 $(sed -n '1s/.*(\(.*\)).*/\1/p' before/debian/changelog), timers by ${DESIGN:-fast} of commit" \
        "$(git -C "$root" rev-parse --short=8 HEAD 2>/dev/null || echo unknown), $(gcc --version | sed 1q)," \
        "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | sed 1q), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
}

# cut FILE FUNCTION... - deletes each function from a C file; it has to be there once.
cut_out() {
    perl -0777 -pi -e 'BEGIN { @names = splice @ARGV, 1 } for my $name (@names) {
        my $count = s/^(?!#)[A-Za-z_][^;{}()]*?\b$name\((?:[^;{}])*\)\s*\{.*?^\}\n//msg;
        die "$ARGV: $name was found $count times; expected once\n" if $count != 1 }' "$1" "${@:2}"
}

# edited FILE EXPRESSION - a substitution of Perl that has to find its place once.
edited() {
    perl -0777 -pi -e 'BEGIN { $do = splice @ARGV, 1 } my $count = eval "\$_ =~ $do"; die $@ if $@;
        die "$ARGV: not found: $do\n" unless $count' "$1" "$2"
}

# timed OUT COMMAND... - runs it; user and system seconds and peak MiB go to OUT, what it says to OUT.said.
timed() {
    local out=$1
    shift
    command time -f '%U %S %M' -o "$out.time" "$@" >"$out.said" 2>&1 || { cat "$out.said" >&2; exit 1; }
    awk 'END { printf "%s %s %d\n", $1, $2, $3 / 1024 }' "$out.time" >"$out"
}

# median FILE... FIELD - of a field of all files.
median() {
    cat "${@:1:$#-1}" | awk -v f="${*: -1}" '{ print $f }' | sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

# row NAME BEFORE AFTER
row() {
    printf '| %s | %s | %s |\n' "$@"
}

# unpacked PACKAGE... - their files in $work/client, not installed; unpacked_run COMMAND... runs one of their programs.
unpacked() {
    local name
    mkdir -p "$work/client/debs"
    for name in "$@"; do
        [ -e "$work/client/debs/$name" ] && continue
        updated
        (cd "$work/client/debs" && apt download "$name" && dpkg-deb -x "$name"_*.deb .. && touch "$name")
    done
}
unpacked_run() {
    PATH=$work/client/usr/bin:$PATH LD_LIBRARY_PATH=$(printf '%s:' "$work"/client/{usr/,}lib/*-linux-gnu*) "$@"
}
