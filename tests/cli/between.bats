# between.bats - calls of a timed pass with something between them, and what is taken off for that.

load support

@test "--between makes a cell of each, with null beside it, and the oracle's digest" {
    "$twbench" run --impl=heap,hashed --workload=standard --tasks=100 --between=none,chain,32KiB --runs=6 --warmup=0 \
        --min-time=0ns --no-system-check --json=r.json > out
    [ "$(json r.json "[c['params']['between'] for c in d['cells']]")" = "['none', 'chain', '32KiB', 'none', 'chain', '32KiB']" ]
    [ "$(json r.json "{c['status'] for c in d['cells']}")" = "{'ok'}" ]
    [ "$(json r.json "all(c['digest'] == c['expected_digest'] for c in d['cells'])")" = True ]
    [ "$(json r.json "all(len(p['corrected']['ns_per_op']['samples']) == 6 for c in d['cells'] for p in c['phases'])")" = True ]
    for words in ', back to back' ', chained' ', behind 32KiB' 'corrected ns/op'; do grep -q "$words" out; done
    "$twbench" report r.json --export-markdown=out.md > again
    cmp out again
    grep -q 'behind 32KiB' out.md
    # What was taken off may be as much as there was: a median close to 0, of samples that are written in six digits.
    jq '.cells[0].phases[0].corrected.ns_per_op |= (.median = 7e-6 | .low = -3 | .high = 3 | .samples = [-3, -2, -1, 1.00001, 2, 3])' r.json >zero.json
    "$twbench" report zero.json >zero
}

@test "a run without --between takes nothing off" {
    "$twbench" run --impl=heap --workload=hold --tasks=100 --runs=1 --warmup=0 --min-time=0ns --no-system-check --json=r.json > out
    [ "$(json r.json "{p['corrected'] for c in d['cells'] for p in c['phases']}")" = "{None}" ]
    [ "$(json r.json "'between' in d['cells'][0]['params']")" = False ]
}

@test "null that is asked for comes once, and nothing is taken off it" {
    "$twbench" run --impl=null,heap --workload=hold --tasks=100 --between=chain --runs=1 --warmup=0 --min-time=0ns \
        --no-system-check --json=r.json > out
    [ "$(json r.json "[(c['impl'], all(p['corrected'] is None for p in c['phases'])) for c in d['cells']]")" = "[('null', True), ('heap', False)]" ]
}

@test "with next as driver the same timers fire, and the calls of next are taken off, too" {
    "$twbench" run --impl=heap --workload=keepalive --tasks=100 --between=chain,4KiB --drive=ticks,next --runs=1 --warmup=0 \
        --min-time=0ns --no-system-check --json=r.json > out
    [ "$(json r.json "{(c['status'], c['digest'] == c['expected_digest']) for c in d['cells']}")" = "{('ok', True)}" ]
    [ "$(json r.json "len(d['cells']), all(p['corrected'] for c in d['cells'] for p in c['phases'])")" = "(4, True)" ]
}

@test "--between refuses what is no size, and batches" {
    refuses "expected none, chain, or a power of two" run --impl=heap --between=33KiB
    refuses "expected none, chain, or a power of two" run --impl=heap --between=fence
    refuses "expected no --batch" run --impl=heap --between=chain --batch=4
}
