#!/usr/bin/env python3
"""llm-cli bench: what is measured, in which order, the formats of the results, and the bound that they are held to."""
import csv
import io
import itertools
import json
import os
import pty
import signal
import subprocess
import tempfile

import cli_case
from cli_case import CLI, CONTEXT_FULL, INTERRUPTED, MODEL, CliCase

MODEL_FILE = cli_case.small_model()
QUICK = ("-p", 4, "-n", 2, "-r", 1)


class Sweep(CliCase):
    def rows(self, *words):
        return json.loads(self.run_cli("bench", "-m", MODEL_FILE, "--format", "json", *words)[0])

    def test_all_combinations_in_order(self):
        rows = self.rows("-t", "1,2", "-b", "4,8", "-d", "5,0", "-p", "3,2", "-n", "1-2", "-r", 1, "--no-roofline")
        expected = list(itertools.product((1, 2), (4, 8), (5, 0), ("pp3", "pp2", "tg1", "tg2")))
        self.assertEqual([(row["threads"], row["batch_size"], row["depth"], row["test"]) for row in rows], expected)

    def test_each_repetition_is_a_sample(self):
        for row in self.rows("-p", 16, "-n", 4, "-r", 3, "--no-roofline"):
            self.assertEqual(len(row["samples"]), 3)
            self.assertAlmostEqual(row["tokens_per_second"], sum(row["samples"]) / 3, delta=row["samples"][0] * 1e-9)
            self.assertGreater(min(row["samples"]), 0)

    def test_sequences(self):
        rows = self.rows("-p", 3, "-n", 2, "-np", "1,4", "-d", 5, "-r", 1, "--no-roofline")
        self.assertEqual([(row["test"], row["sequences"]) for row in rows],
                         [("pp3", 1), ("tg2", 1), ("pp3 x 4", 4), ("tg2 x 4", 4)])

    def test_defaults(self):
        facts = json.loads(self.run_cli("version", "--json")[0])
        rows = self.rows("-r", 1, "--no-roofline", "-b", 0, "-t", 0)
        self.assertEqual([row["test"] for row in rows], ["pp512", "tg64"])
        for row in rows:
            self.assertEqual((row["threads"], row["batch_size"], row["depth"]), (facts["threads"], 512, 0))
            self.assertEqual((row["tier"], row["version"]), (facts["tier"], facts["version"]))

    def test_zero_leaves_a_test_out(self):
        self.assertEqual([row["test"] for row in self.rows("-p", 0, "-n", "0,2", "-r", 1, "--no-roofline")], ["tg2"])

    def test_what_compare_programs_call(self):
        out, err = self.run_cli("bench", "-m", MODEL_FILE, "-p", 16, "-n", 4, "-d", 8, "-t", 2, "-r", 1, "--json")
        self.assertEqual([row["test"] for row in json.loads(out)], ["pp16", "tg4"])
        self.assertEqual(err, "")

    def test_too_small_a_context(self):
        out, _ = self.run_cli("bench", MODEL_FILE, *QUICK, "-d", 100, "-c", 64, "--json", expect=CONTEXT_FULL)
        self.assertEqual(json.loads(out)["error"]["status"], "LLM_ERROR_CONTEXT_FULL")

    def test_missing_model(self):
        self.fails("bench", "/nonexistent", expect=MODEL, text="/nonexistent")
        out, _ = self.run_cli("bench", "/nonexistent", "--json", expect=MODEL)
        self.assertEqual(json.loads(out)["error"]["status"], "LLM_ERROR_IO")


class Formats(CliCase):
    NAME = 'a,"b"|c'  # is padded to the length of the name in the file

    @classmethod
    def setUpClass(cls):
        """A copy of the model whose name has characters that mean something in the formats."""
        done = subprocess.run([CLI, "inspect", MODEL_FILE, "--json"], capture_output=True, check=True)
        name = json.loads(done.stdout)["model"]["name"].encode()
        cls.name = cls.NAME.ljust(len(name), ".")
        with open(MODEL_FILE, "rb") as file:
            content = file.read()
        cls.copy = tempfile.NamedTemporaryFile()
        cls.addClassCleanup(cls.copy.close)
        cls.copy.write(content.replace(name, cls.name.encode(), 1))
        cls.copy.flush()

    def output(self, *words):
        out, err = self.run_cli("bench", self.copy.name, *QUICK, *words)
        self.assertEqual(err, "")
        return out

    def check_fields(self, rows):
        """Checks what all formats for programs have in common; values may be texts."""
        self.assertEqual([row["test"] for row in rows], ["pp4", "tg2"])
        for row in rows:
            self.assertEqual(row["model"], self.name)
            self.assertGreater(float(row["tokens_per_second"]), 0)
            self.assertEqual(int(row["depth"]), 0)
            self.assertIn(row["roofline_limit"], ("memory", "compute"))

    def test_json(self):
        self.check_fields(json.loads(self.output("--json")))
        self.assertEqual([row.keys() for row in json.loads(self.output("--json"))],
                         [row.keys() for row in json.loads(self.output("--format", "json"))])

    def test_json_lines(self):
        self.check_fields([json.loads(line) for line in self.output("--format", "jsonl").splitlines()])

    def test_csv(self):
        lines = list(csv.reader(io.StringIO(self.output("--format", "csv", "-r", 2)), strict=True))
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        rows = [dict(zip(lines[0], line)) for line in lines[1:]]
        self.check_fields(rows)
        self.assertEqual(len(rows[0]["samples"].split(" ")), 2)

    def test_table(self):
        for words in ((), ("--format", "table")):
            machine, head, *rows = self.output(*words).splitlines()
            self.assertRegex(machine, r"^roofline of \d+ threads?: [\d.]+ GB/s read, [\d.]+ G/s int8 multiply-adds$")
            self.assertEqual(len(rows), 2)
            for row, test in zip(rows, ("pp4", "tg2")):
                self.assertEqual(row.index(test), head.index("test"))  # columns are aligned
                self.assertTrue(row.startswith(self.name + " "))
                self.assertRegex(row, r" [\d.]+ \+- 0\.00 +[\d.]+ % of (memory|compute)$")

    def test_markdown(self):
        machine, empty, head, rule, *rows = self.output("--format", "md").splitlines()
        self.assertEqual((machine[:11], empty, len(rows)), ("roofline of", "", 2))
        for line in (head, rule, *rows):
            self.assertRegex(line, r"^\| .* \|$")
            self.assertEqual(line.replace("\\|", "").count("|"), head.count("|"))

    def test_without_roofline(self):
        for name in ("table", "md", "csv", "json", "jsonl"):
            self.assertNotIn("roofline", self.output("--format", name, "--no-roofline"))


class Roofline(CliCase):
    def rows(self, *words):
        return json.loads(self.run_cli("bench", "-m", MODEL_FILE, "--json", "-r", 2, *words)[0])

    def work(self):
        """(bytes, products) of the layers and of the output matrix, from the list of tensors."""
        facts = json.loads(self.run_cli("inspect", MODEL_FILE, "--json", "--tensors")[0])
        tensors = {tensor["name"]: tensor for tensor in facts["tensors"]}
        output = tensors.get("output.weight", tensors["token_embd.weight"])
        layers = [tensor for name, tensor in tensors.items() if name not in ("output.weight", "token_embd.weight")]
        return [(sum(tensor["bytes"] for tensor in part),
                 sum(tensor["shape"][0] * tensor["shape"][1] for tensor in part if len(tensor["shape"]) == 2))
                for part in (layers, [output])]

    def test_range(self):
        for row in self.rows("-p", "4,64", "-n", 16, "-t", "1,2", "-d", "0,64"):
            self.assertGreater(row["roofline_percent"], 0)
            self.assertLess(row["roofline_percent"], 130)
            self.assertAlmostEqual(row["roofline_percent"],
                                   100 * row["tokens_per_second"] / row["roofline_tokens_per_second"], delta=1e-6)
            self.assertGreater(row["read_gigabytes_per_second"], 0.1)
            self.assertGreater(row["int8_gigaproducts_per_second"], 0.1)

    def test_bound_is_that_of_the_tensors(self):
        (layer_bytes, layer_products), (output_bytes, output_products) = self.work()
        # One token; eight tokens in two batches, of which the last has logits; one token of each of four sequences.
        for words, tokens, passes, outputs in ((("-p", 0, "-n", 1), 1, 1, 1), (("-p", 8, "-n", 0, "-b", 4), 8, 2, 1),
                                               (("-p", 0, "-n", 1, "--sequences", 4), 4, 1, 4)):
            row, = self.rows(*words)
            reading = (passes * layer_bytes + output_bytes) / row["read_gigabytes_per_second"]
            computing = (tokens * layer_products + outputs * output_products) / row["int8_gigaproducts_per_second"]
            expected = tokens / max(reading, computing) * 1e9
            self.assertAlmostEqual(row["roofline_tokens_per_second"] / expected, 1, delta=0.02)  # keys and values
            self.assertEqual(row["roofline_limit"], "memory" if reading > computing else "compute")

    def test_deeper_is_slower(self):
        near, far = self.rows("-p", 0, "-n", 1, "-d", "0,1000")
        self.assertGreater(near["roofline_tokens_per_second"], far["roofline_tokens_per_second"])


class Course(CliCase):
    ENDLESS = [CLI, "bench", MODEL_FILE, "-p", "2", "-n", "10000", "-r", "1000", "--format", "jsonl"]

    def test_results_come_one_by_one(self):
        process = subprocess.Popen(self.ENDLESS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(json.loads(process.stdout.readline())["test"], "pp2")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err), (INTERRUPTED, b"", b""))

    def test_status_is_for_terminals(self):
        master, slave = pty.openpty()
        done = subprocess.run([CLI, "bench", MODEL_FILE, *map(str, QUICK), "--json"], stdout=subprocess.PIPE,
                              stderr=slave, timeout=300, check=True)
        os.close(slave)
        shown = os.read(master, 1 << 16).decode()
        os.close(master)
        self.assertEqual(len(json.loads(done.stdout)), 2)
        self.assertIn("roofline", shown)
        self.assertIn("pp4, depth 0", shown)
        self.assertTrue(shown.endswith("\r\033[K"), shown)  # nothing is left on the terminal


if __name__ == "__main__":
    cli_case.main()
