# refused_flags.bats - every wrong flag or number ends with status 2 and a message that names it.

load support

@test "a command that is none" { refuses "'frobnicate'" frobnicate; }
@test "a flag that is none" { refuses --frobnicate --frobnicate; }
@test "a flag of another command" { refuses --operations run --operations=5; }
@test "a flag with one dash" { refuses -impl -impl=heap; }
@test "a flag without its value" { refuses --impl --impl; }
@test "a switch with a value" { refuses --force --json=x.json --force=yes; }

@test "a value given twice" { refuses "--seed: given twice, '1' and '2'" --seed=1 --runs=2 --seed 2; }
@test "a list given twice" { refuses "expected one list: --tasks=1e3,1e4" --tasks=1e3 --tasks=1e4; }
@test "a parameter given twice" { refuses "expected one list: --slots=64,128" --impl=hashed --slots=64 --slots=128; }
@test "levels given twice" { refuses "expected one list: --levels=4,4/8,8" --impl=hier --levels=4,4 --levels=8,8; }
@test "an export given twice" { refuses "--export-csv: given twice, 'a' and 'b'" --export-csv=a --export-csv=b; }
@test "a page given by both of its flags" { refuses "-o and --html" report x.json -o a --html=b; }
@test "an override of the same name twice" { refuses "--set: delay is given twice" --set=delay=1 --set=delay=2; }
@test "a limit of the same metric twice" { refuses "--limit: work is given twice" compare --limit=work=1% --limit=work=2% a b; }
@test "a workload twice" { refuses "--workload: 'hold' is given twice" --workload=hold --workload=idle,hold; }
@test "two overrides of different names are taken" { refuses "nosuch" --set=delay=5 --set=nosuch=1; }
@test "what may be repeated says so" {
    # shellcheck disable=SC2312 # an empty list fails below
    repeated=$("$twbench" list --flags | grep 'may be repeated' | cut -f3 | sort -u | xargs)
    echo "$repeated"
    # The labs that are built add theirs.
    [ "$(tr ' ' '\n' <<<"$repeated" | grep -xE 'assert|limit|plugin|set|workload' | xargs)" = "assert limit plugin set workload" ]
}

@test "a design that is none" { refuses "'hashd'" --impl=hashd; }
@test "a design that is none behind all" { refuses "'hashd'" --impl=all,hashd; }
@test "an empty list of designs" { refuses --impl --impl=; }
@test "a hole in a list of designs" { refuses --impl --impl=heap,,list; }

@test "no tasks" { refuses --tasks --tasks=0; }
@test "negative tasks" { refuses -5 --tasks=-5; }
@test "tasks that are no number" { refuses abc --tasks=abc; }
@test "half a task" { refuses 1.5 --tasks=1.5; }
@test "rubbish behind a number" { refuses 1000x --tasks=1000x; }
@test "a number beyond 64 bits" { refuses 1e30 --tasks=1e30; }
@test "more tasks than ids" { refuses --tasks --tasks=2e9; }
@test "not a number at all" { refuses nan --tasks=nan; }
@test "an infinite number" { refuses inf --tasks=inf; }
@test "a range that goes down" { refuses 1e6..1e3 --tasks=1e6..1e3; }
@test "a range without an end" { refuses --tasks --tasks=1e3..; }
@test "a range whose factor is 1" { refuses '1..100*1' '--tasks=1..100*1'; }
@test "a range of far too many points" { refuses --tasks '--tasks=1..1e9*1.0000001'; }

@test "no runs" { refuses --runs --runs=0; }
@test "too many runs" { refuses 1e6 --runs=1e6; }
@test "a time without a unit" { refuses "10" --budget=10; }
@test "a negative time" { refuses -1s --budget=-1s; }
@test "a time of an unknown unit" { refuses 5parsec --tick=5parsec; }
@test "a tick of no length" { refuses --tick --tick=0ms; }
@test "a time beyond 64 bits" { refuses 1e30d --budget=1e30d; }
@test "a seed that JSON cannot hold" { refuses --seed --seed=1e17; }
@test "too little memory" { refuses --memory-limit --memory-limit=1; }
@test "a core that is not there" { refuses 1000 --pin=1000; }
@test "a core that is no number" { refuses "'x'" --pin=x; }
@test "no jobs" { refuses --jobs --jobs=0; }
@test "more jobs than cores" { refuses --jobs --jobs=1000; }

@test "a wheel without slots" { refuses slots --impl=hashed --slots=0; }
@test "a wheel with too many slots" { refuses slots --impl=hashed --slots=2Gi; }
@test "slots for designs that have none" { refuses slots --impl=heap,list --slots=64; }
@test "a level without slots" { refuses levels --impl=hier --levels=64,0,64; }
@test "a hole in the levels" { refuses levels --impl=hier --levels=64,,64; }
@test "more levels than there are bits" { refuses levels --impl=hier --levels=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2; }

@test "an override without a value" { refuses "'delay'" --set=delay; }
@test "an override of what is no parameter" { refuses nosuch --set=nosuch=1; }
@test "an override that is no distribution" { refuses "gauss" '--set=delay=gauss(1,2)'; }
@test "a style that is none" { refuses "'loud'" --style=loud; }
@test "progress of no known kind" { refuses "'often'" --progress=often; }
@test "a format of pictures that is none" { refuses "gif" --plots=p --plot-format=gif; }
@test "two documents on stdout" { refuses --export-csv --json=- --export-csv=-; }
@test "two documents of any format on stdout" { refuses --export-bencher --export-gbench=- --export-bencher=-; }
@test "two documents in one file" { refuses same.json --export-bencher=same.json --export-gbench=same.json; }
@test "resume without a file" { refuses --resume --resume; }
@test "resume and force" { refuses --resume --json=x.json --resume --force; }

@test "an operand of run" { refuses "hold" run hold; }
@test "an operand of list" { refuses "hold" list hold; }
@test "an operand of conform" { refuses "heap" conform heap; }
@test "replay of nothing" { refuses "trace" replay --impl=heap; }
@test "replay with a workload" { refuses --workload replay --workload=hold nginx; }
@test "report of two files" { refuses "report" report a.json b.json; }
@test "sweeping a parameter in conform" { refuses slots conform --impl=hashed --slots=64,128; }
@test "a number of tasks for a trace, which has its own" { refuses "--tasks: a trace has as many timers as were recorded" replay nginx --tasks=5; }

@test "words behind version and help" { refuses frob version frob; refuses --frob version --frob; refuses frob help run frob; }
@test "two lists at once" { refuses --flags list --figures --flags; }
@test "an operand that is empty" { refuses "operand 1 is empty" report ''; refuses "operand 2 is empty" compare a ''; }
@test "a folder that is a file" { : >plain; refuses "expected a directory" run --workloads-dir=plain; }
@test "a workload by the name of a file here gets the hint" { : >mine; refuses ./mine --workload=mine; }

@test "nothing of an argument or a file commands the terminal" {
    refuses "'?[31mred'" --impl=$'\033[31mred'
    printf '\033[31mred\n' >red.tt
    "$twbench" --impl=heap --tasks=10 --runs=1 --min-time=0ns --progress=never --no-system-check --json=r.json >/dev/null
    sed -i 's/"heap"/"a\\u001b[31m\\u009bred"/' r.json
    "$twbench" report r.json >text
    "$twbench" report r.json --export-markdown=- >markdown
    for shown in text markdown; do
        grep -F 'a?[31m??red' $shown
        [ "$(grep -cP '\x1b|\xc2\x9b' $shown)" = 0 ]
    done
}
