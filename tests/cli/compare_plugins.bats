# compare_plugins.bats - two builds of one plugin held against each other: work, instructions and pairs decide as
# for programs, and a shared object is loaded, never executed.
# shellcheck disable=SC2154  # stderr is set by run --separate-stderr

load support

# build NAME [FLAG...] - ./NAME.so, a build of tests/plugins/paced.c.
build() {
    gcc -O1 -shared -fPIC -I "$root/src/impls" -o "$1.so" "$root/tests/plugins/paced.c" "${@:2}"
}

# compares STATUS OLD NEW ARGUMENT... - with little to do; the document is out.json.
compares() {
    local expected=$1
    shift
    run --separate-stderr timeout 300 "$twbench" compare "$@" --workload="${workload:-fill-cancel}" --tasks=50 --min-time=200us \
        --progress=never --no-system-check --json=out.json --force </dev/null
    echo "status $status, stdout '$output', stderr '$stderr'"
    [ "$status" -eq "$expected" ]
}

@test "two equal builds: the same, by instructions and by what a reader can look up" {
    build old
    build new
    compares 0 ./old.so ./new.so --pairs=0
    judged 'd["mode"], d["verdict"], c["impl"], len(d["cells"])' "('binaries', 'same', 'paced', 1)"
    judged 'c["instructions"]["change"]' 0
    judged 'd["old"]["kind"], d["new"]["path"]' "('plugin', './new.so')"
    judged 'd["old"]["hash"] == d["new"]["hash"] and len(d["old"]["hash"])' 16
    judged 'd["old"]["compiler"]' None
}

@test "a busy loop in start and stop is a regression, by instructions" {
    build old
    build new -DSPIN=20
    compares 3 ./old.so ./new.so --pairs=0
    judged 'c["gates"]["instructions"]' regressed
    judged 'd["old"]["hash"] != d["new"]["hash"]' True
    compares 0 ./new.so ./old.so --pairs=0
    judged 'd["verdict"]' improved
}

@test "the parameters behind the files are the plugin's" {
    build old
    compares 0 ./old.so ./old.so --max-running=500 --impl=paced --pairs=0
    judged 'c["params"]' "{'max-running': 500}"
    compares 2 ./old.so ./old.so --no-such=5
    compares 2 ./old.so ./old.so --impl=heap
    [[ $stderr == *"--impl"* ]]
    compares 2 ./old.so ./old.so --plugin=./old.so
    [[ $stderr == *"--plugin"* ]]
}

# A build that fails: NEW regressed by it; where OLD fails there is nothing to compare with; both are never the same.
fails() {
    local word=$1
    compares 3 ./old.so ./new.so --pairs=0 --budget="${2:-10s}"
    judged "d['verdict'], c['failed'], '$word' in c['reason']" "('regressed', True, True)"
    compares 0 ./new.so ./old.so --pairs=0 --budget="${2:-10s}"
    judged "d['verdict'], '$word' in c['reason']" "('inconclusive', True)"
    compares 0 ./new.so ./new.so --pairs=0 --budget="${2:-10s}"
    judged "d['verdict'], '$word' in c['reason']" "('inconclusive', True)"
}
@test "a build that crashes" { build old && build new -DCRASHES && fails crashed; }
@test "a build that hangs" { deep && build old && build new -DHANGS && fails "did not return" 3s; }
@test "a build that ends the process" { deep && build old && build new -DEXITS && fails crashed; }
@test "a build that refuses every timer" { deep && build old && build new -DREFUSES && fails unsupported; }

# One whose entry point leaves a mark: a linker makes such files, and the C library itself is one.
@test "a shared object is never executed, by whatever name and with whatever entry" {
    cat >entry.c <<'END'
#include <fcntl.h>
#include <unistd.h>
void entry(void)
{
    creat("executed", 0600);
    _exit(0);
}
const char interpreter[] __attribute__((section(".interp"))) = "/lib64/ld-linux-x86-64.so.2";
END
    build old
    gcc -shared -fPIC -Wl,-e,entry -o twbench entry.c
    chmod +x twbench old.so
    compares 2 ./twbench ./twbench
    [[ $stderr == *"./twbench"*"tw_plugin"* ]]
    compares 2 ./old.so ./twbench
    compares 2 ./twbench ./old.so
    compares 2 ./twbench "$twbench"
    mv twbench library && cp old.so plainly_named
    compares 0 ./plainly_named ./plainly_named --pairs=0
    [ ! -e executed ]
}

@test "OLD and NEW are of one kind, and of one design" {
    build old
    build other -DNAMED='"other"'
    quick --impl=heap --json=result.json >/dev/null
    compares 2 ./old.so "$twbench"
    [[ $stderr == *"old.so is a plugin"*"$twbench is a program"* ]]
    compares 2 "$twbench" ./old.so
    compares 2 ./old.so result.json
    [[ $stderr == *"result.json is a result"* ]]
    compares 2 result.json ./old.so
    compares 2 ./old.so ./other.so
    [[ $stderr == *"'paced'"*"'other'"* ]]
    head -c 3000 old.so >cut.so
    compares 2 ./old.so ./cut.so
    [[ $stderr == *"./cut.so"* ]]
    compares 2 ./cut.so ./old.so
    [[ $stderr == *"./cut.so"* ]]
    gcc -c -o part.o "$root/tests/plugins/paced.c" -I "$root/src/impls"
    compares 2 ./part.o ./part.o
    [[ $stderr == *"./part.o"* ]]
}

@test "--explain names the function that has more instructions, and refuses results" {
    build old -DSPIN=1
    build new -DSPIN=20
    workload=hold compares 3 ./old.so ./new.so --pairs=0 --explain
    judged 'c["functions"][0]["name"], c["functions"][0]["new"] > 5 * c["functions"][0]["old"] > 0' "('spin', True)"
    [[ $output == *"instructions by function (callgrind): spin "* ]]
    quick --plugin=./old.so --workload=hold --json=run.json --force >/dev/null
    run "$twbench" compare run.json run.json --explain
    [ "$status" -eq 2 ]
    [[ $output == *"--explain: expected two programs or two plugins"* ]]
}

# By times: make test-timing.  Here the tails are planted: a call of NEW takes 50 us in every pass, and one of OLD 5.
@test "a stall in one advance is found between two stored results" {
    build old
    for side in "old 5000" "new 50000"; do
        quick --plugin=./old.so --workload=hold --json=run.json --force >/dev/null
        python3 -IS -c 'import json, sys
d = json.load(open("run.json"))
ns = float(sys.argv[2])
for own in (p["latency_ns"]["advance"]["own"] for p in d["cells"][0]["phases"] if p["latency_ns"]["advance"]):
    own.update({rank: 10 for rank in own if rank[1:2].isdigit()}, slowest=[[4, ns]], max=ns, pass_max=ns)
json.dump(d, open(sys.argv[1] + ".json", "w"))' $side
    done
    run "$twbench" compare old.json new.json --json=out.json
    echo "status $status, '$output'"
    [ "$status" -eq 3 ]
    judged 'c["gates"]["tail"], c["decided_by"], c["tail"]["repetitions"]' "('regressed', ['tail'], 0)"
    run "$twbench" compare old.json old.json --json=out.json --force
    judged 'c["gates"]["tail"], c["tail"]' "('same', None)"
    run "$twbench" compare old.json new.json --limit=tail=off --json=out.json --force
    judged 'c["gates"]["tail"]' None
}
