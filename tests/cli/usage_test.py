#!/usr/bin/env python3
"""llm-cli without a model: help, wrong command lines, files that are no models."""
import json
import os
import subprocess
import tempfile

import cli_case
from cli_case import CLI, ERROR, MODEL, USAGE, CliCase

COMMANDS = ("run", "chat", "embed", "inspect", "tokenize", "detokenize", "template", "bench", "perplexity", "compare",
            "completion", "manual", "version")


class Help(CliCase):
    def test_overview(self):
        for words in (("help",), ("--help",), ("-h",)):
            out, err = self.run_cli(*words)
            for command in COMMANDS:
                self.assertIn(f"  {command} ", out)
            self.assertEqual(err, "")

    def test_each_command(self):
        for command in COMMANDS:
            out, _ = self.run_cli(command, "--help")
            self.assertTrue(out.startswith(f"Usage: llm-cli {command}"), out)
            self.assertEqual(out, self.run_cli("help", command)[0])

    def test_options_come_from_the_tables_of_the_library(self):
        out, _ = self.run_cli("run", "--help")
        for option in ("--temperature", "--top-k", "--top-p", "--min-p", "--seed", "--repeat-penalty",
                       "--dry-multiplier", "--typical", "--xtc-probability", "--mirostat", "--logit-bias",
                       "--context-length", "--max-tokens", "--threads", "--load"):
            self.assertIn(option, out)
        self.assertNotIn("--sequence", out)


class Usage(CliCase):
    def test_no_command(self):
        self.fails(expect=USAGE, text="no command")

    def test_unknown_command(self):
        self.fails("rum", expect=USAGE, text="'rum'")

    def test_unknown_option(self):
        self.fails("run", "--no-such-option", expect=USAGE, text="--no-such-option")

    def test_options_are_not_guessed(self):
        self.fails("run", "m.gguf", "--promp", "text", expect=USAGE, text="--promp")

    def test_missing_value(self):
        self.fails("run", "--model", expect=USAGE, text="--model")

    def test_no_model(self):
        self.fails("inspect", expect=USAGE, text="model")

    def test_too_many_arguments(self):
        self.fails("run", "m.gguf", "text", "more", expect=USAGE, text="'more'")
        self.fails("run", "-m", "m.gguf", "text", "more", expect=USAGE, text="'more'")

    def test_values_out_of_range(self):
        for option, value, name in (("--temp", "-1", "temperature"), ("--temp", "warm", "temperature"),
                                    ("--top-p", "2", "top_p"), ("--typical", "2", "typical_p"),
                                    ("--repeat-last-n", "-2", "repeat_last_n"), ("--mirostat", "1", "mirostat"),
                                    ("--logit-bias", "5", "'5'"), ("--logit-bias", "-5+1", "'-5+1'"),
                                    ("--logit-bias", "5+nan", "'5+nan'"), ("--logit-bias", "5+inf", "logit_bias"),
                                    ("--dry-sequence-breaker", "", "DRY breaker"), ("--top-k", "1.5", "top_k"),
                                    ("-c", "-5", "context_length"), ("-t", "x", "threads"), ("-n", "-2", "max_tokens"),
                                    ("--seed", "4294967296", "seed"), ("--load", "lazily", "load")):
            self.fails("run", "m.gguf", "text", option, value, expect=USAGE, text=name)
        for option, value in (("-p", "-1"), ("-n", "many"), ("-r", "0"), ("-d", "1e3")):
            self.fails("bench", "m.gguf", option, value, expect=USAGE, text=f"'{value}'")

    def test_wrong_lists(self):
        for option, value, text in (("-p", "16,", "''"), ("-p", "16,,32", "''"), ("-n", "1,x", "'x'"),
                                    ("-d", "8-4", "'4'"), ("-d", "4-", "''"), ("-t", "1;2", "'1;2'"),
                                    ("-t", "1,-2", "'-2'"), ("-t", "1,5000", "threads"), ("-b", "8,1e3", "'1e3'"),
                                    ("-b", "64,5000", "batch_size"), ("-p", "1-2000", "1000")):
            self.fails("bench", "m.gguf", option, value, expect=USAGE, text=text)

    def test_format(self):
        self.fails("bench", "m.gguf", "--format", "xml", expect=USAGE, text="'xml'")
        _, err = self.run_cli("bench", "m.gguf", "--format", "csv", "--json", expect=USAGE)
        self.assertIn("--format", err)

    def test_nothing_to_measure(self):
        self.fails("bench", "m.gguf", "-p", "0", "-n", "0", expect=USAGE, text="nothing")

    def test_unknown_tier(self):
        self.fails("run", "m.gguf", "text", "--cpu", "mmx", expect=USAGE, text="mmx")

    def test_prompt_and_file(self):
        self.fails("run", "m.gguf", "text", "-f", "file", expect=USAGE, text="--file")


class Files(CliCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content):
        path = os.path.join(self.folder.name, "model.gguf")
        with open(path, "wb") as out:
            out.write(content)
        return path

    def test_missing_file(self):
        for command in ("run", "embed", "inspect", "tokenize", "bench"):
            self.fails(command, "-m", "/nonexistent/model.gguf", expect=MODEL, text="/nonexistent/model.gguf")

    def test_folder(self):
        self.fails("inspect", self.folder.name, expect=MODEL, text="")

    def test_files_that_are_no_models(self):
        for content in (b"", b"GGUF", b"PK\x03\x04" + bytes(100), b"GGUF\x00\x00\x00\x63" + bytes(100),
                        b"GGUF\x03\0\0\0" + b"\xff" * 16):
            self.fails("inspect", self.file(content), expect=MODEL, text="LLM_ERROR_")

    def test_missing_prompt_file(self):
        self.fails("run", "m.gguf", "-f", "/nonexistent/prompt", expect=ERROR, text="/nonexistent/prompt")


class ErrorObjects(CliCase):
    """With --json and --jsonl an error is also an object on standard output."""

    def error_of(self, *words, expect):
        out, err = self.run_cli(*words, expect=expect)
        self.assertEqual(out.count("\n"), 1)
        self.assertTrue(err.startswith("llm-cli: "), err)
        error = json.loads(out)["error"]
        self.assertIn(error["message"], err)
        self.assertEqual(error["exit_status"], expect)
        return error

    def test_model(self):
        for command in (("inspect", "--json"), ("tokenize", "--json", "text"), ("bench", "--format", "jsonl")):
            error = self.error_of(*command, "-m", "/nonexistent/model.gguf", expect=MODEL)
            self.assertEqual(error["status"], "LLM_ERROR_IO")
            self.assertIn("/nonexistent/model.gguf", error["message"])

    def test_usage(self):
        for words in (("inspect", "--json", "--nonsense"), ("inspect", "--nonsense", "--json"), ("rum", "--json"),
                      ("--json",), ("inspect", "--json")):
            self.assertIsNone(self.error_of(*words, expect=USAGE)["status"])

    def test_bytes_that_are_no_text(self):
        path = b"/nonexistent/\xff\x1b[1m".decode("utf-8", "surrogateescape")
        out, err = self.run_cli("tokenize", "m.gguf", "--json", "-f", path, expect=ERROR)
        self.assertIn("/nonexistent/\ufffd\x1b[1m", json.loads(out)["error"]["message"])
        self.assertNotIn("\x1b", err)

    def test_only_where_it_was_asked_for(self):
        self.assertEqual(self.run_cli("tokenize", "m.gguf", "--", "--json", expect=MODEL)[0], "")

    def test_standard_output_that_takes_nothing(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([CLI, "inspect", "--json"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"model", done.stderr)


class Version(CliCase):
    def test_version(self):
        out, _ = self.run_cli("version")
        self.assertRegex(out, r"\Allm-cli \d+\.\d+\.\d+\nlibllm  \d+\.\d+\.\d+, ABI \d+, kernels \w+\n\Z")
        self.assertEqual(out, self.run_cli("--version")[0])

    def test_json(self):
        facts = json.loads(self.run_cli("version", "--json")[0])
        self.assertIn(facts["tier"], facts["tiers"])
        self.assertGreaterEqual(facts["threads"], 1)

    def test_forced_tier(self):
        environment = dict(os.environ, LLM_CPU="scalar")
        self.assertIn("kernels scalar", self.run_cli("version", env=environment)[0])
        self.fails("version", expect=ERROR, text="mmx", env=dict(os.environ, LLM_CPU="mmx"))


if __name__ == "__main__":
    cli_case.main()
