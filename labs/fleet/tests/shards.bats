#!/usr/bin/env bats
# shards.bats - a plan dealt out to several machines and put together again; what does not belong together is refused.

load ../../../tests/cli/support

plan=(run --impl=heap,hashed --workload=hold,keepalive --tasks=50,100,200 --counts-only --progress=never --no-system-check)

shard() {
    "$twbench" "${plan[@]}" "--shard=$1/3" "--json=s$1.json" --style=plain >/dev/null
}

# cells FILE - "design workload tasks digest" of each, sorted.
cells() {
    json "$1" '"\n".join(sorted("%s %s %d %s %s" % (c["impl"], c["workload"], c["tasks"], c["digest"],
        [p["work"] for p in c["phases"]]) for c in d["cells"]))'
}

@test "three shards have the cells of the whole plan, each once, and each its machine" {
    "$twbench" "${plan[@]}" --json=whole.json >/dev/null
    for i in 1 2 3; do shard $i; done
    sed -i 's/"host":[^,]*,/"host": "another",/' s2.json
    "$twbench" merge s3.json s1.json s2.json --json=m.json -o m.html --style=plain >m.txt
    diff <(cells whole.json) <(cells m.json)
    [ "$(json m.json 'd["complete"], len(d["machines"]), len(d["shards"]), "left_out" in d')" = "(True, 2, 3, False)" ]
    # The cells of a stream ran on one machine.
    [ "$(json m.json 'len({(c["workload"], c["tasks"]) for c in d["cells"]}) == len({(c["workload"], c["tasks"], c["on_machine"]) for c in d["cells"]})')" = True ]
    grep -q '3 shards ran on 2 machines' m.txt
    "$twbench" report m.json --style=plain | diff - m.txt
    # The shards are of about the same time.
    [ "$(json s1.json 'max(sum(g["estimated_s"] for g in d["shard"]["groups"] if g["shard"] == i) for i in (1, 2, 3)) < 0.6 * sum(g["estimated_s"] for g in d["shard"]["groups"])')" = True ]
}

@test "what is missing is named; --partial merges what is there" {
    shard 1
    shard 3
    refuses "of shard 2, which was not given; --partial" merge s1.json s3.json
    "$twbench" merge s1.json s3.json --partial --json=p.json >p.txt || [ $? -eq 1 ]
    [ "$(json p.json 'd["complete"], len(d["left_out"]) > 0')" = "(False, True)" ]
    grep -q 'of shard 2, which was not given' p.txt
    # A shard that was cut off.
    shard 2
    python3 - <<'PYTHON'
import json
document = json.load(open("s2.json"))
document["cells"].pop()
document["complete"] = False
json.dump(document, open("cut.json", "w"))
PYTHON
    refuses "1 cells, of shard 2, which did not finish" merge s1.json cut.json s3.json
    # It goes on where it was.
    "$twbench" "${plan[@]}" --shard=2/3 --json=cut.json --resume >/dev/null 2>&1
    "$twbench" merge s1.json cut.json s3.json --json=m.json >/dev/null
    [ "$(json m.json 'd["complete"]')" = True ]
}

@test "what does not belong together is refused by name" {
    shard 1
    shard 2
    "$twbench" "${plan[@]}" --seed=2 --shard=3/3 --json=other.json >/dev/null
    refuses "shard.plan: " merge s1.json s2.json other.json
    sed 's/"commit": *"[^"]*"/"commit": "0123456789ab"/; s/"commit": *null/"commit": "0123456789ab"/' s2.json >build.json
    refuses "tool.commit: " merge s1.json build.json
    cp s1.json twice.json
    refuses "both are shard 1" merge s1.json twice.json
    quick --impl=heap --json=r.json >/dev/null
    refuses "r.json: not a shard" merge s1.json r.json
    refuses "no operand given" merge
    refuses "--shard: '3' given; expected I/N" "${plan[@]}" --shard=3
    refuses "--shard: 4 given; expected 1 .. 3" "${plan[@]}" --shard=4/3
    refuses "s1.json: is shard 1 of its plan, now 2" "${plan[@]}" --shard=2/3 --json=s1.json --resume
    refuses "s1.json: is a shard of a plan; expected --shard beside --resume" "${plan[@]}" --json=s1.json --resume
}

@test "an altered result is refused by merge and by history" {
    shard 1
    for edit in 'c["digest"] = "0123456789abcdef"' 'c["phases"] = []' 'd["shard"]["index"] = 4' 'd["cells"].append(c)'; do
        python3 -c "import json; d = json.load(open('s1.json')); c = d['cells'][0]; $edit; json.dump(d, open('bad.json', 'w'))"
        refuses "bad.json: " merge bad.json
        mkdir -p runs
        cp bad.json runs/
        refuses "runs/bad.json: " history runs
    done
}

@test "--plan shows what each shard takes, before anything runs" {
    "$twbench" "${plan[@]}" --plan --shard=2/3 >plan.txt
    [ "$(grep -c '^ *[123]  ' plan.txt)" -eq 3 ]
    grep -q 'nothing was run' plan.txt
}

@test "a page shows 64 machines" {
    deep
    plan=(run --impl=heap,hashed --workload=hold,keepalive "--tasks=$(seq -s, 20 20 640)" --counts-only --progress=never --no-system-check)
    for i in {1..64}; do
        "$twbench" "${plan[@]}" "--shard=$i/64" "--json=s$i.json" >/dev/null
        sed -i "s/\"host\":[^,]*,/\"host\": \"node$i\",/" "s$i.json"
    done
    "$twbench" merge s*.json --json=m.json -o m.html >/dev/null
    [ "$(json m.json 'len(d["machines"])')" = 64 ]
    [ "$(grep -o 'node[0-9]*' m.html | sort -u | wc -l)" -eq 64 ]
}
