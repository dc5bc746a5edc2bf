#!/usr/bin/env python3
"""Compares each sampler with llama.cpp's, through llama-cpp-python: the tokens that are left of random logits, and
their probabilities. Arguments: the program sampler_cases; a model file, whose vocabulary DRY's breakers need, is taken
from LLM_TEST_SMOLLM2.

A case is given to the program as lines "name: value" with an empty line behind them: options (names and values), bias
(ids and values), history (ids), uniform (lengths of rows of equal logits to draw from first), logits."""
import ctypes
import os
import random
import subprocess
import sys

try:
    from llama_cpp import llama_cpp as oracle
except ImportError:
    print("SKIPPED: llama-cpp-python is not installed")
    sys.exit(0)

TOLERANCE = 1e-5
OFF = {"temperature": 1, "top_p": 1, "min_p": 0, "top_k": 0}
INFINITY = float("inf")
SILENCE = oracle.llama_log_callback(lambda *_: None)


class Case:
    """Logits, what happened before, the options that we are given and the oracle's samplers that mean the same."""

    def __init__(self, options, samplers, logits, bias=(), history=(), uniform=()):
        self.options, self.samplers, self.logits = {**OFF, **options}, samplers, logits
        self.bias, self.history, self.uniform = bias, history, uniform

    def text(self):
        fields = {"options": [word for pair in self.options.items() for word in pair],
                  "bias": [number for pair in self.bias for number in pair], "history": self.history,
                  "uniform": self.uniform, "logits": self.logits}
        return "".join(f"{name}: {' '.join(map(str, values))}\n" for name, values in fields.items()) + "\n"

    def expected(self):
        chain = oracle.llama_sampler_chain_init(oracle.llama_sampler_chain_default_params())
        for sampler in self.samplers():
            oracle.llama_sampler_chain_add(chain, sampler)
        for count in self.uniform:
            apply(chain, [0.0] * count)
        for token in self.history:
            oracle.llama_sampler_accept(chain, token)
        left = apply(chain, self.logits)
        oracle.llama_sampler_free(chain)
        return left


def apply(chain, logits):
    """Probabilities of the tokens that a chain leaves."""
    items = (oracle.llama_token_data * len(logits))(*(oracle.llama_token_data(i, x, 0) for i, x in enumerate(logits)))
    array = oracle.llama_token_data_array(items, len(logits), -1, False)
    oracle.llama_sampler_apply(chain, ctypes.byref(array))
    left = {array.data[i].id: array.data[i].logit for i in range(array.size) if array.data[i].logit > -INFINITY}
    best = max(left.values())
    weights = {token: pow(2.718281828459045, logit - best) for token, logit in left.items()}
    total = sum(weights.values())
    return {token: weight / total for token, weight in weights.items()}


def single(number):
    """A number that single precision has."""
    return ctypes.c_float(number).value


def random_logits(generator, count, spread):
    return [single(generator.gauss(0, spread)) for _ in range(count)]


def filter_cases(rows):
    keep = 1
    for p in (0.1, 0.5, 0.9, 0.99):
        for logits in rows:
            yield Case({"top_p": p}, lambda p=p: [oracle.llama_sampler_init_top_p(p, keep)], logits)
            yield Case({"typical_p": p}, lambda p=p: [oracle.llama_sampler_init_typical(p, keep)], logits)
            yield Case({"min_p": p / 5}, lambda p=p: [oracle.llama_sampler_init_min_p(p / 5, keep)], logits)
            yield Case({"top_n_sigma": p * 3}, lambda p=p: [oracle.llama_sampler_init_top_n_sigma(p * 3)], logits)
            yield Case({"xtc_probability": 1, "xtc_threshold": p / 4},
                       lambda p=p: [oracle.llama_sampler_init_xtc(1, p / 4, keep, 1)], logits)
            yield Case({"temperature": p * 2}, lambda p=p: [oracle.llama_sampler_init_temp(p * 2)], logits)
            yield Case({"top_k": 7}, lambda: [oracle.llama_sampler_init_top_k(7)], logits)
            for exponent in (0.5, 1, 2):
                yield Case({"temperature": p * 2, "dynatemp_range": 0.5, "dynatemp_exponent": exponent},
                           lambda p=p, e=exponent: [oracle.llama_sampler_init_temp_ext(p * 2, 0.5, e)], logits)


def least_number_cases(rows):
    for least in (2, 5, 30):
        for logits in rows:
            yield Case({"top_p": 0.3, "min_keep": least},
                       lambda n=least: [oracle.llama_sampler_init_top_p(0.3, n)], logits)
            yield Case({"typical_p": 0.3, "min_keep": least},
                       lambda n=least: [oracle.llama_sampler_init_typical(0.3, n)], logits)
            yield Case({"min_p": 0.5, "min_keep": least},
                       lambda n=least: [oracle.llama_sampler_init_min_p(0.5, n)], logits)
            yield Case({"xtc_probability": 1, "xtc_threshold": 0.02, "min_keep": least},
                       lambda n=least: [oracle.llama_sampler_init_xtc(1, 0.02, n, 1)], logits)


def penalty_cases(generator, rows):
    for logits in rows:
        history = [generator.randrange(min(40, len(logits))) for _ in range(100)]
        for last_n, repeat, frequency, presence in ((64, 1.3, 0, 0), (64, 1, 0.4, 0), (64, 1, 0, 0.7),
                                                    (10, 0.8, 0.1, 0.2)):
            yield Case({"repeat_last_n": last_n, "repeat_penalty": repeat, "frequency_penalty": frequency,
                        "presence_penalty": presence},
                       lambda a=(len(logits), last_n, repeat, frequency, presence): [
                           oracle.llama_sampler_init_penalties(*a)],
                       logits, history=history)
        bias = [(3, 2.5), (5, -INFINITY), (3, -1)]
        items = (oracle.llama_logit_bias * len(bias))(*(oracle.llama_logit_bias(*pair) for pair in bias))
        yield Case({}, lambda n=len(logits), i=items: [oracle.llama_sampler_init_logit_bias(n, len(i), i)], logits,
                   bias)


def mirostat_cases(rows):
    for logits in rows:
        for tau, eta, uniform in ((2, 0.1, ()), (5, 0.1, ()), (1, 0.5, (1, 1, 4)), (3, 0.3, (8, 2, 16, 16, 32))):
            yield Case({"mirostat": 2, "mirostat_tau": tau, "mirostat_eta": eta},
                       lambda t=tau, e=eta: [oracle.llama_sampler_init_mirostat_v2(1, t, e)], logits, uniform=uniform)


def chain_cases(generator, rows):
    for logits in rows:
        history = [generator.randrange(len(logits)) for _ in range(64)]
        options = {"temperature": 0.8, "top_p": 0.95, "min_p": 0.05, "top_k": 40, "typical_p": 0.9, "top_n_sigma": 3,
                   "xtc_probability": 1, "xtc_threshold": 0.1, "repeat_penalty": 1.2, "presence_penalty": 0.1}
        yield Case(options, lambda: [
            oracle.llama_sampler_init_penalties(3000, 64, 1.2, 0, 0.1), oracle.llama_sampler_init_top_n_sigma(3),
            oracle.llama_sampler_init_top_k(40), oracle.llama_sampler_init_typical(0.9, 1),
            oracle.llama_sampler_init_top_p(0.95, 1), oracle.llama_sampler_init_min_p(0.05, 1),
            oracle.llama_sampler_init_xtc(1, 0.1, 1, 1), oracle.llama_sampler_init_temp(0.8)], logits, history=history)


def breaker_texts(texts):
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def dry_cases(generator, path):
    """Histories of few different tokens, some of them breakers."""
    oracle.llama_log_set(SILENCE, None)
    parameters = oracle.llama_model_default_params()
    parameters.vocab_only = True
    vocabulary = oracle.llama_model_get_vocab(oracle.llama_model_load_from_file(path.encode(), parameters))
    count = oracle.llama_vocab_n_tokens(vocabulary)
    breakers = breaker_texts(("\n", ":", '"', "*"))
    for round_number in range(40):
        tokens = [generator.randrange(20, count) for _ in range(2 + round_number % 5)]
        weights = [4] * len(tokens) + [round_number % 3] * 2
        history = generator.choices(tokens + [28, 198], weights, k=20 + 15 * round_number)
        base, allowed, last_n = generator.choice(((1.75, 2, 4096), (1.2, 1, 100), (2, 4, 50)))
        # Only some tokens matter; the others are far below them.
        logits = [-50.0] * count
        for token in {*history, *range(20)}:
            logits[token] = single(generator.gauss(0, 2))
        yield Case({"dry_multiplier": 0.3, "dry_base": base, "dry_allowed_length": allowed,
                    "dry_penalty_last_n": last_n},
                   lambda a=(0.3, base, allowed, last_n): [
                       oracle.llama_sampler_init_dry(vocabulary, *a, breakers, len(breakers))],
                   logits, history=history)


def difference(actual, expected):
    """What is wrong with probabilities, or nothing."""
    for token in {*actual, *expected}:
        a, b = actual.get(token, 0), expected.get(token, 0)
        if abs(a - b) > TOLERANCE:
            return f"token {token} has probability {a}, not {b}"
    return None


def main():
    generator = random.Random(5)
    rows = [random_logits(generator, count, spread)
            for count, spread in ((50, 1), (50, 4), (3000, 2), (3000, 0.5), (2, 1))]
    long_rows = [row for row in rows if len(row) > 40]
    cases = [*filter_cases(rows), *least_number_cases(long_rows), *penalty_cases(generator, long_rows),
             *mirostat_cases(rows), *chain_cases(generator, long_rows)]
    arguments, path = [], os.environ.get("LLM_TEST_SMOLLM2")
    if path:
        arguments.append(path)
        cases += dry_cases(generator, path)
    output = subprocess.run(sys.argv[1:2] + arguments, input="".join(case.text() for case in cases), text=True,
                            capture_output=True, check=True).stdout
    lines = output.splitlines()
    assert len(lines) == len(cases), f"{len(lines)} results for {len(cases)} cases"
    faults = 0
    for case, line in zip(cases, lines):
        words = line.split()
        actual = {int(token): float(p) for token, p in zip(words[::2], words[1::2])}
        fault = difference(actual, case.expected())
        if fault:
            faults += 1
            print(f"{case.options}, {len(case.logits)} logits: {fault}")
    print(f"{len(cases)} cases, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
