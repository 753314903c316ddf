#!/usr/bin/env python3
"""doc_commands.py [PAGE...] - does the program understand each call of twbench that README.md and the pages of core and
labs show?  Of a lab that is not built only the command is known.

A call is taken from code blocks and from code within a line.  It is given one flag more, which no command has: the
parser reads from left to right, so its complaint about that flag says that it understood all before it.  Nothing runs.
TWBENCH names the program (default ./twbench).  Prints TAP.
"""
import glob
import os
import re
import shlex
import subprocess
import sys

import tap

TWBENCH = os.path.abspath(os.environ.get("TWBENCH", "./twbench"))
PROBE = "--no-command-has-this"
# Words that stand for something else: FILE, OLD.json, ..., <name>, [FLAGS].
HOLE = re.compile(r"\.\.\.|…|[<>\[\]]|\b[A-Z]+\b")
# In front of them `twbench` is no call.
OTHERS = {"podman", "cp", "install", "ls", "cat", "cd", "scp"}
# What a reader is about to write or to install.
NOT_HERE = re.compile(r"run 'make originals'|--class: 'solutions' given|no design named 'mine'| is in the lab \w+: 'make "
                      + (r"|no command '|has no such flag|no design named '" if tap.deleted_labs() else ""))


def code_of(page):
    """(line, text) of each shell block, its continued lines joined, and of each `twbench ..` within a line."""
    fence, joined, begun = None, "", 0
    for number, line in enumerate(open(page), 1):
        line = line.rstrip("\n")
        if line.lstrip().startswith("```"):
            fence = None if fence is not None else line.strip("` ")
        elif fence in ("sh", "bash", "console", ""):
            begun = begun if joined else number
            joined += line[:-1] + " " if line.endswith("\\") else line
            if not line.endswith("\\"):
                yield begun, joined
                joined = ""
        elif fence is None:
            for code in re.findall(r"`([^`]+)`", line):
                if re.match(r"(\./|build/release/)?twbench [a-z-]", code):
                    yield number, code


def calls_of(text, names):
    """The words behind `twbench` of each call in a line of shell."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|;&<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    call, skip, first = None, False, None
    for word in [*lexer, ";"]:
        assigned = re.fullmatch(r"(\w+)=(.*)", word) if call is None else None
        if assigned:
            names[assigned[1]] = assigned[2]
        elif re.fullmatch(r"[|;&()]+", word):
            if call is not None:
                yield call
            call = first = None
            continue
        elif re.fullmatch(r"[<>]+&?", word):
            skip = True
        elif skip:
            skip = False
        elif call is None and re.search(r"(^|/)twbench$", word) and first not in OTHERS:
            call = []
        elif call is not None:
            name = re.fullmatch(r"\$\{?(\w+)\}?", word)
            call += shlex.split(names.get(name[1], "x")) if name else [word]
        first = first or word


def complaint_about(call):
    """What the program says against the call; None: nothing."""
    if not call or call[0] in ("help", "version") or {"--help", "-h", "--version"} & set(call):
        return None
    end = call.index("--") if "--" in call else len(call)
    # Twice, because a flag that is only named, as in `twbench trace --json`, takes the first for its value.
    done = subprocess.run([TWBENCH, *call[:end], PROBE, PROBE], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=60, check=False)
    said = done.stderr.strip()
    understood = done.returncode == 2 and (PROBE in said or NOT_HERE.search(said))
    return None if understood else said or f"status {done.returncode}"


def filled(call):
    """The call without what a reader fills in, and without plugins, which would have to be there."""
    return [word for word in call if not HOLE.search(word) and not word.startswith("--plugin=")]


def wrong_in(page):
    names, seen = {}, 0
    for line, text in code_of(page):
        try:
            calls = list(calls_of(text, names))
        except ValueError:
            continue  # a quote that is closed elsewhere: no single line of shell
        for call in calls:
            call = filled(call)
            seen += 1
            said = complaint_about(call)
            if said:
                yield f"{page}:{line}: twbench {' '.join(call)}: {said}"
    if page == "README.md" and seen < 10:
        yield f"README.md: {seen} calls found; expected more"


pages = sys.argv[1:] or ["README.md", *sorted(glob.glob("docs/*.md") + glob.glob("labs/*/README.md") + glob.glob("labs/*/docs/*.md"))]
tap.report("the program understands every call of twbench in README.md and the pages",
           [text for page in pages for text in wrong_in(page)])
tap.end()
