#!/usr/bin/env python3
"""report_page.py [SCREENSHOT_DIR] - reports of real results, opened in a headless Chromium.

Makes a result, a claims document and one with names full of markup, has `twbench report` turn them
into pages, and looks at each as a reader would: on a phone, at a desk, in the dark, on paper.  Every
figure is held against the JSON it was made from.  TWBENCH names the program (default ./twbench).
Prints TAP.  With a directory it leaves pictures of the pages there, for people to look at.
"""
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from chromium import Chromium
from tap import report, results

TWBENCH = os.environ.get("TWBENCH", "./twbench")
HOSTILE = """x<b>&"'</script><script>alert(1)</script>"""


# ---- Documents. ----------------------------------------------------------------------------------


def twbench(*arguments):
    done = subprocess.run([TWBENCH, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"Bail out! twbench {' '.join(arguments)}: {done.stderr.strip()}")
        sys.exit(1)
    return done


def make_documents(work):
    measured, claims, hostile = (f"{work}/{name}.json" for name in ("measured", "claims", "hostile"))
    twbench("run", "--impl=list,heap,hashed,hier", "--workload=standard", "--tasks=100,1000",
            "--runs=3", "--min-time=1ms", "--drive=ticks,next", f"--json={measured}", "--style=plain")
    twbench("claims", "T1", "T8", "T11", "F1", "--quick", f"--json={claims}", "--style=plain")
    document = json.load(open(measured))
    for cell in document["cells"]:
        cell["workload"] = HOSTILE
        if cell["impl"] == "list":
            cell["impl"] = HOSTILE
        cell["phases"][0].update(name=HOSTILE, counters_reason=HOSTILE)
        cell["identity"] = f"{cell['impl']}; {HOSTILE} {cell['identity']}"
    document.update(complete=False, command=document["command"] + [HOSTILE])
    [phase.pop("leads", None) for load in document["standing"] for phase in load["phases"]]
    document["machine"]["cpu_model"] = HOSTILE
    document["machine"]["checks"] = [{"name": HOSTILE, "value": 0.25, "warning": HOSTILE + " a --huge-pages=off (--huge-pages=off)" * 20}]
    json.dump(document, open(hostile, "w"))
    return [measured, claims, hostile]


# ---- Figures. ------------------------------------------------------------------------------------


def resolve(document, path):
    at = document
    for key, index, quoted in re.findall(r'([A-Za-z]\w*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]', path):
        at = at[key] if key else at[int(index)] if index else at[re.sub(r"\\(.)", r"\1", quoted)]
    return at


UNITS = {"k": 1e3, "M": 1e6, "G": 1e9, " ns": 1, " us": 1e3, " ms": 1e6, " s": 1e9,
         " B": 1, " KiB": 2**10, " MiB": 2**20, " GiB": 2**30, " %": 0.01}


def is_rounding(text, value):
    """Is the text the value to as many digits as it shows, and to three at least where it is cut?"""
    found = re.fullmatch(r"(-?\d+)(?:\.(\d+))?(e-\d+)?(k|M|G| ns| us| ms| s| B| KiB| MiB| GiB| %)?", text)
    if not found:
        return False
    unit = UNITS.get(found[4], 1) * float("1" + (found[3] or ""))
    step = 10.0 ** -len(found[2] or "") * unit
    shown = float(f"{found[1]}.{found[2] or 0}") * unit
    return abs(shown - value) <= step * 0.5001 and (step <= abs(value) * 0.0101 or "%.3g" % value == "%.3g" % shown)


def shown(value):
    """A value that is no number, as the page has it: settings as "slots=512 levels=256,64"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(f"{key}={','.join(map(str, item)) if isinstance(item, list) else item}"
                        for key, item in value.items())
    return "does not hold" if value == "does-not-hold" else value


def wrong_values(document, items):
    for path, exact, text in items:
        try:
            value = resolve(document, path)
        except (KeyError, IndexError, TypeError):
            yield f"{path}: is not in the document"
            continue
        if exact is None:
            if text != shown(value):
                yield f"{path}: {text!r} is shown, the document has {shown(value)!r}"
        elif float(exact) != float(f"{value:.15g}"):
            yield f"{path}: data-value {exact}, the document has {value}"
        elif text.startswith("< "):
            if value > float(text[2:].split()[0]) * 1.01:
                yield f"{path}: {text!r} is shown, the document has {value}"
        elif not is_rounding(text, value):
            yield f"{path}: {text!r} is no rounding of {value}"


class Parser(html.parser.HTMLParser):
    """Looks for what a page must not have: sources of its own, handlers, unbalanced tags."""
    VOID = {"meta", "link", "br", "input"}

    def __init__(self, text):
        super().__init__()
        self.stack, self.problems = [], []
        self.feed(text)
        self.problems += [f"<{tag}> is not closed" for tag in self.stack]

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name, value in attributes:
            if name in ("src", "srcset", "action", "style") or name.startswith("on"):
                self.problems.append(f"<{tag} {name}={value}>")
        if len(names) != len(attributes):
            self.problems.append(f"<{tag}> has an attribute twice: {attributes}")
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.problems.append(f"</{tag}> closes another element")


# ---- What is asked of the page. ------------------------------------------------------------------

# With the unit of the column where it is a multiple of that of the document.
VALUES = """[...document.querySelectorAll('[data-path]')].map(e => {
    const cell = e.closest('td'), table = cell && cell.closest('table');
    const unit = table && table.tHead.rows[0].cells[cell.cellIndex].querySelector('small');
    const scale = unit && ['us', 'ms', 's'].includes(unit.textContent) ? ' ' + unit.textContent : '';
    return [e.dataset.path, e.dataset.value === undefined ? null : e.dataset.value, e.textContent + scale]; })"""

# A figure that stands in a cell or a list without saying where it comes from.
BARE = r"""[...document.querySelectorAll('td, dd')].filter(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('[data-path], .derived').forEach(inner => inner.remove());
    return /\d/.test(copy.textContent);
}).map(e => e.textContent)"""

LINKS = """[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))
    .filter(href => !href.startsWith('#') || !document.getElementById(href.slice(1)))"""

IDS = """(() => { const seen = new Set(), twice = [];
    for (const e of document.querySelectorAll('[id]')) seen.has(e.id) ? twice.push(e.id) : seen.add(e.id);
    const dead = [...document.querySelectorAll('use')].map(u => u.getAttribute('xlink:href'))
        .filter(href => !seen.has(href.slice(1)));
    return twice.concat(dead); })()"""

# What reaches over the edge of the window and is in no box that scrolls.
WIDE = """(() => { const edge = document.documentElement.clientWidth, wide = [];
    if (document.documentElement.scrollWidth > edge) wide.push('the page itself');
    for (const e of document.querySelectorAll('body *'))
        if (!e.closest('.scroll > *') && e.getBoundingClientRect().right > edge + 0.5 &&
            e.getClientRects().length)
            wide.push(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40));
    return wide; })()"""

# A table with sentences is read on a phone without moving it sideways.
SIDEWAYS = """[...document.querySelectorAll('.scroll')].filter(e => e.querySelector('table.prose') &&
    e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute('aria-label') + ' is ' + e.scrollWidth + ' px wide')"""

# A flag that fits a line and is broken all the same.
BROKEN = r"""(() => { const broken = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
    while (texts.nextNode()) for (const flag of texts.currentNode.data.matchAll(/(?<!\S)\(?--[a-z]\S{0,24}(?!\S)/g)) {
        range.setStart(texts.currentNode, flag.index); range.setEnd(texts.currentNode, flag.index + flag[0].length);
        if (range.getClientRects().length > 1) broken.push(flag[0]); }
    return broken; })()"""

# Contrast by WCAG 2: 4.5 to 1 for text.  Text of a picture is painted with fill.
CONTRAST = r"""(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const light = c => { const [r, g, b] = c.map(v => { v /= 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ground = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor);
        if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
    const bad = new Map();
    for (const e of document.querySelectorAll('body *')) {
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
        if (e.closest('script, defs, title, desc') || !e.getClientRects().length) continue;
        const style = getComputedStyle(e);
        const a = light(rgba(e.closest('svg') ? style.fill : style.color)), b = light(ground(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.set(e.tagName + '.' + e.getAttribute('class'), ratio.toFixed(2));
    }
    return [...bad].map(([what, ratio]) => what + ' has ' + ratio); })()"""

SVGS = "[...document.querySelectorAll('svg')].map(e => new XMLSerializer().serializeToString(e))"

HEADS = """[...document.querySelectorAll('table.sortable')].map((table, t) => ({t, columns:
    [...table.tHead.rows[0].cells].map(head => head.textContent), rows: table.tBodies[0].rows.length}))"""

COLUMN = """((t, c) => [...document.querySelectorAll('table.sortable')[t].tBodies[0].rows].map(row =>
    row.cells[c].dataset.sort === undefined ? row.cells[c].textContent.trim()
        : Number(row.cells[c].dataset.sort)))(%d, %d)"""


OPEN = "document.querySelectorAll('details').forEach(d => { d.open = %s })"


def is_sorted(values, falling):
    filled = [v for v in values if v != ""]
    if values[:len(filled)] != filled:
        return False
    if not all(isinstance(v, (int, float)) for v in filled):
        return True
    return filled == sorted(filled, reverse=falling)


def press_head(browser, t, c, by_key):
    """The head of a column, by the mouse in its middle or by the key on it."""
    head = f"document.querySelectorAll('table.sortable')[{t}].tHead.rows[0].cells[{c}]"
    browser.evaluate(f"{head}.scrollIntoView({{block: 'center', inline: 'center'}})")
    if by_key:
        browser.evaluate(f"{head}.querySelector('button').focus()")
        browser.press("Enter", "\r")
    else:
        box = browser.evaluate(f"(b => [b.left + b.width / 2, b.top + b.height / 2])"
                               f"({head}.querySelector('button').getBoundingClientRect())")
        browser.click(*box)
    return browser.evaluate(f"{head}.getAttribute('aria-sort')")


def unsorted(browser):
    for table in browser.evaluate(HEADS):
        for c in sorted({0, min(4, len(table["columns"]) - 1), len(table["columns"]) - 1}):
            for by_key, wanted in ((False, "ascending"), (True, "descending")):
                order = press_head(browser, table["t"], c, by_key)
                values = browser.evaluate(COLUMN % (table["t"], c))
                where = f"table {table['t']}, {table['columns'][c]}, by {'key' if by_key else 'mouse'}"
                if order != wanted:
                    yield f"{where}: {order}; expected {wanted}"
                elif len(values) != table["rows"] or not is_sorted(values, wanted == "descending"):
                    yield f"{where}: is not sorted: {values[:8]}"


def broken_pictures(browser, wanted):
    drawings = browser.evaluate(SVGS)
    if len(drawings) < wanted:
        yield f"{len(drawings)} pictures; expected {wanted} or more"
    for drawing in drawings:
        root = ET.fromstring(drawing)
        space = "{http://www.w3.org/2000/svg}"
        if not (root.findtext(space + "title") or "").strip() or not root.findtext(space + "desc"):
            yield "a picture has no title or no description"
        if re.search(r'(fill|stroke|color)="(black|#fff|#000|rgb\( *0, *0, *0\))', drawing):
            yield "a picture has ink of its own: it would be lost in the dark"


def filter_fails(browser):
    browser.evaluate("(f => { f.value = 'heap 1000'; f.dispatchEvent(new Event('input')) })"
                     "(document.getElementById('filter'))")
    shown = browser.evaluate("[...document.querySelectorAll('#cells tbody tr')].filter(r => !r.hidden)"
                             ".map(r => r.textContent)")
    if not shown or not all("heap" in text for text in shown):
        yield f"rows with 'heap 1000': {shown[:3]}"
    browser.evaluate("(f => { f.value = ''; f.dispatchEvent(new Event('input')) })"
                     "(document.getElementById('filter'))")


def switch_fails(browser):
    """The button turns what the system said into the other."""
    ground = "getComputedStyle(document.body).backgroundColor"
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        before = browser.evaluate(ground)
        browser.evaluate("document.getElementById('theme').click()")
        if browser.evaluate(ground) == before:
            yield f"from {scheme} the switch changes nothing"
        browser.evaluate("document.getElementById('theme').click()")
        if browser.evaluate(ground) != before:
            yield f"the switch does not lead back to {scheme}"
        browser.evaluate("delete document.documentElement.dataset.theme")


def bad_on_paper(browser):
    """A4 across: 1047 px between its margins."""
    browser.media("print", "dark")
    browser.size(1032, 760)
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    if browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
        yield "the ground is not white"
    if browser.evaluate("document.querySelector('nav').getClientRects().length"):
        yield "the contents are printed"
    yield from browser.evaluate(
        """[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1)
           .map(e => e.getAttribute('aria-label') + ' is ' + e.scrollWidth + ' px wide')""")
    if not browser.pdf().startswith(b"%PDF"):
        yield "it cannot be printed"


def take_pictures(browser, directory, name):
    os.makedirs(directory, exist_ok=True)
    anchors = {"top": "0", "cells": "document.getElementById('cells').offsetTop",
               "pictures": "(document.querySelector('figure') || document.body).offsetTop",
               "claim": "(document.querySelector('[id^=claim-]') || document.body).offsetTop",
               "origin": "document.getElementById('origin').offsetTop"}
    for width, height in ((360, 740), (1280, 900)):
        for scheme in ("light", "dark"):
            browser.media(scheme=scheme)
            browser.size(width, height, mobile=width < 500)
            for anchor, top in anchors.items():
                browser.evaluate(f"scrollTo(0, {top})")
                browser.screenshot(f"{directory}/{name}-{width}-{scheme}-{anchor}.png")
    browser.media()
    browser.pdf(f"{directory}/{name}.pdf")


def examine(browser, path, pictures, screenshots):
    name = os.path.basename(path)[:-5]
    page = path[:-5] + ".html"
    document = json.load(open(path))
    twbench("report", path, "-o", page)
    report(f"{name}: tags are balanced, and nothing is loaded", Parser(open(page).read()).problems)
    browser.events.clear()
    browser.media()
    browser.size(1280)
    browser.open(page)
    values = browser.evaluate(VALUES)
    report(f"{name}: each of {len(values)} values is what the document has at its path",
           [] if len(values) > 100 else ["there are hardly any"])
    report(f"{name}: no value differs from the document", wrong_values(document, values))
    report(f"{name}: no figure in a table or list comes from nowhere", browser.evaluate(BARE))
    report(f"{name}: links lead to a place in the page", browser.evaluate(LINKS))
    report(f"{name}: ids are unique, and pictures use their own", browser.evaluate(IDS))
    report(f"{name}: pictures parse, have a title, and take the page's ink", broken_pictures(browser, pictures))
    browser.evaluate(OPEN % "true")
    report(f"{name}: columns are sorted by mouse and by key", unsorted(browser))
    if name == "measured":
        report(f"{name}: the filter leaves the rows that have its words", filter_fails(browser))
    report(f"{name}: light and dark can be switched", switch_fails(browser))
    for width in (360, 1280):
        browser.size(width, mobile=width < 500)
        report(f"{name}: nothing is wider than {width} px but boxes that scroll", browser.evaluate(WIDE))
        report(f"{name}: no table with sentences scrolls sideways at {width} px", browser.evaluate(SIDEWAYS))
        report(f"{name}: no flag is broken at {width} px", browser.evaluate(BROKEN))
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        report(f"{name}: text stands out, {scheme}", browser.evaluate(CONTRAST))
    browser.evaluate(OPEN % "false")
    report(f"{name}: fits on paper", bad_on_paper(browser))
    report(f"{name}: no complaint in the console, nothing asked of the network", browser.complaints())
    if screenshots:
        take_pictures(browser, screenshots, name)


def main():
    screenshots = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as work, Chromium() as browser:
        for path, pictures in zip(make_documents(work), (3, 1, 3)):
            examine(browser, path, pictures, screenshots)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
