#!/usr/bin/env python3
"""keys.py KEYS COMMAND DOCUMENT [--write] - is every key listed in KEYS in the JSON document, with its type?

KEYS has a line for each key, and behind it the commands whose documents have it, unless all that share the file do:
"cells[].phases[].ns_per_op.median number run periodic".  Whatever is keyed by names of its own (settings, parts of a
claim) counts as one key.  A key below an empty array or a null is not judged: this run has nothing there.  --write adds
the keys that are new."""
import json
import sys

NAMED = {"params", "requested", "figures", "settings"}


def kind_of(value):
    return {str: "text", bool: "bool", type(None): "null", list: "array", dict: "object"}.get(type(value), "number")


def walk(value, path, found):
    if isinstance(value, dict) and path.split(".")[-1].rstrip("[]") not in NAMED:
        for key, item in value.items():
            walk(item, path + "." + key if path else key, found)
    else:
        found.setdefault(path, set()).add(kind_of(value))
        for item in value if isinstance(value, list) else []:
            walk(item, path + "[]", found)


def values_at(values, step):
    """What stands at `step` in the values, and whether any of them has something there at all."""
    name, below = step.rstrip("[]"), step.count("[]")
    known = [v for v in values if isinstance(v, dict)]
    found = [v[name] for v in known if name in v]
    judged = bool(known) and not found
    for _ in range(below):
        found = [item for v in found if isinstance(v, list) for item in v]
    return found, judged


def is_gone(document, path):
    values = [document]
    for step in path.split("."):
        values, gone = values_at(values, step)
        if gone:
            return True
    return False


def main():
    keys, command, document = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3], encoding="utf-8"))
    found = {}
    walk(document, "", found)
    lines = [line.split() for line in open(keys, encoding="utf-8")]
    if "--write" in sys.argv:
        known = {(path, kind) for path, kind, *commands in lines if not commands or command in commands}
        lines += [[path, kind, command] for path, kinds in found.items() for kind in kinds if (path, kind) not in known]
        open(keys, "w", encoding="utf-8").write("".join(" ".join(line) + "\n" for line in sorted(lines)))
    wrong = []
    for path, kind, *commands in lines:
        if commands and command not in commands:
            continue
        kinds = found.get(path, set())
        if is_gone(document, path):
            wrong.append(f"gone: {path} {kind}")
        elif kinds and kind not in kinds and not kinds & {"null"} and kind != "null":
            wrong.append(f"{path}: was {kind}, is {', '.join(sorted(kinds))}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
