#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-json [KEY]: each line of stdin is one flat object of RFC 8259 whose
values are strings or integers, in UTF-8 without control characters and blanks,
and no key occurs twice.  The value of KEY in each object that has it is
written, a NUL after it, be it "KEY":"string", "KEY":number or
"KEY_base64":"...".

check-json --schema SCHEMA: each line is a JSON value that the schema accepts.
It knows the keywords that the project's schemas use, and refuses a schema that
has others.

Exit status 1 and a message about a line that is not so."""

import base64
import json
import re
import sys

# --- What --json prints ------------------------------------------------------


def refuse(what):
    raise ValueError(what)


def flat(members):
    """The members of an object by their keys, decoded to bytes."""
    values = {}
    for key, value in members:
        name = key.removesuffix("_base64")
        if name in values or type(value) not in (str, int):
            refuse("a key twice, or a wrong value: " + key)
        values[name] = str(value).encode()
        if name != key:
            values[name] = base64.b64decode(value, validate=True)
            if base64.b64encode(values[name]) != value.encode():
                refuse("base64 with bits after its end")
        if b"\0" in values[name]:
            refuse("no name has a NUL")
    return values


def read_line(line):
    text = line.decode()
    outside = re.sub(r'"(\\.|[^"\\])*"', "", text)
    if re.search(r"[\x00-\x1f\x7f]", text) or re.search(r"\s", outside):
        refuse("a control character or a blank")
    values = json.loads(text, object_pairs_hook=flat, parse_float=refuse,
                        parse_constant=refuse)
    return values if isinstance(values, dict) else refuse("no object")


def check_lines(key):
    lines = sys.stdin.buffer.read().split(b"\n")
    if lines.pop():
        sys.exit("check-json: the last line has no end")
    for line in lines:
        try:
            values = read_line(line)
        except ValueError as error:
            sys.exit("check-json: %s in: %.60r" % (error, line))
        if key in values:
            sys.stdout.buffer.write(values[key] + b"\0")


# --- Schemas -----------------------------------------------------------------

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {"object": dict, "string": str, "integer": int, "array": list,
         "number": (int, float), "boolean": bool}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (
        name == "boolean") == isinstance(value, bool)


def accepts(schema, value, root):
    if isinstance(schema, bool):
        return schema

    def of(part):
        return accepts(part, value, root)

    checks = {
        "$ref": lambda ref: of(root["$defs"][re.fullmatch(
            r"#/\$defs/(\w+)", ref).group(1)]),
        "allOf": lambda parts: all(of(part) for part in parts),
        "oneOf": lambda parts: sum(of(part) for part in parts) == 1,
        "type": lambda name: is_type(value, name),
        "const": lambda constant: value == constant,
        "enum": lambda words: value in words,
        "pattern": lambda pattern: re.search(pattern, value) is not None,
        "minLength": lambda length: len(value) >= length,
        "minimum": lambda least: value >= least,
        "items": lambda part: all(
            accepts(part, item, root) for item in value),
        "required": lambda keys: all(key in value for key in keys),
        "properties": lambda keys: all(
            accepts(part, value[key], root)
            for key, part in keys.items() if key in value),
    }
    # The type first: the others rely on it.
    for key in sorted(schema, key=lambda key: key != "type"):
        if key not in ANNOTATIONS and not checks[key](schema[key]):
            return False
    return True


def check_schema(name):
    with open(name, encoding="utf-8") as file:
        schema = json.load(file)
    wrong = [line for line in sys.stdin
             if not accepts(schema, json.loads(line), schema)]
    for line in wrong:
        sys.stderr.write("not accepted: " + line)
    sys.exit(1 if wrong else 0)


if sys.argv[1:2] == ["--schema"]:
    check_schema(sys.argv[2])
check_lines(sys.argv[1] if sys.argv[1:] else None)
