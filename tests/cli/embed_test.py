#!/usr/bin/env python3
"""llm-cli embed with a small encoder: one text, many lines, all forms of output."""
import json
import math
import subprocess
import sys
import tempfile

WRITE_MODEL = sys.argv.pop(2)
import cli_case  # noqa: E402: it takes what is left of the arguments
from cli_case import CONTEXT_FULL, ERROR, USAGE, CliCase  # noqa: E402

WIDTH = 64
MODEL = tempfile.NamedTemporaryFile(suffix=".gguf")
MODEL.write(subprocess.run([WRITE_MODEL], check=True, capture_output=True).stdout)
MODEL.flush()


class Embed(CliCase):
    def embed(self, *words, **options):
        return json.loads(self.run_cli("embed", MODEL.name, *words, **options)[0])

    def test_array(self):
        vector = self.embed("a b c")
        self.assertEqual(len(vector), WIDTH)
        self.assertEqual(self.embed(stdin=b"a b c"), vector)
        self.assertNotEqual(self.embed("c b a"), vector)

    def test_object(self):
        facts = self.embed("a b c", "--json")
        self.assertEqual(facts["dimensions"], WIDTH)
        self.assertEqual(facts["embeddings"], [{"tokens": 5, "embedding": self.embed("a b c")}])

    def test_lines(self):
        text = b"a b c\n\nz\r\nno end"
        expected = [self.embed(line) for line in ("a b c", "", "z", "no end")]
        self.assertEqual(self.embed("--lines", stdin=text), expected)
        self.assertEqual([entry["embedding"] for entry in self.embed("--lines", "--json", stdin=text)["embeddings"]],
                         expected)
        events = [json.loads(line) for line in self.run_cli("embed", MODEL.name, "--jsonl", stdin=text)[0].splitlines()]
        self.assertEqual([event["embedding"] for event in events], expected)
        self.assertEqual([(event["index"], event["tokens"]) for event in events][:2], [(0, 5), (1, 2)])

    def test_no_lines(self):
        self.assertEqual(self.embed("--lines"), [])
        self.assertEqual(self.run_cli("embed", MODEL.name, "--jsonl"), ("", ""))

    def test_pooling(self):
        vectors = self.embed("a b", "--pooling", "none")
        self.assertEqual([len(vector) for vector in vectors], [WIDTH] * 4)
        self.assertEqual(self.embed("a b", "--pooling", "first"), vectors[0])
        self.assertEqual(self.embed("a b", "--pooling", "cls"), vectors[0])
        self.assertEqual(self.embed("a b"), vectors[0])  # what the file says
        self.assertEqual(self.embed("a b", "--pooling", "last"), vectors[-1])
        for value, column in zip(self.embed("a b", "--pooling", "mean"), zip(*vectors)):
            self.assertAlmostEqual(value, sum(column) / 4, delta=1e-5)

    def test_normalized(self):
        plain, unit = self.embed("a b"), self.embed("a b", "--normalize")
        length = math.sqrt(sum(value * value for value in plain))
        self.assertNotAlmostEqual(length, 1, delta=1e-3)
        for value, expected in zip(unit, plain):
            self.assertAlmostEqual(value, expected / length, delta=1e-6)
        self.assertEqual(self.embed("a b", "--embd-normalize", 2), unit)
        self.assertEqual(self.embed("a b", "--embd-normalize", -1), plain)

    def test_hostile_text(self):
        for text in (b"\0", b"\xff\xfe\xc0", "\u202e\ufeff".encode(), bytes(range(256))):
            self.assertEqual(len(self.embed(stdin=text)), WIDTH)

    def test_failures(self):
        for words, text in ((("--pooling", "max"), "'max'"), (("--embd-normalize", "1"), "'1'"),
                            (("--json", "--jsonl"), "exclude")):
            _, err = self.run_cli("embed", MODEL.name, "text", *words, expect=USAGE)
            self.assertIn(text, err)
        self.fails("embed", MODEL.name, "-f", "/", expect=ERROR, text="directory")
        too_long = b"a\n" + b"b " * 700
        out, err = self.run_cli("embed", MODEL.name, "--jsonl", stdin=too_long, expect=CONTEXT_FULL)
        event, error = map(json.loads, out.splitlines())
        self.assertEqual(event["index"], 0)
        self.assertIn("line 2: ", error["error"]["message"])
        self.assertIn("line 2: ", err)


if __name__ == "__main__":
    cli_case.main()
