# tap.bash - counts results and prints them as TAP, for suites that are scripts.  Source it; failed is 1 once one failed.
# shellcheck shell=bash disable=SC2034
number=0 failed=0
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
