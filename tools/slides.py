#!/usr/bin/env python3
"""slides.py [--check] [SOURCE OUT] - makes one HTML file of a lecture: docs/slides/lecture.md -> docs/slides/lecture.html.

A slide of the source begins with `## Title (N min)`.  Below it stand, a line each:

    - a point, with `code` and **bold**         ? a question to the class
    ![what it shows](PICTURE.svg [FRAMES])      a picture of the pages, or these frames of a film of `twbench show`, beside
                                                each other (3,5,7) or below (3/5/7)
    $ COMMAND                                   the command up to a pipe, and what the whole prints
    " COMMAND                                   the command, and the lines that LESSONS.md quotes of it (lessons.sh checks them)
    = COMMAND                                   a table in Markdown that the command prints
    > a note for the teacher: key n shows and hides notes

The file loads nothing.  Keys go from slide to slide, a phone scrolls, a browser prints one slide to a page.  --check writes
nothing: the status is 1 when OUT is not what the source makes, or the minutes are not 90.  `make pages` runs it.
"""
import html
import os
import re
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LESSONS = "labs/teach/docs/LESSONS.md"
FRAME = re.compile(r'<g transform="translate\((\d+) (\d+)\)">$')
MINUTES = 90

STYLE = """
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;font:25px/1.4 system-ui,sans-serif;color:#1d232b;background:#dfe4ea}
section{background:#fff;max-width:1240px;min-height:96vh;margin:2vh auto;padding:32px 48px;display:flex;flex-direction:column;gap:14px;position:relative}
h1{font-size:34px;margin:0;color:#0b4f7d;padding-right:64px}ul{margin:0;padding-left:1.2em}li{margin:.2em 0}
.film{display:flex;flex-wrap:wrap;gap:12px;justify-content:center;align-content:center;align-items:flex-start;flex:1;min-height:0}
.film.column{flex-direction:column;flex-wrap:nowrap;align-items:center;justify-content:space-evenly}.film.column img:not(:only-child){flex:0 1 auto;max-height:26vh}
.film.column img:first-child:nth-last-child(2),.film.column img:first-child:nth-last-child(2)~img{max-height:35vh!important}
.film img{max-width:100%;max-height:66vh;flex:0 1 auto;min-width:0}
@media screen and (min-width:701px){.place+.film img:only-child{height:80vh;max-height:none;object-fit:contain}}
.film img:not(:only-child){flex:1 1 280px;max-height:56vh}
pre{font:18px/1.35 ui-monospace,Menlo,Consolas,monospace;background:#f2f4f7;padding:10px 14px;margin:0;white-space:pre-wrap}
pre.drawn{white-space:pre;overflow-x:auto}pre.command{background:#1d232b;color:#e8ebef}code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em;background:#eef1f5;padding:0 .2em}
table{border-collapse:collapse;font-size:20px;margin:0 auto;display:block;overflow-x:auto;max-width:100%}
th,td{padding:3px 12px;border-bottom:1px solid #c5ccd4}th{text-align:left}.number{text-align:right;font-variant-numeric:tabular-nums}
.question{border-left:6px solid #b35900;padding-left:14px;font-weight:600;margin:0}.note{display:none;font-size:17px;color:#5b6673;margin:0}
body.notes .note{display:block}.place{position:absolute;top:36px;right:28px;color:#5b6673;font-size:15px}
@media(max-width:700px){body{font-size:17px}section{padding:16px;min-height:0;margin:8px 0}h1{font-size:23px}.place{top:18px;right:10px}
 pre{font-size:11px;padding:8px}table{font-size:13px}th,td{padding:2px 6px}.film img,.film.column img:not(:only-child){max-height:none;max-width:100%}}
@media screen and (min-width:701px) and (max-height:800px){body{font-size:19px}h1{font-size:26px}section{padding:14px 40px;gap:8px}pre{font-size:13px;line-height:1.2;padding:6px 12px}
 table{font-size:15px}th,td{padding:1px 10px}.film img{max-height:58vh}.film img:not(:only-child){max-height:48vh}.film.column img:not(:only-child){max-height:24vh}}
@media print{@page{size:A4 landscape;margin:9mm}body{background:#fff;font-size:17px}
 section{margin:0;padding:0;max-width:none;min-height:0;height:190mm;break-after:page;break-inside:avoid;overflow:hidden;gap:9px}
 section:last-of-type{break-after:auto}h1{font-size:26px}.film img{max-height:118mm}.place+.film img:only-child{height:165mm;max-height:none}.film img:not(:only-child){max-height:100mm}.film.column img:not(:only-child){max-height:44mm!important}
 pre{font-size:12.5px}pre.command{background:#f2f4f7;color:#000;border:1px solid #8993a0}table{font-size:13.5px}.place{top:6px;right:0}}
"""
SCRIPT = """
const all=[...document.querySelectorAll('section')];
addEventListener('keydown',e=>{if(e.key==='n'){document.body.classList.toggle('notes');return}
 const step={ArrowRight:1,ArrowDown:1,PageDown:1,' ':1,ArrowLeft:-1,ArrowUp:-1,PageUp:-1}[e.key];if(!step||e.ctrlKey||e.altKey||e.metaKey)return;
 let here=0;all.forEach((s,i)=>{if(s.getBoundingClientRect().top<innerHeight/3)here=i});
 const to=all[here+step];if(to){e.preventDefault();to.scrollIntoView()}});
"""


def run(command):
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    child = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True)
    if child.returncode or not child.stdout.strip():
        sys.exit(f"slides: status {child.returncode} of: {command}\n{child.stderr}")
    return child.stdout.strip("\n")


def quoted(command):
    """The lines that LESSONS.md quotes below a command."""
    with open(os.path.join(ROOT, LESSONS), encoding="utf-8") as file:
        found = re.search(r"```sh\n(?:[^`]*\n)?" + re.escape(command) + r"\n(?:[^`]*\n)?```\n```text\n(.*?)\n```", re.sub(r"^   ", "", file.read(), flags=re.M), re.S)
    if not found:
        sys.exit(f"slides: {LESSONS} quotes nothing of: {command}")
    return found[1]


def words(text):
    text = re.sub(r"(\d) (ns|us|ms|s|min|%|bytes|KiB|MiB|GiB)\b", "\\1\N{NO-BREAK SPACE}\\2", html.escape(text, quote=False))
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", text)


def table(markdown):
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in markdown.splitlines() if line.startswith("|")]
    right = [mark.endswith(":") for mark in rows[1]]
    out = "<table><thead><tr>" + "".join(f'<th class="number">{words(c)}</th>' if r else f"<th>{words(c)}</th>" for c, r in zip(rows[0], right)) + "</tr></thead><tbody>"
    for cells in rows[2:]:
        out += "<tr>" + "".join(f'<td class="number">{words(c)}</td>' if r else f"<td>{words(c)}</td>" for c, r in zip(cells, right)) + "</tr>"
    return out + "</tbody></table>"


def frames_of(svg, wanted):
    """Of a film as show_svg.c draws it: a picture for each of these frames, from 1."""
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    style, frames, depth = re.search(r"<style>.*?</style>", svg, re.S)[0], [], 0
    for line in svg.splitlines():
        mark = FRAME.match(line)
        if depth == 0 and mark:
            frames.append((int(mark[1]), int(mark[2]), []))
        opened = line.count("<g ") + line.count("<g>")
        if depth or opened:
            frames[-1][2].append(line)
        depth += opened - line.count("</g>")
    columns, rows = sorted({x for x, _, _ in frames}), sorted({y for _, y, _ in frames}) + [height]
    wide = columns[1] if len(columns) > 1 else width
    for number in wanted:
        x, y, lines = frames[number - 1]
        tall = rows[rows.index(y) + 1] - y
        yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x} {y} {wide} {tall}" width="{wide}" height="{tall}">{style}\n'
               + "\n".join(lines) + "\n</svg>\n")


def pictures(name, frames, alt):
    with open(os.path.join(ROOT, "docs/slides", name), encoding="utf-8") as file:
        svg = re.sub(r"@media \(prefers-color-scheme:dark\)\{.*?\}\}", "", file.read()).replace("<style></style>\n", "")
    parts = frames_of(svg, map(int, re.split("[,/]", frames))) if frames else [svg]
    source = ["data:image/svg+xml," + urllib.parse.quote(part, safe=" =:/;,.-'()[]!*+?$&@^|~") for part in parts]
    return f'<div class="film{" column" if frames and "/" in frames else ""}">' + "".join(f'<img alt="{html.escape(alt)}" src="{data}">\n' for data in source) + "</div>"


def part(line):
    mark, rest = line[:2], line[2:]
    if mark == "$ ":
        return f'<pre class="command">{html.escape(rest.partition(" | ")[0])}</pre><pre class="drawn">{html.escape(run(rest))}</pre>'
    if mark == '" ':
        return f'<pre class="command">{html.escape(rest)}</pre><pre>{html.escape(quoted(rest))}</pre>'
    if mark == "= ":
        return table(run(rest))
    if mark == "? ":
        return f'<p class="question">{words(rest)}</p>'
    if mark == "> ":
        return f'<p class="note">{words(rest)}</p>'
    picture = re.match(r"!\[(.*)\]\((\S+)(?: ([\d,/]+))?\)$", line)
    if not picture:
        sys.exit(f"slides: no kind of line of a slide: {line}")
    return pictures(picture[2], picture[3], picture[1])


def slide(text, number):
    title, *lines = text.strip().splitlines()
    points, out = [], f'<section id="s{number}"><h1>{words(title.rpartition(" (")[0])}</h1><div class="place">{number}</div>\n'
    for line in lines + [""]:
        if points and not line.startswith("- "):
            out, points = out + "<ul>" + "".join(f"<li>{words(point)}</li>" for point in points) + "</ul>\n", []
        if line.startswith("- "):
            points.append(line[2:])
        elif line:
            out += part(line) + "\n"
    return out + "</section>\n"


def lecture(source):
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        head, *slides = re.split(r"^## ", file.read(), flags=re.M)
    minutes = sum(int(re.match(r".*\((\d+) min\)", text)[1]) for text in slides)
    if minutes != MINUTES:
        sys.exit(f"slides: {source} takes {minutes} minutes, expected {MINUTES}")
    title = head.strip().splitlines()[0].lstrip("# ")
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
            + "".join(slide(text, number) for number, text in enumerate(slides, 1)) + f"<script>{SCRIPT}</script></body></html>\n")


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    source, out = arguments[is_check:] or ("docs/slides/lecture.md", "docs/slides/lecture.html")
    text, path = lecture(source), os.path.join(ROOT, out)
    if is_check:
        with open(path, encoding="utf-8") as file:
            sys.exit(0 if file.read() == text else f"{out} is not what {source} makes: make pages")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


main(sys.argv[1:])
