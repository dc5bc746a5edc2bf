#!/usr/bin/env python3
"""Logits of tiny models of many shapes, written here, against their formulas in double precision, and llama.cpp's.

    pip install numpy gguf
    pip install llama-cpp-python  # compared, too, when it is there
    variants_test.py LIBLLM [NAME ...]

Skipped without numpy and gguf. The cache is F32. llama.cpp looks gelu up in a table of half floats: there it is
compared with formulas that do so, too.
"""
import os
import sys
import tempfile

try:
    import gguf
    import numpy as np

    import variant_models
    from decoder_formulas import Decoder, gelu_of_halves
    from library import Library, distance
except ImportError as error:
    print("SKIPPED:", error)
    sys.exit(0)
try:
    from llama_cpp import llama_cpp
except ImportError as error:
    print("not compared with llama.cpp:", error)
    llama_cpp = None

TOKENS = 100
CONTEXT = 256  # llama.cpp rounds it up to a multiple of 256
CLOSE = 1e-10  # single precision gives some 1e-12
CLOSE_TO_LLAMA = 1e-8
CLOSE_WHEN_ROUNDED = 5e-7  # the table's steps amplify differences in the last bits
ALLOWED_RATIO = 1.05       # of the error that eight-bit activations make, to llama.cpp's
F32, MXFP4 = gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.MXFP4


def factors(largest, count=8):
    return np.linspace(1, largest, count, dtype=np.float32)


GEMMA = dict(tied=True, key_length=32, embedding=1 / 8)
GEMMA3 = dict(GEMMA, head_norm="each", post_norm=True)
STARCODER = dict(norms="layer", ffn="plain", qkv_bias=True, output_bias=True, ffn_bias=True, tied=True)
GPT2 = dict(STARCODER, fused_qkv=True, kv_heads=4, positions=True)
GPT_OSS = dict(sinks=True, qkv_bias=True, output_bias=True, ffn_bias=True, experts=4, experts_used=2, hidden=64,
               expert_hidden=64, keys={"attention.sliding_window": 16})
WINDOW = {"attention.sliding_window": 16}
YARN = {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 64}
LINEAR = {"rope.scaling.type": "linear", "rope.scaling.factor": 8.0}
LONGROPE = {"rope_factors_long.weight": factors(6), "rope_factors_short.weight": factors(1.5)}
HALF_LONGROPE = {name: values.astype(np.float16) for name, values in LONGROPE.items()}
FREQUENCIES = {"rope_freqs.weight": factors(8)}
LLAMA_EXPERTS = dict(experts=5, experts_used=2, hidden=80)
QWEN3MOE = dict(head_norm="each", experts=6, experts_used=2, expert_hidden=24)
OLMO2 = dict(pre_norm=False, post_norm=True, head_norm="all")
PHI3 = dict(fused_qkv=True, ffn="fused")

VARIANTS = {
    "llama-biases": ("llama", dict(qkv_bias=True, output_bias=True, ffn_bias=True)),
    "llama-one-kv-head": ("llama", dict(kv_heads=1, layers=2)),
    "llama-head-80": ("llama", dict(width=160, heads=2, kv_heads=2)),
    "llama-head-256": ("llama", dict(key_length=256, layers=2)),
    "llama-three-heads": ("llama", dict(width=96, heads=6, kv_heads=2, hidden=112)),
    "llama-odd-widths": ("llama", dict(width=72, heads=3, kv_heads=3, key_length=24, hidden=100)),
    "llama-yarn-factors": ("llama", dict(keys=dict(YARN, **{"rope.scaling.yarn_beta_fast": 16.0}))),
    "llama-yarn-attention-factor": ("llama", dict(keys=dict(YARN, **{"rope.scaling.attn_factor": 0.8}))),
    "llama-factors-linear": ("llama", dict(keys=LINEAR, tensors=FREQUENCIES)),
    "llama-tied": ("llama", dict(tied=True)),
    "llama-longrope": ("llama", dict(tensors=LONGROPE, keys={
        "rope.scaling.type": "longrope", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 64})),
    "llama-old-linear": ("llama", dict(keys={"rope.scale_linear": 4.0})),
    "llama-scaling-none": ("llama", dict(keys={"rope.scaling.type": "none", "rope.scaling.factor": 4.0})),
    "llama-window": ("llama", dict(keys=WINDOW)),  # neither engine knows the key for it
    "qwen2-own-output": ("qwen2", dict(qkv_bias=True)),
    "qwen2-tied": ("qwen2", dict(qkv_bias=True, tied=True)),
    "qwen2-yarn": ("qwen2", dict(qkv_bias=True, keys=YARN)),
    "qwen2-no-biases": ("qwen2", dict()),
    "qwen3-head-16": ("qwen3", dict(head_norm="each")),
    "qwen3-wide-heads": ("qwen3", dict(head_norm="each", key_length=64, tied=True)),
    "gemma-one-kv-head": ("gemma", dict(GEMMA, kv_heads=1)),
    "gemma2-window": ("gemma2", dict(GEMMA, post_norm=True, keys=WINDOW)),
    "gemma2-caps": ("gemma2", dict(GEMMA, post_norm=True,
                                   keys={"attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0})),
    "gemma3-window": ("gemma3", dict(GEMMA3, layers=7, keys=WINDOW)),
    "gemma3-no-window": ("gemma3", dict(GEMMA3, layers=7)),
    "gemma3-linear": ("gemma3", dict(GEMMA3, layers=7, keys=dict(WINDOW, **LINEAR, **{"rope.freq_base": 1e6}))),
    "gemma3-one-kv-head": ("gemma3", dict(GEMMA3, kv_heads=1, layers=6, keys=WINDOW)),
    "gemma3-own-output": ("gemma3", dict(GEMMA3, tied=False)),
    "gemma3-period": ("gemma3", dict(GEMMA3, layers=7, keys=dict(WINDOW, **{"attention.sliding_window_pattern": 3}))),
    "gemma3-all-local": ("gemma3", dict(GEMMA3, layers=7,
                                        keys=dict(WINDOW, **{"attention.sliding_window_pattern": 0}))),
    "gemma3-layer-flags": ("gemma3", dict(GEMMA3, layers=3, keys=dict(
        WINDOW, **{"attention.sliding_window_pattern": [False, True, True]}))),
    "gemma3-local-base": ("gemma3", dict(GEMMA3, layers=7, keys=dict(WINDOW, **{"rope.freq_base_swa": 500.0}))),
    "gemma3-27b-layers": ("gemma3", dict(GEMMA3, layers=62, keys=WINDOW)),
    "phi3-window": ("phi3", dict(fused_qkv=True, ffn="fused", keys=WINDOW)),
    "phi3-partial-rotary": ("phi3", dict(fused_qkv=True, ffn="fused", tied=True,
                                         keys={"rope.dimension_count": 12})),
    "phi3-short-factors": ("phi3", dict(fused_qkv=True, ffn="fused", tensors=LONGROPE,
                                        keys={"rope.scaling.original_context_length": 256})),
    "phi3-long-factors": ("phi3", dict(fused_qkv=True, ffn="fused", tensors=LONGROPE,
                                       keys={"rope.scaling.original_context_length": 255,
                                             "rope.scaling.attn_factor": 1.3, "rope.scaling.type": "longrope"})),
    "granite-all-scales": ("granite", dict(tied=True, keys={"attention.scale": 0.1, "embedding_scale": 6.0,
                                                            "residual_scale": 0.5, "logit_scale": 4.0})),
    "granite-not-rotated": ("granite", dict(keys={"logit_scale": 4.0, "rope.scaling.finetuned": False})),
    "granite-biases": ("granite", dict(qkv_bias=True, output_bias=True, ffn_bias=True, keys={"logit_scale": 4.0})),
    "smollm3-own-output": ("smollm3", dict(layers=9)),
    "olmo2-groups": ("olmo2", dict(pre_norm=False, post_norm=True, head_norm="all", kv_heads=1)),
    "olmo2-window": ("olmo2", dict(pre_norm=False, post_norm=True, head_norm="all", layers=5, keys=WINDOW)),
    "olmo2-window-yarn": ("olmo2", dict(pre_norm=False, post_norm=True, head_norm="all", layers=5,
                                        keys=dict(WINDOW, **YARN))),
    "llama-experts": ("llama", dict(experts=5, experts_used=2, hidden=80)),
    "llama-experts-all-used": ("llama", dict(experts=3, experts_used=3, hidden=64)),
    "qwen3moe-many-experts": ("qwen3moe", dict(head_norm="each", experts=40, experts_used=6, expert_hidden=24)),
    "gpt-oss-one-used": ("gpt-oss", dict(GPT_OSS, experts_used=1)),
    "gpt-oss-groups": ("gpt-oss", dict(GPT_OSS, kv_heads=1, layers=4, experts=7, experts_used=4)),
    "gpt-oss-period": ("gpt-oss", dict(GPT_OSS, layers=4, keys=dict(
        WINDOW, **{"attention.sliding_window_pattern": 3}))),
    "starcoder2-own-output": ("starcoder2", dict(STARCODER, tied=False)),
    "gpt2-own-output": ("gpt2", dict(GPT2, tied=False)),
    "gpt2-heads": ("gpt2", dict(GPT2, heads=2, kv_heads=2)),
    "llama-mha": ("llama", dict(kv_heads=4)),
    "llama-one-head": ("llama", dict(heads=1, kv_heads=1)),
    "llama-head-8": ("llama", dict(width=32, heads=4)),
    "llama-head-20": ("llama", dict(width=60, heads=3, kv_heads=1)),
    "llama-head-6": ("llama", dict(width=48, heads=8, kv_heads=4)),
    "llama-head-512": ("llama", dict(key_length=512, layers=1, heads=2, kv_heads=1)),
    "llama-big-groups": ("llama", dict(heads=16, kv_heads=1, key_length=16)),
    "llama-group-of-7": ("llama", dict(heads=14, kv_heads=2, width=112)),
    "llama-odd-vocabulary": ("llama", dict(vocabulary=311, tied=True)),
    "llama-odd-hidden": ("llama", dict(hidden=33)),
    "llama-partial-rotary": ("llama", dict(keys={"rope.dimension_count": 8})),
    "llama-base": ("llama", dict(keys={"rope.freq_base": 500000.0})),
    "llama-epsilon": ("llama", dict(epsilon=1e-2)),
    "llama-factor-alone": ("llama", dict(keys={"rope.scaling.factor": 4.0})),
    "llama-yarn-no-original": ("llama", dict(keys={"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0})),
    "llama-yarn-freqs": ("llama", dict(keys=YARN, tensors=FREQUENCIES)),
    "llama-attention-scale": ("llama", dict(keys={"attention.scale": 0.1})),
    "llama-logit-scale": ("llama", dict(keys={"logit_scale": 4.0})),
    "llama-softcap": ("llama", dict(keys={"attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0})),
    "llama-window-8": ("llama", dict(keys={"attention.sliding_window": 8})),
    "llama-fused": ("llama", dict(fused_qkv=True)),
    "llama-experts-one-used": ("llama", dict(LLAMA_EXPERTS, experts_used=1)),
    "llama-experts-one": ("llama", dict(LLAMA_EXPERTS, experts=1, experts_used=1)),
    "llama-experts-scale": ("llama", dict(LLAMA_EXPERTS, keys={"expert_weights_scale": 2.5})),
    "llama-experts-gating": ("llama", dict(LLAMA_EXPERTS, keys={"expert_gating_func": 2})),
    "llama-experts-biases": ("llama", dict(LLAMA_EXPERTS, ffn_bias=True)),
    "llama-experts-hidden": ("llama", dict(LLAMA_EXPERTS, expert_hidden=48)),
    "llama-experts-8-of-16": ("llama", dict(LLAMA_EXPERTS, experts=16, experts_used=8)),
    "qwen2-window": ("qwen2", dict(qkv_bias=True, keys=WINDOW)),
    "qwen2-mha": ("qwen2", dict(qkv_bias=True, kv_heads=4)),
    "qwen2-head-32": ("qwen2", dict(qkv_bias=True, key_length=32)),
    "qwen2-partial-rotary": ("qwen2", dict(qkv_bias=True, keys={"rope.dimension_count": 8})),
    "qwen2-output-bias": ("qwen2", dict(qkv_bias=True, output_bias=True)),
    "qwen3-yarn": ("qwen3", dict(head_norm="each", keys=YARN)),
    "qwen3-one-kv-head": ("qwen3", dict(head_norm="each", kv_heads=1)),
    "qwen3-window": ("qwen3", dict(head_norm="each", keys=WINDOW)),
    "qwen3-factors": ("qwen3", dict(head_norm="each", tensors=FREQUENCIES)),
    "qwen3moe-one-used": ("qwen3moe", dict(QWEN3MOE, experts_used=1)),
    "qwen3moe-odd": ("qwen3moe", dict(QWEN3MOE, experts=7, experts_used=3)),
    "qwen3moe-scale": ("qwen3moe", dict(QWEN3MOE, keys={"expert_weights_scale": 2.5})),
    "qwen3moe-hidden-missing": ("qwen3moe", dict(head_norm="each", experts=6, experts_used=2, hidden=48)),
    "qwen3moe-yarn": ("qwen3moe", dict(QWEN3MOE, keys=YARN)),
    "qwen3moe-all-used": ("qwen3moe", dict(QWEN3MOE, experts_used=6)),
    "gemma-head-256": ("gemma", dict(GEMMA, key_length=256, layers=2)),
    "gemma-mha": ("gemma", dict(GEMMA, kv_heads=4)),
    "gemma-own-output": ("gemma", dict(GEMMA, tied=False)),
    "gemma-linear": ("gemma", dict(GEMMA, keys=LINEAR)),
    "gemma2-own-output": ("gemma2", dict(GEMMA, post_norm=True, tied=False)),
    "gemma2-no-window": ("gemma2", dict(GEMMA, post_norm=True)),
    "gemma2-period": ("gemma2", dict(GEMMA, post_norm=True, layers=7,
                                     keys=dict(WINDOW, **{"attention.sliding_window_pattern": 3}))),
    "gemma2-27b-layers": ("gemma2", dict(GEMMA, post_norm=True, layers=46, keys=WINDOW)),
    "gemma2-window-1": ("gemma2", dict(GEMMA, post_norm=True, keys={"attention.sliding_window": 1})),
    "gemma2-base-swa": ("gemma2", dict(GEMMA, post_norm=True, keys=dict(WINDOW, **{"rope.freq_base_swa": 500.0}))),
    "gemma2-linear": ("gemma2", dict(GEMMA, post_norm=True, keys=dict(WINDOW, **LINEAR))),
    "gemma3-caps": ("gemma3", dict(GEMMA3,
                                   keys=dict(WINDOW,
                                        **{"attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0}))),
    "gemma3-yarn": ("gemma3", dict(GEMMA3, layers=7, keys=dict(WINDOW, **YARN))),
    "gemma3-window-1": ("gemma3", dict(GEMMA3, layers=7, keys={"attention.sliding_window": 1})),
    "gemma3-window-large": ("gemma3", dict(GEMMA3, layers=7, keys={"attention.sliding_window": 99})),
    "gemma3-head-256": ("gemma3", dict(GEMMA3, key_length=256, layers=6, keys=WINDOW)),
    "phi3-one-kv-head": ("phi3", dict(PHI3, kv_heads=1)),
    "phi3-biases": ("phi3", dict(PHI3, qkv_bias=True, output_bias=True, ffn_bias=True)),
    "phi3-window-pattern": ("phi3", dict(PHI3, keys=dict(WINDOW, **{"attention.sliding_window_pattern": 2}))),
    "phi3-window-longrope": ("phi3", dict(PHI3, tensors=LONGROPE, keys=dict(
        WINDOW, **{"rope.scaling.original_context_length": 64, "rope.scaling.attn_factor": 1.2}))),
    "phi3-longrope-f16": ("phi3", dict(PHI3, tensors=HALF_LONGROPE, keys={"rope.scaling.original_context_length": 64})),
    "phi3-longrope-partial": ("phi3", dict(PHI3, key_length=24, tensors=LONGROPE,
                                           keys={"rope.dimension_count": 16,
                                                "rope.scaling.original_context_length": 64})),
    "granite-plain": ("granite", dict(keys={"logit_scale": 1.0})),
    "granite-yarn": ("granite", dict(keys=dict(YARN, logit_scale=4.0))),
    "granite-one-kv-head": ("granite", dict(kv_heads=1, keys={"logit_scale": 4.0})),
    "smollm3-yarn": ("smollm3", dict(layers=5, keys=YARN)),
    "smollm3-mha": ("smollm3", dict(layers=5, kv_heads=4, tied=True)),
    "smollm3-biases": ("smollm3", dict(layers=5, qkv_bias=True, output_bias=True, ffn_bias=True)),
    "olmo2-tied": ("olmo2", dict(OLMO2, tied=True)),
    "olmo2-head-32": ("olmo2", dict(OLMO2, key_length=32)),
    "olmo2-yarn": ("olmo2", dict(OLMO2, keys=YARN)),
    "olmo2-window-base": ("olmo2", dict(OLMO2, layers=5, keys=dict(WINDOW, **{"rope.freq_base_swa": 500.0}))),
    "olmo2-window-pattern": ("olmo2", dict(OLMO2, layers=5,
                                           keys=dict(WINDOW, **{"attention.sliding_window_pattern": 2}))),
    "gpt-oss-yarn": ("gpt-oss", dict(GPT_OSS, keys=dict(WINDOW, **YARN))),
    "gpt-oss-mha": ("gpt-oss", dict(GPT_OSS, kv_heads=4)),
    "gpt-oss-head-64": ("gpt-oss", dict(GPT_OSS, key_length=64)),
    "gpt-oss-window-1": ("gpt-oss", dict(GPT_OSS, keys={"attention.sliding_window": 1})),
    "gpt-oss-window-128": ("gpt-oss", dict(GPT_OSS, keys={"attention.sliding_window": 128})),
    "gpt-oss-tied": ("gpt-oss", dict(GPT_OSS, tied=True)),
    "gpt-oss-swa-base": ("gpt-oss", dict(GPT_OSS, keys=dict(WINDOW, **{"rope.freq_base_swa": 500.0}))),
    "gpt-oss-flags": ("gpt-oss", dict(GPT_OSS,
                                      keys=dict(WINDOW, **{"attention.sliding_window_pattern": [True, True, False]}))),
    "starcoder2-window": ("starcoder2", dict(STARCODER, keys=WINDOW)),
    "starcoder2-one-kv-head": ("starcoder2", dict(STARCODER, kv_heads=1)),
    "starcoder2-mha": ("starcoder2", dict(STARCODER, kv_heads=4)),
    "starcoder2-partial-rotary": ("starcoder2", dict(STARCODER, keys={"rope.dimension_count": 8})),
    "gpt2-head-20": ("gpt2", dict(GPT2, width=60, heads=3, kv_heads=3)),
    "gpt2-split": ("gpt2", dict(GPT2, fused_qkv=False)),
    "gpt2-grouped": ("gpt2", dict(GPT2, kv_heads=1)),
    "llama-values-8": ("llama", dict(key_length=16, value_length=8)),
    "qwen2-values-24": ("qwen2", dict(qkv_bias=True, key_length=16, value_length=24)),
    "gemma3-values-16": ("gemma3", dict(GEMMA3, value_length=16, layers=6, keys=WINDOW)),
    "gpt-oss-values-32": ("gpt-oss", dict(GPT_OSS, key_length=16, value_length=32)),
    "llama-split-experts": ("llama", dict(LLAMA_EXPERTS, split_experts=True)),
    "gpt-oss-mxfp4": ("gpt-oss", dict(GPT_OSS, expert_type=MXFP4)),
    # All experts are used: near a tie rounding chooses another, by which one cannot tell how well somebody rounds.
    "gpt-oss-mxfp4-wide": ("gpt-oss", dict(GPT_OSS, width=96, expert_hidden=160, experts_used=4, expert_type=MXFP4)),
}
# It refuses their files, or ends the process.
NOT_IN_LLAMA = {
    "gemma-own-output", "gemma2-own-output", "gemma3-values-16", "gpt-oss-tied", "gpt-oss-values-32", "gpt2-split",
    "llama-experts-biases", "llama-experts-hidden", "llama-partial-rotary", "llama-split-experts", "llama-values-8",
    "olmo2-head-32", "olmo2-tied", "phi3-biases", "phi3-longrope-f16", "phi3-longrope-partial", "qwen2-head-32",
    "qwen2-output-bias", "qwen2-partial-rotary", "qwen2-values-24", "qwen3-factors", "qwen3moe-hidden-missing",
    "smollm3-biases", "starcoder2-partial-rotary",
}
# Where many layers with soft-caps amplify the last bits: limits instead of CLOSE and CLOSE_WHEN_ROUNDED.
CHAOTIC = {"gemma2-27b-layers": (1e-8, 1e-4)}


class Reference:
    """llama.cpp with an F32 cache and without flash attention."""

    def __init__(self):
        self.quiet = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.quiet, None)
        llama_cpp.llama_backend_init()

    def logits(self, path, ids, vocabulary):
        model_options = llama_cpp.llama_model_default_params()
        model_options.n_gpu_layers = 0
        model = llama_cpp.llama_model_load_from_file(path.encode(), model_options)
        if not model:
            raise RuntimeError("the reference cannot load it")
        options = llama_cpp.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = CONTEXT
        options.n_threads = options.n_threads_batch = 2
        options.type_k = options.type_v = 0  # F32
        options.flash_attn_type = 0
        context = llama_cpp.llama_init_from_model(model, options)
        batch = llama_cpp.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, True
            batch.seq_id[i][0] = 0
        if llama_cpp.llama_decode(context, batch):
            raise RuntimeError("the reference cannot evaluate it")
        out = np.ctypeslib.as_array(llama_cpp.llama_get_logits(context), (len(ids), vocabulary)).copy()
        llama_cpp.llama_batch_free(batch)
        llama_cpp.llama_free(context)
        llama_cpp.llama_model_free(model)
        return out


def errors_of(name, library, reference, folder):
    """For each comparison of a variant what was found, and the limit."""
    architecture, options = VARIANTS[name]
    path = os.path.join(folder, name + ".gguf")
    model = variant_models.TinyModel(name, architecture, **options)
    model.write(path)
    ids = [int(i) for i in np.random.default_rng(1).integers(0, 256, TOKENS)]
    formulas = Decoder(path).logits(ids, CONTEXT)
    library.open(path, CONTEXT)
    found = library.logits(ids, model.o["vocabulary"])
    library.close()
    is_quantized = model.o["expert_type"] != F32
    close, close_when_rounded = CHAOTIC.get(name, (CLOSE, CLOSE_WHEN_ROUNDED))
    errors = {} if is_quantized else {"formulas": (distance(found, formulas), close)}
    if not reference or name in NOT_IN_LLAMA:
        return errors
    expected = reference.logits(path, ids, model.o["vocabulary"])
    if is_quantized:
        errors["formulas"] = distance(found, formulas), ALLOWED_RATIO * distance(expected, formulas)
    elif architecture.startswith("gemma") or model.o["ffn"] == "plain":
        rounded = Decoder(path, gelu_of_halves).logits(ids, CONTEXT)
        errors["formulas with rounded gelu, and llama.cpp"] = distance(expected, rounded), close_when_rounded
    else:
        errors["llama.cpp"] = distance(found, expected), CLOSE_TO_LLAMA
    return errors


def check(name, library, reference, folder):
    """Texts of what is wrong with a variant."""
    try:
        errors = errors_of(name, library, reference, folder)
    except RuntimeError as error:
        return [str(error)]
    print(f"{name:28}", "  ".join(f"{what} {error:.1e}" for what, (error, _) in errors.items()), flush=True)
    return [f"{what}: normalized mean squared error {error:.1e}, the limit is {limit:.1e}"
            for what, (error, limit) in errors.items() if not error <= limit]


def main():
    library, reference = Library(sys.argv[1]), Reference() if llama_cpp else None
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or VARIANTS:
            for fault in check(name, library, reference, folder):
                faults += 1
                print(f"FAILED {name}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
