#!/usr/bin/env python3
"""Where the expected results of cases.json come from, without this library: expected.py check|write MODELS

    pip install numpy gguf jinja2 llama-cpp-python

`check` derives the results once more and compares them with those in cases.json; `write` puts them there. Skipped
without these packages. A case whose source is "hand" or "agreement" is left as it is. The others:
    llama.cpp  token ids
    jinja2     chat prompts, as Transformers renders them
    formulas   logits, ids and embeddings: tests/golden/decoder_formulas.py and encoder_models.py in double precision,
               with the sampler and the stream of text of reference.py
"""
import json
import math
import pathlib
import sys

try:
    import reference
except ImportError as error:
    print("SKIPPED:", error)
    sys.exit(0)

CASES = pathlib.Path(__file__).with_name("cases.json")


class Derive:
    """A method for each kind of case that has a derived result."""

    def __init__(self, models):
        self.models = models
        self.tools = {}

    def tokenizer(self, case):
        return self.tool(reference.Tokenizer, case)

    def decoder(self, case):
        return self.tool(reference.Decoder, case)

    def tool(self, kind, case):
        key = kind, case["model"]
        if key not in self.tools:
            self.tools[key] = kind(str(self.models / (case["model"] + ".gguf")))
        return self.tools[key]

    def prompt(self, case, member="prompt"):
        return self.tokenizer(case).ids(case[member].encode(), add_special=True)

    def continuation(self, case, member="text"):
        return self.tokenizer(case).ids(case[member].encode())

    def follow(self, case, ids):
        sampler = reference.Sampler({"temperature": "0"})
        return self.decoder(case).generate(ids, sampler, case["count"])

    # ---- Text

    def tokenize(self, case):
        text = bytes.fromhex(case["bytes"]) if "bytes" in case else case["text"].encode()
        return {"tokens": self.tokenizer(case).ids(text, case.get("add_special", False),
                                                   case.get("parse_special", False))}

    def chat_render(self, case):
        return {"text": reference.render(self.decoder(case).fields["tokenizer.chat_template"], case["request"])}

    def chat_tokenize(self, case):
        template = self.decoder(case).fields["tokenizer.chat_template"]
        guard = case.get("chat", {}).get("guard") != "0"
        return {"tokens": self.tokenizer(case).chat_ids(template, case["request"], guard)}

    # ---- Generation

    def generate(self, case):
        ids = self.prompt(case) if "prompt" in case else case["tokens"]
        sampler = reference.Sampler({"temperature": "0", **case.get("sampler", {})})
        options = case.get("generation", {})
        decoder, tops = self.decoder(case), []
        tokens = decoder.generate(ids, sampler, int(options["max_tokens"]), tops, int(options.get("logprobs", 0)))
        ended = tokens[-1] in decoder.ends
        out = {"tokens": tokens, "finish": "end_token" if ended else "length"}
        text = self.tokenizer(case).text(tokens)
        if text is not None:
            out["text"] = text
        if "logprobs" in options:
            out["logprobs"] = [own for own, _ in tops]
            out["top"] = [top for _, top in tops]
        return out

    def cancel(self, case):
        return {**self.generate(case), "cancelled": True}

    # ---- Sequences

    def fork(self, case):
        start = self.prompt(case)
        return {name: self.follow(case, start + self.continuation(case, name)) for name in ("first", "second")}

    def rewind(self, case):
        return {"tokens": self.follow(case, self.prompt(case)[:case["length"]] + self.continuation(case))}

    def reuse(self, case):
        before, after = self.prompt(case), self.prompt(case, "next")
        kept = 0
        while kept < min(len(before), len(after) - 1) and before[kept] == after[kept]:
            kept += 1
        return {"kept": kept, "tokens": self.follow(case, after)}

    def state(self, case):
        start = self.prompt(case)
        return {"length": len(start), "tokens": self.follow(case, start + self.continuation(case))}

    # ---- Evaluation

    def logits(self, case):
        rows = self.decoder(case).logits(case["tokens"])
        return {"rows": [[rounded(row[column]) for column in case["columns"]] for row in rows]}

    def batch(self, case):
        sequences, first_rows, best = {}, [], []
        for entry in case["entries"]:
            sequence = sequences.setdefault(entry["sequence"], [])
            sequence += entry["tokens"]
            rows = self.decoder(case).logits(sequence)[-len(entry["tokens"]):]
            first_rows.append(len(best))
            best += [int(row.argmax()) for row in {"all": rows, "last": rows[-1:], "none": []}[entry["logits"]]]
        return {"first_rows": first_rows, "best": best, "lengths": [len(sequences[i]) for i in range(3)]}

    def sample(self, case):
        row = self.decoder(case).logits(case["tokens"])[-1]
        sampler = reference.Sampler({"temperature": "0", **case["sampler"]})
        tokens = [sampler.choose(row) for _ in range(case["count"])]
        return {"tokens": tokens, "clone": tokens[len(tokens) // 2:], "again": tokens}

    def embed(self, case):
        encoder = self.tool(reference.Encoder, case)
        ids = self.prompt(case, "text") if "text" in case else case["tokens"]
        rows = encoder.embedding(ids, case["pooling"], case["normalize"])
        return {"embedding": [rounded(x) for row in rows for x in row]}


def rounded(number):
    """Always with a fraction, by which runners know that it may differ a little."""
    return round(float(number), 7)


def same(a, b):
    """Equal; numbers with a fraction within what double precision leaves after rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, abs_tol=2e-7)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    cases = json.loads(CASES.read_text())["cases"]
    derive = Derive(pathlib.Path(sys.argv[2]))
    differences = derived = 0
    for case in cases:
        if case["source"] in ("hand", "agreement"):
            continue
        found = getattr(derive, case["kind"])(case)
        derived += 1
        if not same(found, case.get("expect")):
            differences += 1
            print(f"{case['name']}:\n  file    {case.get('expect')}\n  derived {found}")
            case["expect"] = found
    print(f"{len(cases)} cases, {derived} derived, {differences} different")
    if sys.argv[1] == "write":
        CASES.write_text('{"format": 1, "cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")
    elif differences:
        sys.exit(1)


if __name__ == "__main__":
    main()
