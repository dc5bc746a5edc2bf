#!/usr/bin/env python3
"""llm-cli compare: equal results, and a difference that a library in between makes."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

WRONG_LOGITS = sys.argv.pop(2)
import cli_case  # noqa: E402: it takes what is left of the arguments
from cli_case import CLI, CONTEXT_FULL, ERROR, INTERRUPTED, MODEL, USAGE, CliCase  # noqa: E402

MODEL_FILE = cli_case.small_model()
TEXT = "Once upon a time there was"
DIFFERENT = 1  # exit status


def encoder():
    path = pathlib.Path(MODEL_FILE).with_name("tiny-bert.gguf")
    return str(path) if path.exists() else None


class Equal(CliCase):
    def compare(self, *words, **options):
        return json.loads(self.run_cli("compare", *words, "--json", **options)[0])

    def test_all_tiers_and_numbers_of_threads(self):
        tiers = json.loads(self.run_cli("version", "--json")[0])["tiers"].split()
        facts = self.compare(MODEL_FILE, TEXT, "-t", "1,2", "-n", 3)
        tokens = int(self.run_cli("tokenize", MODEL_FILE, TEXT, "--count")[0])
        self.assertEqual(facts["rows"], tokens + 3)
        self.assertIs(facts["equal"], True)
        seen = [(entry["tier"], entry["threads"]) for entry in [facts["reference"], *facts["variants"]]]
        self.assertEqual(seen, [(tier, threads) for tier in tiers for threads in (1, 2)])
        self.assertTrue(all(entry["equal"] for entry in facts["variants"]))

    def test_text(self):
        out, err = self.run_cli("compare", MODEL_FILE, "-t", "1,2", "--tiers", "scalar", stdin=TEXT.encode())
        self.assertRegex(out, r"\Ascalar +1 thread +reference, \d+ rows\nscalar +2 threads +equal\n\Z")
        self.assertEqual(err, "")

    def test_a_text_longer_than_what_is_computed_at_once(self):
        facts = self.compare(MODEL_FILE, "-t", "1,2", "--tiers", "scalar", "-n", 0, stdin=b"word " * 150)
        self.assertGreater(facts["rows"], 128)
        self.assertIs(facts["equal"], True)

    def test_encoder(self):
        if not encoder():
            self.skipTest("there is no tiny-bert.gguf in the data")
        self.assertIs(self.compare(encoder(), "a b c", "-t", "1,2")["equal"], True)


class Different(CliCase):
    def run_wrong(self, *words):
        return self.run_cli("compare", MODEL_FILE, TEXT, *words, "--tiers", "scalar", "-n", 2, expect=DIFFERENT,
                            env=dict(os.environ, LD_PRELOAD=WRONG_LOGITS))[0]

    def test_first_difference(self):
        facts = json.loads(self.run_wrong("-t", "1,2,3", "--json"))
        self.assertIs(facts["equal"], False)
        wrong, right = facts["variants"]
        self.assertEqual((wrong["threads"], wrong["equal"], right["equal"]), (2, False, True))
        difference = wrong["difference"]
        self.assertEqual((difference["row"], difference["token"]), (4, 7))
        self.assertAlmostEqual(difference["value"] - difference["expected"], 1, delta=1e-5)

    def test_text(self):
        self.assertRegex(self.run_wrong("-t", "1,2"), r"(?m)^scalar +2 threads +differs: row 4, token 7: \S+ instead")


class Failures(CliCase):
    def test_usage(self):
        for words, text in ((("--tiers", "mmx"), "mmx"), (("-t", "0"), "'0'"), (("--cpu", "scalar"), "--tiers"),
                            (("-n", "-1"), "'-1'"), (("--tiers", ""), "''")):
            self.fails("compare", MODEL_FILE, "text", *words, expect=USAGE, text=text)
        self.fails("compare", "-p", "text", expect=USAGE, text="model")

    def test_what_fails_in_the_other_process(self):
        self.fails("compare", "/nonexistent/model.gguf", "text", expect=MODEL, text="/nonexistent/model.gguf")
        self.fails("compare", MODEL_FILE, TEXT, "-c", 4, expect=CONTEXT_FULL, text="LLM_ERROR_CONTEXT_FULL")
        out, _ = self.run_cli("compare", MODEL_FILE, TEXT, "-c", 4, "--json", expect=CONTEXT_FULL)
        self.assertEqual(json.loads(out)["error"]["status"], "LLM_ERROR_CONTEXT_FULL")

    def test_no_text(self):
        if self.run_cli("tokenize", MODEL_FILE, "--count")[0] == "0\n":
            self.fails("compare", MODEL_FILE, expect=ERROR, text="no tokens")

    def test_interrupt(self):
        process = subprocess.Popen([CLI, "compare", MODEL_FILE, TEXT, "-n", "100000", "-t", "1", "--tiers", "scalar"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (INTERRUPTED, -signal.SIGINT))


if __name__ == "__main__":
    cli_case.main()
