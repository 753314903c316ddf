"""tap.py - collects what the checks of a test found wrong, and prints it as TAP."""
import os
import re
import sys

results = []


def report(name, problems):
    """A check; it failed when there are problems."""
    results.append((name, [str(problem) for problem in problems]))


def end():
    """Prints TAP and ends the test."""
    print(f"1..{len(results)}")
    for number, (name, problems) in enumerate(results, 1):
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")
        for problem in problems[:10]:
            print("# " + problem.replace("\n", "\n# "))
    sys.exit(any(problems for _, problems in results))


def deleted_labs():
    """The labs that README.md names and whose folders are gone: what is said of them elsewhere is not wrong."""
    with open("README.md", encoding="utf-8") as page:
        return {name for name in re.findall(r"\blabs/(\w+)/", page.read()) if not os.path.isdir("labs/" + name)}
