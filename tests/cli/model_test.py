#!/usr/bin/env python3
"""llm-cli with SmolLM2: text, tokens, facts, and the ways in which a run ends."""
import json
import os
import resource
import signal
import subprocess
import tempfile
import time

import cli_case
from cli_case import CLI, CLOSED_PIPE, CONTEXT_FULL, ERROR, INTERRUPTED, MEMORY, MODEL, OK, CliCase

MODEL_FILE = cli_case.real_model()
GREEDY = ("--temp", 0)
RAW = ("run", "--raw", MODEL_FILE)


class Run(CliCase):
    def test_text_goes_to_standard_output_and_nothing_else(self):
        out, err = self.run_cli(*RAW, "The capital of France is", *GREEDY, "-n", 4)
        self.assertTrue(out.startswith(" Paris"), out)
        self.assertEqual(err, "")

    def test_all_ways_to_give_a_prompt(self):
        expected = self.run_cli(*RAW, "The capital of France is", *GREEDY, "-n", 4)[0]
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"The capital of France is")
            file.flush()
            for words, stdin in ((("-p", "The capital of France is"), b""), (("-f", file.name), b""),
                                 (("-p", "-"), b"The capital of France is"), ((), b"The capital of France is")):
                out = self.run_cli("run", "--raw", "-m", MODEL_FILE, *words, *GREEDY, "--n-predict", 4, stdin=stdin)[0]
                self.assertEqual(out, expected, words)

    def test_displayed_prompt(self):
        out, _ = self.run_cli(*RAW, "The capital of France is", *GREEDY, "-n", 1, "--display-prompt")
        self.assertEqual(out, "The capital of France is Paris")

    def test_seed_repeats_a_text(self):
        texts = {self.run_cli(*RAW, "Once upon a time", "-s", seed, "-n", 12)[0] for seed in (1, 1, 2, 3)}
        self.assertIn(len(texts), (2, 3))
        same = [self.run_cli(*RAW, "Once upon a time", "-s", 5, "-n", 12, "-t", t)[0] for t in (1, 2)]
        self.assertEqual(same[0], same[1])

    def test_sampling_options(self):
        words = (*RAW, "The capital of France is", *GREEDY, "-n", 1)
        paris = self.run_cli("tokenize", MODEL_FILE, " Paris", "--ids", "--no-special")[0].strip("[] \n")
        self.assertEqual(self.run_cli(*words)[0], " Paris")
        self.assertNotEqual(self.run_cli(*words, "--logit-bias", f"{paris}-inf")[0], " Paris")
        other = self.run_cli("tokenize", MODEL_FILE, " Rome", "--ids", "--no-special")[0].strip("[] \n")
        self.assertEqual(self.run_cli(*words, "-l", f"{other}+100")[0], " Rome")
        again = (*RAW, "One two three one two three one two", *GREEDY, "-n", 1)
        self.assertEqual(self.run_cli(*again)[0], " three")
        for change in (("--presence-penalty", 50), ("--dry-multiplier", 50), ("--repeat-penalty", 50)):
            self.assertNotEqual(self.run_cli(*again, *change)[0], " three", change)
        texts = {self.run_cli(*RAW, "Once", "-s", 1, "-n", 8, "--mirostat", 2, "--mirostat-ent", tau)[0]
                 for tau in (0.1, 9)}
        self.assertEqual(len(texts), 2)

    def test_stop_text(self):
        words = (*RAW, "The capital of France is", *GREEDY, "-n", 20)
        whole = self.run_cli(*words)[0]
        self.assertIn("aris", whole)
        self.assertEqual(self.run_cli(*words, "-r", "no such text", "-r", "aris")[0], whole.split("aris")[0])

    def test_verbose(self):
        _, err = self.run_cli(*RAW, "Once", "-n", 3, "-s", 77, "--verbose")
        self.assertRegex(err, r"(?m)^prompt .* 1 tokens .* tokens/s$")
        self.assertRegex(err, r"(?m)^generation .* 3 tokens .* tokens/s$")
        self.assertRegex(err, r"(?m)^seed +77$")

    def test_context_full(self):
        self.fails(*RAW, "one two three four five six", "-c", 4, expect=CONTEXT_FULL, text="LLM_ERROR")
        _, err = self.run_cli(*RAW, "one two three", *GREEDY, "-c", 8, "-n", 50, expect=CONTEXT_FULL)
        self.assertIn("--context-length", err)
        for all_of_it in ((), ("-n", -1)):
            self.run_cli(*RAW, "one two three", *GREEDY, "-c", 8, *all_of_it, expect=OK)


class Endings(CliCase):
    def start(self, **options):
        return subprocess.Popen([CLI, *RAW, "Once upon a time", "-c", "8000"], stderr=subprocess.PIPE,
                                **options)

    def test_interrupt(self):
        process = self.start(stdout=subprocess.PIPE)
        self.assertTrue(process.stdout.read(4))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (INTERRUPTED, b""))

    def test_interrupt_while_loading(self):
        process = self.start(stdout=subprocess.DEVNULL)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (INTERRUPTED, -signal.SIGINT))

    def test_reader_goes_away(self):
        process = self.start(stdout=subprocess.PIPE)
        process.stdout.read(4)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), CLOSED_PIPE)

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            process = self.start(stdout=full)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, ERROR)
        self.assertIn(b"No space left", err)


class Tokenize(CliCase):
    # What the reference engine gives for this text: golden/real/smollm2-135m-instruct-q4_1.json of the test data.
    TEXT, IDS = "Once upon a time", [6403, 1980, 253, 655]

    def test_ids(self):
        out, _ = self.run_cli("tokenize", MODEL_FILE, self.TEXT, "--ids")
        self.assertEqual(json.loads(out), self.IDS)
        self.assertEqual(self.run_cli("tokenize", "-m", MODEL_FILE, "--count", stdin=self.TEXT.encode())[0], "4\n")

    def test_table(self):
        out, _ = self.run_cli("tokenize", MODEL_FILE, self.TEXT)
        self.assertEqual([line.split()[0] for line in out.splitlines()], [str(number) for number in self.IDS])
        self.assertIn("' upon'", out)

    def test_json_holds_the_whole_text(self):
        text = "\t\n" + bytes(range(32, 127)).decode()
        tokens = json.loads(self.run_cli("tokenize", MODEL_FILE, "--json", stdin=text.encode())[0])
        self.assertEqual("".join(token["text"] for token in tokens["tokens"]), text)
        self.assertEqual(tokens["count"], len(tokens["tokens"]))

    def test_special_tokens_are_parsed_on_request(self):
        words = ("tokenize", MODEL_FILE, "<|im_start|>", "--count")
        self.assertNotEqual(self.run_cli(*words)[0], "1\n")
        self.assertEqual(self.run_cli(*words, "--parse-special")[0], "1\n")

    def test_control_characters_do_not_reach_the_terminal(self):
        out, _ = self.run_cli("tokenize", MODEL_FILE, stdin=b"\x1b[31m\x07\xc2\x9b")
        self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class Inspect(CliCase):
    def test_summary(self):
        out, _ = self.run_cli("inspect", MODEL_FILE)
        self.assertRegex(out, r"(?m)^architecture +llama$")
        self.assertRegex(out, r"(?m)^can be run +yes$")

    def test_json(self):
        facts = json.loads(self.run_cli("inspect", MODEL_FILE, "--json")[0])
        self.assertEqual(facts["model"]["layer_count"], 30)
        self.assertEqual(facts["model"]["vocabulary_size"], 49152)
        self.assertEqual(facts["model"]["file_size"], os.path.getsize(MODEL_FILE))
        self.assertIs(facts["support"]["runnable"], True)

    def test_metadata_and_tensors(self):
        facts = json.loads(self.run_cli("inspect", MODEL_FILE, "--json", "--metadata", "--tensors")[0])
        self.assertEqual(facts["metadata"]["general.architecture"], "llama")
        self.assertEqual(len(facts["metadata"]["tokenizer.ggml.tokens"]), 49152)
        self.assertAlmostEqual(facts["metadata"]["llama.attention.layer_norm_rms_epsilon"], 1e-5, delta=1e-12)
        shapes = {tensor["name"]: tensor["shape"] for tensor in facts["tensors"]}
        self.assertEqual(shapes["token_embd.weight"], [576, 49152])
        out, _ = self.run_cli("inspect", MODEL_FILE, "--metadata", "--tensors")
        self.assertIn("general.architecture = llama\n", out)
        self.assertRegex(out, r"(?m) 576 x 49152 +token_embd\.weight$")


    def test_memory(self):
        def memory(*words):
            return json.loads(self.run_cli("inspect", MODEL_FILE, "--json", "--memory", *words)[0])["memory"]

        # 30 layers of 3 heads, keys and values of 64 elements: in F16 that is 23040 bytes for each token.
        facts = memory("--ctx-size", 1024, "--cache-type-k", "f16", "--cache-type-v", "f16", "--sequences", 3, "-t", 2)
        self.assertEqual(facts["cache_bytes"], 3 * 1024 * 23040)
        self.assertEqual((facts["context_length"], facts["max_sequences"], facts["threads"]), (1024, 3, 2))
        parts = [facts[name] for name in ("weight_bytes", "mapped_bytes", "cache_bytes", "scratch_bytes")]
        self.assertEqual(facts["total_bytes"], sum(parts))
        self.assertEqual(facts["cache_types"]["f16"]["total_bytes"], facts["total_bytes"])
        self.assertEqual(facts["cache_types"]["f32"]["cache_bytes"], 2 * facts["cache_bytes"])
        self.assertAlmostEqual(facts["weight_bytes"] / os.path.getsize(MODEL_FILE), 1, delta=0.05)
        self.assertLess(memory("--load", "mapped")["weight_bytes"], 1e6)
        self.assertGreater(memory("--load", "mapped")["mapped_bytes"], 9e7)
        out, _ = self.run_cli("inspect", MODEL_FILE, "--memory", "-c", 1024, "-ctk", "f16", "-ctv", "f16")
        self.assertRegex(out, r"(?m)^memory for +1 x 1024 tokens")
        self.assertRegex(out, r"(?m)^key-value cache +23\.6 MB$")
        self.assertRegex(out, r"(?m)^with cache q8_0 ")

    def test_why_it_cannot_be_run(self):
        out, _ = self.run_cli("inspect", MODEL_FILE, "--supported", "--pre-tokenizer", "strange")
        self.assertRegex(out, r"(?m)^needs pre tokenizer +strange \(not supported\)$")
        self.assertRegex(out, r"(?m)^can be run +no: .*'strange'")


class Limits(CliCase):
    def test_no_memory(self):
        def less_memory():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        self.fails(*RAW, "text", "-c", 1 << 20, expect=MEMORY, text="LLM_ERROR_NO_MEMORY",
                   preexec_fn=less_memory)

    def test_truncated_model(self):
        with open(MODEL_FILE, "rb") as whole, tempfile.NamedTemporaryFile() as part:
            part.write(whole.read(5_000_000))
            part.flush()
            self.fails("run", part.name, "text", expect=MODEL, text="LLM_ERROR_TRUNCATED")


if __name__ == "__main__":
    cli_case.main()
