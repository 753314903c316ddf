#!/usr/bin/env python3
"""playground.py OUT.html TWBENCH - puts the page of the playground together: one file that loads nothing.

Compiles the designs of src/impls and worlds.c to WebAssembly with Debian's clang and wasi-libc, and inlines
that, the style, the script and the tours.  Tours are the worked examples, as TWBENCH answers them, and the steps
of labs/teach/docs/LESSONS.md with their questions.
"""
import base64, glob, json, os, re, subprocess, sys, tempfile

COMPILE = ["clang", "--target=wasm32-wasi", "--sysroot=/usr", "-isystem", "/usr/include/wasm32-wasi", "-std=c11", "-D_GNU_SOURCE",
           "-D_WASI_EMULATED_MMAN", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-Isrc", "-I.", "-O2", "-ffp-contract=off"]
SOURCES = ["labs/teach/playground/worlds.c", "labs/teach/playground/wasi.c", "labs/teach/playground/quiz.c", "labs/teach/show/kinds.c",
           "src/harness/base/rng.c", "src/harness/base/samemath.c", "src/harness/base/text.c", "src/impls/registry.c"]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"playground: {' '.join(command[:2])} ...: {done.stderr[-2000:]}")
    return done.stdout


def exported():
    """The functions that worlds.h declares."""
    header = open("labs/teach/playground/worlds.h").read()
    return sorted(set(re.findall(r"\b((?:world|design|counter)_\w+)\(", header)))


def compile_designs():
    with tempfile.TemporaryDirectory() as work:
        objects = []
        designs = [path for path in sorted(glob.glob("src/impls/*.c")) if path != "src/impls/registry.c"]
        for path, flags in [(p, f) for p in designs for f in ([], ["-DTW_COUNTED"])] + [(p, []) for p in SOURCES]:
            objects.append(f"{work}/{len(objects)}.o")
            run(COMPILE + flags + ["-c", path, "-o", objects[-1]])
        out = f"{work}/page.wasm"
        run(["clang", "--target=wasm32-wasi", "--sysroot=/usr", "-mexec-model=reactor", "-O2", *objects,
             *[f"-Wl,--export={name}" for name in exported() + ["malloc"]], "-Wl,--strip-all", "-L/usr/lib/wasm32-wasi",
             "-lwasi-emulated-mman", "-o", out])
        return open(out, "rb").read()


def statements(frames):
    """Each statement once: "tick 5" and "next 5" have up to five frames, any other has one."""
    words, left = [], 0
    for word in (frame["statement"] for frame in frames if frame["statement"]):
        if left and word == words[-1]:
            left -= 1
            continue
        words.append(word)
        counted = re.fullmatch(r"(?:tick|next) (\d+)", word)
        left = int(counted.group(1)) - 1 if counted else 0
    return words


def worked_examples(twbench):
    examples = []
    for line in run([twbench, "show", "--list"]).splitlines():
        name = line.split()[0]
        shown = json.loads(run([twbench, "show", name, "--json=-"]))
        film = shown["films"][0] if shown["films"] else None
        answers = [{"what": answer["what"], "found": answer["found"]} for answer in shown.get("answers", [])]
        examples.append({"name": name, "question": line[len(name):].strip()[1:].strip(), "answers": answers,
                         "note": shown.get("note") or "",
                         "design": film["impl"] if film else None, "settings": film["settings"] if film else "",
                         "tick_ns": film["tick_ns"] if film else 0,
                         "steps": statements(film["frames"]) if film else []})
    return examples


def plain(text):
    """One line without links, and without the commands that a numbered item shows."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split())).rstrip(":")


def numbered(text):
    items = re.findall(r"^\d+\. (.*(?:\n(?:   .*|(?=\n   )))*)", text, flags=re.M)
    return [plain(item) for item in items]


def lessons():
    """Each step of LESSONS.md: its title, its first paragraph, its questions and the answers."""
    steps = []
    for part in re.split(r"^## ", open("labs/teach/docs/LESSONS.md").read(), flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        asked, _, rest = body.partition("<details>")
        questions, answers = numbered(asked), numbered(rest.partition("</details>")[0])
        if not questions:
            continue
        if len(questions) != len(answers):
            sys.exit(f"playground.py: labs/teach/docs/LESSONS.md, '{title}': {len(questions)} questions and {len(answers)} answers")
        first = next(p for p in body.strip().split("\n\n") if not p.startswith(("```", "|", "#", "!")))
        steps.append({"title": title, "text": plain(first), "quoted": "".join(re.findall(r"^```\w+\n(.*?)^```", asked, flags=re.M | re.S)), "questions": questions, "answers": answers})
    return steps


def main():
    out, twbench = sys.argv[1], os.path.abspath(sys.argv[2])
    data = {"wasm": base64.b64encode(compile_designs()).decode(), "examples": worked_examples(twbench), "lessons": lessons()}
    page = open("labs/teach/playground/page.html").read()
    page = page.replace("/* STYLE */", open("labs/teach/playground/page.css").read())
    page = page.replace("/* SCRIPT */", open("labs/teach/playground/page.js").read())
    page = page.replace("/* DATA */", json.dumps(data).replace("</", "<\\/"))
    os.makedirs(os.path.dirname(out) or ".", exist_ok=True)
    with open(out + ".new", "w") as file:
        file.write(page)
    os.replace(out + ".new", out)
    print(f"{out}: {os.path.getsize(out) // 1024} KiB")


if __name__ == "__main__":
    main()
