#!/usr/bin/env python3
"""Logits of the tiny models of golden/arch against the formulas in double precision (decoder_formulas.py).

    pip install numpy gguf
    decoders_test.py LIBLLM [NAME ...]

Skipped without the packages or the data.
"""
import os
import pathlib
import sys

try:
    import gguf
    import numpy as np

    import decoder_formulas
    from library import Library, distance
except ImportError as error:
    print("SKIPPED:", error)
    sys.exit(0)

CONTEXT = 256
CLOSE = 1e-10  # single precision gives some 1e-12


def data_folder():
    shared = os.environ.get("LLM_TEST_DATA") or pathlib.Path(__file__).resolve().parents[2].parent / "shared"
    return pathlib.Path(shared) / "golden/arch"


def prompts(path):
    tensors = {tensor.name: tensor.data for tensor in gguf.GGUFReader(path).tensors}
    return [[int(token) for token in tensors[f"prompt.{i}.ids"]] for i in range(2)]


def check(model, library):
    """The largest error of a model's prompts."""
    decoder = decoder_formulas.Decoder(model)
    library.open(str(model), CONTEXT)
    worst = 0.0
    for ids in prompts(model.with_suffix(".golden.gguf")):
        library.clear()
        expected = decoder.logits(ids, CONTEXT)
        worst = max(worst, distance(library.logits(ids, expected.shape[1]), expected))
    library.close()
    return worst


def main():
    models = [path for path in sorted(data_folder().glob("tiny-*.gguf")) if ".golden" not in path.name]
    if not models:
        print("SKIPPED: no models in", data_folder())
        return 0
    library = Library(sys.argv[1])
    faults = 0
    for model in models:
        name = model.stem.removeprefix("tiny-")
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        error = check(model, library)
        print(f"{name:24} {error:.1e}", flush=True)
        if not error <= CLOSE:
            faults += 1
            print(f"FAILED {name}: the limit is {CLOSE:.0e}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
