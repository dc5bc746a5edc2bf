#!/usr/bin/env python3
"""What a token costs through each binding, compared with C: compare.py SMALL MODEL NAME=COMMAND...

    --rounds N  runs of each program for a model (default 5)

The command named "c" is the measure. Programs take turns, and the fastest run of each counts, so that what else the
machine does disturbs little. SMALL is a model whose tokens take next to no time: what a binding adds to each shows
there, in microseconds. A binding costs too much if that is more than 5 percent of a token of MODEL. The same as a ratio
of times with MODEL itself is printed, too. Without MODEL (an empty word) the test is skipped.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

LIMIT = 0.05
SMALL_TOKENS, TOKENS = 400, 48


def run(command, model, tokens):
    """(microseconds for each token, checksum of ids and text lengths)"""
    done = subprocess.run([*shlex.split(command), model, str(tokens)], stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}")
    line = json.loads(done.stdout.strip().splitlines()[-1])
    if line["tokens"] < tokens / 2:
        sys.exit(f"{command}: only {line['tokens']} tokens")
    return 1e6 * line["seconds"] / line["tokens"], line["checksum"]


def fastest(commands, model, tokens, rounds):
    """The fewest microseconds for each program, which all have to generate the same."""
    best, checksums = {}, {}
    for _ in range(rounds):
        for name, command in commands.items():
            time, checksums[name] = run(command, model, tokens)
            best[name] = min(time, best.get(name, time))
    if len(set(checksums.values())) != 1:
        sys.exit(f"the programs generated different tokens or texts: {checksums}")
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("small")
    parser.add_argument("model")
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    commands = dict(word.split("=", 1) for word in args.commands)
    model = args.model or os.environ.get("LLM_TEST_SMOLLM2", "")
    if not os.path.exists(model):
        sys.exit("SKIPPED: LLM_TEST_SMOLLM2 does not name a file")
    if len(commands) == 1:
        sys.exit("SKIPPED: no binding was built")
    small = fastest(commands, args.small, SMALL_TOKENS, args.rounds)
    large = fastest(commands, model, TOKENS, args.rounds)
    print("| language | a token | ratio to C | a token of a tiny model | more than C | of a token |")
    print("| --- | --- | --- | --- | --- | --- |")
    too_much = []
    for name in commands:
        more = small[name] - small["c"]
        share = more / large["c"]
        print(f"| {name} | {large[name] / 1000:.2f} ms | {large[name] / large['c']:.3f} | {small[name]:.1f} us | "
              f"{more:.1f} us | {100 * share:.2f} % |")
        if share > LIMIT:
            too_much.append(f"{name} adds {100 * share:.1f} % to a token; the limit is {100 * LIMIT:.0f} %")
    sys.exit("\n".join(too_much) if too_much else 0)


if __name__ == "__main__":
    main()
