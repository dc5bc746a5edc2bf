#!/usr/bin/env python3
"""Compares the results that the languages wrote of the conformance cases: agreement.py FOLDER CASES LIBRARY

FOLDER has a file LANGUAGE.json for each language; one that is older than the library is of an earlier build and left
out. Every result of every case has to be the same, numbers with a fraction as 32-bit floats.
"""
import json
import pathlib
import struct
import sys


def canonical(value):
    """A result with its floats as their 32 bits, so that the ways in which languages write them do not matter."""
    if isinstance(value, dict):
        return {name: canonical(member) for name, member in value.items()}
    if isinstance(value, list):
        return [canonical(element) for element in value]
    return struct.pack("<f", value).hex() if isinstance(value, float) else value


def floats_like(value, model):
    """`value` with integers made floats where `model` has floats: some languages write 1.0 as 1."""
    if isinstance(value, dict) and isinstance(model, dict):
        return {name: floats_like(member, model.get(name)) for name, member in value.items()}
    if isinstance(value, list) and isinstance(model, list) and len(value) == len(model):
        return [floats_like(*pair) for pair in zip(value, model)]
    if isinstance(value, int) and not isinstance(value, bool) and isinstance(model, float):
        return float(value)
    return value


def same(a, b):
    return canonical(floats_like(a, b)) == canonical(floats_like(b, a))


def faults_of(language, results, reference, wanted):
    """What is wrong with the results of a language."""
    for name in sorted(wanted):
        if name not in results:
            yield f"{language} has no result of {name}"
        elif not same(results[name], reference[name]):
            yield f"{name}:\n  cpp     {json.dumps(reference[name])}\n  {language:7s} {json.dumps(results[name])}"
    for name in sorted(set(results) - wanted):
        yield f"{language} has a result of {name}, which is no case"


def main():
    folder, cases, library = map(pathlib.Path, sys.argv[1:])
    names = {case["name"] for case in json.loads(cases.read_text())["cases"]}
    found = {}
    for path in sorted(folder.glob("*.json")):
        if path.stat().st_mtime < library.stat().st_mtime:
            print(f"{path.name} is older than the library, left out")
            continue
        found[path.stem] = json.loads(path.read_text(encoding="utf-8"))["results"]
    reference = found.pop("cpp", None)
    if reference is None:
        sys.exit("there are no results of C++")
    if not set(reference) <= names or len(reference) < len(names) / 2:
        sys.exit("the results of C++ are not those of these cases")
    if not found:
        sys.exit("SKIPPED: there are no results but those of C++")
    faults = [fault for language, results in found.items()
              for fault in faults_of(language, results, reference, set(reference))]
    print(f"{len(reference)} cases in C++, {', '.join(found)}: {len(faults)} differences")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
