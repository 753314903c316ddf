#!/bin/bash
# manual.sh TWBENCH [PAGE.in] - print the manual page: the text of PAGE.in, with the core's rows of
# `TWBENCH list --flags`.
#
# In docs/man/twbench.1.in stand three kinds of marks, each a comment of roff on a line of its own:
#     .\" synopsis      becomes a line for each command
#     .\" row NAME      becomes the heading and the help of that flag; details may follow
#     .\" parameters    becomes the parameters of the designs
# A flag without a mark, and a mark without a flag, is an error.
set -euo pipefail

twbench=$1
page=${2:-$(dirname "$0")/../docs/man/twbench.1.in}

"$twbench" list --flags | awk -F'\t' -v page="$page" '
    function roff(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        return text ~ /^[.\047]/ ? "\\&" text : text
    }
    function heading(name, value) {
        print ".TP"
        print "\\fB\\-\\-" roff(name) (value == "" ? "\\fR" : "=\\fI" roff(value) "\\fR")
    }
    # One row for all that say the same of the flag, in the order in which they came.
    function add(table, owner, name, value, help,    key, i) {
        for (i = 1; i <= variants[table, name]; i++)
            if (values[table, name, i] == value && helps[table, name, i] == help) {
                owners[table, name, i] = owners[table, name, i] ", " owner
                return
            }
        if (!variants[table, name])
            names[table, ++count[table]] = name
        i = ++variants[table, name]
        values[table, name, i] = value
        helps[table, name, i] = help
        owners[table, name, i] = owner
    }
    function item(table, name,    i, form) {
        heading(name, values[table, name, 1])
        for (i = 1; i <= variants[table, name]; i++) {
            form = values[table, name, i] == values[table, name, 1] ? "" : \
                   "\\fB\\-\\-" roff(name) "=\\fI" roff(values[table, name, i]) "\\fR, "
            if (i > 1)
                print ".br"
            print form "\\fI" roff(owners[table, name, i]) "\\fR:"
            print roff(helps[table, name, i]) "."
        }
    }
    # Labs say what their commands take themselves.
    $1 == "lab" { is_lab = 1 }
    is_lab { next }
    $1 == "command" { commands[++command_count] = $2; usages[$2] = $3 }
    $1 == "flag" || $1 == "parameter" { add($1, $2, $3, $4, $5) }
    END {
        while ((getline line < page) > 0) {
            split(line, words, " ")
            if (line == ".\\\" synopsis") {
                print ".nf"
                for (i = 1; i <= command_count; i++)
                    print "\\fBtwbench " commands[i] "\\fR " roff(usages[commands[i]])
                print ".fi"
            } else if (line == ".\\\" parameters") {
                for (i = 1; i <= count["parameter"]; i++)
                    item("parameter", names["parameter", i])
            } else if (words[1] == ".\\\"" && words[2] == "row") {
                if (!variants["flag", words[3]]) {
                    print page ": there is no flag --" words[3] >"/dev/stderr"
                    failed = 1
                }
                item("flag", words[3])
                told[words[3]] = fresh = 1
                continue
            } else {
                # What follows the row is text on a line of its own.
                print (fresh && line !~ /^\.(SS|SH|TP|PP)/ ? ".br\n" : "") line
            }
            fresh = 0
        }
        for (i = 1; i <= count["flag"]; i++)
            if (!told[names["flag", i]]) {
                print page ": no row --" names["flag", i] >"/dev/stderr"
                failed = 1
            }
        exit failed
    }'
