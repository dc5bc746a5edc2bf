#!/usr/bin/env python3
"""llm-cli chat in tmux, started from a shell: what is on the screen of a terminal, and what job control does."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import cli_case
from cli_case import CLI, CliCase

if not shutil.which("tmux"):
    print("SKIPPED: tmux is not there")
    sys.exit(0)
cli_case.need_chat_templates()
MODEL_FILE = cli_case.real_model()
CHAT = f"'{CLI}' chat '{MODEL_FILE}' --temp 0"
FOREVER = "--logit-bias 2-inf"  # a turn that does not end
PROMPT, SHELL = ">>>", "shell:"


class Screen(CliCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = ["tmux", "-S", os.path.join(folder.name, "tmux"), "-u", "-f", "/dev/null"]
        environment = dict(os.environ, HOME=folder.name, LANG="C.UTF-8", LC_ALL="C.UTF-8")
        self.addCleanup(subprocess.run, [*self.server, "kill-server"], check=False)
        self.tmux("new-session", "-d", "-x", "80", "-y", "24",
                  f"HISTFILE= PS1='{SHELL} ' exec bash --norc --noprofile", env=environment)
        self.wait_for(SHELL)

    def tmux(self, *words, **options):
        done = subprocess.run([*self.server, *words], check=True, capture_output=True, text=True, timeout=20, **options)
        return done.stdout

    def lines(self):
        """The lines of the screen that are not empty; those that were wrapped are one."""
        lines = self.tmux("capture-pane", "-p", "-J").splitlines()
        return [line.rstrip() for line in lines if line.strip()]

    def wait_until(self, is_good, what, seconds=30):
        """Waits until the lines are as wanted, and gives them."""
        end = time.monotonic() + seconds
        while True:
            lines = self.lines()
            if is_good(lines):
                return lines
            self.assertLess(time.monotonic(), end, f"{what} does not come: {lines}")
            time.sleep(0.05)

    def wait_for(self, last_line, seconds=30):
        """Waits until that is the last line."""
        return self.wait_until(lambda lines: lines[-1:] == [last_line], last_line, seconds)

    def wait_for_typed(self, text):
        """Waits until the text stands behind the last prompt, on several lines of the screen."""
        def typed(lines):
            return " ".join("".join(lines).rpartition(PROMPT)[2].split())
        self.wait_until(lambda lines: typed(lines) == text, text)

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def line(self, text):
        self.tmux("send-keys", "-l", text)
        self.keys("Enter")

    def shown_after(self, text, end=PROMPT):
        """Types a line and waits for the prompt behind what it shows; gives that."""
        self.line(text)
        lines = self.wait_until(lambda lines: lines[-1:] == [end] and f"{PROMPT} {text}" in lines, f"what {text} shows")
        return lines[lines.index(f"{PROMPT} {text}") + 1:-1]

    def test_a_chat_as_one_sees_it(self):
        answer = self.run_cli("run", MODEL_FILE, "What is 2+2?", "--temp", 0, "-n", 8)[0].splitlines()[0]
        self.line(f"{CHAT} -n 8")
        self.wait_for(PROMPT)
        self.assertEqual(self.shown_after("What is 2+2?"), [answer])
        self.keys("Up")
        self.wait_for(PROMPT + " What is 2+2?")
        self.keys("C-u")
        self.wait_for(PROMPT)
        self.keys("C-d")
        self.wait_for(SHELL)
        self.line("echo status $?")
        self.wait_until(lambda lines: "status 0" in lines, "status 0")

    def test_stopping_an_answer(self):
        self.line(f"{CHAT} -n 3000 {FOREVER}")
        self.wait_for(PROMPT)
        self.line("Tell a long story.")
        self.wait_until(lambda lines: lines[-1].count(" ") > 5 and not lines[-1].startswith(PROMPT), "a story")
        self.keys("C-c")
        self.wait_for(PROMPT, 5)
        self.keys("C-c")
        self.wait_for(SHELL, 5)

    def test_a_window_that_changes_its_size(self):
        self.line(f"{CHAT} -n 4")
        self.wait_for(PROMPT)
        self.tmux("send-keys", "-l", "/set system you are")
        self.wait_for(PROMPT + " /set system you are")
        self.tmux("resize-window", "-x", "40", "-y", "12")
        time.sleep(0.5)  # the program is told by a signal
        self.tmux("send-keys", "-l", " very" * 12 + " terse")  # wraps at the new width
        self.wait_for_typed("/set system you are" + " very" * 12 + " terse")
        self.keys("Enter")
        self.wait_for(PROMPT)
        self.assertIn("system    you are" + " very" * 12 + " terse", self.shown_after("/show"))
        self.line("/exit")
        self.wait_for(SHELL)

    def test_the_shell_may_suspend_it(self):
        self.line(f"{CHAT} -n 4")
        self.wait_for(PROMPT)
        self.tmux("send-keys", "-l", "/sh")
        self.wait_for(PROMPT + " /sh")
        self.keys("C-z")
        self.assertTrue(any("Stopped" in line for line in self.wait_for(SHELL)))
        self.line("fg")
        self.wait_for(PROMPT + " /sh")
        self.line("ow")
        self.wait_until(lambda lines: any(line.startswith("context") for line in lines), "what /show shows")
        self.wait_for(PROMPT)
        self.line("/exit")
        self.wait_for(SHELL)


if __name__ == "__main__":
    cli_case.main()
