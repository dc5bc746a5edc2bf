#!/usr/bin/env python3
"""Time libllm's tokenizer and llama.cpp's in turn, on the same text and vocabularies, in processor time.

    pip install llama-cpp-python
    compare_tokenizers.py BENCH VOCABULARY.gguf... [--text FILE] [--rounds N]

BENCH is the built tokenizer_bench. Without --text the text is 1 MiB of prose, code, numbers and many scripts, the same
each time. Printed are the best of N rounds in MB/s, and whether both give the same number of tokens.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
import time

from llama_cpp import llama_cpp

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and nobody knows why; it's a long story.",
    "In 1984 the price was 1,234.50 dollars, by 2024 it had risen to 98,765 (about 80 times as much).",
    "for (int i = 0; i < count; ++i) {\n\t\tsum += values[i] * weights[i];  // dot product\n\t}",
    "def main(argument):\n    return {key: value ** 2 for key, value in argument.items() if value % 2 == 0}",
    '{"name": "libllm", "version": [0, 1, 0], "text": "a \\"quoted\\" string", "null": null}',
    "https://example.org/a/b?c=d&e=%20f#g and someone@example.org",
    "Der kleine Junge ging über die Straße und kaufte süße Brötchen für seine Großmutter.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "你好，世界。我喜欢机器学习和自然语言处理。", "日本語の文章をトークンに分割します。", "안녕하세요 세계, 한국어 문장을 나눕니다.",
    "नमस्ते दुनिया, आप कैसे हैं?", "مرحبا بالعالم، كيف حالك اليوم؟", "😀👍🏽 🚀🚀🚀 ¯\\_(ツ)_/¯",
]


def sample_text():
    rng = random.Random(1)
    english = [w for s in SENTENCES[:6] for w in s.split()]
    parts, size = [], 0
    while size < 1 << 20:
        words = " ".join(rng.choice(english) + rng.choice(["", "", "", "s", "ing", "ed"]) for _ in range(40))
        part = words + ".\n" + rng.choice(SENTENCES) + "\n"
        parts.append(part)
        size += len(part.encode())
    return "".join(parts).encode()


class LlamaCpp:
    def __init__(self, path):
        self.quiet = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.quiet, None)
        options = llama_cpp.llama_model_default_params()
        options.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), options)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)

    def time(self, text, out):
        start = time.process_time()
        count = llama_cpp.llama_tokenize(self.vocabulary, text, len(text), out, len(out), False, True)
        return time.process_time() - start, count


def time_ours(bench, vocabulary, path):
    command = [bench, vocabulary, path, "--benchmark_filter=tokenize/text", "--benchmark_format=json"]
    result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["benchmarks"][0]
    return result["cpu_time"] * 1e-9, int(result["tokens"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("vocabularies", nargs="+")
    parser.add_argument("--text")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.text:
        with open(options.text, "rb") as file:
            text = file.read()
    else:
        text = sample_text()
    with tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        buffer = (llama_cpp.llama_token * (len(text) + 16))()
        print(f"{'vocabulary':40} {'libllm':>8} {'llama.cpp':>10} {'ratio':>6}  tokens")
        for path in options.vocabularies:
            theirs = LlamaCpp(path)
            ours_best, theirs_best = 1e9, 1e9
            for _ in range(options.rounds):
                seconds, our_count = time_ours(options.bench, path, file.name)
                ours_best = min(ours_best, seconds)
                seconds, their_count = theirs.time(text, buffer)
                theirs_best = min(theirs_best, seconds)
            speeds = [len(text) / s / 1e6 for s in (ours_best, theirs_best)]
            same = "equal" if our_count == their_count else f"{our_count} and {their_count}"
            name, ratio = os.path.basename(path), speeds[0] / speeds[1]
            print(f"{name:40} {speeds[0]:8.1f} {speeds[1]:10.2f} {ratio:6.1f}  {same}")


if __name__ == "__main__":
    main()
