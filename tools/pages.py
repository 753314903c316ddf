#!/usr/bin/env python3
"""pages.py [--check|--unmarked] [PAGE...] - writes the figures of README.md, docs/*.md and labs/*/docs/*.md from results/reference.

A marked part of a page names the command that prints it, on a line of its own:

    <!-- shown by: COMMAND -->      what COMMAND prints is Markdown, and stands as it is up to
    <!-- printed by: COMMAND -->    the same in a fence, as a terminal shows it
    <!-- end -->

and within a line <!-- figure: COMMAND -->1.9<!-- end -->.  Commands run in bash at the root of the checkout, with 100
columns and without colour; they read files under results/reference.  `make pages` writes all pages.

--check writes nothing: the status is 1 when a part is not what its command prints.  --unmarked names the tables with
figures that are neither marked nor excused in tests/pages_excused.tsv (page, first line of the table, reason), and the
excuses that no table needs; pages *-FORMAT.md, whose numbers are the format's, are left out.  It names paragraphs with a
time or a ratio (1.9 ns, 5 times, 3 %) too, unless they have a mark, a build or a processor, or stand in
tests/pages_texts.tsv in the same way.
"""
import contextlib
import functools
import glob
import io
import os
import re
import subprocess
import sys

import tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A time or a ratio in running text, and what says where it is from.
TEXT_FIGURE = re.compile(r"(?<![\w.=/-])\d[\d,.]* ?(ns|us|ms|s|times|%)(?![\w/])")
SOURCE = re.compile(r"<!-- figure: |\b(commit|build|builds) [`(]*[0-9a-f]{7,}|\([0-9a-f]{7,}\)|Cascade Lake|EPYC|Zen 5|Xeon")
EXCUSES, TEXTS = "tests/pages_excused.tsv", "tests/pages_texts.tsv"
BLOCK = re.compile(r"<!-- (shown|printed) by: (.*) -->$")
INLINE = re.compile(r"<!-- figure: (.*?) -->(.*?)<!-- end -->")
END = "<!-- end -->"
# A figure of a cell: a number, perhaps one of several, with a unit or a few words behind it.
FIGURE = re.compile(r"\W*\d[\d,.]*(e[+-]?\d+)?\W*(/|to|\.\.|ns|us|µs|ms|s|%|[kMG]i?B|MB/s|times|of|and)?(\W|\d|$)")


@functools.lru_cache(maxsize=None)
def run(command):
    """What a command prints; ends the program when it fails or prints nothing."""
    words = command.split()
    if words[0] == "tools/tables.py" and not re.search(r"[;|&<>$'\"]", command):
        out = io.StringIO()  # as the command would, without another interpreter
        with contextlib.redirect_stdout(out):
            tables.TABLES[words[1]](*words[2:])
        return out.getvalue().strip("\n")
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    child = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True)
    if child.returncode != 0 or not child.stdout.strip():
        sys.exit(f"pages: status {child.returncode} of: {command}\n{child.stderr}{child.stdout or '(it printed nothing)'}")
    return child.stdout.rstrip("\n").lstrip("\n")


def parts_of(text, page):
    """Yields (is it marked, number of its first line, lines) of a page in order; marks belong to no part."""
    out, begin, inside = [], 1, False
    for number, line in enumerate(text.splitlines(), 1):
        if BLOCK.match(line) or (line == END and inside):
            if line != END and inside:
                sys.exit(f"pages: {page}:{number}: a marked part within another: expected '{END}' first")
            yield inside, begin, out
            out, begin, inside = [], number + 1, line != END
        else:
            out.append(line)
    if inside:
        sys.exit(f"pages: {page}:{begin}: a marked part has no '{END}'")
    yield inside, begin, out


def written(text, page):
    """The page as its commands print it, and (line, command) of each part that was something else."""
    out, old, changed, kind, command = [], [], [], None, None
    for _ in parts_of(text, page):
        pass
    for number, line in enumerate(text.splitlines(), 1):
        mark = BLOCK.match(line)
        if kind and line == END:
            lines = run(command).splitlines()
            lines = ["```text"] + lines + ["```"] if kind == "printed" else lines
            if lines != old:
                changed.append((number - len(old), command))
            out += lines
            kind = None
        if kind:
            old.append(line)
            continue
        if mark:
            kind, command, old = mark[1], mark[2], []
        else:
            new = INLINE.sub(lambda m: f"<!-- figure: {m[1]} -->{run(m[1])}{END}", line)
            if new != line:
                changed.append((number, "a figure of the line"))
            line = new
        out.append(line)
    return "\n".join(out) + "\n", changed


def figures_in(line):
    """How many figures a row of a table has, its first column left out."""
    return sum(bool(FIGURE.match(cell.strip())) for cell in line.strip().strip("|").split("|")[1:])


def tables_of(text, page):
    """Yields (line, first row) of each table, and each fence of output, that has figures and no mark."""
    for marked, begin, lines in parts_of(text, page):
        first, at, count, fence = None, 0, 0, None
        for number, line in enumerate([] if marked else lines + [""], begin):
            if line.lstrip().startswith("```"):
                if fence == "" and count >= 6:
                    yield at, first
                fence = None if fence is not None else line.strip().strip("`").replace("text", "")
                first, count = None, 0
            elif fence is not None:
                if first is None and line.strip():
                    first, at = line.strip(), number
                count += len(re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", line))
            elif line.startswith("|"):
                if first is None:
                    first, at, count = line, number, 0
                else:
                    count += figures_in(line)
            else:
                if first is not None and count >= 3:
                    yield at, first
                first = None


def paragraphs_of(text, page):
    """Yields (line, text) of each paragraph and each point of a list outside of marks, fences, tables and headings."""
    for marked, begin, lines in parts_of(text, page):
        at, words, is_fence = 0, [], False
        for number, line in enumerate([] if marked else lines + [""], begin):
            is_fence = is_fence != line.lstrip().startswith("```")
            is_text = not is_fence and line.strip() and not re.match(r"\||#|```|<!--|!\[|\s*```", line)
            if words and (not is_text or re.match(r"\s*([-*]|\d+\.) ", line)):
                yield at, " ".join(words)
                words = []
            if is_text:
                at = at if words else number
                words.append(line.strip())


def figures_of(text, page):
    """Yields (line, text) of paragraphs with a time or a ratio and no source: a mark, a build, a processor or a date."""
    for number, words in paragraphs_of(text, page):
        bare = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", "", INLINE.sub("", words))
        if TEXT_FIGURE.search(bare) and not SOURCE.search(words):
            yield number, words


def read_excuses(name):
    """Rows of page, beginning and reason."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 3 or not row[2]:
            sys.exit(f"pages: {name}: expected page, how it begins and reason, separated by tabs: {row}")
    return rows


def print_unmarked(pages):
    """Names tables and figures without mark and excuse; returns whether there is none, and no excuse too many."""
    rows = read_excuses(EXCUSES)
    texts = [tuple(row[:2]) for row in read_excuses(TEXTS)]
    unused, unread = {(row[0], row[1]) for row in rows}, set(texts)
    good = True
    for page in pages:
        name = os.path.relpath(page, ROOT)
        if name.endswith("-FORMAT.md"):
            continue
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for line, words in figures_of(text, name):
            excuse = next(((p, f) for p, f in texts if p == name and words.startswith(f)), None)
            unread.discard(excuse)
            if not excuse:
                print(f"{name}:{line}: a figure in running text without mark, build or processor: {words}")
                good = False
        for line, first in tables_of(text, name):
            excuse = next(((p, f) for p, f, _ in rows if p == name and first.startswith(f)), None)
            unused.discard(excuse)
            if not excuse:
                print(f"{name}:{line}: a table with figures, neither marked nor excused: {first}")
                good = False
    # A lab whose folder is not there has no page.
    unused = {(page, first) for page, first in unused if os.path.exists(os.path.join(ROOT, page))}
    for page, first in sorted(unused if good and len(pages) > 1 else ()):
        print(f"{EXCUSES}: no table with figures begins so in {page}: {first}")
        good = False
    for page, first in sorted(unread if good and len(pages) > 1 else ()):
        if os.path.exists(os.path.join(ROOT, page)):
            print(f"{TEXTS}: no paragraph with a figure begins so in {page}: {first}")
            good = False
    return good


def main(arguments):
    flags = [a for a in arguments if a.startswith("--")]
    pages = [os.path.abspath(a) for a in arguments if not a.startswith("--")]
    if any(flag not in ("--check", "--unmarked") for flag in flags) or len(flags) > 1:
        sys.exit(__doc__)
    os.chdir(ROOT)
    pages = pages or [os.path.join(ROOT, page) for page in ["README.md"] + sorted(glob.glob("docs/*.md") + glob.glob("labs/*/docs/*.md"))]
    if flags == ["--unmarked"]:
        sys.exit(not print_unmarked(pages))
    bad = False
    for page in pages:
        name = os.path.relpath(page, ROOT)
        with open(page, encoding="utf-8") as file:
            old = file.read()
        new, changed = written(old, name)
        for line, command in changed:
            print(f"{name}:{line}: {'is not' if flags else 'now'} what this prints: {command}")
        bad = bad or bool(changed)
        if changed and not flags:
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
    sys.exit(1 if bad and flags else 0)


main(sys.argv[1:])
