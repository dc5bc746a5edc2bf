"""Tiny random encoders for encoders_test.py: their files, and their vectors in double precision.

The formulas are those of Vaswani et al. 2017 and Devlin et al. 2018 (BERT), Su et al. 2021 (rotary positions) and
Shazeer 2020 (gated networks).
"""
import math
import zlib

import gguf
import numpy as np

from variant_models import write_vocabulary

BASE = dict(width=64, layers=3, heads=4, hidden=96, context=768, epsilon=1e-12, vocabulary=300, types=2,
            fused_qkv=False, gated=False, biases=True, rotary=False, rope_base=1000.0, pooling=None)
POOLING_NUMBERS = {"none": 0, "mean": 1, "first": 2, "last": 3}

erf = np.vectorize(math.erf)


class TinyEncoder:
    """The tensors of one variant, by their names in a file."""

    def __init__(self, name, arch, **options):
        self.arch = arch
        self.o = {**BASE, **options}
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.tensors = {}
        o = self.o
        width, hidden = o["width"], o["hidden"]
        self.add("token_embd.weight", (o["vocabulary"], width), 1.0)
        if o["types"]:
            self.add("token_types.weight", (o["types"], width), 0.3)
        if not o["rotary"]:
            self.add("position_embd.weight", (o["context"], width), 0.3)
        self.add_norm("token_embd_norm")
        for layer in range(o["layers"]):
            block = f"blk.{layer}."
            self.add_linear(block + "attn_qkv", 3 * width, width)
            self.add_linear(block + "attn_output", width, width)
            self.add_norm(block + "attn_output_norm")
            if o["gated"]:
                self.add_linear(block + "ffn_gate", hidden, width)
            self.add_linear(block + "ffn_up", hidden, width)
            self.add_linear(block + "ffn_down", width, hidden)
            self.add_norm(block + "layer_output_norm")

    def add(self, name, shape, scale, center=0.0):
        self.tensors[name] = (center + scale * self.random.standard_normal(shape)).astype(np.float32)

    def add_linear(self, name, rows, columns):
        self.add(name + ".weight", (rows, columns), 1.5 / math.sqrt(columns))
        if self.o["biases"]:
            self.add(name + ".bias", (rows,), 0.2)

    def add_norm(self, name):
        self.add(name + ".weight", (self.o["width"],), 0.2, 1.0)
        self.add(name + ".bias", (self.o["width"],), 0.2)

    def write(self, path):
        o = self.o
        writer = gguf.GGUFWriter(path, self.arch)
        writer.add_context_length(o["context"])
        writer.add_embedding_length(o["width"])
        writer.add_block_count(o["layers"])
        writer.add_feed_forward_length(o["hidden"])
        writer.add_head_count(o["heads"])
        writer.add_layer_norm_eps(o["epsilon"])
        writer.add_causal_attention(False)
        if o["rotary"]:
            writer.add_rope_freq_base(o["rope_base"])
        if o["pooling"]:
            writer.add_uint32(f"{self.arch}.pooling_type", POOLING_NUMBERS[o["pooling"]])
        if o["types"]:
            writer.add_token_type_count(o["types"])
        write_vocabulary(writer, o["vocabulary"])
        for name, data in self.tensors.items():
            if "attn_qkv" in name and not o["fused_qkv"]:
                for part, rows in zip("qkv", np.split(data, 3)):
                    writer.add_tensor(name.replace("qkv", part), rows)
            else:
                writer.add_tensor(name, data)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()

    # ---- The same in double precision

    def linear(self, name, x):
        out = x @ self.tensors[name + ".weight"].astype(np.float64).T
        return out + self.tensors[name + ".bias"] if self.o["biases"] else out

    def norm(self, name, x):
        centered = x - x.mean(axis=1, keepdims=True)
        variance = (centered ** 2).mean(axis=1, keepdims=True)
        return centered / np.sqrt(variance + self.o["epsilon"]) * self.tensors[name + ".weight"] + \
            self.tensors[name + ".bias"]

    def rotate(self, heads):
        """Pairs (i, i + half) of each head turn by position * base^(-i / half)."""
        half = heads.shape[-1] // 2
        angles = np.arange(heads.shape[1])[:, None] * self.o["rope_base"] ** (-np.arange(half) / half)
        a, b = heads[..., :half], heads[..., half:]
        return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1)

    def attention(self, block, x):
        count, heads = len(x), self.o["heads"]
        parts = np.split(self.linear(block + "attn_qkv", x), 3, axis=1)
        q, k, v = (part.reshape(count, heads, -1).transpose(1, 0, 2) for part in parts)
        if self.o["rotary"]:
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return self.linear(block + "attn_output", (weights @ v).transpose(1, 0, 2).reshape(count, -1))

    def feed_forward(self, block, x):
        up = self.linear(block + "ffn_up", x)
        if self.o["gated"]:
            gate = self.linear(block + "ffn_gate", x)
            return self.linear(block + "ffn_down", gate / (1 + np.exp(-gate)) * up)
        return self.linear(block + "ffn_down", up * (1 + erf(up / math.sqrt(2))) / 2)

    def vectors(self, ids):
        """One vector for each token."""
        x = self.tensors["token_embd.weight"][ids].astype(np.float64)
        if self.o["types"]:
            x = x + self.tensors["token_types.weight"][0]
        if not self.o["rotary"]:
            x = x + self.tensors["position_embd.weight"][:len(ids)]
        x = self.norm("token_embd_norm", x)
        for layer in range(self.o["layers"]):
            block = f"blk.{layer}."
            x = self.norm(block + "attn_output_norm", x + self.attention(block, x))
            x = self.norm(block + "layer_output_norm", x + self.feed_forward(block, x))
        return x


def pooled(vectors, pooling, normalize):
    """The embedding as rows: one, or all with "none"."""
    rows = {"none": vectors, "mean": vectors.mean(axis=0, keepdims=True), "first": vectors[:1],
            "last": vectors[-1:]}[pooling]
    return rows / np.sqrt((rows ** 2).sum(axis=1, keepdims=True)) if normalize else rows
