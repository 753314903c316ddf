# hugepages.bats - the memory of designs in pages of 2 MiB.

load support

@test "with and without huge pages are cells of their own, and what the kernel gave is in both" {
    quick --impl=hashed,heap --huge-pages=off,on --json=h.json >table
    [ "$(json h.json '[(c["impl"], c["params"]["huge_pages"], c["requested"]["huge_pages"], c["status"]) for c in d["cells"]]')" = \
        "[('hashed', 'off', 'off', 'ok'), ('hashed', 'on', 'on', 'ok'), ('heap', 'off', 'off', 'ok'), ('heap', 'on', 'on', 'ok')]" ]
    [ "$(json h.json '[c["memory"]["pages"]["huge_bytes"] for c in d["cells"][::2]]')" = "[0, 0]" ]
    [ "$(json h.json 'all(c["memory"]["pages"]["touched_bytes"] > 0 for c in d["cells"])')" = True ]
    [ "$(json h.json 'len({c["digest"] for c in d["cells"]})')" = 1 ]
    grep -q "^hashed huge_pages=on " table
    grep -q "^pages     of 2 MiB: hashed huge_pages=on " table
}

@test "the kernel gives huge pages where it is set to, and the cell says why where it does not" {
    quick --impl=hashed --huge-pages=on --json=h.json >/dev/null
    if grep -qs "\[never\]" /sys/kernel/mm/transparent_hugepage/enabled; then
        [[ $(json h.json 'd["cells"][0]["memory"]["pages"]["reason"]') == *"says never"* ]]
    else
        [ "$(json h.json 'd["cells"][0]["memory"]["pages"]["huge_bytes"] >= 1 << 21')" = True ]
        [ "$(json h.json 'd["cells"][0]["memory"]["pages"]["reason"]')" = None ]
    fi
}

@test "unasked nothing is said of pages" {
    grep -qs "\[always\]" /sys/kernel/mm/transparent_hugepage/enabled && skip "here everybody has huge pages"
    quick --impl=hashed --json=h.json >table
    [ "$(json h.json '"pages" in d["cells"][0]["memory"], "huge_pages" in d["cells"][0]["params"]')" = "(False, False)" ]
    run ! grep -q "2 MiB" table
}

@test "a design that asks for huge pages by itself is told of, and gets none with --huge-pages=off" {
    grep -qs "\[madvise\]" /sys/kernel/mm/transparent_hugepage/enabled || skip "here asking changes nothing"
    huge() { json h.json '[(c["memory"].get("pages") or {}).get("huge_bytes") for c in d["cells"]]'; }
    local few="--workload=P1 --tasks=3e5 --runs=1 --warmup=0 --min-time=0ns --patience=0ms --force"
    "$twbench" run --impl=fast --madvise=0,1 $few --json=h.json >table
    [[ $(huge) =~ ^"[None, "[1-9][0-9]+"]"$ ]]
    grep -q "^pages     of 2 MiB: fast.* MiB, unasked" table
    [ "$(json h.json 'd["cells"][1]["memory"]["pages"]["touched_bytes"]')" = None ]
    "$twbench" run --impl=fast --huge-pages=off $few --json=h.json >table
    [ "$(huge)" = "[0]" ]
}

@test "a resumed run takes the cells that are lacking" {
    quick --impl=hashed --json=h.json >/dev/null
    quick --impl=hashed --huge-pages=on --json=h.json --resume >/dev/null
    quick --impl=hashed --huge-pages=off,on --json=h.json --resume >/dev/null
    [ "$(json h.json '[c["params"].get("huge_pages") for c in d["cells"]]')" = "[None, 'on', 'off']" ]
}

@test "other words are refused" {
    refuses "--huge-pages: 'yes' given; expected one of off, on" run --huge-pages=yes
    refuses "--huge-pages: 'on' is given twice" run --huge-pages=on,on
}
