#!/usr/bin/env python3
"""The library exports the functions of llm.h, those of exports.golden, and nothing else.

exports.golden is there so that a function is added or taken away on purpose: it changes in the same commit.
"""
import argparse
import pathlib
import re
import subprocess
import sys

VERSION_NODE = "LLM_0"


def exported(nm, library):
    """Names and types of the defined dynamic symbols, with their version: llm_eval@@LLM_0."""
    out = subprocess.run([nm, "-D", "--defined-only", "--with-symbol-versions", library], check=True,
                         capture_output=True, text=True).stdout
    return {fields[-1]: fields[-2] for fields in map(str.split, out.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--header", required=True)
    parser.add_argument("--golden", required=True)
    parser.add_argument("library")
    args = parser.parse_args()

    symbols = exported(args.nm, args.library)
    names = set()
    faults = []
    for symbol, kind in symbols.items():
        name, _, version = symbol.partition("@@")
        if kind == "A" and name == VERSION_NODE:
            continue
        names.add(name)
        if kind != "T" or version != VERSION_NODE:
            faults.append(f"{symbol} is exported with type {kind}; only functions of version {VERSION_NODE} may be")
    declared = set(re.findall(r"^LLM_API [^(;]*?\b(llm_\w+)\(", pathlib.Path(args.header).read_text(), re.M))
    golden = set(pathlib.Path(args.golden).read_text().split())
    faults += [f"{name} is exported, but not declared in the header" for name in sorted(names - declared)]
    faults += [f"{name} is declared in the header, but not exported" for name in sorted(declared - names)]
    faults += [f"{name} is exported, but not in exports.golden" for name in sorted(names - golden)]
    faults += [f"{name} is in exports.golden, but not exported" for name in sorted(golden - names)]
    print(f"{len(names)} exported functions")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
