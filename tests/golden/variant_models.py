"""Writes tiny random models of many shapes, for variants_test.py: an architecture, and what differs from BASE."""
import zlib

import gguf
import numpy as np

BASE = dict(width=64, layers=3, heads=4, kv_heads=2, hidden=96, context=256, epsilon=1e-5, vocabulary=300, tied=False,
            norms="rms", pre_norm=True, post_norm=False, head_norm=None, qkv_bias=False, output_bias=False,
            ffn_bias=False, fused_qkv=False, ffn="gated", positions=False, embedding=1.0, keys={}, tensors={},
            split_experts=False, expert_type=gguf.GGMLQuantizationType.F32)


class TinyModel:
    """The tensors and keys of one variant."""

    def __init__(self, name, arch, **options):
        self.arch = arch
        self.o = {**BASE, **options}
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.tensors = {}
        o = self.o
        self.key_length = o.get("key_length", o["width"] // o["heads"])
        self.value_length = o.get("value_length", self.key_length)
        self.add_all()

    def matrix(self, name, *shape, scale=None):
        scale = scale or 1.5 / np.sqrt(shape[-1])
        self.tensors[name + ".weight"] = (self.random.standard_normal(shape) * scale).astype(np.float32)

    def bias(self, name, *shape):
        self.tensors[name + ".bias"] = (0.1 * self.random.standard_normal(shape)).astype(np.float32)

    def norm(self, name, length):
        self.tensors[name + ".weight"] = (1 + 0.2 * self.random.standard_normal(length)).astype(np.float32)
        if self.o["norms"] == "layer":
            self.bias(name, length)

    def linear(self, name, rows, columns, bias):
        self.matrix(name, rows, columns)
        if bias:
            self.bias(name, rows)

    def add_all(self):
        o = self.o
        width = o["width"]
        self.matrix("token_embd", o["vocabulary"], width, scale=0.15 * o["embedding"])
        if o["positions"]:
            self.matrix("position_embd", o["context"], width, scale=0.1)
        self.norm("output_norm", width)
        if not o["tied"]:
            self.matrix("output", o["vocabulary"], width)
        for name, values in o["tensors"].items():
            self.tensors[name] = np.array(values)
        for layer in range(o["layers"]):
            self.add_attention(f"blk.{layer}.")
            self.add_feed_forward(f"blk.{layer}.")

    def add_attention(self, block):
        o = self.o
        width, heads, kv_heads = o["width"], o["heads"], o["kv_heads"]
        queries, keys, values = heads * self.key_length, kv_heads * self.key_length, kv_heads * self.value_length
        if o["pre_norm"]:
            self.norm(block + "attn_norm", width)
        if o["fused_qkv"]:
            self.linear(block + "attn_qkv", queries + keys + values, width, o["qkv_bias"])
        else:
            for part, rows in (("q", queries), ("k", keys), ("v", values)):
                self.linear(block + "attn_" + part, rows, width, o["qkv_bias"])
        self.linear(block + "attn_output", width, heads * self.value_length, o["output_bias"])
        if o["head_norm"]:
            whole = o["head_norm"] == "all"
            self.norm(block + "attn_q_norm", queries if whole else self.key_length)
            self.norm(block + "attn_k_norm", keys if whole else self.key_length)
        if o["post_norm"]:
            self.norm(block + "post_attention_norm", width)
        if o.get("sinks"):
            self.tensors[block + "attn_sinks.weight"] = self.random.standard_normal(heads).astype(np.float32)

    def add_feed_forward(self, block):
        o = self.o
        width, hidden = o["width"], o["hidden"]
        if o["pre_norm"]:
            self.norm(block + ("post_attention_norm" if o.get("sinks") else "ffn_norm"), width)
        if o["post_norm"]:
            self.norm(block + "post_ffw_norm", width)
        if "experts" in o:
            self.add_experts(block)
            return
        if o["ffn"] == "gated":
            self.linear(block + "ffn_gate", hidden, width, o["ffn_bias"])
        self.linear(block + "ffn_up", 2 * hidden if o["ffn"] == "fused" else hidden, width, o["ffn_bias"])
        self.linear(block + "ffn_down", width, hidden, o["ffn_bias"])

    def add_experts(self, block):
        o = self.o
        width, experts, hidden = o["width"], o["experts"], o.get("expert_hidden", o["hidden"])
        self.linear(block + "ffn_gate_inp", experts, width, o["ffn_bias"])
        for name, rows, columns in (("gate", hidden, width), ("up", hidden, width), ("down", width, hidden)):
            if o["split_experts"]:
                for expert in range(experts):
                    self.matrix(f"{block}ffn_{name}.{expert}", rows, columns)
                continue
            self.matrix(f"{block}ffn_{name}_exps", experts, rows, columns)
            if o["ffn_bias"]:
                self.bias(f"{block}ffn_{name}_exps", experts, rows)

    def keys(self):
        """Keys of the architecture, without its name in front."""
        o = self.o
        keys = {"context_length": o["context"], "embedding_length": o["width"], "block_count": o["layers"],
                "feed_forward_length": o["hidden"], "attention.head_count": o["heads"],
                "attention.head_count_kv": o["kv_heads"], "vocab_size": o["vocabulary"]}
        keys["attention.layer_norm_epsilon" if o["norms"] == "layer" else "attention.layer_norm_rms_epsilon"] = \
            o["epsilon"]
        if "key_length" in o or "value_length" in o:
            keys.update({"attention.key_length": self.key_length, "attention.value_length": self.value_length})
        if "experts" in o:
            keys.update({"expert_count": o["experts"], "expert_used_count": o["experts_used"]})
            if "expert_hidden" in o:
                keys["expert_feed_forward_length"] = o["expert_hidden"]
        return {**keys, **o["keys"]}

    def write(self, path):
        writer = gguf.GGUFWriter(path, self.arch)
        for key, value in self.keys().items():
            add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, bool: writer.add_bool,
                   list: writer.add_array}[type(value)]
            add(f"{self.arch}.{key}", value)
        write_vocabulary(writer, self.o["vocabulary"])
        for name, data in self.tensors.items():
            kind = self.o["expert_type"] if "_exps.weight" in name else gguf.GGMLQuantizationType.F32
            if kind == gguf.GGMLQuantizationType.F32:
                writer.add_tensor(name, data)  # as it is, halves too
            else:
                writer.add_tensor(name, gguf.quants.quantize(data, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def write_vocabulary(writer, size):
    """Byte-level BPE: the bytes as GPT-2 spells them, one merge, and names for the other ids."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    tokens = [chr(byte) if byte in printable else chr(256 + others.index(byte)) for byte in range(256)]
    tokens.append(chr(256 + others.index(0x20)) + "t")
    tokens += [f"<|{i}|>" for i in range(len(tokens), size)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 257 + [3] * (size - 257))
    writer.add_token_merges([tokens[256][0] + " t"])
    writer.add_bos_token_id(size - 1)
    writer.add_eos_token_id(size - 1)
