# refused_files.bats - files that are wrong end with status 2 and a message that names the file and
# the place in it.

load support

# A trace of two timers, in the format timer-trace 1.
good_trace() {
    cat <<'END'
# timer-trace 1
# source: written by hand
# unit_ns: 1000000
# ids: 2
# ops: 3
# max_armed: 2
# end: 20
0 s 0 5
0 s 1 7
2 c 0
END
}

# refuses_trace CULPRIT SED - the trace above after an edit.
refuses_trace() {
    good_trace | sed "$2" >edited.tt
    refuses "$1" replay ./edited.tt --impl=heap
}

@test "the trace that the others are edits of is good" {
    good_trace >good.tt
    run --separate-stderr "$twbench" replay ./good.tt --impl=heap --counts-only --json=-
    [ "$status" -eq 0 ]
    echo "$output" >out.json
    [ "$(json out.json 'd["cells"][0]["fired"]')" = 1 ]
}

@test "a trace that is wrong is refused, with its line" {
    wrong "a trace that is not there" missing.tt replay ./missing.tt
    echo "a trace that is a folder"; mkdir folder.tt; refuses folder.tt replay ./folder.tt
    echo "an empty trace"; : >empty.tt; refuses empty.tt:1 replay ./empty.tt
    echo "a trace cut short inside its xz data"
    head -c 100000 "$traces/nginx.tt.xz" >cut.tt.xz
    refuses cut.tt.xz replay ./cut.tt.xz --impl=heap
    echo "a trace cut short by one byte of xz"
    head -c -1 "$traces/libuv-bind.tt.xz" >cut.tt.xz
    refuses cut.tt.xz replay ./cut.tt.xz --impl=heap
    echo "xz data with a flipped byte"
    cp "$traces/libuv-bind.tt.xz" bad.tt.xz
    chmod u+w bad.tt.xz
    printf '\377\000\377' | dd of=bad.tt.xz bs=1 seek=50000 conv=notrunc status=none
    refuses bad.tt.xz replay ./bad.tt.xz --impl=heap
    echo "an .xz that is no xz"; echo hello >plain.tt.xz; refuses plain.tt.xz:1 replay ./plain.tt.xz
    echo "a .gz cut short"; good_trace | gzip | head -c 60 >cut.tt.gz
    refuses cut.tt.gz replay ./cut.tt.gz
    echo "a trace that is something else"; refuses_trace edited.tt:1 '1s/.*/GIF89a/'
    echo "a trace of a later version"; refuses_trace edited.tt:1 '1s/1$/2/'
    echo "a trace without its unit"; refuses_trace unit_ns '/unit_ns/d'
    echo "a unit of nothing"; refuses_trace edited.tt:3 's/unit_ns: .*/unit_ns: 0/'
    echo "a header key twice"; refuses_trace edited.tt:4 '3p'
    echo "ids beyond all bounds"; refuses_trace edited.tt:4 's/ids: 2/ids: 99999999999999999999/'
    echo "an id that the header does not allow"; refuses_trace edited.tt:9 's/s 1 7/s 2 7/'
    echo "an operation that is none"; refuses_trace edited.tt:10 's/2 c 0/2 x 0/'
    echo "a clock that goes back"; refuses_trace edited.tt:9 's/0 s 0 5/3 s 0 5/'
    echo "a delay that is no number"; refuses_trace edited.tt:8 's/0 s 0 5/0 s 0 five/'
    echo "a delay beyond 64 bits"; refuses_trace edited.tt:8 's/0 s 0 5/0 s 0 99999999999999999999/'
    echo "more on a line than belongs there"; refuses_trace edited.tt:9 's/s 1 7/s 1 7 9/'
    echo "a cancel of an idle timer"; refuses_trace edited.tt:10 's/2 c 0/9 c 0/'
    echo "fewer lines than the header says"; refuses_trace ops '$d'
    echo "an end before the last line"; refuses_trace end 's/end: 20/end: 1/'
    echo "a byte of zero in a trace"; good_trace >nul.tt; printf '\0\n' >>nul.tt; refuses nul.tt replay ./nul.tt
    echo "a last line without its end"; good_trace | head -c -1 >cut.tt; refuses cut.tt replay ./cut.tt
}

# refuses_workload CULPRIT TEXT - a workload file with that text.
refuses_workload() {
    printf '%s\n' "$2" >w.json
    refuses "$1" --workload=./w.json --impl=heap
}

phases='"phases": [{"name": "go", "do": "start", "delay": "1s"}]'
head='"name": "w", "summary": "s", "tick": "1ms", "tasks": 10'

@test "a workload that is wrong is refused, with its place" {
    wrong "a workload that is not there" nosuch --workload=nosuch
    wrong "a workload file that is not there" ./nosuch.json --workload=./nosuch.json
    echo "a workload that is not JSON, with line and column"
    refuses_workload w.json:2: '{ "name": "w",
  oops }'
    echo "a workload with something behind its end"; refuses_workload w.json "{$head, $phases} }"
    echo "a workload that is an array"; refuses_workload w.json '[]'
    echo "a workload that is empty"; refuses_workload w.json ''
    echo "a workload nested a hundred thousand deep"
    refuses_workload w.json "$(printf '[%.0s' {1..100000})"
    echo "a workload larger than any"
    head -c 3000000 /dev/zero | tr '\0' ' ' >w.json
    refuses w.json --workload=./w.json
    echo "a key that no workload has"; refuses_workload colour "{$head, \"colour\": 1, $phases}"
    echo "a key twice"; refuses_workload tick "{$head, \"tick\": \"2ms\", $phases}"
    echo "no phases"; refuses_workload phases "{$head, \"phases\": []}"
    echo "a phase that does nothing known"
    refuses_workload 'phases[0]' "{$head, \"phases\": [{\"name\": \"go\", \"do\": \"jump\"}]}"
    echo "a key of the wrong type"; refuses_workload tasks "{\"name\": \"w\", \"summary\": \"s\", \"tick\": \"1ms\", \"tasks\": [], $phases}"
    echo "a share above one"
    refuses_workload share "{$head, \"phases\": [{\"name\": \"go\", \"do\": \"start\", \"delay\": \"1s\", \"share\": 2}]}"
    echo "a delay of a distribution that is none"
    refuses_workload delay "{$head, \"phases\": [{\"name\": \"go\", \"do\": \"start\", \"delay\": \"cauchy(1)\"}]}"
    echo "a parameter that is not defined"
    refuses_workload nosuch "{$head, \"phases\": [{\"name\": \"go\", \"do\": \"start\", \"delay\": \"\$nosuch\"}]}"
    echo "parameters that name each other in a circle"
    refuses_workload parameters.a "{$head, \"parameters\": {\"a\": \"\$b\", \"b\": \"\$c\", \"c\": \"\$a\"}, \"phases\": [{\"name\": \"go\", \"do\": \"start\", \"delay\": \"\$a\"}]}"
    echo "a workload beyond all bounds"
    refuses_workload ticks "{$head, \"phases\": [{\"name\": \"go\", \"do\": \"run\", \"ticks\": 1e300}]}"
}

@test "a result that is wrong is refused" {
    wrong "a result that is not there" missing.json report missing.json
    echo "a result that is no JSON"; echo 'hello' >n.json; refuses n.json:1 report n.json
    echo "a result that is some other JSON"; echo '{"a": 1}' >o.json; refuses o.json report o.json
    echo "a result of a later version"
    quick --impl=heap --json=r.json >/dev/null
    sed 's/"schema_version": *1/"schema_version": 99/' r.json >later.json
    refuses schema_version report later.json
    echo "a result cut short"; head -c -200 r.json >cut.json
    refuses cut.json report cut.json
    echo "resuming a file that is no result"
    refuses o.json --impl=heap --tasks=50 --json=o.json --resume
    [ "$(cat o.json)" = '{"a": 1}' ]
}

@test "a workload with bytes that are not UTF-8" {
    printf '{"name": "w", "summary": "caf\xe9", "tick": "1ms", "tasks": 10, %s}' "$phases" >w.json
    refuses "w.json:1:30: bytes that are not UTF-8" --impl=heap --workload=./w.json --json=out.json
    [ ! -e out.json ]
}

@test "what cJSON takes and JSON does not is refused by every reader of documents" {
    quick --impl=heap --json=r.json >/dev/null
    for edit in 's/"complete":/"other": 01, &/' 's/"complete":/"other": 1e999, &/' 's/"complete":/"other": "\xff", &/' \
        's/"complete":/"other": "a\tb", &/' 's/"complete":/\v&/' 's/"complete":/"cells": [], &/' \
        's/"complete":/"other": "\\u0000", &/' 's/"complete":/"other": +1, &/'; do
        sed "0,/\"complete\"/$edit" r.json >bad.json
        run ! cmp -s r.json bad.json
        refuses bad.json report bad.json
    done
    # All have one door: the last shows it.
    cp bad.json kept.json
    refuses bad.json --impl=heap,list --tasks=50 --json=bad.json --resume
    cmp bad.json kept.json
    refuses bad.json compare bad.json r.json
    refuses bad.json compare r.json bad.json
}

# What a writer keeps, and one who alters a file does not: WORDS|CULPRIT|PYTHON, of which c is the first cell, p its first phase, s a standing and q a phase of it.
planted_alterations='
a median outside of its samples|ns_per_op|p["ns_per_op"]["median"] = p["ns_per_op"]["high"] = 1e6
low above the median|ns_per_op|p["ns_per_op"]["low"] = p["ns_per_op"]["median"] * 2
CPU times that are not those of their samples|cpu_ns_per_op_interval|p["cpu_ns_per_op_interval"]["median"] *= 1.01; p["cpu_ns_per_op_interval"]["high"] *= 1.02
another digest|digest|c["digest"] = "0123456789abcdef"
no digest|digest|c["digest"] = None
a timer that did not fire|fired|c["fired"] += 1
a timer that fired early|early|c["early"] = 1
no phases|phases|c["phases"] = []
a phase without its time|ns_per_op|p["ns_per_op"] = None
a cell twice|is there twice|d["cells"].append(c)
a time below 0|ns_per_op.low|p["ns_per_op"]["low"] = -1
shard 3 of 2|shard.index|d["shard"] = {"index": 3, "of": 2}
a merged shard twice|shards|d["shards"] = [{"index": 1}, {"index": 1}]
a time of no operations|ns_per_op: is the time of nothing|p["operations"].update(start=0, stop=0, expire=0)
a time of no advance|ns_per_advance: is the time of nothing|p["operations"]["advance"] = 0; p["ns_per_advance"] = p["ns_per_op"]
a time where nothing was timed|ns_per_op: is the time of nothing|c["sampling"]["samples"] = 0
a latency of no call|latency_ns.stop|p["operations"]["stop"] = 0; p["latency_ns"]["stop"] = p["latency_ns"]["start"]
a median without samples|ns_per_op|p["ns_per_op"]["samples"] = []
a sample too few|ns_per_op|p["ns_per_op"]["samples"].pop()
another CPU time than the interval has|cpu_ns_per_op:|p["cpu_ns_per_op"] *= 1.01
percentiles out of order|latency_ns.start.p50: too high; expected at most p90|p["latency_ns"]["start"]["p50"] = 1e9
a mean above the maximum|latency_ns.start.mean: too high|p["latency_ns"]["start"]["mean"] = 1e9
more wake-ups of use than wake-ups|wakeups.useful: too high|p["wakeups"]["useful"] = 1e9
an exact design that was late|late_max_ticks|c["late_max_ticks"] = 1
a design later than its traits allow|late_max_ticks|c["traits"]["late_ticks"] = 2; c["late_max_ticks"] = 3
more fired than the phases say|fired|c["traits"]["late_ticks"] = 2; c["fired"] += 1
memory per task that is not that of the peak|memory.peak_bytes_per_task|c["memory"]["peak_bytes_per_task"] *= 2
more timers running than there are|stream.running_max: too high|c["stream"]["running_max"] = 1e9
more latencies than calls|latency_ns.start.count: too high|p["latency_ns"]["start"].update(count=1e9, bins=[])
bins that are not as many as their count|latency_ns.start.bins|p["latency_ns"]["start"]["bins"][0][1] += 1
wake-ups of use of which nothing fired|wakeups.useful: too high; expected at most operations.expire|p["wakeups"].update(count=1e9, useful=1e9)
more fixed memory than there ever was|memory.fixed_bytes: too high|c["memory"]["fixed_bytes"] = 1e9
a phase twice|is there twice; expected each phase once|c["phases"].append(p)
later by the clock than by ticks|precision.late_max_ns|c["precision"]["late_max_ns"] = 1e12
later by ticks than by the clock|precision.late_max_ns|c["traits"]["late_ticks"] = c["late_max_ticks"] = 9
a confidence of other samples|ns_per_op.median: it or its interval is not that of the samples|p["ns_per_op"]["confidence"] = 1
the fastest of a design that did not run|standing.hold: nobody|d["standing"] = [dict(s, phases=[dict(q, fastest="nobody")])]
a place behind nobody|standing.hold: others stand behind nobody|d["standing"] = [dict(s, phases=[dict(q, fastest=None)])]
a standing without phases|standing.hold: no phase|d["standing"] = [dict(s, phases=[])]
ok for a reason|reason|c["reason"] = "it crashed"
the identity of another design|identity|c["impl"] = "heap4"
a status that there is not|given; expected one of ok|c["status"] = "fine"
an interval that is not in the catalogue|low|d["other"] = [{"low": 2, "median": 1, "high": 3}]'

@test "what contradicts itself is refused by every reader of results, with cell and key" {
    quick --impl=heap --workload=hold --runs=6 --json=r.json >/dev/null
    python3 -IS - "$planted_alterations" <<'PYTHON'
import json, sys
q = {"phase": "start", "fastest": "heap", "not_different": ["heap"], "behind": []}
s = {"workload": "hold", "tasks": None, "stream_hash": None, "says": []}
for number, row in enumerate(sys.argv[1].strip().split("\n")):
    d = json.load(open("r.json"))
    c = d["cells"][0]
    p = c["phases"][0]
    exec(row.split("|", 2)[2])
    json.dump(d, open(f"bad{number}.json", "w"))
PYTHON
    number=0
    while IFS='|' read -r words culprit _; do
        [ -n "$words" ] || continue
        bad=bad$number.json
        number=$((number + 1))
        wrong "$words" "$culprit" report $bad
        # All have one door: the first shows it.
        [ $number -eq 1 ] || continue
        cp $bad kept.json
        refuses "$culprit" compare r.json $bad
        refuses "$culprit" compare $bad r.json
        refuses "$culprit" run --json=$bad --resume
        cmp $bad kept.json
    done <<<"$planted_alterations"
    # Documents of other kinds go through the same door.
    "$twbench" compare r.json r.json --json=c.json >/dev/null || [ $? -eq 1 ]
    python3 -IS -c 'import json; d = json.load(open("c.json")); d["cells"][0]["low"] = {"low": 2, "median": 1, "high": 3}; json.dump(d, open("c.json", "w"))'
    refuses "cells[0].low.low: " report c.json
    python3 -IS -c 'import json, sys; d = json.load(open(sys.argv[1])); d["detection"]["2"] = 1.5; d["seen"]["2"] = None; json.dump(d, open("s.json", "w"))' "$root/tests/fuzz/corpus/fuzz_document/selftest"
    refuses "s.json: detection.2: too high; expected at most 1" report s.json
    refuses "c.json: is of kind 'comparison'; expected a result of run or replay" compare r.json c.json
}

@test "short memory and a file that asks for too much are told apart" {
    good_trace | xz -9 >small.tt.xz
    # The dictionary's size is a byte of the block's header, behind which its checksum is.
    python3 -c 'import binascii, sys
data = bytearray(open("small.tt.xz", "rb").read())
size = (data[12] + 1) * 4
at = data.index(b"\x21\x01", 12) + 2
for name, dictionary in (("big", 31), ("huge", 36)):
    data[at] = dictionary
    data[12 + size - 4:12 + size] = binascii.crc32(data[12:12 + size - 4]).to_bytes(4, "little")
    open(name + ".tt.xz", "wb").write(data)'
    refuses "huge.tt.xz: needs" replay ./huge.tt.xz
    [[ $stderr == *"expected at most 256 MiB"* ]]
    local play="replay ./big.tt.xz --impl=heap --counts-only --progress=never --no-system-check"
    # shellcheck disable=SC2086
    "$twbench" $play >/dev/null
    run --separate-stderr bash -c "ulimit -v 160000; '$twbench' $play"
    echo "$status $stderr"
    [ "$status" -eq 1 ]
    [[ $stderr == *"big.tt.xz: this process has no memory left to unpack it"* ]]
}
