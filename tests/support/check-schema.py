#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check-schema SCHEMA: each line of stdin is a JSON value that the schema
accepts.  It knows the keywords that the project's schemas use, and refuses a
schema that has others.  Exit status 1 and the line if one is not accepted."""

import json
import re
import sys

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


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    wrong = [line for line in sys.stdin
             if not accepts(schema, json.loads(line), schema)]
    for line in wrong:
        sys.stderr.write("not accepted: " + line)
    sys.exit(1 if wrong else 0)


main()
