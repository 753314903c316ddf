#!/usr/bin/env python3
"""playground_page.py PAGE DIGESTS [SCREENSHOT_DIR] - the playground in a headless Chromium, held against native code.

DIGESTS is the program that prints what each design answers natively (labs/teach/playground/digests.c).  Looks at the page as its
users do: designs, sliders, tours, keyboard, a phone, the dark.  Prints TAP.
"""
import glob
import re
import shutil
import subprocess
import sys
import tempfile
import time

from chromium import Chromium
from tap import report, results


def wait_until(browser, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if browser.evaluate(condition):
            return True
        time.sleep(0.1)
    return False


# The loads of digests.c.
RUN_ALL = """(() => {
    const loads = [[1000, 500, 0, 0, 1], [700, 300, 1, 300, 2], [500, 2000, 2, 800, 3]], lines = [];
    const { code, openWorld, designs } = window.playground;
    designs().forEach((name, design) => loads.forEach(([timers, mean, delay, cancel, seed], i) => {
        if (openWorld(0, design, { timers, mean, delay, cancel, seed, empty: 0 }, {})) { lines.push(`${name} ${i} refused`); return; }
        code.world_run(0, 3000);
        const hex = (half) => (code.world_digest(0, half) >>> 0).toString(16).padStart(8, "0");
        lines.push(`${name} ${i} ${hex(1)}${hex(0)} ${code.world_fired(0)} ${code.world_refused(0)} whole`);
    }));
    document.getElementById("reset").click();
    return lines.join("\\n");
})()"""


def set_slider(browser, name, value):
    browser.evaluate(f"""(() => {{ const slider = document.getElementById("{name}"); slider.value = {value};
        slider.dispatchEvent(new Event("input", {{ bubbles: true }})); }})()""")


def choose(browser, selector, value):
    browser.evaluate(f"""(() => {{ const select = document.querySelector({selector!r}); select.value = {value!r};
        select.dispatchEvent(new Event("change", {{ bubbles: true }})); }})()""")


def press_to_the_end(browser):
    for _ in range(100):
        if not browser.evaluate("""(() => { const b = document.getElementById("next-step");
            if (!b || b.disabled) return false; b.click(); return true; })()"""):
            break


# What scrolls by itself, such as quoted lines, may be wider than its place.
OVERFLOWING = """[...document.querySelectorAll("body *")].filter((e) => e.clientWidth > 0 && !e.matches("select, pre")
    && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map((e) => e.tagName + " " + e.textContent.slice(0, 40))"""


def tour_problems(browser):
    problems = []
    tours = browser.evaluate("""[...document.querySelectorAll("#tour option")].map((o) => o.value).filter(Boolean)""")
    if len(tours) < 20:
        problems.append(f"only {len(tours)} tours")
    for tour in tours:
        choose(browser, "#tour", tour)
        if not browser.evaluate("""document.querySelector("#guide h2").textContent"""):
            problems.append(f"{tour}: no title")
        press_to_the_end(browser)
        if tour.startswith("lesson") and browser.evaluate("document.querySelectorAll('#guide ol')[0].children.length !== document.querySelectorAll('#guide details li').length"):
            problems.append(f"{tour}: not as many answers as questions")
        if browser.evaluate("/[`*]/.test([...document.querySelectorAll('#guide p, #guide li')].map((e) => e.textContent).join(''))"):
            problems.append(f"{tour}: marks of the text are shown")
        wide = browser.evaluate(OVERFLOWING)
        problems += [f"{tour}: wider than its place: {what}" for what in wide]
    return problems


def worked_problems(browser):
    """W3: a in slot 5 without a round, b in slot 4 with one, before the clock goes on."""
    index = browser.evaluate("""[...document.querySelectorAll("#tour option")].find((o) => o.textContent.startsWith("W3:")).value""")
    choose(browser, "#tour", index)
    for _ in range(3):
        browser.evaluate("document.getElementById('next-step').click()")
    said = browser.evaluate("document.getElementById('guide').textContent")
    fired = browser.evaluate("window.playground.code.world_fired(0)")
    problems = [] if "add b 10s" in said and fired == 0 else [f"{said!r} {fired}"]
    # Begun again, it begins with its first step; a slider leaves it.
    browser.evaluate("document.getElementById('reset').click()")
    if "nothing yet" not in browser.evaluate("document.getElementById('guide').textContent"):
        problems.append("begun again, the example goes on in the middle")
    set_slider(browser, "timers", 5)
    if not browser.evaluate("document.getElementById('guide').hidden && document.getElementById('tour').value === ''"):
        problems.append("a slider left the example's steps on the page")
    # W6 jumps three times by the same hour, to the end.
    choose(browser, "#tour", browser.evaluate("""[...document.querySelectorAll("#tour option")].find((o) => o.textContent.startsWith("W6:")).value"""))
    press_to_the_end(browser)
    if browser.evaluate("[window.playground.code.world_now(0), window.playground.code.world_fired(0)].join()") != "10810,1":
        problems.append("W6 does not end at tick 10,810")
    return problems


def refused_problems(browser):
    """What cannot be done is told, and soon: a list of 100,000 timers, a design that keeps nothing."""
    choose(browser, "#tour", "")
    choose(browser, '[data-world="0"] .design', "list")
    choose(browser, '[data-world="1"] .design', "null")
    set_slider(browser, "timers", 12)
    time.sleep(0.5)
    problems = [] if "Choose fewer timers" in browser.evaluate("document.querySelector('.now').textContent") else ["a list of 100,000 is opened"]
    set_slider(browser, "timers", 5)
    if not wait_until(browser, "document.getElementById('digest').textContent.includes('null keeps no timer')"):
        problems.append(browser.evaluate("document.getElementById('digest').textContent"))
    return problems


def slow_problems(browser):
    """A processor that is 20 times slower: the page still answers and goes on."""
    choose(browser, '[data-world="0"] .design', "hashed")
    choose(browser, '[data-world="1"] .design', "hier")
    browser.call("Emulation.setCPUThrottlingRate", rate=20)
    set_slider(browser, "speed", 17)
    first = browser.evaluate("window.playground.code.world_now(0)")
    went_on = wait_until(browser, f"window.playground.code.world_now(0) > {first} + 20 && growth.points.every((points) => points.length > 2)", 60)
    browser.call("Emulation.setCPUThrottlingRate", rate=1)
    return [] if went_on else ["it stands still"]


# All ten questions of the left design, with these answers, or with others that are wrong; the receipt, or what is not as it should be.
ANSWER_ALL = """((seed, answers, wrong) => {
    const at = (id) => document.getElementById(id), shown = (id) => at(id).offsetParent !== null;
    at("seed").value = seed;
    at("ask").click();
    if (!shown("quiz-form")) return "not asked: " + at("seed").validationMessage;
    for (const [i, answer] of answers.entries()) {
        const question = at("quiz-question").textContent, [slot, level] = answer.split(":").reverse(), add = wrong ? 1 : 0;
        if (!question.startsWith(`${i + 1} of 10. `)) return question;
        if (!at("quiz-fields").contains(document.activeElement)) return "the focus is not in the answer: " + question;
        if (at("quiz-level")) at("quiz-level").value = level;
        if (at("quiz-slot")) at("quiz-slot").value = slot * 1 + add;
        if (at("quiz-number")) at("quiz-number").value = answer * 1 + add;
        const boxes = [...at("quiz-fields").querySelectorAll("[type=checkbox]")];
        boxes.forEach((box, k) => { box.checked = answer.includes(box.value) !== (wrong && k === 0); });
        at("quiz-form").requestSubmit();
        const said = at("quiz-said").textContent;
        if (!said.startsWith(wrong ? "Wrong. You said" : "Right.") || said.length < 20) return `${question} ${answer}: ${said}`;
        if (document.activeElement !== at("quiz-next")) return "the focus is not on what comes next: " + question;
        at("quiz-next").click();
    }
    return shown("quiz-end") && at("quiz-said").textContent.startsWith(wrong ? "0 of 10" : "10 of 10") ? at("quiz-receipt").value : at("quiz-said").textContent;
})"""


def native_answers(digests, seed):
    lines = subprocess.run([digests, seed], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0]: re.findall("'([a-z0-9:]*)'", line) for line in lines}


def quiz_problems(browser, digests):
    problems, work = [], tempfile.mkdtemp(prefix="twbench-receipts.")
    answers = native_answers(digests, "Zoë 1")
    for design in browser.evaluate("window.playground.designs()"):
        choose(browser, '[data-world="0"] .design', design)
        for wrong in ("false", "true") if design in answers else ():
            receipt = browser.evaluate(f"{ANSWER_ALL}('Zoë 1', {answers[design]!r}, {wrong})")
            score = 0 if wrong == "true" else 10
            if f'"score": {score},' not in receipt or '"seed": "Zoë 1"' not in receipt:
                problems.append(f"{design}: {receipt}")
            with open(f"{work}/{design}-{wrong}.json", "w") as file:
                file.write(receipt)
    checked = subprocess.run(["./twbench", "lab", "receipt", *sorted(glob.glob(work + "/*.json"))], capture_output=True, text=True)
    problems += [] if checked.returncode == 0 and checked.stdout.count(": 10 of 10") == len(answers) else [checked.stdout[-2000:] + checked.stderr]
    shutil.rmtree(work)
    said = browser.evaluate(f"{ANSWER_ALL}('x', [], false)")
    return problems + ([] if design == "null" and "keeps no timer" in said else [said]) + ([] if len(answers) > 25 else ["few designs"])


def press_letter(browser, key, code):
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=ord(key), text=key if kind == "keyDown" else "")


def quiz_keys_problems(browser, digests, wrong):
    """Nothing but keys, from the seed to the receipt; `wrong`: 1 to answer all wrongly, else 0."""
    answers = native_answers(digests, "r + 7")["hier"]
    choose(browser, '[data-world="0"] .design', "hier")
    browser.evaluate("document.getElementById('seed').value = ''; document.getElementById('seed').focus()")
    for key in "r + 7":
        press_letter(browser, key, "Space" if key == " " else f"Key{key}")
    browser.press("Enter", "\r")
    for answer in answers:
        boxes = browser.evaluate("[...document.querySelectorAll('#quiz-fields [type=checkbox]')].map((box) => box.value)")
        for box in boxes:
            if (box in answer) != (wrong == 1 and box == boxes[0]):
                press_letter(browser, " ", "Space")
            if box != boxes[-1]:
                browser.press("Tab")
        for i, part in enumerate([] if boxes else answer.split(":")):
            if i:
                browser.press("Tab")
            browser.call("Input.insertText", text=str(int(part) + wrong) if i == answer.count(":") else part)
        browser.press("Enter", "\r")
        if not browser.evaluate("document.getElementById('quiz-said').textContent.startsWith('%s.')" % ("Wrong" if wrong else "Right")):
            return [browser.evaluate("document.getElementById('quiz').textContent") + answer]
        browser.press("Enter", "\r")
    reached = browser.evaluate("document.activeElement.id") == "quiz-save" and browser.evaluate("JSON.parse(document.getElementById('quiz-receipt').value).score") == (0 if wrong else 10)
    browser.evaluate("document.getElementById('quiz-leave').click()")
    return [] if reached else ["the receipt is not reached, or has another score"]


def quiz_click_problems(browser):
    """A click on a slot of the second ring, and on a timer."""
    choose(browser, '[data-world="0"] .design', "hier")
    browser.evaluate("document.getElementById('ask').click()")
    problems = []
    for _ in range(9):
        form = browser.evaluate("drawWorld(0), quiz.form")
        x, y, name, level, slot = browser.evaluate("""(() => { const timer = look(0).samples[0], spot = spots.find((s) => s.level === timer.level),
            turn = ((timer.slot + 0.5) / spot.size - 0.25) * 2 * Math.PI, out = spot.radius - spot.width / 2, canvas = document.querySelector("canvas");
            canvas.scrollIntoView(); const place = canvas.getBoundingClientRect();
            return [place.x + spot.x + out * Math.cos(turn), place.y + spot.y + out * Math.sin(turn), LETTERS[timer.id], timer.level, timer.slot]; })()""")
        browser.click(x, y)
        if form == "which" and not browser.evaluate(f"document.querySelector('#quiz-fields [value={name}]').checked"):
            problems.append(f"a click does not tick {name}")
        if form == "levelled" and browser.evaluate("answerOf()") != f"{level}:{slot}":
            problems.append(f"a click on {level}:{slot} is " + browser.evaluate("answerOf()"))
        browser.evaluate("document.querySelectorAll('#quiz-fields [type=number]').forEach((e) => { e.value = e.value || 1; }), document.getElementById('quiz-form').requestSubmit(), document.getElementById('quiz-next').click()")
    return problems


def layout_problems(browser, width):
    browser.size(width, 900, mobile=width < 600)
    time.sleep(0.3)
    problems = []
    if browser.evaluate("document.documentElement.scrollWidth") > width:
        problems.append("the page scrolls sideways")
    problems += ["wider than its place: " + what for what in browser.evaluate(OVERFLOWING)]
    problems += browser.evaluate("""[...document.querySelectorAll("button, select, input")].filter((e) => e.offsetParent
        && !e.labels?.length && !e.textContent.trim() && !e.getAttribute("aria-label")).map((e) => "no label: " + e.outerHTML)""")
    problems += browser.evaluate("""[...document.querySelectorAll("canvas")].filter((e) => !e.getAttribute("aria-label")).map((e) => "no label: canvas")""")
    return problems


def main():
    page, digests = sys.argv[1:3]
    screenshots = sys.argv[3] if len(sys.argv) > 3 else None
    print("1..15")
    with Chromium() as browser:
        browser.size(1280)
        browser.open(page)
        report("the page begins to run", [] if wait_until(browser, "Boolean(window.playground) && window.playground.code.world_now(0) > 3") else ["no tick"])
        native = subprocess.run([digests], capture_output=True, text=True, check=True).stdout.splitlines()
        here = browser.evaluate(RUN_ALL).splitlines()
        report(f"{len(here)} digests of all designs are those of native code",
               [f"{a} | {b}" for a, b in zip(native, here) if a != b] + ([] if len(native) == len(here) > 60 else ["not all designs"]))
        set_slider(browser, "timers", 9)
        set_slider(browser, "speed", 9)
        report("10,000 timers", [] if browser.evaluate("document.getElementById('timers-value').textContent") == "10,000" else ["no"])
        time.sleep(2.5)
        ticked = browser.evaluate("window.playground.code.world_now(0)")
        frames = browser.evaluate("window.playground.frames()")
        drawing = browser.evaluate("""(() => { let least = Infinity; for (let i = 0; i < 20; i++) { const begin = performance.now(); drawWorld(0); drawWorld(1); least = Math.min(least, performance.now() - begin); } return least; })()""")
        # How many frames the machine shows is the machine's; the least time of a frame's drawing has to leave room in its 16.7 ms.
        report(f"a frame of both worlds is drawn in {drawing:.1f} ms ({frames} frames in the last second here)",
               [] if drawing < 16.7 and ticked > 50 else [f"{drawing} ms, tick {ticked}"])
        if screenshots:
            browser.screenshot(f"{screenshots}/playground-1280.png")
        report("both designs gave the same answer", [] if "Both fired the same" in browser.evaluate("document.getElementById('digest').textContent")
               else [browser.evaluate("document.getElementById('digest').textContent")])
        report("growth is drawn for both", [] if wait_until(browser, "growth.points.every((points) => points.length > 4)", 60) else ["no points"])
        report("keys: a pause, a tick", key_problems(browser))
        report("every tour goes to its end, worked example W3 as on paper", tour_problems(browser) + worked_problems(browser))
        if screenshots:
            browser.screenshot(f"{screenshots}/playground-tour.png")
        report("what cannot be done is told", refused_problems(browser))
        report("a processor that is 20 times slower: it goes on, and draws growth", slow_problems(browser))
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        report("questions: every design, all right and all wrong, as natively; lab receipt judges so too", quiz_problems(browser, digests))
        report("questions by keys alone, all right and all wrong", quiz_keys_problems(browser, digests, 0) + quiz_keys_problems(browser, digests, 1))
        problems = quiz_click_problems(browser) + layout_problems(browser, 390) + layout_problems(browser, 1280)
        if screenshots:
            browser.screenshot(f"{screenshots}/playground-quiz.png")
        report("questions by clicks; they fit a phone and have labels", problems)
        browser.evaluate("document.getElementById('quiz-leave').click()")
        # Counts of a clock that has run for long, as on a fast machine.
        browser.evaluate("runTicks(300000), drawCounts()")
        problems = layout_problems(browser, 1280) + layout_problems(browser, 390)
        browser.media(scheme="dark")
        time.sleep(0.3)
        if screenshots:
            browser.evaluate("scrollTo(0, 0)")
            browser.screenshot(f"{screenshots}/playground-390-dark.png")
        report("it fits a phone, everything has a label, the dark has its colours",
               problems + ([] if browser.evaluate("colours.ground") == "#15191e" else ["not dark"]))
        report("nothing on the console, nothing loaded", browser.complaints())
    sys.exit(0 if all(results) else 1)


def key_problems(browser):
    def press(key, code):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code)

    browser.evaluate("document.activeElement.blur()")
    press(" ", "Space")
    time.sleep(0.2)
    first = browser.evaluate("window.playground.code.world_now(0)")
    time.sleep(0.3)
    if browser.evaluate("window.playground.code.world_now(0)") != first:
        return ["space did not pause it"]
    press("ArrowRight", "ArrowRight")
    time.sleep(0.1)
    second = browser.evaluate("window.playground.code.world_now(0)")
    return [] if second == first + 1 else [f"tick {first} became {second}"]


main()
