#!/usr/bin/env python3
"""references.py [FILE...] - do files that comments, pages and scripts name exist, and the sections of pages too?

Looks at `docs/NAME.md` and paths below the rooms of the project, at the links of a page, and at
`docs/NAME.md, "Section"`.  Without arguments: all files under git but recordings and pictures.  Prints TAP.
"""
import functools
import glob
import os
import re
import subprocess
import sys

import tap

ROOMS = "docs|src|labs|tests|tools|plots|schema|workloads|report|results|debian"
PATH = re.compile(rf"(?<![\w./$*{{}}-])((?:{ROOMS})/[\w./*{{}},?-]*\w\.\w+)(?![\w*/{{$])")
SECTION = re.compile(r'((?:docs/)?[A-Z][\w-]*\.md),?\s+(?:\*\s*|#\s*|//\s*)?\(?"([^"\n]{2,60})"')
COMMENT = re.compile(r"\s*(#|//|/?\*|\"\"\")")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
# What a reader or a build makes, and what is gone and said to be.
MADE = {"docs/man/twbench.1.new", "src/build_info.h", "src/impls/mine.c", "tools/record_kernel.sh",
        "tools/record_library.sh", "workloads/x.json"}
if os.path.exists("results/reference/OLD.tsv"):  # what the next `make reference` makes
    MADE |= {f"results/reference/{line[:-6]}.json" for line in open("results/reference/OLD.tsv") if line.endswith("\tnone\n")}
# NAME.c, FILE: a word to fill in.  Documents below results/ are made, but those of reference are not.
TO_FILL_IN = re.compile(r"/[A-Z-]+(-\d)?\.(?!md)|^results/(?!reference)")
OF_DELETED = tuple(f"labs/{name}/" for name in tap.deleted_labs())
SKIPPED = re.compile(r"\.(svg|xz|gz|tt|png|json|tsv|log|txt)$|^results/|^tests/results/|^labs/traces/tests/import/|^labs/embed/adopt/")


def tracked():
    return subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


@functools.lru_cache(None)
def headings(page):
    fence, found = False, []
    for line in open(page):
        fence ^= line.startswith("```")
        if line.startswith("#") and not fence:
            found.append(line.lstrip("#").strip().replace("`", ""))
    return found


def anchor(heading):
    return "#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def is_there(path):
    """In the project, or in a lab, whose files are named as seen from its folder."""
    return "/NAME/" in path or path.startswith(OF_DELETED) or any(glob.glob(place + part) for part in expand(path) for place in ("./", "labs/*/"))


def expand(path):
    """a.{c,h} as shells do."""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [one for item in found[1].split(",") for one in expand(path[:found.start()] + item + path[found.end():])]


def page_named(name):
    """The page of that name: of the core, or of a lab."""
    if "/" in name or name == "README.md":
        return name
    return next(iter(glob.glob(f"labs/*/docs/{name}")), "docs/" + name)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def wrong_in(file):
    text = open(file, errors="replace").read()
    # Tests make files of such names; what they say of the project's stands in comments.
    said = "\n".join(line if COMMENT.match(line) else "" for line in text.split("\n")) if file.startswith("tests/") else text
    for found in PATH.finditer(said):
        if found[1] not in MADE and not TO_FILL_IN.search(found[1]) and not is_there(found[1]):
            yield f"{file}:{line_of(said, found.start())}: {found[1]} is not there"
    for found in SECTION.finditer(text):
        page = page_named(found[1])
        wanted = found[2].rstrip(".").lower()
        if os.path.exists(page) and not any(h.lower().startswith(wanted) for h in headings(page)):
            yield f'{file}:{line_of(text, found.start())}: {page} has no section "{found[2]}"'
    if file.endswith(".md"):
        for found in LINK.finditer(text):
            target = os.path.normpath(os.path.join(os.path.dirname(file), found[1])) if found[1] else file
            if re.match(r"[a-z]+:", found[1]):
                continue
            if not os.path.exists(target) and not target.startswith(OF_DELETED):
                yield f"{file}:{line_of(text, found.start())}: {target} is not there"
            elif found[2] and os.path.exists(target) and target.endswith(".md") and found[2] not in map(anchor, headings(target)):
                yield f"{file}:{line_of(text, found.start())}: {target} has no section {found[2]}"


files = sys.argv[1:] or [name for name in tracked() if not SKIPPED.search(name) and os.path.isfile(name)]
tap.report("files and sections that are named exist", [text for file in files for text in wrong_in(file)])
tap.end()
