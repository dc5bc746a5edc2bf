#!/usr/bin/env python3
"""llm-cli perplexity: against another engine, against closed forms, and with stored bases that are damaged."""
import json
import math
import os
import pathlib
import pty
import resource
import signal
import statistics
import struct
import subprocess
import tempfile
import zlib

import cli_case
from cli_case import CLI, ERROR, INTERRUPTED, USAGE, CliCase

MODEL_FILE = cli_case.small_model()
TEXT_FILE = str(pathlib.Path(__file__).with_name("harbour.txt"))
WINDOW = 32
ROWS = WINDOW - 1 - WINDOW // 2


class Base:
    """A stored base, read and written by its description, not by the program."""

    def __init__(self, content):
        magic, self.version, self.vocabulary, self.window, self.windows = struct.unpack_from("<8s4I", content)
        assert magic == b"llmlogit" and self.version == 1
        self.rows = self.window - 1 - self.window // 2
        position = 24 + 4 * self.window * self.windows
        self.tokens = struct.unpack_from(f"<{self.window * self.windows}I", content, 24)
        self.check(content[:position], content, position)
        self.logits = []
        for _ in range(self.windows):
            begin, end = position + 4, position + 4 + 4 * self.rows * self.vocabulary
            for row in range(self.rows):
                offset = begin + 4 * row * self.vocabulary
                self.logits.append(struct.unpack_from(f"<{self.vocabulary}f", content, offset))
            self.check(content[begin:end], content, end)
            position = end
        assert position + 4 == len(content)

    @staticmethod
    def check(part, content, position):
        assert zlib.crc32(part) == struct.unpack_from("<I", content, position)[0]

    def bytes(self):
        """The file again, with what was changed."""
        def with_checksum(part):
            return part + struct.pack("<I", zlib.crc32(part))
        head = struct.pack("<8s4I", b"llmlogit", self.version, self.vocabulary, self.window, self.windows)
        parts = [with_checksum(head + struct.pack(f"<{len(self.tokens)}I", *self.tokens))]
        for window in range(self.windows):
            rows = self.logits[window * self.rows:(window + 1) * self.rows]
            parts.append(with_checksum(b"".join(struct.pack(f"<{self.vocabulary}f", *row) for row in rows)))
        return b"".join(parts)

    def targets(self):
        """The token that each row predicts."""
        return [self.tokens[window * self.window + self.window // 2 + row + 1]
                for window in range(self.windows) for row in range(self.rows)]

    def log_probabilities(self):
        def of(row):
            top = max(row)
            log_sum = top + math.log(math.fsum(math.exp(value - top) for value in row))
            return [value - log_sum for value in row]
        return [of(row) for row in self.logits]


class PerplexityCase(CliCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, content=None):
        path = os.path.join(self.folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def measure(self, *words, model=MODEL_FILE):
        return json.loads(self.run_cli("perplexity", model, *words, "--json")[0])

    def stored(self, windows=2):
        """A base of a few windows, and what was measured meanwhile."""
        path = self.path("stored")
        facts = self.measure("-f", TEXT_FILE, "-c", WINDOW, "--chunks", windows, "--save-base", path)
        with open(path, "rb") as file:
            return Base(file.read()), facts


class Values(PerplexityCase):
    def test_formula(self):
        base, facts = self.stored()
        losses = [-row[target] for row, target in zip(base.log_probabilities(), base.targets())]
        self.assertEqual((facts["tokens_scored"], facts["windows"], facts["window_length"]), (2 * ROWS, 2, WINDOW))
        mean, error = statistics.fmean(losses), statistics.stdev(losses) / math.sqrt(len(losses))
        self.assertAlmostEqual(facts["loss"]["mean"], mean, delta=1e-9)
        self.assertAlmostEqual(facts["loss"]["error"], error, delta=1e-9)
        self.assertAlmostEqual(facts["perplexity"] / math.exp(mean), 1, delta=1e-9)
        self.assertAlmostEqual(facts["perplexity_error"] / (math.exp(mean) * error), 1, delta=1e-9)

    def test_windows_hold_the_text(self):
        base, _ = self.stored()
        with open(TEXT_FILE, "rb") as file:
            ids = json.loads(self.run_cli("tokenize", MODEL_FILE, "--ids", stdin=file.read())[0])
        plain = json.loads(self.run_cli("tokenize", MODEL_FILE, "--ids", "--no-bos", "x")[0])
        begins = len(json.loads(self.run_cli("tokenize", MODEL_FILE, "--ids", "x")[0])) > len(plain)
        expected = ids[:2 * WINDOW]
        if begins:
            expected[WINDOW] = ids[0]
        self.assertEqual(list(base.tokens), expected)

    def test_another_engine(self):
        # SmolLM2 with llama.cpp, by the logits that llama-cpp-python gives for windows of 64 tokens: loss 3.4955 with
        # a cache of half floats, 3.4943 with one of single precision; standard error 0.2454 and 0.2452. Both engines
        # round activations to 8 bits, in their own ways.
        facts = self.measure("-f", TEXT_FILE, "-c", 64, model=cli_case.real_model())
        self.assertEqual(facts["tokens_scored"], 124)
        self.assertAlmostEqual(facts["loss"]["mean"], 3.495, delta=0.02)
        self.assertAlmostEqual(facts["loss"]["error"], 0.2453, delta=0.005)

    def test_results_do_not_depend_on_threads(self):
        words = ("-f", TEXT_FILE, "-c", WINDOW, "--chunks", 2)
        self.assertEqual(self.measure(*words, "-t", 1), self.measure(*words, "-t", 2, "-b", 7))


class Divergence(PerplexityCase):
    def against(self, base):
        return self.measure("--base", self.path("base", base.bytes()))

    def test_from_itself(self):
        _, alone = self.stored()
        stored = self.measure("--base", self.path("stored"))
        second = self.measure("-f", TEXT_FILE, "-c", WINDOW, "--chunks", 2, "--against", MODEL_FILE)
        self.assertEqual(stored, second)
        self.assertEqual(stored["perplexity"], alone["perplexity"])
        self.assertEqual(stored["base_perplexity"], alone["perplexity"])
        for name in ("divergence", "loss_change", "probability_change"):
            self.assertEqual(set(stored[name].values()), {0}, name)
        self.assertEqual(stored["same_top"], {"mean": 1, "error": 0})

    def test_from_equal_probabilities(self):
        base, alone = self.stored()
        log_q = base.log_probabilities()
        base.logits = [[1.5] * base.vocabulary] * len(base.logits)
        facts = self.against(base)
        self.assertAlmostEqual(facts["base_perplexity"] / base.vocabulary, 1, delta=1e-9)
        self.assertAlmostEqual(facts["base_perplexity_error"], 0, delta=1e-6)
        self.assertEqual(facts["perplexity"], alone["perplexity"])
        # sum of p ln(p / q) with p = 1 / V: -ln V - mean ln q
        expected = [-math.log(base.vocabulary) - statistics.fmean(row) for row in log_q]
        self.check_distribution(facts["divergence"], expected)
        changes = [math.exp(row[target]) - 1 / base.vocabulary for row, target in zip(log_q, base.targets())]
        self.assertAlmostEqual(facts["probability_change"]["mean"], statistics.fmean(changes), delta=1e-9)
        self.assertAlmostEqual(facts["probability_change"]["root_mean_square"],
                               math.sqrt(statistics.fmean(change * change for change in changes)), delta=1e-9)
        tops = [row.index(max(row)) == 0 for row in log_q]  # of equal ones the first is the most probable
        self.assertAlmostEqual(facts["same_top"]["mean"], statistics.fmean(tops), delta=1e-12)

    def test_from_certainty(self):
        base, alone = self.stored()
        base.logits = [[1000.0 if token == target else 0.0 for token in range(base.vocabulary)]
                       for target in base.targets()]
        facts = self.against(base)
        self.assertEqual((facts["base_perplexity"], facts["base_perplexity_error"]), (1, 0))
        # p is 1 for the text's tokens: what is left of the sum is their loss.
        self.assertAlmostEqual(facts["divergence"]["mean"], alone["loss"]["mean"], delta=1e-9)
        self.assertAlmostEqual(facts["loss_change"]["mean"], alone["loss"]["mean"], delta=1e-9)
        self.assertAlmostEqual(facts["loss_change"]["error"], alone["loss"]["error"], delta=1e-9)

    def check_distribution(self, facts, values):
        self.assertAlmostEqual(facts["mean"], statistics.fmean(values), delta=1e-7)
        self.assertAlmostEqual(facts["error"], statistics.stdev(values) / math.sqrt(len(values)), delta=1e-7)
        self.assertAlmostEqual(facts["minimum"], min(values), delta=1e-6)
        self.assertAlmostEqual(facts["maximum"], max(values), delta=1e-6)
        self.assertAlmostEqual(facts["median"], statistics.median(values), delta=1e-6)
        percentiles = statistics.quantiles(values, n=100, method="inclusive")
        for percent in (1, 5, 90, 95, 99):
            self.assertAlmostEqual(facts[f"p{percent}"], percentiles[percent - 1], delta=1e-6)

    def test_a_part_of_a_base(self):
        self.stored(windows=3)
        part = self.measure("--base", self.path("stored"), "--chunks", 2)
        self.assertEqual((part["windows"], part["tokens_scored"]), (2, 2 * ROWS))

    def test_names_of_llama_cpp(self):
        path = self.path("kld")
        self.measure("-f", TEXT_FILE, "-c", WINDOW, "--chunks", 2, "--kl-divergence-base", path)
        self.assertEqual(self.measure("--kl-divergence-base", path, "--kl-divergence")["divergence"]["mean"], 0)


class Output(PerplexityCase):
    WORDS = ("perplexity", MODEL_FILE, "-f", TEXT_FILE, "-c", WINDOW, "--chunks", 2)

    def test_text(self):
        out, err = self.run_cli(*self.WORDS, "--against", MODEL_FILE)
        self.assertRegex(out, rf"(?m)^tokens scored +{2 * ROWS}, in 2 windows of {WINDOW}$")
        self.assertRegex(out, r"(?m)^perplexity +\d+\.\d{4} ± \d+\.\d{4}$")
        self.assertRegex(out, r"(?m)^same first choice +100\.000 ± 0\.000 %$")
        self.assertEqual(err, "")

    def test_lines(self):
        out, _ = self.run_cli(*self.WORDS, "--jsonl")
        first, second, last = map(json.loads, out.splitlines())
        self.assertEqual((first["window"], first["of"], first["tokens_scored"]), (1, 2, ROWS))
        self.assertEqual(second["loss"], last["loss"])
        self.assertEqual(last, self.measure(*self.WORDS[2:]))

    def test_progress_on_a_terminal(self):
        leader, follower = pty.openpty()
        done = subprocess.run([CLI, *map(str, self.WORDS)], stdout=subprocess.PIPE, stderr=follower, timeout=60)
        os.close(follower)
        self.assertEqual(done.returncode, 0)
        shown = os.read(leader, 1 << 16).decode()
        os.close(leader)
        self.assertRegex(shown, r"window 1 of 2, \d+ s left: perplexity \d")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)


class Failures(PerplexityCase):
    def test_usage(self):
        for words, text in ((("--base", "b", "-f", TEXT_FILE), "brings its text"),
                            (("--base", "b", "-c", 8), "windows"),
                            (("--base", "b", "--against", "m"), "exclude"), (("--chunks", "x", "-p", "t"), "'x'"),
                            (("--base", "b", "--save-base", "c"), "exclude"), (("--kl-divergence",), "needs"),
                            (("-c", 2, "-f", TEXT_FILE), "at least 3")):
            self.fails("perplexity", MODEL_FILE, *words, expect=USAGE, text=text)

    def test_texts(self):
        self.fails("perplexity", MODEL_FILE, "-p", "short", "-c", WINDOW, expect=ERROR, text=f"takes {WINDOW}")
        self.fails("perplexity", MODEL_FILE, "-f", "/nonexistent/text", expect=ERROR, text="/nonexistent/text")
        self.fails("perplexity", MODEL_FILE, "-f", self.folder, expect=ERROR, text="directory")
        self.fails("perplexity", MODEL_FILE, "-f", "/dev/null", expect=ERROR, text="tokens")
        hostile = self.path("hostile", bytes(range(256)) * 4)
        self.measure("-f", hostile, "-c", 16)

    def test_models_of_other_vocabularies(self):
        other = pathlib.Path(MODEL_FILE).with_name("tiny-llama-mha-tied.gguf")
        if not other.exists() or not self.other_vocabulary(other):
            self.skipTest("no tiny model with another vocabulary")
        self.fails("perplexity", MODEL_FILE, "-f", TEXT_FILE, "-c", WINDOW, "--against", other, expect=ERROR,
                   text="cannot be compared")

    def other_vocabulary(self, other):
        sizes = {json.loads(self.run_cli("inspect", path, "--json")[0])["model"]["vocabulary_size"]
                 for path in (MODEL_FILE, other)}
        return len(sizes) == 2

    def test_damaged_bases(self):
        base, _ = self.stored()
        good = base.bytes()
        logits = 24 + 4 * len(base.tokens) + 4
        def flipped(position):
            return good[:position] + bytes([good[position] ^ 1]) + good[position + 1:]

        damages = [(b"", "ends too early"), (good[:23], "ends too early"), (b"GGUF" + good[4:], "no base"),
                   (good[:24], "incomplete"), (good[:-1], "incomplete"), (good + b"\0", "incomplete"),
                   (good[:-4 * ROWS * base.vocabulary - 4], "incomplete"), (flipped(30), "checksum"),
                   (flipped(logits + 5), "checksum"), (flipped(len(good) - 1), "checksum")]
        for position, text in ((8, "version"), (12, "tokens"), (16, "windows"), (20, "windows")):
            for number in (0, 1 << 31, 0xffffffff):
                damages.append((good[:position] + struct.pack("<I", number) + good[position + 4:], text))
        for content, text in damages:
            with self.subTest(text, size=len(content)):
                self.fails("perplexity", MODEL_FILE, "--base", self.path("b", content), expect=ERROR, text=text)
        base.logits[3] = [math.nan] * base.vocabulary
        self.fails("perplexity", MODEL_FILE, "--base", self.path("nan", base.bytes()), expect=ERROR, text="not finite")

    def test_bases_that_are_no_files(self):
        for path in (self.folder, "/nonexistent/base", "/dev/zero"):
            self.fails("perplexity", MODEL_FILE, "--base", path, expect=ERROR, text=path)
        out, _ = self.run_cli("perplexity", MODEL_FILE, "--json", "--base", "/nonexistent/base", expect=ERROR)
        self.assertIn("/nonexistent/base", json.loads(out)["error"]["message"])

    def test_a_base_that_cannot_be_written(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        words = ("perplexity", MODEL_FILE, "-f", TEXT_FILE, "-c", WINDOW, "--chunks", 2, "--save-base")
        old = self.path("base", b"what was there before")
        self.fails(*words, old, expect=ERROR, text="cannot write", preexec_fn=small_files)
        self.assertEqual(os.listdir(self.folder), ["base"])
        with open(old, "rb") as file:
            self.assertEqual(file.read(), b"what was there before")
        self.fails(*words, "/nonexistent/base", expect=ERROR, text="/nonexistent/base")

    def test_interrupt(self):
        text = self.path("text", open(TEXT_FILE, "rb").read() * 200)
        process = subprocess.Popen([CLI, "perplexity", MODEL_FILE, "-f", text, "--save-base", self.path("base"),
                                    "--jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (INTERRUPTED, b""))
        self.assertEqual(os.listdir(self.folder), ["text"])


if __name__ == "__main__":
    cli_case.main()
