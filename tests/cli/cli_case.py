"""Runs llm-cli and looks at what comes out."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

OK, ERROR, USAGE, MODEL, MEMORY, CONTEXT_FULL, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 4, 5, 130, 141

CLI = sys.argv[1]


class CliCase(unittest.TestCase):
    def run_cli(self, *words, expect=OK, stdin=b"", **options):
        """Runs llm-cli with the words and checks the exit status; gives standard output and standard error."""
        done = subprocess.run([CLI, *map(str, words)], input=stdin, capture_output=True, timeout=300, **options)
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, expect, f"{words}\n{out}\n{err}")
        return out, err

    def fails(self, *words, expect, text, **options):
        """Checks that llm-cli says why it failed in a line of standard error, and nothing on standard output."""
        out, err = self.run_cli(*words, expect=expect, **options)
        self.assertEqual(out, "")
        self.assertIn(text, err.splitlines()[0])

    def file(self, text):
        """Path of a file with that text, which is there until the test ends."""
        file = tempfile.NamedTemporaryFile("w", encoding="utf-8")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name


def small_model():
    """Path of a model of a megabyte from the reference data; without it, of SmolLM2."""
    data = os.environ.get("LLM_TEST_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared"
    path = pathlib.Path(data) / "golden/arch/tiny-llama.gguf"
    return str(path) if path.exists() else real_model()


def real_model():
    """Path of SmolLM2; without it the whole test is skipped."""
    path = os.environ.get("LLM_TEST_SMOLLM2", "")
    if not os.path.exists(path):
        print("SKIPPED: LLM_TEST_SMOLLM2 does not name a file")
        sys.exit(0)
    return path


def need_chat_templates():
    """Skips the whole test in a build that cannot render templates."""
    facts = subprocess.run([CLI, "version", "--json"], stdout=subprocess.PIPE, check=True, timeout=60).stdout
    if not json.loads(facts)["chat_templates"]:
        print("SKIPPED: built without chat templates")
        sys.exit(0)


def main():
    del sys.argv[1]
    unittest.main()
