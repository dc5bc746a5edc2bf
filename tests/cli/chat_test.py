#!/usr/bin/env python3
"""llm-cli chat: on a terminal with its keys, and with a script as its input."""
import json
import os
import signal
import stat
import tempfile
import time

import cli_case
from cli_case import CLI, CONTEXT_FULL, ERROR, INTERRUPTED, OK, USAGE, CliCase
from terminal import Terminal

cli_case.need_chat_templates()
MODEL_FILE = cli_case.real_model()
PROMPT = r"\r>>> |>>> "
SHORT = ("--temp", "0", "-n", "6")
LONG = ("--temp", "0", "-n", "2000", "--logit-bias", "2-inf")  # does not end its turn


class ChatCase(CliCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.history = self.path("state/libllm/chat_history")
        self.environment = dict(os.environ, TERM="xterm", LANG="C.UTF-8", HOME=self.folder.name,
                                XDG_STATE_HOME=self.path("state"))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def script(self, *lines, words=SHORT, **options):
        """(standard output, standard error) of a chat whose input are these lines."""
        return self.run_cli("chat", MODEL_FILE, *words, stdin="".join(line + "\n" for line in lines).encode(),
                            env=self.environment, **options)

    def saved(self, name="chat.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return [(message["role"], message["content"]) for message in json.load(file)["messages"]]

    def contents(self, *lines, words=SHORT):
        """The messages of a chat with these lines."""
        self.script(*lines, "/save " + self.path("chat.json"), words=words)
        return self.saved()


class Script(ChatCase):
    def test_answers_are_those_of_run(self):
        out, err = self.script("What is a cat?")
        self.assertEqual(out, self.run_cli("run", MODEL_FILE, "What is a cat?", *SHORT)[0] + "\n")
        self.assertEqual(err, "")
        self.assertFalse(os.path.exists(self.history))

    def test_a_conversation_is_the_prompt_of_the_next_answer(self):
        messages = self.contents("What is a cat?", "And a dog?")
        self.assertEqual([role for role, _ in messages], ["user", "assistant"] * 2)
        with open(self.path("two.json"), "w", encoding="utf-8") as file:
            json.dump([{"role": role, "content": text} for role, text in messages[:3]], file)
        answer = self.run_cli("run", MODEL_FILE, "--messages", self.path("two.json"), *SHORT)[0]
        self.assertEqual(answer, messages[3][1])

    def test_what_was_said_is_not_evaluated_again(self):
        _, err = self.script("What is a cat?", "And a dog?", "And a cow?", words=(*SHORT, "-v"))
        prompts = [line for line in err.splitlines() if line.startswith("prompt ")]
        self.assertEqual(len(prompts), 3)
        self.assertNotIn("reused", prompts[0])
        for line in prompts[1:]:
            total, reused = int(line.split()[3]), int(line.split()[-2])
            self.assertLess(total - reused, 20)  # the answer's last token, and the new message

    def test_system_message(self):
        for lines, words in (((), ("-sys", "Be a cat.")), (("/set system Be a cat.",), ())):
            messages = self.contents(*lines, "Hello", words=(*SHORT, *words))
            self.assertEqual(messages[0], ("system", "Be a cat."))
            self.assertEqual(messages[2][1], self.run_cli("run", MODEL_FILE, "Hello", "-sys", "Be a cat.", *SHORT)[0])
        self.assertEqual(self.contents("Hello", "/clear", words=(*SHORT, "-sys", "S")), [("system", "S")])
        self.assertEqual(self.contents("/set system S", "/set system"), [])

    def test_clear(self):
        messages = self.contents("Hello", "/clear", "What is a cat?")
        self.assertEqual(messages[0], ("user", "What is a cat?"))
        self.assertEqual(len(messages), 2)

    def test_regenerate(self):
        words = ("--temp", "1", "-s", "5", "-n", "12")
        first, again = self.contents("Hello", words=words), self.contents("Hello", "/regen", words=words)
        self.assertEqual(len(again), 2)
        self.assertNotEqual(first[1], again[1])
        self.assertEqual(again, self.contents("Hello", "/regen", words=words))
        self.assertEqual(self.contents("Hello", "/regen"), self.contents("Hello"))
        self.assertIn("no answer", self.script("/regen")[1])

    def test_set_and_show(self):
        _, err = self.script("/set temp 0.25", "/set top_k 7", "/set n-predict 3", "/show")
        for line in ("temperature 0.25", "top-k 7", "max-tokens 3", "messages  0"):
            self.assertIn("\n" + line, err)
        self.assertIn("4096 tokens", err)
        changed = self.contents("/set max-tokens 2", "Hello")
        self.assertTrue(self.contents("Hello")[1][1].startswith(changed[1][1]))
        for wrong, text in (("temp warm", "temperature"), ("ctx-size 5", "cannot be changed"), ("temp", "value"),
                            ("", "/set temp 0.5"), ("top-p 7", "top_p")):
            err = self.script("/set " + wrong, "/show")[1]
            self.assertIn(text, err)
            self.assertIn("\ntemperature 0\n", err)

    def test_save_load_read(self):
        before = self.contents("What is a cat?")
        self.assertEqual(self.contents("/load " + self.path("chat.json"), "And a dog?")[:2], before)
        self.assertEqual(self.contents(words=(*SHORT, "--messages", self.path("chat.json")))[:2], before[:2])
        with open(self.path("my text"), "w", encoding="utf-8") as file:
            file.write("What is\na cat?")
        self.assertEqual(self.contents("/read ~/my text")[0], ("user", "What is\na cat?"))
        for line in ("/load /nonexistent", "/read /nonexistent", "/save /nonexistent/file"):
            self.assertIn("No such file", self.script(line)[1])
        deep = '[{"role": "user", "content": ' + "[" * 300 + "]" * 300 + "}]"
        for text in ("{", "[1]", "[" * 10**6, deep, '[{"content": "x"}]', '{"messages": 5}', ""):
            with open(self.path("wrong"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn("no conversation", self.script("/load " + self.path("wrong"))[1])

    def test_several_lines(self):
        for lines in (('"""What is', 'a cat?"""'), ('"""What is', 'a cat?', '"""'), ("What is\\", "a cat?")):
            message = self.contents(*lines)[0]
            self.assertEqual(message[1].rstrip("\n"), "What is\na cat?")
        self.assertEqual(self.contents('"""one line"""')[0], ("user", "one line"))

    def test_commands_and_messages_that_look_like_them(self):
        out, err = self.script("/help", "/rgeen", "/nonsense", "/exit now", "", "  ", "/bye", "Hello")
        self.assertEqual(out, "")
        for text in ("/save FILE", "did you mean /regen?", "no command /nonsense", "/exit takes no argument"):
            self.assertIn(text, err)
        self.assertEqual(self.contents("/etc/passwd is a file")[0], ("user", "/etc/passwd is a file"))
        self.assertEqual(self.contents(" /exit")[0], ("user", " /exit"))

    def test_full_context(self):
        text = "word " * 100
        out, err = self.script("Hello", text, "/save " + self.path("chat.json"), words=(*SHORT, "-c", "80"),
                               expect=CONTEXT_FULL)
        self.assertIn("the context holds 80: the message was not sent", err)
        self.assertIn("/save FILE", err)
        self.assertEqual(len(self.saved()), 2)
        _, err = self.script("Hello", "/save " + self.path("chat.json"), words=(*LONG, "-c", "60"))
        self.assertIn("60 tokens is full", err)
        self.assertGreater(len(self.saved()[1][1]), 40)

    def test_without_a_template(self):
        out, _ = self.script("The capital of France is", words=("--raw", *SHORT))
        self.assertEqual(out, self.run_cli("run", "--raw", MODEL_FILE, "The capital of France is", *SHORT)[0] + "\n")
        tiny = cli_case.small_model()
        if tiny != MODEL_FILE:
            out, err = self.run_cli("chat", tiny, "-n", 3, stdin=b"Hello\n")
            self.assertIn("no chat template", err)

    def test_one_turn(self):
        out, _ = self.run_cli("chat", MODEL_FILE, "-p", "What is a cat?", "-st", *SHORT, stdin=b"more\n")
        self.assertEqual(out, self.run_cli("run", MODEL_FILE, "What is a cat?", *SHORT)[0] + "\n")

    def test_template_that_refuses(self):
        template = "{{ raise_exception('I refuse') if messages | length > 1 else messages[0].content }}"
        out, err = self.script("a", "b", "/save " + self.path("chat.json"),
                               words=(*SHORT, "--chat-template", template))
        self.assertIn("I refuse", err)
        self.assertEqual(len(self.saved()), 2)

    def test_wrong_command_lines(self):
        self.fails("chat", expect=USAGE, text="model")
        self.fails("chat", MODEL_FILE, "--temp", "warm", expect=USAGE, text="temperature")
        self.fails("chat", MODEL_FILE, "--messages", "/nonexistent", expect=ERROR, text="/nonexistent")


class Keys(ChatCase):
    def chat(self, *words):
        terminal = Terminal([CLI, "chat", MODEL_FILE, *words], self.environment)
        terminal.expect(PROMPT)
        return terminal

    def test_message_and_end(self):
        terminal = self.chat(*SHORT)
        expected = self.run_cli("run", MODEL_FILE, "What is a cat?", *SHORT)[0]
        terminal.line("What is a cat?")
        shown = terminal.expect(PROMPT).replace("\r", "")
        self.assertIn(expected.split("\n")[0], shown)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_status(), OK)

    def test_interrupt_stops_the_answer(self):
        terminal = self.chat(*LONG)
        terminal.line("Tell a long story.")
        terminal.expect(r"\n\S+ \S+ \S+ ")
        terminal.type("\x03")
        terminal.expect(PROMPT, 10)
        terminal.line("/set max-tokens 4")
        terminal.expect(PROMPT)
        terminal.line("And now?")
        terminal.expect(PROMPT)
        terminal.line("/save " + self.path("chat.json"))
        terminal.expect("4 messages saved")
        self.assertGreater(len(self.saved()[1][1]), 5)
        terminal.line("/exit")
        self.assertEqual(terminal.exit_status(), OK)

    def test_interrupt_twice_leaves(self):
        terminal = self.chat(*LONG)
        terminal.type("a line that is dropped\x03")
        terminal.expect("Ctrl-C once more")
        terminal.expect(PROMPT)
        terminal.line("/show")
        self.assertIn("messages  0", terminal.expect(PROMPT))
        terminal.line("Tell a long story.")
        terminal.expect(r"\n\S+ \S+ \S+ ")
        terminal.type("\x03")
        terminal.expect(PROMPT, 10)
        terminal.type("\x03")
        self.assertEqual(terminal.exit_status(), OK)

    def test_interrupt_twice_at_once(self):
        terminal = self.chat(*LONG)
        terminal.line("Tell a long story.")
        terminal.expect(r"\n\S+ \S+ \S+ ")
        terminal.type("\x03")
        time.sleep(0.02)
        terminal.type("\x03")
        self.assertIn(terminal.exit_status(), (OK, INTERRUPTED, -signal.SIGINT))

    def test_history(self):
        terminal = self.chat(*SHORT)
        terminal.line("What is a cat?")
        terminal.expect(PROMPT)
        terminal.line("/show")
        terminal.expect(PROMPT)
        terminal.line("/exit")
        self.assertEqual(terminal.exit_status(), OK)
        with open(self.history, encoding="utf-8") as file:
            self.assertEqual(file.read(), "What is a cat?\n/show\n/exit\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.history).st_mode), 0o600)
        terminal = self.chat(*SHORT)
        terminal.type("\x1b[A\x1b[A\x1b[A")  # three times up
        terminal.expect("What is a cat")
        terminal.line("")
        terminal.expect(PROMPT)
        terminal.line("/save " + self.path("chat.json"))
        terminal.expect("2 messages saved")
        self.assertEqual(self.saved()[0], ("user", "What is a cat?"))
        terminal.line("/exit")
        terminal.exit_status()

    def test_no_history(self):
        terminal = self.chat(*SHORT, "--no-history")
        terminal.line("/bye")
        self.assertEqual(terminal.exit_status(), OK)
        self.assertFalse(os.path.exists(self.history))

    def test_editing_and_characters_of_several_bytes(self):
        terminal = self.chat(*SHORT)
        terminal.line("caffé\x7fè d'été?\x01Un \x05")  # erase the é; Un at the beginning
        terminal.expect(PROMPT)
        terminal.line("/save " + self.path("chat.json"))
        terminal.expect("2 messages saved")
        self.assertEqual(self.saved()[0], ("user", "Un caffè d'été?"))
        terminal.line("/exit")
        terminal.exit_status()

    def test_several_lines_and_dropping_them(self):
        terminal = self.chat(*SHORT)
        terminal.line('"""first')
        terminal.expect(r"\.\.\. ")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        terminal.line('"""What is')
        terminal.expect(r"\.\.\. ")
        terminal.line('a cat?"""')
        terminal.expect(PROMPT)
        terminal.line("/save " + self.path("chat.json"))
        terminal.expect("2 messages saved")
        self.assertEqual(self.saved()[0], ("user", "What is\na cat?"))
        terminal.expect(PROMPT)
        terminal.type("\x04")
        self.assertEqual(terminal.exit_status(), OK)

    def test_resized_window(self):
        terminal = self.chat(*SHORT)
        terminal.type("What is a cat, ")
        terminal.expect("cat, ")
        terminal.resize(10, 30)
        time.sleep(0.2)
        terminal.line("what is a dog, and what is a very long line of text?")
        terminal.expect(PROMPT)
        terminal.line("/save " + self.path("chat.json"))
        terminal.expect("2 messages saved")
        self.assertEqual(self.saved()[0][1], "What is a cat, what is a dog, and what is a very long line of text?")
        terminal.line("/exit")
        self.assertEqual(terminal.exit_status(), OK)

    def test_dumb_terminal(self):
        self.environment["TERM"] = "dumb"
        terminal = self.chat(*SHORT)
        terminal.type("dropped\x03")
        terminal.expect("Ctrl-C once more")
        terminal.expect(PROMPT)
        terminal.line("What is a cat?")
        self.assertNotIn("\x1b", terminal.expect(PROMPT))
        terminal.type("\x04")
        self.assertEqual(terminal.exit_status(), OK)


if __name__ == "__main__":
    cli_case.main()
