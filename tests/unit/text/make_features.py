#!/usr/bin/env python3
"""Writes features.json: the small templates of features.txt and what Jinja2, set up as Transformers does, makes of it.

    make_features.py > features.json      (needs jinja2)

Each line is a template, or several if it holds expressions only; null is expected where Jinja2 refuses
it. All are given VARIABLES.
"""
import datetime
import json
import pathlib
import re

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

VARIABLES = {
    "text": "  Hello, World \n", "word": "héllo", "empty": "", "lines": "a\nb\r\nc\n", "csv": "a,b,,c",
    "yes": True, "no": False, "none": None, "int": 42, "negative": -7, "float": 1.5, "whole": 2.0, "large": 1e20,
    "small": 1e-7, "big": 123456789012345678901234567890, "list": [3, 1, 2], "nested": [[1, [2]], {"k": "it's"}],
    "dict": {"b": 1, "a": "x", "C": None}, "quotes": "it's \"<b>&\"", "unicode": "é🙂\u2028",
    "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "items": [1]},
                 {"role": "user", "content": ["p"], "n": 1}],
}

FEATURES = pathlib.Path(__file__).with_name("features.txt")


class Generation(Extension):
    """The tags by which trainers mark what the assistant says."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    def raise_exception(message):
        raise jinja2.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = datetime.datetime(2026, 7, 26, 12, 0, 0).strftime
    return made


def expected(made, template):
    try:
        return made.from_string(template).render(**VARIABLES)
    except Exception:  # whatever Python raises, the template is refused
        return None


def templates():
    for line in FEATURES.read_text().splitlines():
        expressions = re.findall(r"\{\{.*?\}\}", line)
        if line.startswith("{{") and not re.sub(r"\{\{.*?\}\}", "", line).strip(" |"):
            yield from expressions
        else:
            yield line.replace("\\n", "\n")


def main():
    made = environment()
    features = [{"template": template, "text": expected(made, template)} for template in templates()]
    print('{"variables":', json.dumps(VARIABLES, ensure_ascii=False) + ',\n"features": [')
    print(",\n".join(json.dumps(feature, ensure_ascii=False) for feature in features) + "\n]}")


if __name__ == "__main__":
    main()
