#!/usr/bin/env zsh
# zsh_words.zsh DIRECTORY LINE - what zsh offers for the line with the _twbench of the directory: a match each line.
#
# An interactive zsh in a terminal of its own completes the line; compadd there prints what it is given to add.
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "PS1= PS2=; stty -echo; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w asked 'compadd() {
    local -a matched
    [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
    builtin compadd -A matched "$@"
    builtin compadd "$@"
    print -r -l -- "@@"${^matched}
}
bindkey "^I" complete-word; zstyle ":completion:*" list-prompt ""; LISTMAX=100000
end-of-answer() { print "@@@end"; zle kill-whole-line }; zle -N end-of-answer; bindkey "^X" end-of-answer
print "@@""@ready"'
local line
while zpty -r asked line; do [[ $line == *@@@ready* ]] && break; done
zpty -w -n asked "$2"$'\t\x18'
while zpty -r asked line; do
    [[ $line == *@@@end* ]] && break
    [[ $line == *@@* ]] && print -r -- "${${line##*@@}%%[[:cntrl:]]*}"
done
zpty -d asked
