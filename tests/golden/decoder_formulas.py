"""The logits of a decoder's file in double precision: each family as its paper says, independent of any engine.

Vaswani et al. 2017 (attention), Su et al. 2021 (rotary positions), Peng et al. 2023 (YaRN), Ding et al. 2024
(LongRoPE), Shazeer 2020 (gated networks), Hendrycks and Gimpel 2016 (gelu), and the reports that the files of
src/model name.
"""
import math

import gguf
import numpy as np

WINDOW_PERIODS = {"gemma2": 2, "gemma3": 6, "gpt-oss": 2, "olmo2": 4}  # of so many layers the last sees everything
WINDOW_LENGTHS = {"gemma2": 4096}                                      # without the key
LOCAL_BASES = {"gemma2": None, "gemma3": 10000.0, "gpt-oss": None}     # of layers with a window, without the key
ADJACENT_PAIRS = {"llama", "granite", "smollm3"}
LAYERS_OF_27B = {"gemma2": 46, "gemma3": 62}  # its queries are scaled by the embedding's share of a head


def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def gelu_of_halves(x):
    """As from a table that has a half float for each half float: llama.cpp's way."""
    return gelu(x.astype(np.float16).astype(np.float64)).astype(np.float16).astype(np.float64)


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


class Decoder:
    """One file. Norms, biases and so on are those that the file has."""

    def __init__(self, path, gelu=gelu):
        reader = gguf.GGUFReader(path)
        self.gelu = gelu
        self.fields = {key: field.contents() for key, field in reader.fields.items()}
        self.tensors = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float64)
                        for tensor in reader.tensors}
        self.arch = self.fields["general.architecture"]
        self.width = self.key("embedding_length")
        self.layers = self.key("block_count")
        self.heads = self.key("attention.head_count")
        self.kv_heads = self.key("attention.head_count_kv", self.heads)
        self.key_length = self.key("attention.key_length", self.width // self.heads)
        self.rotated = self.key("rope.dimension_count", self.key_length)
        self.epsilon = self.key("attention.layer_norm_rms_epsilon", self.key("attention.layer_norm_epsilon"))
        self.has_layer_norms = "output_norm.bias" in self.tensors

    def key(self, name, default=None):
        return self.fields.get(f"{self.arch}.{name}", default)

    def scale(self, name, default=1.0):
        return self.key(name, default) if self.arch == "granite" else default

    # ---- Parts of a layer

    def linear(self, name, x):
        out = x @ self.tensors[name + ".weight"].T
        return out + self.tensors[name + ".bias"] if name + ".bias" in self.tensors else out

    def norm(self, name, x):
        if self.has_layer_norms:
            x = x - x.mean(axis=-1, keepdims=True)
        normed = x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + self.epsilon) * self.tensors[name + ".weight"]
        return normed + self.tensors[name + ".bias"] if self.has_layer_norms else normed

    def optional_norm(self, name, x):
        return self.norm(name, x) if name + ".weight" in self.tensors else x

    def window(self, layer):
        if self.arch not in WINDOW_PERIODS:
            return 0
        pattern = self.key("attention.sliding_window_pattern", WINDOW_PERIODS[self.arch])
        if isinstance(pattern, list):
            is_local = pattern[layer]
        else:
            is_local = pattern == 0 or layer % pattern != pattern - 1
        return self.key("attention.sliding_window", WINDOW_LENGTHS.get(self.arch, 0)) if is_local else 0

    # ---- Rotary positions

    def frequencies(self, base, context, stretched):
        """The angle of each pair for one position, and the factor of sine and cosine."""
        pairs = np.arange(self.rotated // 2)
        own = base ** (-2.0 * pairs / self.rotated)
        original = self.key("rope.scaling.original_context_length", self.key("context_length"))
        for name, is_used in (("rope_freqs", True), ("rope_factors_long", context > original),
                              ("rope_factors_short", context <= original)):
            if name + ".weight" in self.tensors and is_used:
                own = own / self.tensors[name + ".weight"]
        factor = self.key("rope.scaling.factor", self.key("rope.scale_linear", 1.0))
        kind = self.key("rope.scaling.type", "linear")
        if not stretched:
            return own, 1.0
        magnitude = self.key("rope.scaling.attn_factor", 1.0)
        if kind == "none":
            return own, magnitude
        if kind != "yarn":
            return own / factor, magnitude

        def pair_that_turns(rotations):
            return self.rotated * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))
        low = max(0, math.floor(pair_that_turns(self.key("rope.scaling.yarn_beta_fast", 32.0))))
        high = min(self.rotated - 1, math.ceil(pair_that_turns(self.key("rope.scaling.yarn_beta_slow", 1.0))))
        kept = 1 - np.clip((pairs - low) / max(0.001, high - low), 0, 1)
        return own / factor * (1 - kept) + own * kept, magnitude * (1 + 0.1 * math.log(factor))

    def rotate(self, x, layer, context):
        """x: [head][position][element]"""
        if "position_embd.weight" in self.tensors or self.arch == "smollm3" and (layer + 1) % 4 == 0 or \
                self.arch == "granite" and not self.key("rope.scaling.finetuned", True):
            return x
        base, stretched = self.key("rope.freq_base", 10000.0), True
        if self.window(layer) and self.arch in LOCAL_BASES:
            base = self.key("rope.freq_base_swa", LOCAL_BASES[self.arch] or base)
        if self.window(layer) and self.arch in ("gemma3", "olmo2"):
            stretched = False
        frequency, magnitude = self.frequencies(base, context, stretched)
        angles = np.arange(x.shape[1])[:, None] * frequency
        cosine, sine = np.cos(angles) * magnitude, np.sin(angles) * magnitude
        half = self.rotated // 2
        first = slice(0, self.rotated, 2) if self.arch in ADJACENT_PAIRS else slice(0, half)
        second = slice(1, self.rotated, 2) if self.arch in ADJACENT_PAIRS else slice(half, self.rotated)
        out = x.copy()
        out[..., first] = x[..., first] * cosine - x[..., second] * sine
        out[..., second] = x[..., first] * sine + x[..., second] * cosine
        return out

    # ---- Attention

    def queries_keys_values(self, block, x):
        if block + "attn_qkv.weight" in self.tensors:
            queries, keys = self.heads * self.key_length, self.kv_heads * self.key_length
            q, k, v = np.split(self.linear(block + "attn_qkv", x), [queries, queries + keys], axis=1)
        else:
            q, k, v = (self.linear(block + "attn_" + part, x) for part in "qkv")
        count = len(x)
        is_of_all_heads = self.arch == "olmo2"
        if is_of_all_heads:
            q, k = self.norm(block + "attn_q_norm", q), self.norm(block + "attn_k_norm", k)
        q = q.reshape(count, self.heads, -1)
        k, v = (part.reshape(count, self.kv_heads, -1) for part in (k, v))
        if not is_of_all_heads:
            q, k = self.optional_norm(block + "attn_q_norm", q), self.optional_norm(block + "attn_k_norm", k)
        return (part.transpose(1, 0, 2) for part in (q, k, v))

    def score_scale(self):
        share = self.width // self.heads if LAYERS_OF_27B.get(self.arch) == self.layers else self.key_length
        return self.scale("attention.scale", 1 / math.sqrt(share))

    def attention(self, layer, x, context):
        block = f"blk.{layer}."
        q, k, v = self.queries_keys_values(block, x)
        q, k = self.rotate(q, layer, context), self.rotate(k, layer, context)
        group = self.heads // self.kv_heads
        scores = q @ np.repeat(k, group, axis=0).transpose(0, 2, 1) * self.score_scale()
        if self.arch == "gemma2":
            cap = self.key("attn_logit_softcapping", 50.0)
            scores = cap * np.tanh(scores / cap)
        distance = np.arange(len(x))[:, None] - np.arange(len(x))
        window = self.window(layer)
        scores[:, (distance < 0) | (distance >= window) & (window > 0)] = -np.inf
        if block + "attn_sinks.weight" in self.tensors:
            sinks = np.broadcast_to(self.tensors[block + "attn_sinks.weight"][:, None, None], (*scores.shape[:2], 1))
            weights = softmax(np.concatenate([scores, sinks], axis=-1))[..., :-1]
        else:
            weights = softmax(scores)
        attended = weights @ np.repeat(v, group, axis=0)
        return self.linear(block + "attn_output", attended.transpose(1, 0, 2).reshape(len(x), -1))

    # ---- Feed-forward networks

    def feed_forward(self, layer, x):
        block = f"blk.{layer}."
        if block + "ffn_gate_inp.weight" in self.tensors:
            return self.experts(block, x)
        up = self.linear(block + "ffn_up", x)
        activation = self.gelu if self.arch.startswith("gemma") else silu
        if block + "ffn_gate.weight" in self.tensors:
            hidden = activation(self.linear(block + "ffn_gate", x)) * up
        elif self.arch == "phi3":
            gate, up = np.split(up, 2, axis=1)
            hidden = silu(gate) * up
        else:
            hidden = self.gelu(up)
        return self.linear(block + "ffn_down", hidden)

    def experts(self, block, x):
        logits = self.linear(block + "ffn_gate_inp", x)
        chosen = np.argsort(-logits, axis=1, kind="stable")[:, :self.key("expert_used_count")]
        weights = softmax(np.take_along_axis(logits, chosen, axis=1))
        out = np.zeros_like(x)
        for row in range(len(x)):
            for expert, weight in zip(chosen[row], weights[row]):
                out[row] += weight * self.expert(block, expert, x[row])
        return out

    def expert(self, block, index, x):
        def linear(name, x):
            own = self.tensors.get(f"{block}ffn_{name}.{index}.weight")
            out = (self.tensors[f"{block}ffn_{name}_exps.weight"][index] if own is None else own) @ x
            bias = self.tensors.get(f"{block}ffn_{name}_exps.bias")
            return out if bias is None else out + bias[index]
        gate, up = linear("gate", x), linear("up", x)
        if self.arch == "gpt-oss":
            gate, up = np.minimum(gate, 7), np.clip(up, -7, 7)
            return linear("down", gate / (1 + np.exp(-1.702 * gate)) * (up + 1))
        return linear("down", silu(gate) * up)

    # ---- All of it

    def logits(self, ids, context):
        """One row for each token, in a context of that length."""
        embedding_scale = math.sqrt(self.width) if self.arch.startswith("gemma") else self.scale("embedding_scale")
        residual_scale = self.scale("residual_scale")
        x = self.tensors["token_embd.weight"][ids] * embedding_scale
        if "position_embd.weight" in self.tensors:
            x = x + self.tensors["position_embd.weight"][:len(ids)]
        ffn_norm = "post_attention_norm" if self.arch == "gpt-oss" else "ffn_norm"
        for layer in range(self.layers):
            block = f"blk.{layer}."
            branch = self.attention(layer, self.optional_norm(block + "attn_norm", x), context)
            if self.arch != "gpt-oss":
                branch = self.optional_norm(block + "post_attention_norm", branch)
            x = x + branch * residual_scale
            branch = self.feed_forward(layer, self.optional_norm(block + ffn_norm, x))
            x = x + self.optional_norm(block + "post_ffw_norm", branch) * residual_scale
        x = self.norm("output_norm", x)
        output = self.tensors.get("output.weight", self.tensors["token_embd.weight"])
        logits = x @ output.T / self.scale("logit_scale")
        cap = {"gemma2": self.key("final_logit_softcapping", 30.0),
               "gemma3": self.key("final_logit_softcapping")}.get(self.arch)
        return cap * np.tanh(logits / cap) if cap else logits
