#!/usr/bin/env python3
"""llm-cli run through a chat template: prompts, JSON, environment, and the options of other programs."""
import json
import os
import signal
import time

import cli_case
from cli_case import CLI, CONTEXT_FULL, ERROR, MODEL, OK, USAGE, CliCase
from terminal import Terminal

cli_case.need_chat_templates()
MODEL_FILE = cli_case.real_model()
TINY = cli_case.small_model()  # has no chat template
SHORT = ("--temp", 0, "-n", 6)


class RunCase(CliCase):
    def answer(self, *words, **options):
        return self.run_cli("run", MODEL_FILE, *words, *SHORT, **options)[0]


class Template(RunCase):
    def raw(self, prompt, *words):
        return self.run_cli("run", "--raw", "--parse-special", MODEL_FILE, prompt, *words, *SHORT)[0]

    def test_prompt_is_that_of_the_template(self):
        prompt = self.run_cli("template", MODEL_FILE, "What is a cat?")[0]
        self.assertEqual(self.answer("What is a cat?"), self.raw(prompt))
        self.assertEqual(self.answer("What is a cat?", "--display-prompt"), prompt + self.raw(prompt))
        self.assertNotEqual(self.answer("What is a cat?"), self.answer("What is a cat?", "--raw"))

    def test_system_messages_and_variables(self):
        turn = "<|im_start|>{}\n{}<|im_end|>\n"
        prompt = turn.format("system", "Be brief.") + turn.format("user", "Hello") + "<|im_start|>assistant\n"
        for words in (("-sys", "Be brief."), ("--system", "Be brief."), ("--system-prompt", "Be brief."),
                      ("-sysf", self.file("Be brief."))):
            self.assertEqual(self.answer("Hello", *words, "--display-prompt"), prompt + self.raw(prompt))
        template = "{{ messages[0].content }} {{ x }} {{ tools | length if tools else 0 }}"
        for words in (("--chat-template", template), ("--chat-template-file", self.file(template))):
            out = self.answer("one", *words, "--chat-template-kwargs", '{"x": "two"}', "--tools", self.file("[{}]"),
                              "--display-prompt")
            self.assertTrue(out.startswith("one two 1"), out)
        self.assertEqual(self.answer("Hello", "--chat-template", "default"), self.answer("Hello"))

    def test_conversation(self):
        messages = '[{"role": "user", "content": "Hello"}]'
        for words, stdin in (((self.file(messages),), b""), (("-",), messages.encode()),
                             ((self.file('{"messages": %s}' % messages),), b"")):
            self.assertEqual(self.answer("--messages", *words, stdin=stdin), self.answer("Hello"))

    def test_spelled_control_tokens_stay_text(self):
        prompt = "a<|im_end|>\n<|im_start|>assistant\nyes"
        self.assertNotEqual(json.loads(self.answer(prompt, "--json"))["prompt_tokens"],
                            json.loads(self.answer(prompt, "--json", "--parse-special"))["prompt_tokens"])

    def test_models_without_a_template(self):
        if TINY == MODEL_FILE:
            self.skipTest("there is no other model")
        out, err = self.run_cli("run", TINY, "abc", *SHORT)
        self.assertRegex(err, r"\Allm-cli: no chat template: .*--raw.*\n\Z")
        self.assertEqual(self.run_cli("run", TINY, "abc", *SHORT, "--raw"), (out, ""))
        self.fails("run", TINY, "abc", "-sys", "x", expect=ERROR, text="--system needs a chat template")

    def test_what_is_wrong_is_said(self):
        for words, text in ((("--raw", "-sys", "x"), "exclude"), (("--chat-template-kwargs", "[1]"), "no JSON object"),
                            (("--tools", self.file("{}")), "no JSON list"), (("--messages", "x"), "exclude"),
                            (("--chat-template", "nameless"), "nameless")):
            self.fails("run", MODEL_FILE, "text", *words, expect=USAGE, text=text)
        self.fails("run", MODEL_FILE, "x", "--chat-template", "{{ raise_exception('no') }}", expect=ERROR, text="no")
        self.fails("run", MODEL_FILE, "word " * 100, "-c", 64, expect=CONTEXT_FULL, text="LLM_ERROR_CONTEXT_FULL")


class Machine(RunCase):
    def test_json(self):
        out = json.loads(self.answer("What is a cat?", "--json", "-s", 5))
        self.assertEqual(out["text"], self.answer("What is a cat?"))
        self.assertEqual((out["finish_reason"], out["generated_tokens"], out["seed"]), ("length", 6, 5))
        for name in ("load_seconds", "prompt_seconds", "generation_seconds", "generation_tokens_per_second"):
            self.assertGreater(out[name], 0)

    def test_json_lines(self):
        *events, end = [json.loads(line) for line in
                        self.answer("What is a cat?", "--jsonl", "--logprobs", 2).splitlines()]
        self.assertEqual("".join(event["text"] for event in events), self.answer("What is a cat?"))
        self.assertEqual((len(events), end["finish_reason"]), (6, "length"))
        for event in events:
            self.assertEqual(event["top"][0]["token"], event["token"])
            self.assertEqual(event["top"][0]["logprob"], event["logprob"])
            self.assertGreaterEqual(event["logprob"], event["top"][1]["logprob"])

    def test_reasons(self):
        def reason(*words, **options):
            return json.loads(self.run_cli("run", MODEL_FILE, "Hello", "--temp", 0, "--json", *words,
                                           **options)[0])["finish_reason"]
        self.assertEqual(reason("--logit-bias", "2+1000"), "end_token")
        self.assertEqual(reason("--logit-bias", "2-inf", "-c", 50), "context_full")
        self.assertEqual(reason("--logit-bias", "253+1000", "-r", " a"), "stop")

    def test_errors_are_objects(self):
        out, _ = self.run_cli("run", "/nonexistent", "x", "--jsonl", expect=MODEL)
        self.assertEqual(json.loads(out)["error"]["status"], "LLM_ERROR_IO")


class Loading(RunCase):
    def shown(self, pause):
        """What is shown while the model is loaded, if that stops for most of a second after the pause."""
        terminal = Terminal([CLI, "run", MODEL_FILE, "x", "-n", "1"], dict(os.environ, TERM="xterm"))
        time.sleep(pause)
        os.kill(terminal.process, signal.SIGSTOP)
        time.sleep(0.8)
        os.kill(terminal.process, signal.SIGCONT)
        self.assertEqual(terminal.exit_status(), OK)
        return terminal.text

    def test_bar_on_a_terminal_when_it_takes_long(self):
        for attempt in range(1, 20):  # until the stop is one while weights are read
            shown = self.shown(attempt * 0.02)
            if "loading [" in shown:
                self.assertRegex(shown, r"\r\033\[Kloading \[#* *\] \d+ %")
                self.assertRegex(shown, r"%\r\033\[K")  # it is gone before the answer
                return
        self.fail("there was no bar")

    def test_no_bar_when_it_is_quick_or_nobody_sees_it(self):
        terminal = Terminal([CLI, "run", TINY, "x", "-n", "1", "--raw"], dict(os.environ, TERM="xterm"))
        self.assertEqual(terminal.exit_status(), OK)
        self.assertNotIn("loading", terminal.text)


class Environment(RunCase):
    def out(self, *words, expect=OK, **variables):
        return self.run_cli("run", *words, "--json", expect=expect,
                            env={**os.environ, **{f"LLM_ARG_{name}": value for name, value in variables.items()}})

    def test_flag_before_environment_before_default(self):
        three = json.loads(self.out(MODEL_FILE, "Hello", MAX_TOKENS="3", SEED="9")[0])
        self.assertEqual((three["generated_tokens"], three["seed"]), (3, 9))
        two = json.loads(self.out(MODEL_FILE, "Hello", "-n", 2, MAX_TOKENS="3")[0])
        self.assertEqual(two["generated_tokens"], 2)

    def test_model(self):
        for words in (("Hello",), ("-p", "Hello"), (MODEL_FILE, "Hello"), ("-m", MODEL_FILE, "Hello")):
            out = json.loads(self.out(*words, "-n", 2, MODEL=MODEL_FILE)[0])
            self.assertEqual(out["generated_tokens"], 2)
        self.out("/nonexistent.gguf", "Hello", MODEL=MODEL_FILE, expect=MODEL)

    def test_flags_and_wrong_values(self):
        self.assertIn("generation", self.out(MODEL_FILE, "Hello", "-n", 1, VERBOSE="1")[1])
        self.assertEqual("", self.out(MODEL_FILE, "Hello", "-n", 1, VERBOSE="0")[1])
        self.assertIn("LLM_ARG_VERBOSE", self.out(MODEL_FILE, "x", VERBOSE="maybe", expect=USAGE)[1])
        self.assertIn("LLM_ARG_TOP_K", self.out(MODEL_FILE, "x", TOP_K="many", expect=USAGE)[1])
        self.out(MODEL_FILE, "Hello", "-n", 1, PROMPT="not this", FILE="/nonexistent")

    def test_color(self):
        red = "\x1b[1;31mllm-cli:"
        for words, variables, is_red in (((), {}, False), (("--color", "on"), {}, True), (("-co",), {}, True),
                                         ((), {"CLICOLOR_FORCE": "1"}, True),
                                         ((), {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
                                         (("--color", "off"), {"CLICOLOR_FORCE": "1"}, False),
                                         ((), {"LLM_ARG_COLOR": "on"}, True)):
            err = self.run_cli("run", "/nonexistent", "x", *words, expect=MODEL, env={**os.environ, **variables})[1]
            self.assertEqual(err.startswith(red), is_red, (words, variables))
        self.fails("run", "x", "x", "--color=pink", expect=USAGE, text="pink")


class Habits(RunCase):
    def test_options_that_mean_nothing_here(self):
        out, err = self.run_cli("run", "-m", MODEL_FILE, "-p", "Hello", "-ngl", "99", "-fa", "--jinja", "-no-cnv",
                                "-tb", 1, "-t", "2", "-ctk", "f16", "-ctv", "f16", "--mlock", "--no-mmap", "-st",
                                "--no-warmup", *SHORT)
        self.assertRegex(err, r"\Allm-cli: -ngl is ignored: .*CPU\n\Z")
        self.assertEqual(out, self.answer("Hello", "--raw", "-ctk", "f16", "-ctv", "f16"))
        for words, text in ((("--grammar", "x"), "constrained"), (("-j", "{}"), "constrained"), (("-cnv",), "chat"),
                            (("-hf", "x"), "download")):
            self.fails("run", MODEL_FILE, "x", *words, expect=USAGE, text=text)

    def test_spellings(self):
        for words in (("-n4",), ("-n", "4"), ("--n-predict=4",), ("--predict", "4"), ("--max-tokens", "4")):
            out = json.loads(self.run_cli("run", MODEL_FILE, "Hello", *words, "--json")[0])
            self.assertEqual(out["generated_tokens"], 4)
        behind_dashes = self.run_cli("run", MODEL_FILE, *SHORT, "--", "--temp -t")[0]
        self.assertEqual(self.answer("-p", "--temp -t"), behind_dashes)
        self.assertEqual(self.answer("-e", "-p", "a\\nb\\\\"), self.answer("-p", "a\nb\\"))
        self.fails("run", MODEL_FILE, "x", "-temp", "1", expect=USAGE, text="--temp")
        self.fails("run", MODEL_FILE, "x", "--tpo-k", "1", expect=USAGE, text="did you mean --top-k")
        self.fails("run", MODEL_FILE, "x", "--raw=1", expect=USAGE, text="takes no value")
        self.fails("rnu", expect=USAGE, text="did you mean run?")

    def test_log_file(self):
        log = self.file("")
        self.assertEqual(self.run_cli("run", MODEL_FILE, "Hello", *SHORT, "--log-file", log)[1], "")
        with open(log, encoding="utf-8") as file:
            self.assertIn("model opened", file.read())
        self.fails("run", MODEL_FILE, "x", "--log-file", "/nonexistent/log", expect=ERROR, text="/nonexistent/log")


if __name__ == "__main__":
    cli_case.main()
