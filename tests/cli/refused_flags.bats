# refused_flags.bats - every wrong flag or number ends with status 2 and a message that names it.

load support

@test "every wrong flag or number is refused by name" {
    wrong "a command that is none" "'frobnicate'" frobnicate
    wrong "a command that a family lacks" "no command 'lab check'; 'twbench lab' lists the commands" lab check
    wrong "nothing to show again" "report: no operand given; expected one DOCUMENT.json" report
    wrong "a flag that is none" --frobnicate --frobnicate
    wrong "a flag of another command" --operations run --operations=5
    wrong "batches of nothing" "expected 1 .. 4096" run --impl=heap --batch=0
    wrong "less than the least, in its unit" "0s given; expected at least 1 ms" run --budget=0s
    wrong "a flag with one dash" -impl -impl=heap
    wrong "a flag without its value" --impl --impl
    wrong "a switch with a value" --force --json=x.json --force=yes
    wrong "a value given twice" "--seed: given twice, '1' and '2'" --seed=1 --runs=2 --seed 2
    wrong "a list given twice" "expected one list: --tasks=1e3,1e4,5" --tasks=1e3,1e4 --tasks=10000,5,1e3
    wrong "a parameter given twice" "expected one list: --slots=64,128" --impl=hashed --slots=64 --slots=128
    wrong "levels given twice" "expected one list: --levels=4,4/8,8" --impl=hier --levels=4,4 --levels=8,8
    wrong "an export given twice" "--export-csv: given twice, 'a' and 'b'" --export-csv=a --export-csv=b
    wrong "a page given by both of its flags" "-o and --html" report x.json -o a --html=b
    wrong "an override of the same name twice" "--set: delay is given twice" --set=delay=1 --set=delay=2
    wrong "a limit of the same metric twice" "--limit: work is given twice" compare --limit=work=1% --limit=work=2% a b
    wrong "a workload twice" "--workload: 'hold' is given twice" --workload=hold --workload=idle,hold
    wrong "a design twice" "--impl: 'heap' is given twice" --impl=heap,list,heap
    wrong "two overrides of different names are taken" "nosuch" --set=delay=5 --set=nosuch=1
    wrong "a design that is none" "'hashd'" --impl=hashd
    wrong "a design that is none behind all" "'hashd'" --impl=all,hashd
    wrong "an empty list of designs" --impl --impl=
    wrong "a hole in a list of designs" --impl --impl=heap,,list
    wrong "no tasks" --tasks --tasks=0
    wrong "negative tasks" -5 --tasks=-5
    wrong "tasks that are no number" abc --tasks=abc
    wrong "half a task" 1.5 --tasks=1.5
    wrong "rubbish behind a number" 1000x --tasks=1000x
    wrong "a number beyond 64 bits" 1e30 --tasks=1e30
    wrong "more tasks than ids" --tasks --tasks=2e9
    for number in nan inf; do wrong "a number that is none" $number --tasks=$number; done
    wrong "a list of operations that is none" "line 1: expected 'start 0 +3'" conform --operations-file="$root/LICENSE"
    wrong "a range that goes down" 1e6..1e3 --tasks=1e6..1e3
    wrong "a range without an end" --tasks --tasks=1e3..
    wrong "a range whose factor is 1" '1..100*1' '--tasks=1..100*1'
    wrong "a range of far too many points" --tasks '--tasks=1..1e9*1.0000001'
    wrong "no runs" --runs --runs=0
    wrong "too many runs" 1e6 --runs=1e6
    wrong "a time without a unit" "10" --budget=10
    wrong "a negative time" -1s --budget=-1s
    wrong "a time of an unknown unit" 5parsec --tick=5parsec
    wrong "a tick of no length" --tick --tick=0ms
    wrong "a time beyond 64 bits" 1e30d --budget=1e30d
    wrong "a seed that JSON cannot hold" --seed --seed=1e17
    wrong "too little memory" --memory-limit --memory-limit=1
    wrong "a core that is not there" 1000 --pin=1000
    wrong "a core that is no number" "'x'" --pin=x
    wrong "no jobs" --jobs --jobs=0
    wrong "more jobs than cores" --jobs --jobs=1000
    wrong "a wheel without slots" slots --impl=hashed --slots=0
    wrong "a wheel with too many slots" slots --impl=hashed --slots=2Gi
    wrong "slots for designs that have none" slots --impl=heap,list --slots=64
    wrong "a level without slots" levels --impl=hier --levels=64,0,64
    wrong "a hole in the levels" levels --impl=hier --levels=64,,64
    wrong "more levels than there are bits" levels --impl=hier --levels=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2
    wrong "an override without a value" "'delay'" --set=delay
    wrong "an override of what is no parameter" nosuch --set=nosuch=1
    wrong "an override that is no distribution" "gauss" '--set=delay=gauss(1,2)'
    wrong "a style that is none" "'loud'" --style=loud
    wrong "progress of no known kind" "'often'" --progress=often
    wrong "a format of pictures that is none" "gif" --plots=p --plot-format=gif
    wrong "two documents on stdout" --export-csv --json=- --export-csv=-
    wrong "two documents of any format on stdout" --export-bencher --export-gbench=- --export-bencher=-
    wrong "two documents in one file" same.json --export-bencher=same.json --export-gbench=same.json
    wrong "resume without a file" --resume --resume
    wrong "resume and force" --resume --json=x.json --resume --force
    wrong "an operand of run" "hold" run hold
    wrong "an operand of list" "hold" list hold
    wrong "an operand of conform" "heap" conform heap
    wrong "replay of nothing" "trace" replay --impl=heap
    wrong "replay with a workload" --workload replay --workload=hold nginx
    wrong "report of two files" "report" report a.json b.json
    wrong "sweeping a parameter in conform" slots conform --impl=hashed --slots=64,128
    wrong "a number of tasks for a trace, which has its own" "--tasks: a trace has its own timers; expected replay without it" replay nginx --tasks=5
    echo "words behind version and help"; refuses frob version frob; refuses --frob version --frob; refuses frob help run frob
    wrong "two lists at once" --flags list --figures --flags
    echo "an operand that is empty"; refuses "operand 1 is empty" report ''; refuses "operand 2 is empty" compare a ''
    echo "a folder that is a file"; : >plain; refuses "expected a directory" run --workloads-dir=plain
    echo "a workload by the name of a file here gets the hint"; : >mine; refuses ./mine --workload=mine
}

@test "what may be repeated says so" {
    # shellcheck disable=SC2312 # an empty list fails below
    repeated=$("$twbench" list --flags | grep 'may be repeated' | cut -f3 | sort -u | xargs)
    echo "$repeated"
    # The labs that are built add theirs.
    [ "$(tr ' ' '\n' <<<"$repeated" | grep -xE 'assert|limit|plugin|set|workload' | xargs)" = "assert limit plugin set workload" ]
}

@test "nothing of an argument or a file commands the terminal" {
    refuses "'?[31mred'" --impl=$'\033[31mred'
    printf '\033[31mred\n' >red.tt
    "$twbench" --impl=heap --tasks=10 --runs=1 --min-time=0ns --progress=never --no-system-check --json=r.json >/dev/null
    sed -i 's/"heap\("\|; \)/"a\\u001b[31m\\u009bred\1/g' r.json
    "$twbench" report r.json >text
    "$twbench" report r.json --export-markdown=- >markdown
    for shown in text markdown; do
        grep -F 'a?[31m??red' $shown
        [ "$(grep -cP '\x1b|\xc2\x9b' $shown)" = 0 ]
    done
}
