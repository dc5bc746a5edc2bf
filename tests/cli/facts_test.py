#!/usr/bin/env python3
"""llm-cli inspect, tokenize and template: single values, templates, flags of other programs, JSON, hostile input."""
import json
import os
import pty
import subprocess

import cli_case
from cli_case import CLI, ERROR, MODEL, USAGE, CliCase

MODEL_FILE = cli_case.real_model()


class Inspect(CliCase):
    def test_single_values(self):
        words = ("inspect", MODEL_FILE, "--key", "general.architecture", "-k", "llama.block_count")
        self.assertEqual(self.run_cli(*words)[0], "llama\n30\n")
        self.assertEqual(json.loads(self.run_cli(*words, "--json")[0])["metadata"],
                         {"general.architecture": "llama", "llama.block_count": 30})
        tokens = json.loads(self.run_cli("inspect", MODEL_FILE, "-k", "tokenizer.ggml.tokens")[0])
        self.assertEqual(len(tokens), 49152)
        self.fails("inspect", MODEL_FILE, "--key", "no.such.key", expect=ERROR, text="'no.such.key'")
        self.fails("inspect", MODEL_FILE, "--key", "", expect=ERROR, text="LLM_ERROR_NOT_FOUND")

    def test_arrays_are_shortened(self):
        out, _ = self.run_cli("inspect", MODEL_FILE, "--metadata")
        self.assertRegex(out, r'(?m)^tokenizer\.ggml\.tokens = \[49152\] \["<\|endoftext\|>",.*\]\.\.\.$')
        self.assertLess(max(map(len, out.splitlines())), 600)

    def test_templates(self):
        source = self.run_cli("template", MODEL_FILE, "--source")[0]
        self.assertIn("{% for message in messages %}", source)
        self.assertEqual(self.run_cli("inspect", MODEL_FILE, "--template")[0], source + "\n")
        facts = json.loads(self.run_cli("inspect", MODEL_FILE, "--template", "--json")[0])
        self.assertEqual(facts, {"templates": {"default": source}})

    def test_what_is_no_model(self):
        for path in ("/", "/dev/null", "/nonexistent/m.gguf", ""):
            out, err = self.run_cli("inspect", path, "--json", expect=MODEL)
            self.assertEqual(json.loads(out)["error"]["exit_status"], MODEL)
            self.assertIn(path, err)


class Tokenize(CliCase):
    def test_flags_of_llama_tokenize(self):
        words = ("tokenize", MODEL_FILE, "-p", "<|im_start|>")
        self.assertEqual(self.run_cli(*words, "--no-parse-special")[0], self.run_cli(*words)[0])
        out, _ = self.run_cli("tokenize", MODEL_FILE, "--stdin", "--ids", stdin=b"Once upon")
        self.assertEqual(out, "[6403, 1980]\n")
        out, _ = self.run_cli("tokenize", "-m", MODEL_FILE, "-p", "Once upon", "--show-count", "--ids")
        self.assertEqual(out, "[6403, 1980]\nTotal number of tokens: 2\n")

    def test_control_tokens_are_marked(self):
        words = ("tokenize", MODEL_FILE, "a<|im_start|>", "--parse-special")
        self.assertIn("'<|im_start|>'  control\n", self.run_cli(*words)[0])
        self.assertIn("\x1b[36m'<|im_start|>'\x1b[0m  control\n", self.run_cli(*words, "--color", "on")[0])
        marks = [token["control"] for token in json.loads(self.run_cli(*words, "--json")[0])["tokens"]]
        self.assertEqual(marks, [False, True])

    def test_hostile_text(self):
        for text in (b"a\0b", b"\xff\xfe\x80", b"\xf0\x9f", bytes(range(256)) * 3):
            count = int(self.run_cli("tokenize", MODEL_FILE, "--count", stdin=text)[0])
            facts = json.loads(self.run_cli("tokenize", MODEL_FILE, "--json", stdin=text)[0])
            self.assertEqual((facts["count"], len(facts["tokens"])), (count, count))
        self.assertEqual(json.loads(self.run_cli("tokenize", MODEL_FILE, "--json")[0]), {"count": 0, "tokens": []})
        self.fails("tokenize", MODEL_FILE, "-f", "/", expect=ERROR, text="directory")

    def test_forms_exclude_each_other(self):
        for words in (("--ids", "--count"), ("--ids", "--json"), ("--count", "--json"), ("--stdin", "-f", "x")):
            _, err = self.run_cli("tokenize", MODEL_FILE, *words, expect=USAGE)
            self.assertIn("exclude each other", err)


class Template(CliCase):
    def setUp(self):
        done = subprocess.run([CLI, "template", MODEL_FILE, "x"], capture_output=True)
        if b"LLM_ERROR_NOT_BUILT" in done.stderr:
            self.skipTest("built without chat templates")

    def test_json(self):
        facts = json.loads(self.run_cli("template", MODEL_FILE, "hi", "--json")[0])
        self.assertEqual(facts["prompt"], self.run_cli("template", MODEL_FILE, "hi")[0])
        ids = json.loads(self.run_cli("template", MODEL_FILE, "hi", "--ids")[0])
        self.assertEqual([token["id"] for token in facts["tokens"]], ids)
        self.assertEqual(facts["count"], len(ids))
        self.assertEqual(json.loads(self.run_cli("template", MODEL_FILE, "--list", "--json")[0]),
                         {"templates": ["default"]})
        self.assertEqual(json.loads(self.run_cli("template", MODEL_FILE, "--source", "--json")[0])["name"], "default")
        self.fails("template", MODEL_FILE, "--source", "--template-name", "none", expect=ERROR, text="'none'")

    def test_terminal(self):
        leader, follower = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        subprocess.run([CLI, "template", MODEL_FILE, "hi", "--show-special"], stdout=follower, check=True,
                       env=dict(environment, TERM="xterm"))
        os.close(follower)
        shown = os.read(leader, 1 << 16).decode()
        os.close(leader)
        self.assertIn("\x1b[36m'<|im_start|>'\x1b[0m  control", shown)


if __name__ == "__main__":
    cli_case.main()
