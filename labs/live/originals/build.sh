#!/bin/bash
# build.sh [OUT] - builds the drivers whose runtimes are here into OUT (build/originals): OUT/NAME for each.
#
# What is missing is said and skipped; what does not compile is an error.  Nothing is fetched, and nothing is written
# outside of OUT.  Exit status: 0 when at least one driver was built, 1 otherwise.
set -euo pipefail

cd "$(dirname "$0")/../../.."
out=$(realpath -m "${1:-build/originals}")
netty=/usr/share/java/netty-common.jar
built=()

# skip REASON NAME...
skip() {
    local reason=$1
    shift
    rm -f "${@/#/$out/}"
    echo "originals: skipped: $*: $reason ('make originals' installs it where apt-get can)" >&2
}

# A script, so that whoever runs OUT/NAME need not know of classes and jars.  No performance data in /tmp; a heap that
# need not grow while it is measured.
launcher() {
    local name=$1 class=$2 jars=$3
    cat >"$out/$name" <<END
#!/bin/sh
# $name: made by labs/live/originals/build.sh; do not edit.
here=\$(dirname "\$(readlink -f "\$0")")
exec java -Xms512m -Xmx2g -XX:-UsePerfData -cp "\$here/java$jars" $class "\$@"
END
    chmod +x "$out/$name"
    built+=("$name")
}

build_java() {
    local sources=()
    if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
        skip 'no javac and java here' netty jdk-timer jdk-pool
        return
    fi
    if [ -e "$netty" ]; then
        mapfile -t sources < <(find labs/live/originals/java -name '*.java' | sort)
    else
        skip "no $netty here" netty
        mapfile -t sources < <(find labs/live/originals/java -name '*.java' ! -name Netty.java | sort)
    fi
    rm -rf "$out/java"
    javac -Xlint:all -Werror -Xlint:-path -cp "$netty" -d "$out/java" "${sources[@]}"
    launcher jdk-timer JdkTimer ''
    launcher jdk-pool JdkPool ''
    [ ! -e "$netty" ] || launcher netty Netty ":$netty"
}

build_go() {
    if ! command -v go >/dev/null; then
        skip 'no go here' go
        return
    fi
    (cd labs/live/originals/go && GO111MODULE=on GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0 \
        GOCACHE=$out/go-cache GOPATH=$out/go-path go build -trimpath -o "$out/go" .)
    built+=(go)
}

mkdir -p "$out"
build_java
build_go
[ ${#built[@]} -gt 0 ] || { echo "originals: none of the runtimes is here" >&2; exit 1; }
echo "originals: built ${built[*]} in ${out#"$PWD"/}"
