#!/usr/bin/env python3
"""Plain rules of the text files: no tabs, no space at the end of a line, a newline at the end, lines of at most 120
characters, and a comment at the top that says what a C or C++ file is for.

With --clang-format it checks the layout of C and C++ files instead."""
import argparse
import pathlib
import subprocess
import sys

import source_tree

LINE_LENGTH = 120
FREE_LENGTH = {".md", ".json", ".golden", ".txt"}  # tables and data
TABS_ALLOWED = {".go"}


def faults_of(path, text, has_header=False):
    """What is wrong with a file. The comment at the top may be in the header of the same name."""
    if text and not text.endswith("\n"):
        yield f"{path}: no newline at the end"
    if text.endswith("\n\n"):
        yield f"{path}: an empty line at the end"
    if source_tree.is_c_family(path) and not has_header and not text.startswith(("//", "/*")):
        yield f"{path}: no comment at the beginning that says what the file is for"
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line and path.suffix not in TABS_ALLOWED:
            yield f"{path}:{number}: a tab"
        if line != line.rstrip():
            yield f"{path}:{number}: space at the end of the line"
        if len(line) > LINE_LENGTH and path.suffix not in FREE_LENGTH:
            yield f"{path}:{number}: {len(line)} characters; the limit is {LINE_LENGTH}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--clang-format")
    args = parser.parse_args()
    paths = [path for path in source_tree.text_files(args.root) if not source_tree.is_generated(path.read_text())]
    if args.clang_format:
        sources = [path for path in paths if source_tree.is_c_family(path)]
        sys.exit(subprocess.run([args.clang_format, "--dry-run", "-Werror", *sources]).returncode)
    faults = []
    for path in paths:
        has_header = path.suffix != ".h" and path.with_suffix(".h").exists()
        faults += faults_of(path.relative_to(args.root), path.read_text(), has_header)
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
