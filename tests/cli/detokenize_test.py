#!/usr/bin/env python3
"""llm-cli detokenize: ids of all forms in, the text out, byte for byte."""
import json
import tempfile

import cli_case
from cli_case import ERROR, MODEL, USAGE, CliCase

MODEL_FILE = cli_case.real_model()
# What the reference engine gives for this text: golden/real/smollm2-135m-instruct-q4_1.json of the test data.
TEXT, IDS = "Once upon a time", ["6403", "1980", "253", "655"]


class Detokenize(CliCase):
    def test_all_ways_to_give_ids(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("\n".join(IDS))
            file.flush()
            for words, stdin in ((IDS, ""), (("6403,1980", "[253, 655]"), ""), ((), "[6403, 1980,\n253,655]\n"),
                                 (("-",), " ".join(IDS)), (("-f", file.name), ""), (("-f", "-"), ",".join(IDS))):
                out, err = self.run_cli("detokenize", MODEL_FILE, *words, stdin=stdin.encode())
                self.assertEqual((out, err), (TEXT, ""), words)

    def test_inverse_of_tokenize(self):
        for text in ("", " ", "\n\n\t", "naïve 東京 🎉", "<|im_start|>", "x" * 5000, "e\u0301 \u200d"):
            ids = self.run_cli("tokenize", MODEL_FILE, "--ids", "--no-bos", stdin=text.encode())[0]
            self.assertEqual(self.run_cli("detokenize", MODEL_FILE, stdin=ids.encode())[0], text)

    def test_control_tokens(self):
        self.assertEqual(self.run_cli("detokenize", MODEL_FILE, 6403, 1)[0], "Once")
        self.assertEqual(self.run_cli("detokenize", MODEL_FILE, 6403, 1, "--special")[0], "Once<|im_start|>")
        self.assertEqual(self.run_cli("detokenize", MODEL_FILE, 6403, 1, "--pieces")[0],
                         "    6403  'Once'\n       1  '<|im_start|>'  control\n")

    def test_json(self):
        out, _ = self.run_cli("detokenize", MODEL_FILE, *IDS, "--json")
        self.assertEqual(json.loads(out), {"count": 4, "text": TEXT, "bytes": len(TEXT)})
        part = json.loads(self.run_cli("tokenize", MODEL_FILE, "🎉", "--ids")[0])[0]  # of a character
        self.assertIn("\ufffd", json.loads(self.run_cli("detokenize", MODEL_FILE, part, "--json")[0])["text"])

    def test_what_is_no_id(self):
        for word in ("1x", "0x10", "1.5", "--5", "99999999999999999999", "2147483648", "é", "1\x1b[31m"):
            out, err = self.run_cli("detokenize", MODEL_FILE, stdin=word.encode(), expect=USAGE)
            self.assertEqual(out, "")
            self.assertIn("no token id", err)
            self.assertNotIn("\x1b", err)
        self.fails("detokenize", MODEL_FILE, stdin=b"1 \0 2", expect=USAGE, text="no token id")
        self.fails("detokenize", MODEL_FILE, stdin=b"\xff\xfe", expect=USAGE, text="no token id")
        self.fails("detokenize", MODEL_FILE, 49152, expect=ERROR, text="49152")
        out, _ = self.run_cli("detokenize", MODEL_FILE, 49152, "--json", expect=ERROR)
        self.assertEqual(json.loads(out)["error"]["status"], "LLM_ERROR_ARGUMENT")

    def test_files(self):
        self.assertEqual(self.run_cli("detokenize", MODEL_FILE, "-f", "/dev/null"), ("", ""))
        self.fails("detokenize", MODEL_FILE, "-f", "/", expect=ERROR, text="directory")
        self.fails("detokenize", MODEL_FILE, "-f", "/nonexistent/ids", expect=ERROR, text="/nonexistent/ids")
        self.fails("detokenize", MODEL_FILE, "1", "-f", "x", expect=USAGE, text="exclude")
        self.fails("detokenize", "/nonexistent/m.gguf", "1", expect=MODEL, text="/nonexistent/m.gguf")


if __name__ == "__main__":
    cli_case.main()
