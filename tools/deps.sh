#!/bin/bash
# deps.sh PURPOSE... - install the Debian packages that a purpose needs and this machine lacks.
#
# Purposes and packages are listed in packages.txt beside this script, and for a lab in labs/NAME/packages.txt:
# labs/NAME stands for what the lab is built and tested with, labs/NAME/PURPOSE for one purpose of it.  NAME may be '*':
# all labs.  Says what it will install, then does: as root, or through sudo; where neither works it prints the command
# and exits with 2.
# When nothing is missing it says nothing and touches no network.
set -euo pipefail

cd "$(dirname "$0")/.."
table=tools/packages.txt

# Packages of the given purposes, one a line.  A lab without a table of its own needs none.
packages_of() {
    local purpose lab wanted lab_table
    for purpose in "$@"; do
        case $purpose in
        labs/*)
            IFS=/ read -r _ lab wanted <<<"$purpose"
            # shellcheck disable=SC2086  # the name of the lab may be a pattern
            for lab_table in labs/$lab/packages.txt; do
                [ ! -e "$lab_table" ] || awk -v wanted="$wanted" '
                    $1 == wanted || (wanted == "" && ($1 == "build" || $1 == "test")) { print $2 }' "$lab_table"
            done
            ;;
        *) awk -v purpose="$purpose" '
            $1 == purpose { print $2; found = 1 }
            END { if (!found) { print "deps: no such purpose: " purpose > "/dev/stderr"; exit 2 } }
        ' "$table" || return ;;
        esac
    done
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Prints what somebody with the rights would have to run, and stops.
stop_with_command() {
    echo "deps: $1 Run this as root, then try again:"
    echo
    echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    exit 2
} >&2

# Sets `as_root` to the words that give a command root's rights.
find_rights() {
    as_root=()
    if [ "$(id -u)" = 0 ]; then
        return
    fi
    if ! command -v sudo >/dev/null; then
        stop_with_command "you are not root and there is no sudo here."
    fi
    if ! sudo -n true 2>/dev/null && ! { [ -t 0 ] && sudo -v; }; then
        stop_with_command "you are not root and sudo needs a password that cannot be asked for here."
    fi
    as_root=(sudo)
}

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null
}

# An index that could not be refreshed is no reason to stop: the packages may be there all the same.
install_missing() {
    local log=$1
    apt update >"$log" 2>&1 || echo "deps: apt-get update failed; trying with the indexes there are"
    if ! apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
        {
            echo "deps: apt-get could not install: ${missing[*]}"
            echo "deps: is the mirror of /etc/apt/sources.list* reachable?  The last lines it said:"
            tail -n 12 "$log" | sed 's/^/    /'
        } >&2
        exit 1
    fi
}

[ $# -gt 0 ] || { echo "usage: deps.sh PURPOSE...  (see packages.txt)" >&2; exit 2; }
wanted=$(packages_of "$@")

missing=()
for package in $wanted; do
    is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "deps: '$*' needs these Debian packages, which are missing:"
for package in "${missing[@]}"; do
    awk -v package="$package" '$2 == package {
        $1 = ""; $2 = ""; sub(/^ +/, ""); printf "    %-20s %s\n", package, $0; exit }' "$table" labs/*/packages.txt
done

command -v apt-get >/dev/null || stop_with_command "there is no apt-get here."
find_rights
echo "deps: installing them and what they depend on ..."
log=$(mktemp -t twbench-deps.XXXXXX)
trap 'rm -f "$log"' EXIT
install_missing "$log"
echo "deps: installed ${#missing[@]} packages in $SECONDS s"
