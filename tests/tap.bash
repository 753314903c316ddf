# tap.bash - counts results and prints them as TAP, for suites that are scripts.  Source it; failed is 1 once one failed.
# shellcheck shell=bash disable=SC2034
number=0 failed=0 said=
# tell STATUS WHAT [OUTPUT] - one result; OUTPUT is shown below one that failed.
tell() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "${3:-}" ] || echo "#   ${3//$'\n'/$'\n#   '}"
        failed=1
    fi
}
# check WHAT COMMAND... - one result: the command succeeds.  What it wrote is in said.
check() {
    said=$("${@:2}" 2>&1)
    tell $? "$1" "$said"
}
# refused WHAT TEXT COMMAND... - one result: the command fails and writes TEXT.
refused() {
    local status=0
    said=$("${@:3}" 2>&1) && status=1
    has_said "$2" || status=1
    tell $status "$1" "$said"
}
# has_said TEXT - is that in said?
has_said() {
    [[ $said == *"$1"* ]]
}
