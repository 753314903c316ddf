# stores.bats - stores of delayed messages: what is run, what is refused, kills, an interrupted run, the page.

load ../../../tests/cli/support

stores() {
    "$twbench" stores --progress=never "$@"
}

@test "the reference comes out even, and every message is accounted for" {
    stores --stores=memory --tasks=2000 --producers=3 --batch=7 --payload=0..300 --runs=1 --json=s.json >out
    grep -q '^memory ' out
    [ "$(jq -r '.cells[0].status' s.json)" = ok ]
    [ "$(jq '.cells[0].ledger | .acknowledged == 2000 and .acknowledged == .fired + .cancelled + .lost + .dropped' s.json)" = true ]
    [ "$(jq '.cells[0].figures.puts_per_s.samples | length' s.json)" -eq 1 ]
    [ -z "$(find . -name 'twbench-stores.*')" ]
}

@test "a store that is killed loses nothing, and repeats nothing" {
    stores --stores=wheel-log --tasks=1000 --producers=2 --batch=3 --payload=0..2000 --kills=50 --json=k.json >out
    jq -e '.cells[0] | .status == "ok" and .ledger.lost == 0 and .ledger.twice == 0 and .kills.client >= 10' k.json
    # A server's kills stand beside the client's, so that no width leaves one out alone.
    jq '.cells[0].kills = {client: 4, server: 1, both: 2}' k.json >three.json
    "$twbench" report three.json >page
    [[ $(grep '^store ' page) == *" kills" && $(grep '^wheel-log ' page) == *" 4+1+2" ]]
}

@test "a load that is over before all kills came is followed by others" {
    stores --stores=wheel-log --sync=none --tasks=50 --kills=20 --json=k.json >/dev/null
    jq -e '.cells[0] | .status == "ok" and .runs == 1 and .kills.client == 20 and .ledger.acknowledged > 50 and .load.seed == 1' k.json
}

@test "--no-drain ends with the first messages after the recovery; --cold recovers once more" {
    stores --stores=wheel-log --sync=none --tasks=2000 --runs=1 --no-drain --json=n.json >/dev/null
    jq -e '.cells[0] | .status == "ok" and (.load.drain | not) and .ledger.pending > 0 and .figures.dispatch_per_s == null' n.json
    jq -e '.cells[0].figures | .served_s.median >= .recovery_s.median and .cold_served_s == null and .resident_bytes.median >= .memory_bytes.median' n.json
    stores --stores=memory --tasks=200 --runs=1 --no-drain --json=- | jq -e '.cells[0] | .status == "ok" and .ledger.pending > 0 and .ledger.lost == 0'
    refuses "--no-drain: not with --kills; expected one or the other" stores --stores=memory --no-drain --kills=3
    refuses "--cold: not with --kills; expected one or the other" stores --stores=memory --cold --kills=3
    # What a file system in memory keeps, no advice lets go of.
    stores --stores=wheel-log --sync=none --tasks=2000 --runs=1 --cold --json=c.json >/dev/null || true
    if [ "$(stat -f -c %T .)" = tmpfs ]; then
        jq -e '.cells[0] | .status == "failed" and (.reason | test("page cache keeps"))' c.json
    else
        jq -e '.cells[0] | .status == "ok" and .ledger.pending == 0 and .ledger.lost == 0 and .kills.opens == 3 and (.figures | .cold_served_s.median >= .cold_recovery_s.median)' c.json
    fi
    # Who may make no control group is refused.
    stores --stores=memory --tasks=9 --runs=1 --group-memory=64Mi --json=g.json >/dev/null 2>err && jq -e '.cells[0].load.group_memory_bytes == 67108864' g.json ||
        grep -q '^twbench: --group-memory: /sys/fs/cgroup/.*; expected root and the memory controller' err
}

@test "conform: wheel-log keeps its contract through kills, loss of power, failing disks and flipped bits" {
    "$twbench" conform --store=wheel-log >out || { cat out; false; }
    grep -q '^wheel-log: the contract holds' out
    grep -qE '^  [1-9][0-9]* kills, [1-9][0-9]{2} states of a disk without power, [1-9][0-9]* failing disks, [1-9][0-9]* flipped bits' out
}

@test "conform: sqlite and lmdb keep it through kills and loss of power" {
    "$twbench" conform --store=sqlite,lmdb --part=kills,power >out || { cat out; false; }
}

# `make prove-stores` does a thousand of all that, which takes hours.
@test "conform: so do the other stores that are here" {
    deep
    for store in $("$twbench" list --json=- | jq -r '.stores[] | select(.built) | .name'); do
        [[ $store =~ ^(wheel-log|sqlite|lmdb)$ ]] || "$twbench" conform --store="$store" >out 2>err || { cat out err; grep -q 'ABSENT' err; }
    done
}

@test "a store that is killed with its server loses nothing and leaves no process; postgres cannot keep an interval" {
    here=$("$twbench" list --json=- | jq -r '[.stores[] | select(.built and (.name | IN("rocksdb", "redis-wheel", "redis-zset", "postgres"))) | .name] | join(",")')
    [ -n "$here" ] || skip "no other store is here"
    stores --stores="$here" --sync=always,interval:10ms --tasks=300 --producers=2 --kills=3 --json=p.json >/dev/null
    jq -e '.cells[] | .status == "absent" or (if .store == "postgres" and .sync == "interval" then .status == "unsupported"
        else .status == "ok" and .ledger.lost == 0 and .ledger.twice == 0 end)' p.json
    # Whoever is still there has the run's directory as its place.
    for process in /proc/[0-9]*; do [[ $(readlink "$process/cwd") != "$PWD"/* ]]; done
}

@test "on the real clock the span is seconds, arrivals too, and is said before the run" {
    stores --stores=memory --clock=real --span=240ms --tasks=20 --runs=1 --json=s.json >/dev/null 2>err
    grep -q '^twbench: memory runs on the real clock: each run takes 0.241 s or more (--span)$' err
    deep
    stores --stores=memory --clock=real --tasks=20 --runs=1 --json=t.json >/dev/null 2>err
    [ "$(jq -c '.cells[0].load | [.span_ms, .arrivals_ms]' t.json)" = '[4000,16]' ]
}

@test "what is not there, or cannot be, is refused or named" {
    refuses "--stores: no store named 'sqlight'; did you mean 'sqlite'?" stores --stores=sqlight
    refuses "'twbench conform --store' has no such flag" conform --store=memory --impl=heap
    refuses "--stores: 'memory' is given twice" stores --stores=memory,memory
    refuses "--sync: 'often' given; expected one of always, group, interval:10ms, none" stores --sync=often
    refuses "--sync: interval:1us given" stores --sync=interval:1us
    refuses "--payload: 70000 given; expected 0 .. 65536" stores --payload=70000
    refuses "--payload: 9..3 given; expected MIN..MAX" stores --payload=9..3
    refuses "--span: 11d given; expected 1ms .. 10d" stores --span=11d
    refuses "--store-set: x=1: no store has a setting 'x'" stores --store-set=x=1
    refuses "memory: expected 'stores list DIR', 'stores dump DIR' or flags; did you mean --stores=memory?" stores memory
    refuses "--store: no store named 'wheel-lok'; did you mean 'wheel-log'?" conform --store=wheel-lok
    refuses "--part: 'kill' given; expected even, kills, power, errors or flips" conform --store=memory --part=kill
    refuses "--directory" stores --stores=memory --directory=/nowhere
}

@test "null with disk=1 syncs each put of one producer, and nothing without it or under none" {
    put='stores --stores=null --tasks=50 --cancels=0 --runs=1 --json=-'
    syncs='.cells[0].figures.syncs_per_message.median'
    [ "$($put --store-set=disk=1 --sync=always | jq "$syncs")" = 1 ]
    [ "$($put --store-set=disk=1 --sync=group | jq "$syncs")" = 1 ]
    [ "$($put --store-set=disk=1 --sync=none | jq "$syncs")" = 0 ]
    [ "$($put --sync=always | jq "$syncs")" = 0 ]
}

@test "an interrupted run goes on where it was" {
    interrupts INT '[ -s s.json ]' "$twbench" stores --stores=memory --tasks=20000 --runs=100 --json=s.json --progress=never
    [ "$status" -eq 130 ]
    runs=$(jq '.cells[0].runs' s.json)
    [ "$(jq .complete s.json)" = false ] && [ "$runs" -ge 1 ]
    [ -z "$(find . -name 'twbench-stores.*')" ]
    stores --stores=memory --tasks=20000 --runs=$((runs + 1)) --json=s.json --resume >/dev/null
    [ "$(jq '.cells[0].runs' s.json)" -eq $((runs + 1)) ]
    [ "$(jq .complete s.json)" = true ]
}

@test "a document is shown again in every format" {
    stores --stores=memory --tasks=200 --runs=1 --json=s.json >/dev/null
    "$twbench" report s.json --export-csv=s.csv --export-markdown=s.md -o s.html
    grep -q 'cells\[0\].ledger.acknowledged,200' s.csv
    grep -q '| memory |' s.md
    grep -q '<h1>Stores' s.html
}

# The samples are made up: no figure of a time is judged by this machine's.
@test "which store to take stands first, and again last in a text longer than a screen, with what is not known" {
    stores --stores=memory,wheel-log,sqlite --sync=always --tasks=100 --runs=1 --json=s.json >/dev/null
    jq '(.cells[] | .status) = "ok" | (.cells[] | .figures.puts_per_s) = {median: 30, low: 30, high: 30, confidence: 0.96875, samples: [30, 30, 30, 30, 30, 30]}
        | (.cells[] | select(.store == "sqlite") | .figures.puts_per_s) |= (.median = 10 | .low = 10 | .high = 10 | .samples = [10, 10, 10, 10, 10, 10])
        | (.cells[] | select(.store == "wheel-log") | .figures.recovery_s) = {median: 2, low: 2, high: 2, confidence: 0, samples: [2]}' s.json >f.json
    say() { "$twbench" report "$1" --export-markdown=- | tr '\n' ' '; }
    [[ $(say f.json) == *"virtual clock: take **wheel-log** (3.00 times as fast as sqlite), 30.0 messages a second; it recovers in 2 s."* ]]
    for end in head tail; do "$twbench" report f.json | $end -n 12 | grep -q 'Not known from these runs: what is lost .* (--kills=50)'; done
    "$twbench" report f.json -o f.html
    grep -q 'take <span class="strong"' f.html && ! grep -E '(memory|null) is fastest|different from (memory|null)' f.html
    # Not of one that was found wrong, nor by fewer than six runs.
    jq '.cells[1].status = "mismatch"' f.json >wrong.json
    [[ $(say wrong.json) == *"virtual clock: **sqlite**, the only one measured, 10.0 messages"* ]]
    jq '.cells[].figures.puts_per_s |= (.samples |= .[:5] | .confidence = 0.9375)' f.json >few.json
    [[ $(say few.json) == *"virtual clock: **wheel-log** by the median, 30.0 messages"*"whether the next store differs (--runs=6)"* ]]
    jq 'del(.cells[1, 2])' f.json >none.json
    [[ $(say none.json) == *"no sound store that survives a crash was measured."* ]]
}

@test "its picture: puts by policy" {
    stores --stores=wheel-log,memory --sync=none --tasks=100,1000 --runs=1 --plots=pictures -o s.html >/dev/null
    grep -q 'wheel-log' pictures/stores-puts.svg
    grep -q 'messages acknowledged a second' pictures/stores-puts.svg
    [ "$(grep -c '<figure>' s.html)" -eq 1 ]
    # The white discs behind points are not in the ink of the page.
    grep -q '<use [^>]*color="transparent"' s.html
}
