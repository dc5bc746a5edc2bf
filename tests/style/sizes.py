#!/usr/bin/env python3
"""Sizes of files and functions: fails past the limits, and prints the numbers by which we compare ourselves."""
import pathlib
import statistics
import sys

import source_tree

FILE_LINES = 499
HEADER_LINES = 1200
FUNCTION_LINES = 60
KERNEL_FUNCTION_LINES = 80


def function_limit(path):
    return KERNEL_FUNCTION_LINES if "kernels" in path.parts else FUNCTION_LINES


def percentile_90(values):
    return sorted(values)[int(len(values) * 0.9)] if values else 0


def median(values):
    return statistics.median(values) if values else 0


def faults_of(path, text):
    lines = text.count("\n")
    limit = HEADER_LINES if path.parts[0] == "include" else FILE_LINES
    if lines > limit:
        yield f"{path}: {lines} lines; the limit is {limit}"
    if source_tree.is_c_family(path):
        for start, length in source_tree.functions(text):
            if length > function_limit(path):
                yield f"{path}:{start}: a function of {length} lines; the limit is {function_limit(path)}"


def table(texts):
    """The measures of the library's own sources, and of all C and C++ files."""
    for name, folders in (("src", ("src",)), ("cli", ("cli",)), ("tests", ("tests",))):
        chosen = {p: t for p, t in texts.items() if source_tree.is_c_family(p) and p.parts[0] in folders}
        if not chosen:
            continue
        lines = [t.count("\n") for t in chosen.values()]
        functions = [length for t in chosen.values() for _, length in source_tree.functions(t)]
        comments = [source_tree.comment_lines(t) for t in chosen.values()]
        share = 100 * sum(c for c, _ in comments) / max(1, sum(f for _, f in comments))
        yield (f"| {name} | {len(lines)} | {median(lines):.0f} / {percentile_90(lines)} | {max(lines)} | "
               f"{len(functions)} | {median(functions):.0f} / {percentile_90(functions)} | "
               f"{max(functions, default=0)} | {share:.0f} % |")


def main():
    root = pathlib.Path(sys.argv[1])
    texts, faults = {}, []
    for path in source_tree.text_files(root):
        text = path.read_text()
        if not source_tree.is_generated(text):
            texts[path.relative_to(root)] = text
            faults += faults_of(path.relative_to(root), text)
    print("| folder | files | lines per file: median / p90 | largest | functions | lines per function: median / p90 | "
          "longest | comment lines |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print("\n".join(table(texts)))
    header = texts.get(pathlib.Path("include/llm/llm.h"))
    if header:
        comments, filled = source_tree.comment_lines(header)
        print(f"llm.h: {100 * comments / filled:.0f} % comment lines")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
