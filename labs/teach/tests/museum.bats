# museum.bats - conform's default finds each exhibit of the museum, and names the rule of its row in museum.def:
# of each third exhibit, of all with DEPTH=all.

load ../../../tests/cli/support

@test "conform names the rule of each exhibit" {
    museum=$root/labs/teach/museum
    [ "$(grep -c '^EXHIBIT_ROW' "$museum/museum.def")" -eq "$(find "$museum" -name '*.c' | wc -l)" ]
    while IFS= read -r row; do
        name=$(sed 's/^EXHIBIT_ROW("\([^"]*\)".*/\1/' <<<"$row") rule=$(grep -o 'RULE_[A-Z]*' <<<"$row")
        words=$(sed -n "s/^#define $rule  *\"\(.*\)\"$/\1/p" "$root/src/harness/prove/report.h")
        [ -n "$words" ]
        "${CC:-gcc}" -O2 -shared -fPIC -I"$root/src/impls" -o "$name.so" "$museum/$name.c"
        run "$twbench" conform --plugin="./$name.so"
        echo "$output"
        [ "$status" -eq 1 ]
        grep -qxF "$name: BROKEN: $words" <<<"$output"
        sed '1,/^shortest\|^operations/d' <<<"$output" >"$name.ops"
        run ! grep '^walk' "$name.ops"
        "${CC:-gcc}" -O2 -DMENDED -shared -fPIC -I"$root/src/impls" -o mended.so "$museum/$name.c"
        "$twbench" conform --plugin=./mended.so --operations-file="$name.ops"
    done < <(grep '^EXHIBIT_ROW' "$museum/museum.def" | awk -v all="${DEPTH:-}" 'all == "all" || NR % 3 == 1')
}

@test "without its mistake each exhibit keeps the contract" {
    deep
    for exhibit in "$root"/labs/teach/museum/*.c; do
        name=$(basename "$exhibit" .c)
        "${CC:-gcc}" -O2 -DMENDED -shared -fPIC -I"$root/src/impls" -o "$name.so" "$exhibit"
        "$twbench" conform --plugin="./$name.so"
    done
}

@test "show --museum names each exhibit with its year, report and rule" {
    "$twbench" show --museum >list
    [ "$(grep -c '^20' list)" -eq "$(grep -c '^EXHIBIT_ROW' "$root/labs/teach/museum/museum.def")" ]
    grep -A3 '^2026 .*glommio-44$' list | grep -q 'https://github.com/glommio/glommio/pull/44'
    refuses "W7: --list and --museum take no operands" show --museum W7
}
