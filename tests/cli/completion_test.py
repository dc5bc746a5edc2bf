#!/usr/bin/env python3
"""llm-cli completion and manual: what the shells make of the scripts, and that no option is missing."""
import os
import re
import shutil
import subprocess
import tempfile

import cli_case
from cli_case import CLI, USAGE, CliCase
from terminal import Terminal


def output(*words):
    return subprocess.run([CLI, *words], stdout=subprocess.PIPE, check=True, timeout=60).stdout.decode()


COMMANDS = re.findall(r"(?m)^  (\w+) ", output("help"))


def options_of(command):
    """The names of a command's options, as its help has them."""
    lines = re.findall(r"(?m)^  (-.*?)(?:  |$)", output(command, "--help"))
    return {word.rstrip(",") for line in lines for word in line.split() if word.startswith("-")}


class Scripts(CliCase):
    def test_every_option_is_there(self):
        bash, zsh, fish = (output("completion", shell) for shell in ("bash", "zsh", "fish"))
        manual = output("manual").replace("\\-", "-")
        self.assertGreater(len(COMMANDS), 10)
        for command in COMMANDS:
            self.assertIn(f"'__fish_seen_subcommand_from {command}'", fish)
            words = re.search(rf"(?m)^ +{command}\) options='(.*)' ;;$", bash).group(1).split()
            self.assertEqual(set(words), options_of(command))
            for name in options_of(command):
                self.assertIn(f"'*{name}[", zsh)
                kind = "l" if name.startswith("--") else "s" if len(name) == 2 else "o"
                self.assertRegex(fish, rf"seen_subcommand_from {command}'.* -{kind} {re.escape(name.lstrip('-'))} ")
                self.assertIn(name, manual)

    def test_wrong_shell(self):
        self.fails("completion", "csh", expect=USAGE, text="'csh'")
        self.fails("completion", expect=USAGE, text="bash, zsh or fish")


class Bash(CliCase):
    def replies(self, *words, folder="/"):
        """What bash offers for the last of the words."""
        script = 'source <("$0" completion bash); compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' \
                 '_llm_cli; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, CLI, "llm-cli", *words], stdout=subprocess.PIPE, check=True,
                              cwd=folder, timeout=60)
        return done.stdout.decode().split()

    def test_commands_options_and_words(self):
        self.assertEqual(self.replies("ins"), ["inspect"])
        self.assertEqual(self.replies("help", "tok"), ["tokenize"])
        self.assertEqual(self.replies("completion", "f"), ["fish"])
        self.assertEqual(self.replies("run", "--top-"), ["--top-p", "--top-k", "--top-n-sigma", "--top-nsigma"])
        self.assertEqual(self.replies("run", "--load", ""), ["packed", "mapped"])
        self.assertEqual(self.replies("run", "-ctk", "q"), ["q16", "q8_0"])
        self.assertEqual(self.replies("run", "--seed", ""), [])
        self.assertNotIn("--system", self.replies("inspect", "--"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("model.gguf", "my model.gguf"):
                open(f"{folder}/{name}", "w", encoding="utf-8").close()
            for words in (("run", "model"), ("run", "-m", "model"), ("chat", "--tools", "model")):
                self.assertEqual(self.replies(*words, folder=folder), ["model.gguf"])
            self.assertEqual(len(self.replies("run", "m", folder=folder)), 3)  # words of two names


class OtherShells(CliCase):
    def shell(self, name, *words):
        if not shutil.which(name):
            self.skipTest(f"there is no {name}")
        done = subprocess.run([name, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout.decode()

    def test_zsh(self):
        with tempfile.NamedTemporaryFile("w", suffix=".zsh") as file:
            file.write(output("completion", "zsh"))
            file.flush()
            self.assertEqual(self.shell("zsh", "-n", file.name), (0, ""))
            terminal = Terminal([shutil.which("zsh"), "-f", "-i"], dict(os.environ, TERM="xterm", LANG="C.UTF-8"))
            terminal.line(f"PS1=READY; autoload -U compinit; compinit -D -u; source {file.name}")
            terminal.expect("READY[^;]*$")
            for keys, pattern in (("llm-cli run --top-\t\t", "--top-k .*keep that many"),
                                  ("llm-cli chat --load \t\t", "mapped +packed"), ("llm-cli ins\t", "inspect")):
                terminal.type("\x15" + keys)  # instead of what stands there
                terminal.expect(pattern)
            terminal.line("\x15exit")
            self.assertEqual(terminal.exit_status(), 0)

    def test_fish(self):
        with tempfile.NamedTemporaryFile("w", suffix=".fish") as file:
            file.write(output("completion", "fish"))
            file.flush()

            def replies(line):
                status, text = self.shell("fish", "-N", "-c", f"source {file.name}; complete -C '{line}'")
                self.assertEqual(status, 0, text)
                return [reply.split("\t")[0] for reply in text.splitlines()]

            self.assertEqual(replies("llm-cli ins"), ["inspect"])
            self.assertEqual(sorted(replies("llm-cli run --top-")),
                             ["--top-k", "--top-n-sigma", "--top-nsigma", "--top-p"])
            self.assertEqual(sorted(replies("llm-cli run --load ")), ["mapped", "packed"])
            self.assertNotIn("--system", replies("llm-cli inspect --s"))

    def test_manual(self):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(output("manual"))
            file.flush()
            status, text = self.shell("mandoc", "-T", "lint", "-W", "warning", file.name)
            self.assertEqual((status, text), (0, ""))
            status, text = self.shell("mandoc", "-T", "utf8", file.name)
        text = re.sub(".\b", "", text)
        for words in ("NAME", "llm-cli run MODEL", "--top-k N", "LLM_ARG_TOP_K", "EXIT STATUS"):
            self.assertIn(words, text)


if __name__ == "__main__":
    cli_case.main()
