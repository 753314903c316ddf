# help.bats - what somebody types first: help, a wrong word, a log where a load belongs, a list to read by machine.

load support

# on_terminal COLUMNS COMMAND... - runs it on a terminal of that width, plain.
on_terminal() {
    local columns=$1
    shift
    COLUMNS=$columns TERM=xterm NO_COLOR=1 script -qec "$(printf '%q ' "$@")" /dev/null </dev/null | tr -d '\r'
}

longest_line() { LC_ALL=C.UTF-8 wc -L; }

@test "-h, help and a bare twbench print the commands, and nothing runs" {
    expected=$("$twbench" --help)
    [[ $expected == *"usage: twbench"* && $expected == *conform* ]]
    for words in -h help ""; do
        # shellcheck disable=SC2086  # no word at all is one of them
        run --separate-stderr timeout 300 "$twbench" $words
        [ "$status" -eq 0 ]
        [ "$output" = "$expected" ]
        [ -z "$stderr" ]
    done
}

@test "a word behind run is taken for a design or for a workload, whichever it is" {
    refuses "did you mean --impl=hashed?" run hashed
    refuses "did you mean --impl=hashed?" run hashd
    refuses "did you mean --workload=nginx?" run nginx
    refuses "did you mean --workload=nginx?" run ngnix
    refuses "did you mean --workload=my.tt.xz?" run my.tt.xz
}

@test "COLUMNS is the width in a pipe as well" {
    [ "$(COLUMNS=60 "$twbench" list | longest_line)" -le 60 ]
    [ "$(env -u COLUMNS "$twbench" list | longest_line)" -gt 60 ]
}

@test "the list of commands has each command that is built, under a heading" {
    listed=$("$twbench" --help)
    while read -r command; do
        echo "$command"
        grep -q "^  $command " <<<"$listed"
    done < <("$twbench" list --flags | awk -F'\t' '$1 == "command" && $2 !~ /^(probe|help|version|null)$/ { print $2 }')
}

@test "help COMMAND, COMMAND --help and COMMAND -h are one" {
    expected=$("$twbench" run --help)
    [ "$("$twbench" help run)" = "$expected" ]
    [ "$("$twbench" run -h)" = "$expected" ]
    [ "$("$twbench" run --impl=heap -h)" = "$expected" ]
}

@test "run --help fits two screens, names what it leaves out, and --help=all has every flag" {
    short=$("$twbench" run --help)
    [ "$(wc -l <<<"$short")" -le 60 ]
    for heading in Designs Loads Measurement Output; do grep -qx "$heading" <<<"$short"; done
    more=$(sed -n "s/.*--help=all' lists \([0-9]*\) more.*/\1/p" <<<"$short")
    rows() { grep -c '^  --'; }
    [ "$(rows <<<"$short")" -le 20 ]
    [ "$(("$(rows <<<"$short")" + more))" -eq "$("$twbench" run --help=all | sed '/^Flags that need/,$d' | rows)" ]
}

@test "version and --version are one" {
    [[ $("$twbench" version) == "$("$twbench" --version)" && $("$twbench" version) == "twbench $(cat "$root/VERSION")"* ]]
}

@test "help keeps to 80 columns, and to fewer where COLUMNS says so" {
    for command in $("$twbench" --help | sed -n '/^  lab /d; s/^  \([a-z]*\) .*/\1/p'); do
        echo "$command"
        [ "$("$twbench" help "$command" | longest_line)" -le 80 ]
        [ -z "$("$twbench" help "$command" | grep ' $')" ]
    done
    [ "$("$twbench" --help | longest_line)" -le 80 ]
    [ "$(on_terminal 60 "$twbench" help run | longest_line)" -le 60 ]
    [ "$(on_terminal 60 "$twbench" list | longest_line)" -le 60 ]
}

@test "tables keep to COLUMNS on a terminal" {
    quick --impl=heap,hashed --workload=hold --json=r.json >/dev/null
    wide=$(on_terminal 200 "$twbench" report r.json | longest_line)
    [ "$wide" -gt 80 ]
    for width in 40 80; do [ "$(on_terminal $width "$twbench" report r.json | longest_line)" -le $width ]; done
}

@test "parameters stand under the designs that have them" {
    help=$("$twbench" run --help=all)
    under() { awk -v flag="--$1=" '/^Parameters of / { design = $3 } index($1, flag) == 1 { print design }' <<<"$help"; }
    [ "$(under timeout)" = ring ]
    under slots | grep -qx hashed
}

@test "a wrong word is answered by the one that was meant" {
    refuses "did you mean 'compare'?" comapre
    refuses "did you mean 'conform'?" help confrom
    refuses "did you mean 'hashed'?" run --impl=hashd
    refuses "did you mean 'hold'?" run --workload=hodl
    refuses "did you mean '--workload'?" run --worklaod=hold
    refuses "did you mean '--slots'?" run --slot=64
    refuses "did you mean '--export-csv'?" run --export-cvs=x.csv
    refuses "did you mean 'nginx'?" replay ngnix
    refuses "did you mean 'help'?" halp
    refuses "did you mean 'ci'?" run --preset=cii
}

@test "a word near to nothing gets no guess" {
    refuses "'xyzzyplugh'" xyzzyplugh
    [[ $stderr != *"did you mean"* ]]
}

@test "a design named twice runs once" {
    for impl in all,heap heap,all; do
        quick --impl="$impl" --workload=hold --counts-only --json=- >r.json
        [ "$(jq '[.cells[].impl] | length == (unique | length)' r.json)" = true ]
    done
    quick --impl=all,null --workload=hold --counts-only --json=- >r.json
    jq -e '[.cells[].impl] | index("null") and index("heap")' r.json
}

@test "list as JSON has every design, parameter, workload and trace of the text" {
    "$twbench" list --json=- >list.json
    text=$("$twbench" list)
    for name in $(jq -r '.designs[].name, .workloads[].name, .traces[].name' list.json); do
        grep -qE "^  $name " <<<"$text"
    done
    [ "$(jq '.designs | length' list.json)" -ge 21 ]
    jq -e '.designs[] | select(.name == "hashed") | .parameters[] | select(.name == "slots") | .min' list.json
    jq -e '.designs[] | select(.name == "list") | .traits.start.average == "O(n)"' list.json
    jq -e '.workloads[] | select(.name == "hold") | .tick_ns' list.json
    refuses "list.json" list --json=list.json
}

@test "list --plugin describes the plugin" {
    plugin=./mine.so
    gcc -shared -fPIC -I "$root/src/impls" -o "$plugin" "$root/docs/plugins/wheel.c"
    run "$twbench" list --plugin="$plugin"
    [ "$status" -eq 0 ]
    [[ $output == *"start O("* && $output != *"Workloads"* ]]
    [ "$("$twbench" list --plugin="$plugin" --json=- | jq '.designs | length')" -eq 1 ]
    refuses "./none.so" list --plugin=./none.so
}
