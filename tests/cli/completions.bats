# completions.bats - what bash, zsh and fish offer on twbench's command line, asked of these shells themselves.

load support

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_FILE_TMPDIR"
    perl "$root/tools/completions.pl" "${TWBENCH:-$root/twbench}" bash >twbench
    perl "$root/tools/completions.pl" "${TWBENCH:-$root/twbench}" zsh >_twbench
    perl "$root/tools/completions.pl" "${TWBENCH:-$root/twbench}" fish >twbench.fish
}

in_bash() {
    bash --norc -c 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _twbench; printf "%s\n" "${COMPREPLY[@]}"' - "$BATS_FILE_TMPDIR/twbench" "$1"
}

in_zsh() {
    timeout 100 zsh -f "$root/tests/completions/zsh_words.zsh" "$BATS_FILE_TMPDIR" "$1"
}

in_fish() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$BATS_FILE_TMPDIR/twbench.fish" "$1" | cut -f1
}

# offers SHELL LINE WORD... - the shell offers these words for the line, and no other; "--flag=" counts as "--flag", a list
# by its last word.
offers() {
    local shell=$1 line=$2
    shift 2
    in_"$shell" "$line" | sed 's/=$//; s/^--[a-z-]*=//; s/.*,//' | sort >"offered.$shell"
    printf '%s\n' "$@" | sort | diff - "offered.$shell"
}

# each_offers SHELL - the lines that every shell has to know.
each_offers() {
    offers "$1" 'twbench rep' replay report
    offers "$1" 'twbench run --counts' --counts-only
    offers "$1" 'twbench --slot' --slots
    offers "$1" 'twbench run --impl=heap,hash' hashed
    offers "$1" 'twbench run --huge-pages=' off on
}

@test "bash offers commands, flags, parameters of designs and names" {
    each_offers bash
    bash -n "$BATS_FILE_TMPDIR/twbench"
    offers bash 'twbench report --slot' ''
    mkdir -p some.d && touch some.json
    offers bash 'twbench run --json=some' some.d some.json
    offers bash 'twbench run --plots=some' some.d
}

@test "zsh offers the same" {
    each_offers zsh
}

@test "fish offers the same" {
    each_offers fish
    mkdir -p some.d && touch some.json
    offers fish 'twbench run --json=some' some.d/ some.json
}

@test "no flag of any command is left out" {
    "$twbench" list --flags | awk -F'\t' '$1 == "flag" { split($2, word, " "); print word[1] " --" $3 }' | sort -u >flags
    [ "$(wc -l <flags)" -gt 100 ]
    for command in $(cut -d' ' -f1 flags | sort -u); do
        bash --norc -c 'source "$1"; _twbench_flags "$2"' - "$BATS_FILE_TMPDIR/twbench" "$command" | tr ' ' '\n' | sed "s/=\$//; s/^/$command /"
    done | sort -u >bash.flags
    [ -z "$(comm -23 flags bash.flags)" ]
    awk '/^\(/ { command = substr($1, 2, length($1) - 2) }
        /^ *.\*--/ { sub(/^[^-]*/, ""); sub(/[=[].*/, ""); print command " " $0 }' "$BATS_FILE_TMPDIR/_twbench" | sort -u >zsh.flags
    [ -z "$(comm -23 flags zsh.flags)" ]
    sed -n "s/^complete .*__twbench_is \(.*\)' -l \([a-z0-9-]*\) .*/\2 \1/p" "$BATS_FILE_TMPDIR/twbench.fish" |
        awk '{ for (i = 2; i <= NF; i++) print $i " --" $1 }' | sort -u >fish.flags
    [ -z "$(comm -23 flags fish.flags)" ]
}
