# before_run.bats - what can be known before a run is said before it, and a picture that fails costs nothing measured.

load support

# early CULPRIT ARGUMENT... - refused with the culprit named, before any cell has run.
early() {
    local culprit=$1
    shift
    rm -f r.json
    refuses "$culprit" run --impl=heap,hashed --workload=hold --tasks=50,100,200 --runs=1 --warmup=0 \
        --min-time=0ns --no-system-check --progress=never --json=r.json "$@"
    [ ! -e r.json ]
}

@test "a file that cannot be written is refused before the run" {
    touch file
    early "--export-csv: file/x.csv" --export-csv=file/x.csv
    early "--html: no/such/x.html" --html=no/such/x.html
    early "--export-junit: no/x.xml" --export-junit=no/x.xml
    early "--plots: file/pictures" --plots=file/pictures
    mkdir folder
    early "--html: folder" --html=folder --force
    refuses "no/r.json" run --impl=heap --json=no/r.json
}

@test "where even root cannot write is refused before the run" {
    early "--plots: /proc/pictures: cannot be written" --plots=/proc/pictures
    early "--plots: /proc/new/pictures: cannot be written" --plots=/proc/new/pictures
    for flag in html export-csv export-markdown export-gbench export-bencher export-junit; do
        early "--$flag: /proc/x: cannot be written" --$flag=/proc/x
    done
    refuses "/proc/x.json" run --impl=heap --json=/proc/x.json
    ln -s /proc/version link
    early "--html: link: cannot be written" --html=link --force
    [ -z "$(find . -name '.twbench-*')" ]
}

@test "a folder for pictures that is not there yet is no error" {
    quick --impl=heap --workload=hold --plots=new/folder >/dev/null
    [ -d new/folder ]
}

@test "pictures without gnuplot are refused before the run" {
    mkdir bin
    printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$PWD/bin" "$twbench" >without
    chmod +x without
    local twbench=./without
    early "--plots: gnuplot is not installed" --plots=pictures
    early "--plot-format: gnuplot is not installed" --plot-format=dumb
}

@test "an assertion on a design that does not run is refused before the run" {
    early "'heep'" "--assert=heep.start<=O(log n)"
    early "'list'" "--assert=list.start<=O(n)"
}

@test "an assertion over too few sizes is refused before the run" {
    refuses "3 numbers of tasks" run --impl=heap --workload=P1 --tasks=50,100 --assert='heap.start<=O(log n)'
}

@test "an assertion that can be told is held as before" {
    quick --impl=heap --workload=P1 --tasks=100,1000,10000 --counts-only --assert='heap.start<=O(log n)' >/dev/null
}

@test "--plan shows the cells and a time, and runs nothing" {
    run --separate-stderr "$twbench" run --plan --impl=hashed,heap --slots=64,512 --workload=hold,standard --tasks=1e3,1e6 --json=r.json
    [ "$status" -eq 0 ]
    [ ! -e r.json ]
    [ "$(grep -cE '^(hold|standard) ' <<<"$output")" -eq 12 ]
    grep -qE '^hold +1M +hashed slots=512$' <<<"$output"
    [[ $output == *"12 cells"*"nothing was run"* ]]
    refuses "'heep'" run --plan --impl=heep
}

@test "--plan of more work takes longer" {
    seconds() { "$twbench" run --plan --impl=heap --workload=hold "$@" | sed -n 's/.*about \([0-9.e+]*\) s.*/\1/p'; }
    few=$(seconds --tasks=1e3) many=$(seconds --tasks=1e6) more=$(seconds --tasks=1e6 --runs=70) behind=$(seconds --tasks=1e6 --between=32KiB)
    echo "$few $many $more $behind"
    awk -v few="$few" -v many="$many" -v more="$more" -v behind="$behind" 'BEGIN { exit !(0 < few && few < many && many < more && many < behind) }'
}

@test "a picture that fails after the run costs neither table nor exports" {
    mkdir bin
    printf '#!/bin/sh\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH run --separate-stderr "$twbench" run --impl=heap,hashed --workload=hold --tasks=50,100,200 \
        --runs=1 --warmup=0 --min-time=0ns --progress=never --json=r.json --html=r.html --export-csv=r.csv \
        --export-junit=r.xml --plots=pictures
    [ "$status" -eq 1 ]
    [[ $output == *heap*hashed* ]]
    [[ $stderr == *gnuplot* ]]
    for file in r.json r.csv r.xml r.html; do
        [ -s $file ]
    done
}

@test "a disk that fills up during the run does not cost the table" {
    # A limit on the size of files stands for the disk: the first cells fit, all of them do not.
    cells=(run --impl=heap,hashed,list,hier,round --workload=hold,P3 --tasks=50,100,200 --runs=1 --warmup=0 --min-time=0ns
        --no-system-check --progress=never --json=r.json)
    (ulimit -f 40; trap '' XFSZ; exec "$twbench" "${cells[@]}" >out 2>err) && return 1
    grep -q 'r.json: cannot be written: File too large' err
    grep -q '^heap ' out
    grep -q '^settings' out
    [ "$(json r.json 'd["complete"], len(d["cells"]) > 1')" = "(False, True)" ]
}
