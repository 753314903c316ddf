"""format_check.py - checks a format's schema and a sample of it against each other.

Tests of formats make a Format of the two, have the common checks made, add their own, and print TAP.  A format with a
page of its own has that checked, too; of the others `twbench schema` prints what the schema says of each key.
"""
import copy, json, os, subprocess, tempfile
import jsonschema
import tap
from tap import report

# What documents have in common with results, under the same keys; tests/schema.sh has the keys below.
SHARED = ("tool", "machine", "command")
TWBENCH = os.environ.get("TWBENCH", "./twbench")


def set_to(value):
    return lambda parent, key: parent.__setitem__(key, value)


def remove(parent, key):
    del parent[key]


def retype(parent, key):
    parent[key] = {} if isinstance(parent[key], list) else []


def name_of(path):
    return ".".join(map(str, path))


def errors(document, validator):
    """What the validator says of the document."""
    return [f"{name_of(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(document)]


def changed(document, path, change):
    """A copy of the document with the key at `path` changed by `change(parent, key)`."""
    out = copy.deepcopy(document)
    parent = out
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return out


def described(schema, path):
    """Does the schema say what the key at `path` means?"""

    def nodes(node):
        """The node, and what it stands for behind references and in branches."""
        yield node
        if "$ref" in node:
            yield from nodes(schema["definitions"][node["$ref"].rsplit("/", 1)[1]])
        for branch in node.get("oneOf", []) + node.get("allOf", []) + node.get("anyOf", []):
            yield from nodes(branch)

    found = [schema]
    for key in path:
        inner = [node.get("items") if isinstance(key, int) else node.get("properties", {}).get(key)
                 for outer in found for node in nodes(outer)]
        found = [node for node in inner if isinstance(node, dict)]
    return any("description" in node for outer in found for node in nodes(outer))


def undescribed(schema, paths):
    """The keys of which the schema does not say what they mean."""
    return sorted({name_of(path) for path in paths if not isinstance(path[-1], int) and not described(schema, path)})


def check_schema(name, schema):
    try:
        jsonschema.Draft7Validator.check_schema(schema)
        report(name, [])
    except jsonschema.SchemaError as error:
        report(name, [error.message])


def check_refused(name, validator, document, paths, change, least):
    """Each of the keys, at least so many, is refused when it is changed."""
    problems = [f"taken: {name_of(path)}" for path in paths if validator.is_valid(changed(document, path, change))]
    if len(paths) < least:
        problems.append(f"only {len(paths)} keys were tried")
    report(f"{name} is refused ({len(paths)} keys)", problems)


def keys_of(item, path=()):
    """Paths of all keys; of arrays the first element stands for all."""
    if isinstance(item, dict):
        for key, value in item.items():
            yield path + (key,)
            yield from keys_of(value, path + (key,))
    elif isinstance(item, list) and item:
        yield from keys_of(item[0], path + (0,))


def check_written(kind, schema_path, words, without=()):
    """What twbench writes with these words (their {} is the file; without one it prints the document), against its
    schema.  `without`: keys whose members are not the format's own, or stand in another schema."""
    schema = json.load(open(schema_path))
    check_schema(f"{kind}: the schema is a schema", schema)
    with tempfile.TemporaryDirectory() as work:
        path = f"{work}/written.json"
        out = subprocess.run([TWBENCH] + [word.format(path) for word in words], capture_output=True, text=True)
        document = json.load(open(path)) if os.path.exists(path) else json.loads(out.stdout)
    validator = jsonschema.Draft7Validator(schema)
    report(f"{kind}: what twbench writes is valid", errors(document, validator))
    paths = [path for path in keys_of(document) if not set(without) & set(path[:-1])]
    report(f"{kind}: the schema says what every key means",
           undescribed(schema, paths) + ([] if len(paths) > 8 else ["few keys"]))
    check_refused(f"{kind}: a value of another type", validator, document, paths, retype, 8)
    check_refused(f"{kind}: a missing key", validator, document, [(key,) for key in schema["required"]], remove, 1)


class Format:
    def __init__(self, schema, manual, sample):
        """Paths of files; `manual`: the page, or None."""
        self.schema = json.load(open(schema))
        self.result_schema = json.load(open("schema/result-1.json"))
        self.manual = manual and open(manual).read()
        self.sample = json.load(open(sample))
        self.validator = jsonschema.Draft7Validator(self.schema)
        self.paths = list(self.key_paths(self.sample))

    def report(self, name, problems):
        report(name, problems)

    def errors(self, document, by=None):
        return errors(document, by or self.validator)

    def key_paths(self, item, path=()):
        """Paths of the keys of this format; of arrays the first element stands for all."""
        if isinstance(item, dict):
            for key, value in item.items():
                yield path + (key,)
                if key not in SHARED:
                    yield from self.key_paths(value, path + (key,))
        elif isinstance(item, list) and item:
            yield from self.key_paths(item[0], path + (0,))

    def value_at(self, path):
        item = self.sample
        for key in path:
            item = item[key]
        return item

    def numbers(self):
        values = [(path, self.value_at(path)) for path in self.paths]
        return [path for path, value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]

    def stated(self, path):
        node = self.schema
        for key in path:
            node = node.get("items") if key == 0 else node.get("properties", {}).get(key)
            if node is None:
                return False
        return True

    def changed(self, path, change):
        return changed(self.sample, path, change)

    def refused(self, name, paths, change, least):
        check_refused(name, self.validator, self.sample, paths, change, least)

    def check(self, optional=(), signed=(), least=(40, 40, 25)):
        """What holds for every format.  `optional`: paths that may be missing; `signed`: keys at the top below which
        numbers may be below 0; `least`: how many keys are missing, of another type, and below 0, at least."""
        check_schema("the schema is a schema", self.schema)
        self.report("the sample is valid", self.errors(self.sample))
        self.report("tool, machine and command are those of results",
                    [key for key in SHARED
                     if self.schema["properties"][key] != {"$ref": f"#/definitions/{key}"}
                     or self.schema["definitions"][key] != self.result_schema["definitions"][key]])
        self.report("the schema states every key", [name_of(p) for p in self.paths if not self.stated(p)])
        self.report("the schema says what every key means", undescribed(self.schema, self.paths))
        if self.manual:
            self.report("the manual explains every key",
                        sorted({p[-1] for p in self.paths if f"`{p[-1]}`" not in self.manual}))
        self.refused("a missing key", [p for p in self.paths if p not in optional], remove, least[0])
        self.refused("a value of another type", self.paths, retype, least[1])
        self.refused("a number below 0", [p for p in self.numbers() if p[0] not in signed], set_to(-1), least[2])
        self.report("a key that a newer version added is taken", self.errors(self.changed(("added",), set_to(1))))

    def check_twbench(self, *arguments):
        """What twbench writes with these arguments is valid; skipped where it is not built."""
        name = "what twbench writes is valid"
        if not os.access(TWBENCH, os.X_OK):
            self.report(f"{name} # SKIP {TWBENCH} is not built", [])
            return
        run = subprocess.run([TWBENCH, *arguments, "--progress=never", "--json=-"], capture_output=True, text=True)
        try:
            self.report(name, self.errors(json.loads(run.stdout)))
        except json.JSONDecodeError as error:
            self.report(name, [str(error), run.stderr[-300:]])

    def end(self):
        tap.end()
