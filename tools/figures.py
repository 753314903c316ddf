#!/usr/bin/env python3
"""figures.py [--check] - writes what the catalogue of figures says into the schemas and pages.

The catalogue is src/harness/tell/result/figures.def; ./twbench list --figures prints it (TWBENCH names another program).
From it come, in schema/result-1.json, type, description and "required" of every key of a cell; in other schemas, those of
labs too, the counters; in pages the table of measures between <!-- figures: measures --> and <!-- end -->, and the names of
all counters between <!-- counters --> and <!-- end -->.  What schemas share, the definitions of tool, machine and command,
is copied from schema/result-1.json into those that have them, so that each is whole.  `make figures` runs this.  With
--check nothing is written; the exit status is 1 when something would be.
"""
import glob
import json
import os
import re
import subprocess
import sys

SCHEMA = "schema/result-1.json"
SHARED = ["tool", "machine", "command"]
TYPES = {"number": "number", "integer": "integer", "text": "string", "boolean": "boolean"}


def read_catalogue():
    """A dictionary for each figure, by the titles of the printed table."""
    program = os.environ.get("TWBENCH", "./twbench")
    printed = subprocess.run([program, "list", "--figures"], capture_output=True, text=True, check=True).stdout
    rows = [[cell.strip().strip("`") for cell in line[2:-2].split(" | ")] for line in printed.splitlines()]
    return [dict(zip(rows[0], row)) for row in rows[2:]]


# ---- The schema. ----------------------------------------------------------------------------------


def resolved(node, definitions):
    """The object that a node stands for, behind references and beside null."""
    if "$ref" in node:
        return resolved(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    for branch in node.get("oneOf", []):
        if branch.get("type") != "null":
            return resolved(branch, definitions)
    return node


def find_parent(figure, definitions):
    """The object whose property the figure is, and the property's key."""
    names = {"phases[]": "phase", "schedules[]": "schedule"}
    keys = figure["figure"].split(".")
    node = definitions[names[keys.pop(0)] if keys[0] in names else "cell"]
    for key in keys[:-1]:
        node = resolved(node.setdefault("properties", {})[key], definitions)
    # An interval with samples is an interval and more.
    for part in node.get("allOf", []):
        inner = resolved(part, definitions)
        if keys[-1] in inner.get("properties", {}):
            return inner, keys[-1]
    return node, keys[-1]


def describe(figure, node):
    """Type and description; what else the schema asks of the value stays."""
    kind, *rest = figure["type"].split(" or ")
    if "$ref" in node:
        return
    if "oneOf" in node:
        node["description"] = figure["meaning"]
        return
    if kind in TYPES and not {"enum", "const"} & set(node):
        node["type"] = [TYPES[kind], "null"] if rest else TYPES[kind]
        if kind in ("number", "integer") and ".corrected." not in figure["figure"]:  # a difference may be below 0
            node.setdefault("minimum", 0)
    elif kind in ("object", "array"):
        node.setdefault("type", [kind, "null"] if rest else kind)
    node["description"] = figure["meaning"]


def write_schema(text, catalogue):
    schema = json.loads(text)
    for figure in catalogue:
        parent, key = find_parent(figure, schema["definitions"])
        describe(figure, parent.setdefault("properties", {}).setdefault(key, {}))
        if figure["must"] == "yes" and key not in parent.setdefault("required", []):
            parent["required"].append(key)
        elif figure["must"] != "yes" and key in parent.get("required", []):
            parent["required"].remove(key)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def replace_counters(node, counters):
    """Wherever all counters are listed, the catalogue's are, in its order, before what is no counter."""
    known = {"link_writes", "cascades"}
    if isinstance(node, list) and known <= {item for item in node if isinstance(item, str)}:
        return counters + [item for item in node if item not in counters]
    if isinstance(node, dict) and known <= set(node):
        added = {name: node.get(name, node["cascades"]) for name in counters}
        return {**added, **{key: value for key, value in node.items() if key not in added}}
    if isinstance(node, dict):
        return {key: replace_counters(value, counters) for key, value in node.items()}
    return [replace_counters(item, counters) for item in node] if isinstance(node, list) else node


def counters_of(catalogue):
    return [figure["compare"] for figure in catalogue if figure["figure"].startswith("phases[].work.")]


def write_sharing(text, catalogue):
    schema = replace_counters(json.loads(text), counters_of(catalogue))
    shared = json.load(open(SCHEMA))["definitions"]
    schema["definitions"].update({name: shared[name] for name in SHARED if name in schema["definitions"]})
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_show(text, catalogue):
    schema = json.loads(text)
    frame = schema["properties"]["films"]["items"]["properties"]["frames"]["items"]
    frame["properties"]["work"]["properties"] = {
        figure["compare"]: {"type": "integer", "minimum": 0,
                            "description": figure["meaning"].replace(" Results of older versions lack it.", "")}
        for figure in catalogue if figure["figure"].startswith("phases[].work.")}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


# ---- The pages. -----------------------------------------------------------------------------------


def table_of_measures(catalogue):
    """The measures of services that draw curves."""
    return ["| measure | unit | from |", "|---|---|---|"] + [
        f"| `{figure['measure']}` | {figure['unit'] or 'count'} | `{figure['figure']}` |"
        for figure in catalogue if figure["measure"]]


def write_page(text, catalogue):
    out, inside = [], False
    counters = ", ".join(f"`{name}`" for name in counters_of(catalogue))
    text = re.sub(r"<!-- counters -->.*?<!-- end -->", f"<!-- counters -->{counters}<!-- end -->", text)
    for line in text.splitlines():
        inside = inside and line != "<!-- end -->"
        if not inside:
            out.append(line)
        if line == "<!-- figures: measures -->":
            out += table_of_measures(catalogue)
            inside = True
    return "\n".join(out) + "\n"


def main():
    catalogue, stale = read_catalogue(), []
    schemas = sorted(glob.glob("schema/*.json") + glob.glob("labs/*/schema/*.json"))
    pages = sorted(glob.glob("docs/*.md") + glob.glob("labs/*/docs/*.md"))
    writers = [(SCHEMA, write_schema)] + [(path, write_show) for path in schemas if "/show-" in path]
    writers += [(path, write_sharing) for path in schemas
                if path != SCHEMA and "tool" in json.load(open(path)).get("definitions", {})]
    writers += [(page, write_page) for page in pages]
    for path, write in writers:
        before = open(path).read()
        after = write(before, catalogue)
        if after != before:
            stale.append(path)
            if "--check" not in sys.argv[1:]:
                open(path, "w").write(after)
    for path in stale:
        print(f"{path}: {'is not what the catalogue says; run make figures' if '--check' in sys.argv[1:] else 'written'}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
