# trace.bats - what is in a trace: table, JSON, picture, and what is refused.

load ../../../tests/cli/support

@test "the five recorded traces hold what was counted when they were recorded" {
    # name, operations, new, re-arms, cancels, expired, left, ids, max and mean armed, per second, distinct
    while read -r name counts; do
        "$twbench" trace "$name" --json=out.json --force >/dev/null
        [ "$(json out.json '" ".join(str(v) for v in (
            d["operations"]["all"], d["operations"]["new"], d["operations"]["rearms"],
            d["operations"]["cancels"], d["ended"]["expired"], d["ended"]["left"], d["ids"],
            d["armed"]["max"], round(d["armed"]["mean"]), round(d["operations"]["per_second"]),
            d["delays"]["distinct"]))')" = "$counts" ]
        [ "$(COLUMNS=40 "$twbench" trace "$name" | LC_ALL=C.UTF-8 wc -L)" -le 40 ]
    done <<EOF
nginx 1055985 253815 596700 205470 48167 178 2035 1136 974 24032 21
linux-timer 742156 323369 315176 103611 205733 14025 22500 15744 14048 21356 934
linux-hrtimer 201091 116669 2531 81891 34770 8 597 21 12 6577 54678
libuv-bind 196185 107523 14 88648 18388 487 1695 1425 1002 6550 10
libevent-unbound 628691 396201 22073 210417 185783 1 1213 1213 479 22448 7781
EOF
}

@test "the table says in times of people what the ticks are" {
    run "$twbench" trace linux-hrtimer
    [ "$status" -eq 0 ]
    while read -r words; do
        grep -qxE " *${words// / +}.*" <<<"$output"
    done <<EOF
min -9.306 us -9306
p1 1.049 ms 1049224
p10 1.05 ms 1049776
p50 16.08 ms 16079276
p90 88.44 ms 88439695
p99 30.1 s 30099999909
max 24 h 86400000049686
3.997 ms 3997000 5424
3.996 ms 3996000 2321
EOF
    [[ $output == *"68.7 %"* ]]
    [ "$(wc -L <<<"$output")" -le 100 ]
    run "$twbench" trace libuv-bind
    grep -qE 'p90 +1.2 s +1200$' <<<"$output"
    grep -qE 'p99 +3.2 s +3200$' <<<"$output"
}

@test "JSON on stdout is alone, its shares and sums agree with each other" {
    "$twbench" trace libuv-bind --json=- >out.json
    [ "$(json out.json '(d["kind"], sum(d["ended"].values()) == d["starts"], len(d["armed"]["over_time_mean"]),
        sum(c["starts"] for c in d["delays"]["commonest"]) == d["starts"],
        all(sum(c["ended"].values()) == c["starts"] for c in d["delays"]["commonest"]))')" = \
        "('trace', True, 240, True, True)" ]
}

@test "a curve is there without UTF-8 too" {
    LC_ALL=C run "$twbench" trace nginx
    [ "$status" -eq 0 ]
    [[ $output == *"@@@@@"* ]]
    ! LC_ALL=C grep -q '[^ -~]' <<<"$output"
}

@test "a trace is read plain, from gz and from xz, with the same outcome" {
    xzcat "$traces/libuv-bind.tt.xz" >libuv-bind.tt
    "$twbench" trace "$traces/libuv-bind.tt.xz" >xz
    "$twbench" trace ./libuv-bind.tt >plain
    gzip libuv-bind.tt
    "$twbench" trace ./libuv-bind.tt.gz >gz
    diff xz plain
    diff xz gz
}

@test "the picture is drawn, with its data beside it" {
    "$twbench" trace libevent-unbound --plots=pictures >/dev/null
    grep -q '<svg' pictures/trace-libevent-unbound.svg
    [ "$(grep -c . pictures/trace-libevent-unbound.tsv)" -gt 250 ]
    "$twbench" trace libuv-bind --plots=pictures --plot-format=png >/dev/null
    [ -s pictures/trace-libuv-bind.png ]
}

@test "what is no trace is refused" {
    refuses nowhere.tt trace nowhere.tt
    refuses "no operand" trace
    refuses "2 operands" trace nginx libuv-bind
    refuses dumb trace nginx --plots=x --plot-format=dumb
    printf '# timer-trace 1\n# unit_ns: 1\n# ids: 1\n# ops: 1\n# max_armed: 1\n# end: 9\n5 x 0\n' >wrong.tt
    refuses "wrong.tt:7:" trace wrong.tt
    echo precious >file
    refuses file trace nginx --json=file
    [ "$(cat file)" = precious ]
    run "$twbench" trace nginx --json=/nowhere/file
    [ "$status" -eq 2 ]
}

# far END LAST [SOURCE] - a trace whose clock goes to END; its second timer is started at LAST.
far() {
    printf '# timer-trace 1\n# source: %b\n# unit_ns: 1000\n# ids: 2\n# ops: 3\n# max_armed: 2\n# end: %s\n' "${3:-far}" "$1"
    printf '0 s 0 9223372036854775807\n1 s 1 5\n%s s 1 -9223372036854775807\n' "$2"
}

@test "an end at the end of time: every figure is one, in table, JSON, and picture data" {
    for end in 18014398509481985 18014398509481983 9007199254740993 4611686018427387905 9223372036854775807; do
        far $end $((end - 1)) >far.tt
        "$twbench" trace ./far.tt --json=far.json --force >out
        run ! grep -iwE "[-+]?(nan|inf)" out
        # The last bin has the timer that is started just before the end.
        [ "$(json far.json 'd["end_ticks"], d["armed"]["over_time_max"][-1], len(d["armed"]["over_time_mean"])')" = "($end, 2, 240)" ]
    done
    quick --impl=heap --workload=./far.tt --json=run.json >out || true
    run ! grep -iwE "[-+]?(nan|inf)" out
    [ "$(json run.json 'd["cells"][0]["status"]')" = ok ]
}

@test "bytes that are not UTF-8 in a trace's source or name: the documents are JSON all the same" {
    far 20 10 'caf\xe9 \xed\xa0\x80 \xc3' >$'caf\xe9.tt'
    "$twbench" trace ./$'caf\xe9.tt' --json=trace.json >/dev/null
    [ "$(json trace.json 'd["source"], d["trace"]')" = "('caf? ??? ?', 'caf?')" ]
    quick --impl=heap --workload=./$'caf\xe9.tt' --json=run.json >/dev/null
    [ "$(json run.json 'd["cells"][0]["stream"]["spec"]["source"]')" = "caf? ??? ?" ]
    cp run.json before.json
    quick --impl=heap --workload=./$'caf\xe9.tt' --json=run.json --resume >/dev/null
    cmp run.json before.json
}
