"""libllm through its C API, for the tests in Python."""
import ctypes

import numpy as np


class ContextOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (name, ctypes.c_int32)
        for name in ("context_length", "batch_size", "threads", "cache_type_k", "cache_type_v", "max_sequences")]


def distance(found, expected):
    """Normalized mean squared error."""
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    return ((found - expected) ** 2).sum() / (expected ** 2).sum()


class Library:
    """One model and one context at a time, with the most precise cache."""

    CACHE_F32 = 2
    EVAL_LOGITS_ALL = 1
    EMBED_NORMALIZE = 1
    POOLINGS = {"default": 0, "mean": 1, "first": 2, "last": 3, "none": 4}

    def __init__(self, path):
        self.c = ctypes.CDLL(path)

    def check(self, status):
        if status:
            text = ctypes.create_string_buffer(1024)
            self.c.llm_last_error(text, ctypes.c_size_t(len(text)), ctypes.byref(ctypes.c_size_t()))
            raise RuntimeError(text.value.decode())

    def open(self, path, context_length):
        self.model, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.c.llm_model_open(ctypes.byref(self.model), path.encode(), None))
        options = ContextOptions(ctypes.sizeof(ContextOptions), context_length, 0, 2, self.CACHE_F32, self.CACHE_F32, 1)
        self.check(self.c.llm_context_new(ctypes.byref(self.context), self.model, ctypes.byref(options)))

    def clear(self):
        self.check(self.c.llm_sequence_truncate(self.context, 0, ctypes.c_size_t(0)))

    def close(self):
        self.c.llm_context_close(self.context)
        self.c.llm_model_close(self.model)

    def logits(self, ids, vocabulary):
        tokens = (ctypes.c_int32 * len(ids))(*ids)
        self.check(self.c.llm_eval(self.context, 0, tokens, ctypes.c_size_t(len(ids)), self.EVAL_LOGITS_ALL))
        row = ctypes.POINTER(ctypes.c_float)()
        self.check(self.c.llm_logits(ctypes.byref(row), self.context, 0))
        return np.ctypeslib.as_array(row, (len(ids), vocabulary)).copy()

    def embedding(self, ids, rows, width, pooling, normalize):
        tokens = (ctypes.c_int32 * len(ids))(*ids)
        out = np.zeros(rows * width, np.float32)
        count = ctypes.c_size_t()
        self.check(self.c.llm_embed(
            out.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), ctypes.c_size_t(out.size), ctypes.byref(count),
            self.context, tokens, ctypes.c_size_t(len(ids)), self.POOLINGS[pooling],
            self.EMBED_NORMALIZE if normalize else 0))
        assert count.value == out.size
        return out.reshape(rows, width)
