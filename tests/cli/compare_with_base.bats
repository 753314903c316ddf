#!/usr/bin/env bats
# compare_with_base.bats - what tools/compare_with_base.sh builds, and what it keeps: in a repository whose make notes
# what it was asked for, and whose program prints its arguments.  tests/ci.sh has the comparison itself.

load support

repository() {
    export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org \
        GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org MADE=$PWD/made
    mkdir -p repository/tools repository/labs/libraries
    cd repository || return
    cp "$root/tools/compare_with_base.sh" tools
    printf 'DESIGN("%s", "")\n' libev posix-timer >labs/libraries/lab.def
    printf '/build/\n/twbench\n' >.gitignore
    cat >Makefile <<'END'
twbench:
	@echo "$(CURDIR) $@" >>"$(MADE)"
	@printf '#!/bin/bash\necho "$$@"\n' >$@ && chmod +x $@
build/release/libraries/%.so:
	@echo "$(CURDIR) $@" >>"$(MADE)"
	@mkdir -p $(@D) && touch $@
END
    git init --quiet --initial-branch=main && git add -A && git commit --quiet -m base
    git checkout --quiet -b change
    echo >file && git add -A && git commit --quiet -m change
}

# compares ARGUMENT... - and what was made by it is in $made, "base" and "head" being the trees.
compares() {
    : >"$MADE"
    run --separate-stderr tools/compare_with_base.sh main "$@"
    echo "status $status, '$output', '$stderr'"
    [ "$status" -eq 0 ]
    made=$(sed "s,^$PWD/build/base ,base ,; s,^$PWD ,head ," "$MADE" | sort | paste -sd ' ')
    echo "made: '$made'"
}

@test "a second call builds nothing, and no worktree is left" {
    repository
    compares --impl=heap
    [ "$made" = "base twbench head twbench" ]
    [ "$output" = "compare $PWD/build/base/twbench $PWD/twbench --impl=heap" ]
    compares --impl=heap --pairs=0
    [ "$made" = "" ]
    [[ $stderr == *"is built already"* ]]
    [ "$(git worktree list | wc -l)" -eq 1 ]
    [ -z "$(git status --porcelain)" ]
}

@test "a library is built when it is named, and only that one" {
    repository
    compares --impl=heap,posix-timer
    [ "$made" = "base build/release/libraries/posix_timer.so base twbench head build/release/libraries/posix_timer.so head twbench" ]
    compares --impl libev
    [ "$made" = "base build/release/libraries/libev.so base twbench head build/release/libraries/libev.so" ]
}

@test "another base, other flags and a build that was cut short are built anew" {
    repository
    compares
    CFLAGS=-O3 compares
    [ "$made" = "base twbench" ]
    rm build/base/key
    CFLAGS=-O3 compares
    [ "$made" = "base twbench" ]
    git checkout --quiet main && git commit --quiet --allow-empty -m later && git checkout --quiet change
    git rebase --quiet main
    CFLAGS=-O3 compares
    [ "$made" = "base twbench" ]
}
