#!/usr/bin/env python3
"""llm-cli template: conversations in, prompts and tokens out."""
import json

import cli_case
from cli_case import ERROR, USAGE, CliCase

cli_case.need_chat_templates()
MODEL_FILE = cli_case.real_model()
BEGIN = "<|im_start|>"


class Template(CliCase):
    def test_one_message(self):
        out, err = self.run_cli("template", MODEL_FILE, "Who are you?")
        self.assertTrue(out.endswith("<|im_start|>user\nWho are you?<|im_end|>\n<|im_start|>assistant\n"), out)
        self.assertEqual(err, "")

    def test_messages_from_a_file_and_from_standard_input(self):
        messages = '[{"role": "system", "content": "S"}, {"role": "user", "content": "é"}]'
        expected = "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\né<|im_end|>\n"
        file = self.file(messages)
        out = self.run_cli("template", MODEL_FILE, "--messages", file, "--no-generation-prompt")[0]
        self.assertEqual(out, expected)
        request = '{"messages": %s, "add_generation_prompt": false}' % messages
        for words in (("--messages", "-"), ()):
            self.assertEqual(self.run_cli("template", MODEL_FILE, *words, stdin=request.encode())[0], expected)

    def test_template_tools_and_variables(self):
        template = self.file("{{ tools | tojson }} {{ x }} {{ messages[0].content }} {{ strftime_now('%Y') }}")
        out = self.run_cli("template", MODEL_FILE, "hi", "--template-file", template, "--tools",
                           self.file('[{"n": 1.0}]'), "--variables", '{"x": 5}', "--now", 0)[0]
        self.assertEqual(out, '[{"n": 1.0}] 5 hi 1970')

    def test_tokens_and_the_guard(self):
        def ids(*words):
            return json.loads(self.run_cli("template", MODEL_FILE, "a" + BEGIN + "b", *words, "--ids")[0])
        begin = json.loads(self.run_cli("tokenize", MODEL_FILE, BEGIN, "--parse-special", "--ids")[0])[0]
        self.assertEqual(ids("--guard", 0).count(begin), ids().count(begin) + 1)
        table = self.run_cli("template", MODEL_FILE, "a", "--show-special")[0]
        self.assertIn(f"'{BEGIN}'  control\n", table)
        self.assertEqual(table.count("control"), sum(i in (1, 2) for i in ids()))

    def test_sources(self):
        source = self.run_cli("template", MODEL_FILE, "--source")[0]
        self.assertIn("<|im_start|>", source)
        self.assertEqual(self.run_cli("template", MODEL_FILE, "--list")[0], "default\n")

    def test_what_is_wrong_is_said(self):
        self.fails("template", MODEL_FILE, "--messages", self.file("[1]"), expect=ERROR, text="messages[0]")
        self.fails("template", MODEL_FILE, "--messages", self.file(""), expect=USAGE, text="empty")
        self.fails("template", MODEL_FILE, "x", "--messages", "-", expect=USAGE, text="exclude")
        wrong = self.file("\n{{ x")
        self.fails("template", MODEL_FILE, "x", "--template-file", wrong, expect=ERROR, text="line 2")
        refuses = self.file("{{ raise_exception('no') }}")
        self.fails("template", MODEL_FILE, "x", "--template-file", refuses, expect=ERROR, text="LLM_ERROR_TEMPLATE")


if __name__ == "__main__":
    cli_case.main()
