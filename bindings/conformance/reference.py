"""What expected.py derives results with: llama.cpp's tokenizer, Jinja2, formulas in double precision, a sampler.

None of it uses this library. The sampler follows the text of llm_sampler_options in llm.h.
"""
import ctypes
import json
import math
import pathlib
import re
import sys

import gguf
import jinja2
import jinja2.sandbox
import numpy as np
from llama_cpp import llama_cpp

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "golden"))
import decoder_formulas  # noqa: E402
import encoder_models  # noqa: E402

CONTROL = re.compile(r"<\|(?:begin|end|turn|im_start|im_end)\|>")
NO_CHARACTER = "\ufdd0"


@llama_cpp.llama_log_callback
def ignore_log(level, text, user):
    pass


class Tokenizer:
    """llama.cpp's."""

    def __init__(self, path):
        llama_cpp.llama_log_set(ignore_log, ctypes.c_void_p())
        options = llama_cpp.llama_model_default_params()
        options.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), options)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)

    def ids(self, text, add_special=False, parse_special=False):
        out = (ctypes.c_int32 * (len(text) + 8))()
        count = llama_cpp.llama_tokenize(self.vocabulary, text, len(text), out, len(out), add_special, parse_special)
        return list(out[:count])

    def chat_ids(self, template, request, guard):
        """A prompt whose control tokens are those of the template. Without the guard: all that are spelled."""
        if not guard:
            return self.ids(render(template, request).encode(), parse_special=True)
        # Every "<" of a message becomes a character that no control token has, and is put back between them.
        def mark(value):
            if isinstance(value, str):
                return value.replace("<", NO_CHARACTER)
            if isinstance(value, list):
                return [mark(element) for element in value]
            return {name: mark(member) for name, member in value.items()} if isinstance(value, dict) else value
        prompt = render(template, json.dumps(mark(json.loads(request))))
        out = []
        for part in re.split(f"({CONTROL.pattern})", prompt):
            is_control = CONTROL.fullmatch(part) is not None
            out += self.ids(part.replace(NO_CHARACTER, "<").encode(), parse_special=is_control) if part else []
        return out

    def text(self, tokens):
        """Of ids without control tokens' spellings; None when it is not all UTF-8."""
        buffer = ctypes.create_string_buffer(8 * len(tokens) + 64)
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        count = llama_cpp.llama_detokenize(self.vocabulary, array, len(tokens), buffer, len(buffer), False, False)
        try:
            return buffer.raw[:count].decode()
        except UnicodeDecodeError:
            return None


def render(template, request):
    """As Transformers does."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    values = json.loads(request)
    return environment.from_string(template).render(**{"add_generation_prompt": True, "tools": None, **values})


class Decoder(decoder_formulas.Decoder):
    """A llama file, its logits and the ids that follow."""

    def __init__(self, path):
        super().__init__(path)
        self.ends = {self.fields["tokenizer.ggml." + name + "_token_id"] for name in ("eos", "eot")}

    def logits(self, ids):
        return super().logits(ids, self.key("context_length"))

    def generate(self, ids, sampler, count, tops=None, top_count=0):
        """Up to `count` ids, the last one being an end token if one is chosen. `tops` receives log-probabilities."""
        ids, out = list(ids), []
        sampler.accept(ids)
        while len(out) < count and not (out and out[-1] in self.ends):
            row = self.logits(ids)[-1]
            token = sampler.choose(row)
            if tops is not None:
                tops.append(top_of(row, token, top_count))
            ids.append(token)
            out.append(token)
        return out


def top_of(row, token, count):
    """The log-probability of a token, and the most probable tokens with theirs."""
    logs = row - row.max() - math.log(np.exp(row - row.max()).sum())
    best = np.argsort(-row, kind="stable")[:count]
    return round(float(logs[token]), 7), [[int(i), round(float(logs[i]), 7)] for i in best]


class Encoder(encoder_models.TinyEncoder):
    """A bert file."""

    def __init__(self, path):
        reader = gguf.GGUFReader(path)
        fields = {key: field.contents() for key, field in reader.fields.items()}
        self.tensors = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in reader.tensors}
        self.o = {**encoder_models.BASE, "layers": fields["bert.block_count"],
                  "heads": fields["bert.attention.head_count"], "epsilon": fields["bert.attention.layer_norm_epsilon"]}
        for layer in range(self.o["layers"]):
            for part in ("weight", "bias"):
                names = [f"blk.{layer}.attn_{letter}.{part}" for letter in "qkv"]
                self.tensors[f"blk.{layer}.attn_qkv.{part}"] = np.concatenate([self.tensors[name] for name in names])
        numbers = {number: name for name, number in encoder_models.POOLING_NUMBERS.items()}
        self.default_pooling = numbers[fields["bert.pooling_type"]]

    def embedding(self, ids, pooling, normalize):
        name = self.default_pooling if pooling == "default" else pooling
        return encoder_models.pooled(self.vectors(ids), name, normalize)


class Sampler:
    """Penalties, top-k, top-p, min-p, temperature, and the choice with the 32-bit Mersenne Twister."""

    KNOWN = {"temperature", "top_k", "top_p", "min_p", "seed", "repeat_last_n", "repeat_penalty", "frequency_penalty",
             "presence_penalty"}
    DEFAULTS = {"top_k": 40, "top_p": 0.95, "min_p": 0.05, "seed": 0, "repeat_last_n": 64, "repeat_penalty": 1.0,
                "frequency_penalty": 0.0, "presence_penalty": 0.0}

    def __init__(self, options):
        assert options.keys() <= self.KNOWN, options
        self.o = {**self.DEFAULTS, **{name: float(value) for name, value in options.items()}}
        self.random = np.random.RandomState(int(self.o["seed"]))  # which seeds as std::mt19937 does
        self.seen = []

    def accept(self, ids):
        self.seen += ids

    def choose(self, row):
        token = self.chosen(row)
        self.accept([token])
        return token

    def chosen(self, row):
        row = self.penalized(row)
        order = np.argsort(-row, kind="stable")
        if self.o["temperature"] == 0:
            return int(order[0])
        if self.o["top_k"]:
            order = order[:int(self.o["top_k"])]
        sums = np.cumsum(probabilities(row[order]))
        order = order[:int(np.searchsorted(sums, self.o["top_p"])) + 1] if self.o["top_p"] < 1 else order
        p = probabilities(row[order])
        order = order[p >= self.o["min_p"] * p[0]]
        sums = np.cumsum(probabilities(row[order] / self.o["temperature"]))
        draw = int(self.random.randint(0, 2 ** 32, dtype=np.uint32)) / 2 ** 32
        return int(order[np.argmax(sums > draw)])

    def penalized(self, row):
        row = row.copy()
        last = self.seen[-int(self.o["repeat_last_n"]):]
        for token in set(last):
            factor = self.o["repeat_penalty"]
            row[token] = row[token] / factor if row[token] > 0 else row[token] * factor
            row[token] -= self.o["frequency_penalty"] * last.count(token) + self.o["presence_penalty"]
        return row


def probabilities(logits):
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()
