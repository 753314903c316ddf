# show.bats - drawings of running designs: scripts, worked examples, files, and mistakes.

load ../../../tests/cli/support

@test "W7 shows the worked example with its answer" {
    run "$twbench" show W7
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *"12 slots of 1 s, pointer at 3"* ]]
    for end in head tail; do [ "$($end -n 9 <<<"$output" | grep -Ec 'a: slot +8 +8  right|b: (slot +6 +6|round +1 +1)  right')" -eq 3 ]; done
}

@test "every worked example of the list is right" {
    names=$("$twbench" show --list | awk '{ print $1 }')
    [ "$(wc -w <<<"$names")" -eq 19 ]
    for name in W1 W15 C-slot C-round D-period D-walk; do grep -qx "$name" <<<"$names"; done
    for name in $names; do
        run "$twbench" show "$name"
        [ "$status" -eq 0 ]
        [[ $output != *WRONG* && $output != *BROKEN* && $output != *"not yet"* ]]
        [[ $output == *"right"* ]]
        for columns in 40 80; do [ "$(COLUMNS=$columns "$twbench" show "$name" | LC_ALL=C.UTF-8 wc -L)" -le $columns ]; done
    done
}

@test "a script as an argument, as a file and from stdin is the same" {
    printf 'add a 3s # the first\nadd b 10s\ntick 3\nstop b\n' >small.tws
    "$twbench" show --slots=8 'add a 3s; add b 10s; tick 3; stop b' >argument
    "$twbench" show --slots=8 small.tws >file
    "$twbench" show --slots=8 - <small.tws >stdin
    for same in file stdin; do cmp argument $same; done
    for said in 'b starts, due at 10 (10 s): slot 2, round 1' 'a fires at 3 (3 s), on time' 'b is stopped'; do grep -q "$said" argument; done
}

@test "every design can be shown" {
    for design in $("$twbench" list | sed -n '/^Designs/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p'); do
        run "$twbench" show --impl="$design" 'add a 3; add b 30; tick 2; restart a 9; next 5; jump 99'
        echo "$design: $output"
        [ "$status" -eq 0 ]
        [[ $output == "$design"* ]]
        # one word alone may be longer: 'levels=20,20,..'
        [ "$(COLUMNS=40 "$twbench" show --impl="$design" 'add a 3; add b 30s; tick 9' | grep '[^ ]  *[^ ]' | LC_ALL=C.UTF-8 wc -L)" -le 40 ]
    done
}

@test "many rounds are shortened, not cut" {
    "$twbench" show --impl=round --slots=2 'add a 23437498; tick 1' >drawn
    grep -F 'a r11.7M' drawn
}

@test "a design that counts nothing looked at an unknown number of timers" {
    gcc -O1 -shared -fPIC -I "$root/src/impls" -o plain.so "$root/docs/plugins/wheel.c"
    "$twbench" show --plugin=./plain.so 'add a 30; tick 20' --json=plain.json >drawn
    ! grep -E 'looked at: [0-9]' drawn
    grep -F 'counts no work' drawn
    python3 -c 'import json; assert all(f["work"] is None for film in json.load(open("plain.json"))["films"] for f in film["frames"])'
}

@test "80 columns are enough, plain is ASCII, colour is asked for" {
    script='add a 3s; add session-timeout 10s; add c 70s; add d 2h; tick 3; jump 100s'
    for flags in --slots=8 --slots=4096 "--impl=hier --levels=60,60,24,10" --impl=heap --impl=list; do
        # shellcheck disable=SC2086
        LC_ALL=C "$twbench" show $flags --style=plain "$script" >out
        [ "$(wc -L <out)" -le 80 ]
        run ! grep -P '[^\x20-\x7e]' out
    done
    for list in --list --museum; do [ "$(COLUMNS=40 "$twbench" show $list | grep -v https: | wc -L)" -le 40 ]; done
    "$twbench" show --style=color "$script" | grep -q $'\033\[38;5;208m'
}

@test "the tick is the script's, or the flag's; rounding is said" {
    "$twbench" show 'unit 100ms; add a 950ms; tick' | grep -q 'rounded up to 10'
    "$twbench" show --tick=50ms 'unit 100ms; add a 950ms; tick' | grep -q 'due at 19 (950 ms)'
}

@test "accounts: prices, work and savings of each call, and whether too little is paid" {
    script="$(printf 'add t%d 47;' {1..9}) tick 63"
    "$twbench" show --impl=hier --levels=4,4,4 --price=start=22,expire=5 "$script" --svg=a.svg >accounts
    grep -Eq '^add t9 47 +22 +6 +128 +144$' accounts
    grep -Eq '^advance to 32 +0 +72 +144 +72$' accounts
    grep -q '^12 calls: paid 243, worked 240; longest: 72' accounts
    ! grep -q 'TOO LITTLE' accounts
    [ "$(wc -L <accounts)" -le 80 ]
    [ "$(COLUMNS=40 "$twbench" show --impl=hier --levels=4,4,4 --price=start=22,expire=5 "$script" | wc -L)" -le 40 ]
    python3 -c 'import xml.etree.ElementTree as e; t = e.parse("a.svg"); assert sum(r.get("class") == "worked" for r in t.iter("{http://www.w3.org/2000/svg}rect")) == 12'
    "$twbench" show --impl=hier --levels=4,4,4 --price=start=21,expire=5,tick=0 "$script" | grep -q 'TOO LITTLE'
    "$twbench" show --price=tick=1 'tick 3' | grep -q '^3 calls: paid 3, worked 0'
    "$twbench" show --price=stop=1 'tick 3' | grep -q 'no call is paid or works'
}
@test "a price of nothing" { refuses "expected start=" show --price=strt=3 'tick 3'; }
@test "a price of an example" { refuses "--price" show W7 --price=start=3; }
@test "svg and json are files of their kind and are not overwritten unasked" {
    "$twbench" show W9 --svg=w.svg --json=w.json >/dev/null
    python3 -c 'import sys, xml.etree.ElementTree as e; e.parse("w.svg")'
    [ "$(json w.json 'd["films"][0]["frames"][-2]["events"][0]["kind"]')" = moved ]
    [ "$(json w.json 'd["films"][0]["levels"][1]["ticks_per_slot"]')" = 3600 ]
    [ "$(json w.json 'd["films"][0]["frames"][-1]["events"][0]["tick"]')" = 18600 ]
    refuses w.svg show W9 --svg=w.svg
    "$twbench" show W9 --svg=w.svg --force >/dev/null
    "$twbench" show W9 --svg=- | head -c 4 | grep -q '<svg'
}

@test "what is typed cannot break out of a picture" {
    printf 'add a 3' >'<b>&"x.tws'
    "$twbench" show '<b>&"x.tws' --svg=o.svg --json=o.json >/dev/null
    run ! grep '<b>' o.svg
    python3 -c 'import xml.etree.ElementTree as e; e.parse("o.svg")'
    [ "$(json o.json 'd["title"]')" = '<b>&"x.tws' ]
}

@test "a script with a mistake: file, line, column, what was found and what was expected" {
    printf 'add a 3s\n  ad b 3s\n' >bad.tws
    refuses "bad.tws:2:3: found 'ad', expected add, restart, stop, tick, jump, next or unit" show bad.tws
    refuses "script:1:7: found '3x', expected a delay" show 'add a 3x'
    refuses "script:1:10: found 'add' of a timer that runs" show 'add a 3; add a 4'
}
@test "stdin with a mistake" {
    run --separate-stderr "$twbench" show - <<<'stop a'
    [ "$status" -eq 2 ]
    [[ $stderr == *"standard input:1:6: found 'a'"* ]]
}
@test "no such example and no such file" { refuses "'W99'" show W99; }
@test "nothing to show, and two things" { refuses "no operand" show; refuses "2 operands" show W1 W2; }
@test "an example on another design" { refuses W7 show W7 --impl=hier; }
@test "two designs" { refuses "2 designs" show --impl=heap,list 'tick 3'; }
@test "slots for a design that has none" { refuses slots show --impl=heap --slots=8 'tick 3'; }
@test "more than one number of slots" { refuses --slots show --slots=8,16 'tick 3'; }
@test "too small a capacity" { refuses --capacity show --capacity=1 'add a 3; add b 3'; }
@test "no capacity" { refuses --capacity show --capacity=0 'add a 3'; }
@test "two drawings in one place" { refuses --json show W1 --svg=- --json=-; }
@test "a list of something" { refuses "--list" show --list W7; }
@test "a folder as a script" { refuses "cannot be read" show /tmp; }

@test "fast is drawn as its rings, up to 256 timers" {
    "$twbench" show --impl=fast --every - <<<'add a 5; add b 600; add c 20000; tick 5' >drawn
    for line in 'a starts.*: level 0 slot 5$' 'b starts.*: level 1 slot 2$' 'c starts.*: level 2 slot 2$'; do grep -E "$line" drawn; done
    "$twbench" show --impl=fast --capacity=257 - <<<'add a 5' >set
    grep -q 'a starts.*: place 5$' set
    "$twbench" show --impl=fast --handful=32 - <<<'add a 500' >places
    grep -q 'a starts.*: place 0$' places
}
