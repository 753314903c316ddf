# museum.bats - conform's default finds each exhibit of the museum, and names the rule of its row in museum.def.

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
    done < <(grep '^EXHIBIT_ROW' "$museum/museum.def")
}
