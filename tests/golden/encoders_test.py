#!/usr/bin/env python3
"""Embeddings of tiny encoders, written here, against their formulas in double precision, and against libraries.

    pip install numpy gguf
    pip install llama-cpp-python                             # compared, too, when it is there
    pip install "transformers<4.50" "flax<0.9" "jax<0.4.31"  # likewise: Hugging Face's BERT
    encoders_test.py LIBLLM LLM_CLI [NAME ...]

Skipped without numpy and gguf.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np

    import encoder_models
    from library import Library, distance
except ImportError as error:
    print("SKIPPED:", error)
    sys.exit(0)

LENGTHS = (1, 2, 15, 16, 64, 65, 200, 512, 513, 700)
CLOSE = 1e-10
# llama.cpp takes the approximation of gelu by tanh, from a table of half floats.
CLOSE_TO_LLAMA = {"silu": 1e-8, "gelu": 2e-6}
NOMIC = dict(rotary=True, gated=True, biases=False, fused_qkv=True)

VARIANTS = {
    "bert": ("bert", dict()),
    "bert-first": ("bert", dict(pooling="first")),
    "bert-last": ("bert", dict(pooling="last", types=1)),
    "bert-none": ("bert", dict(pooling="none")),
    "bert-fused": ("bert", dict(fused_qkv=True, pooling="mean")),
    "bert-head-80": ("bert", dict(width=160, heads=2, hidden=200, epsilon=1e-5)),
    "bert-three-heads": ("bert", dict(width=36, heads=3, layers=1)),
    "nomic": ("nomic-bert", dict(NOMIC, pooling="mean")),
    "nomic-split": ("nomic-bert", dict(NOMIC, fused_qkv=False, types=1, rope_base=10000.0)),
    "nomic-head-32": ("nomic-bert", dict(NOMIC, heads=2, layers=5, epsilon=1e-5)),
    "nomic-plain": ("nomic-bert", dict(NOMIC, gated=False, types=0)),
}


def quiet(function):
    """Runs it without what a library writes to stderr."""
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        return function()
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self):
        from llama_cpp import llama_cpp
        self.c = llama_cpp
        quiet(llama_cpp.llama_backend_init)

    def takes(self, model):
        return model.arch == "bert" or (model.o["gated"] and model.o["types"])

    def limit(self, model):
        return CLOSE_TO_LLAMA["silu" if model.o["gated"] else "gelu"]

    def vectors(self, model, path, ids):
        return quiet(lambda: self.run(model, path, ids))

    def run(self, model, path, ids):
        c = self.c
        options = c.llama_model_default_params()
        options.n_gpu_layers = 0
        loaded = c.llama_model_load_from_file(path.encode(), options)
        if not loaded:
            raise RuntimeError("llama.cpp cannot load it")
        options = c.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = model.o["context"]
        options.n_threads = options.n_threads_batch = 2
        options.embeddings = True
        options.pooling_type = c.LLAMA_POOLING_TYPE_NONE
        options.flash_attn_type = 0
        context = c.llama_init_from_model(loaded, options)
        batch = c.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, True
            batch.seq_id[i][0] = 0
        if c.llama_encode(context, batch):
            raise RuntimeError("llama.cpp cannot encode with it")
        rows = [np.ctypeslib.as_array(c.llama_get_embeddings_ith(context, i), (model.o["width"],)).copy()
                for i in range(len(ids))]
        c.llama_batch_free(batch)
        c.llama_free(context)
        c.llama_model_free(loaded)
        return np.array(rows, np.float64)


class Transformers:
    name = "transformers"

    def __init__(self):
        os.environ["JAX_PLATFORMS"] = "cpu"
        import transformers
        self.transformers = transformers
        transformers.FlaxBertModel

    def takes(self, model):
        return model.arch == "bert"

    def limit(self, _):
        return CLOSE

    def vectors(self, model, _, ids):
        o, tensors = model.o, model.tensors
        config = self.transformers.BertConfig(
            vocab_size=o["vocabulary"], hidden_size=o["width"], num_hidden_layers=o["layers"],
            num_attention_heads=o["heads"], intermediate_size=o["hidden"], max_position_embeddings=o["context"],
            type_vocab_size=o["types"], layer_norm_eps=o["epsilon"], hidden_act="gelu")

        def linear(name):
            return {"kernel": tensors[name + ".weight"].T, "bias": tensors[name + ".bias"]}

        def norm(name):
            return {"scale": tensors[name + ".weight"], "bias": tensors[name + ".bias"]}

        def layer(block):
            qkv = zip(*(np.split(tensors[f"{block}attn_qkv.{kind}"], 3) for kind in ("weight", "bias")))
            inputs = {name: {"kernel": weight.T, "bias": bias}
                      for name, (weight, bias) in zip(("query", "key", "value"), qkv)}
            return {"attention": {"self": inputs, "output": {"dense": linear(block + "attn_output"),
                                                             "LayerNorm": norm(block + "attn_output_norm")}},
                    "intermediate": {"dense": linear(block + "ffn_up")},
                    "output": {"dense": linear(block + "ffn_down"), "LayerNorm": norm(block + "layer_output_norm")}}

        parameters = {
            "embeddings": {"word_embeddings": {"embedding": tensors["token_embd.weight"]},
                           "position_embeddings": {"embedding": tensors["position_embd.weight"]},
                           "token_type_embeddings": {"embedding": tensors["token_types.weight"]},
                           "LayerNorm": norm("token_embd_norm")},
            "encoder": {"layer": {str(i): layer(f"blk.{i}.") for i in range(o["layers"])}}}
        network = self.transformers.FlaxBertModel(config, add_pooling_layer=False)
        out = network(np.array([ids]), params=parameters)
        return np.array(out.last_hidden_state[0], np.float64)


def installed_libraries():
    found = []
    for library in (LlamaCpp, Transformers):
        try:
            found.append(library())
        except (ImportError, RuntimeError) as error:
            print(f"not compared with {library.name}: {str(error).splitlines()[0]}")
    return found


def check(name, library, others, folder):
    """Texts of what is wrong with a variant."""
    architecture, options = VARIANTS[name]
    model = encoder_models.TinyEncoder(name, architecture, **options)
    path = os.path.join(folder, name + ".gguf")
    model.write(path)
    library.open(path, 0)
    faults, worst = [], {}

    def compare(what, found, expected, limit, detail):
        error = distance(found, expected)
        worst[what] = max(worst.get(what, 0.0), error)
        if not error <= limit:
            faults.append(f"{what}, {detail}: normalized mean squared error {error:.1e}, the limit is {limit:.0e}")

    for length in LENGTHS:
        ids = [int(i) for i in np.random.default_rng(length).integers(0, 256, length)]
        vectors = model.vectors(ids)
        for pooling in Library.POOLINGS:
            for normalize in (False, True):
                chosen = (model.o["pooling"] or "mean") if pooling == "default" else pooling
                expected = encoder_models.pooled(vectors, chosen, normalize)
                found = library.embedding(ids, *expected.shape, pooling, normalize).astype(np.float64)
                compare("formulas", found, expected, CLOSE,
                        f"{length} tokens, pooling {pooling}, normalize {normalize}")
        found = library.embedding(ids, *vectors.shape, "none", False).astype(np.float64)
        for other in others:
            if other.takes(model):
                compare(other.name, found, other.vectors(model, path, ids), other.limit(model), f"{length} tokens")
    library.close()
    print(f"{name:20}", "  ".join(f"{what} {error:.1e}" for what, error in worst.items()), flush=True)
    return faults


def check_command(cli, library, folder):
    """Texts of what is wrong with `llm-cli embed`. In this vocabulary a letter is a token, with its code as the id."""
    model = encoder_models.TinyEncoder("command", "bert")
    path = os.path.join(folder, "command.gguf")
    model.write(path)
    words = [cli, "embed", path, "abc", "--json", "--pooling", "first", "--normalize", "--cache-type-k", "f32",
             "--cache-type-v", "f32"]
    done = subprocess.run(words, capture_output=True, text=True)
    library.open(path, 0)
    expected = library.embedding([97, 98, 99], 1, model.o["width"], "first", True)
    library.close()
    if done.returncode:
        return ["llm-cli embed: " + done.stderr]
    (found,) = json.loads(done.stdout)["embeddings"]
    same = found["tokens"] == 3 and np.array_equal(np.array([found["embedding"]], np.float32), expected)
    return [] if same else ["llm-cli embed shows another embedding than the library gives"]


def main():
    library, others = Library(sys.argv[1]), installed_libraries()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in check_command(sys.argv[2], library, folder):
            faults += 1
            print("FAILED", fault)
        for name in sys.argv[3:] or VARIANTS:
            for fault in check(name, library, others, folder):
                faults += 1
                print(f"FAILED {name}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
