#!/usr/bin/env python3
"""baseline.py finds what breaks programs, and tells it from additions: headers are changed and checked."""
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
HEADER = (FOLDER.parent.parent / "include" / "llm" / "llm.h").read_text()
BROKEN, CHANGED, ADDED = "no longer work. If that is wanted", "types have changed", "something was added"

# What is replaced, by what, and what must be said of it.
CASES = [
    ("uint32_t llm_version(void);", "uint32_t llm_version(void);", None),
    ("LLM_API uint32_t llm_version(void);", "", BROKEN),
    ("LLM_API uint32_t llm_version(void);", "LLM_API uint64_t llm_version(void);", CHANGED),
    ("LLM_API uint32_t llm_version(void);", "LLM_API uint32_t llm_version(void);\nLLM_API void llm_new(void);", ADDED),
    ("    float min_p;", "    double min_p;", BROKEN),
    ("    float top_p;", "    float first, top_p;", BROKEN),
    ("    float top_p;", "    int32_t top_p;", CHANGED),
    ("    uint32_t reserved;\n} llm_context_info;", "    uint32_t used;\n} llm_context_info;", ADDED),
    ("} llm_chunk;", "    uint64_t last;\n} llm_chunk;", CHANGED),
]


def verdict(header, tools):
    with tempfile.TemporaryDirectory() as include:
        path = pathlib.Path(include) / "llm" / "llm.h"
        path.parent.mkdir()
        path.write_text(header)
        return subprocess.run([sys.executable, FOLDER / "baseline.py", "check", "--include", include, *tools],
                              capture_output=True, text=True)


def main():
    faults = []
    for old, new, expected in CASES:
        if HEADER.count(old) != 1:
            sys.exit(f"the header has no single {old!r}")
        done = verdict(HEADER.replace(old, new), sys.argv[1:])
        if (expected is None) != (done.returncode == 0) or (expected or "") not in done.stderr:
            faults.append(f"{old!r} -> {new!r}: status {done.returncode}, {done.stderr!r}")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
