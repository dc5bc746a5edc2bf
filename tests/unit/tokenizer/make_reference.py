#!/usr/bin/env python3
"""Write what the reference libraries make of some texts: word_pieces.json and unigrams.json, for reference_test.cpp.

    pip install tokenizers==0.21.4 sentencepiece==0.2.1 protobuf
    make_reference.py FOLDER

Both vocabularies are made here, from the texts below; the results are the same each time.
"""
import collections
import io
import json
import os
import random
import sys
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

SENTENCES = """\
The quick brown fox jumps over the lazy dog, and nobody knows why it does so.
A model reads a text in tokens: words, parts of words, and marks; then it writes the next one.
How are you today? I am fine, thank you! It's a long story, isn't it?
In 1984 the price was 1,234.50 dollars; by 2024 it had risen to 98,765 (about 80 times as much).
Numbers such as 3.14159, 2.71828 and 1e-9 are written with digits, signs and letters.
def main(argument): return [x ** 2 for x in range(argument) if x % 2 == 0]  # squares of even numbers
https://example.org/path?query=value&other=1#place and someone@example.org are not words.
Der kleine Junge ging über die Straße und kaufte Äpfel, Öl und süße Brötchen für seine Großmutter.
Le garçon a mangé une crème brûlée à côté de la forêt, où l'été était déjà passé.
El niño comió una manzana y después corrió hacia la montaña. ¿Qué pasó? ¡Nada!
Zażółć gęślą jaźń; příliš žluťoučký kůň úpěl ďábelské ódy; árvíztűrő tükörfúrógép.
Съешь же ещё этих мягких французских булок, да выпей чаю. Привет, мир!
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Καλημέρα κόσμε!
İstanbul'da güneşli bir gün; ILIK süt içtim.
नमस्ते दुनिया, आप कैसे हैं? हिन्दी में लिखा हुआ वाक्य।
مرحبا بالعالم، كيف حالك اليوم؟ هذه جملة قصيرة.
שלום עולם, מה שלומך היום?
你好，世界。我喜欢机器学习和自然语言处理。
日本語の文章をトークンに分割します。カタカナとひらがな。
안녕하세요 세계, 한국어 문장을 나눕니다.
สวัสดีชาวโลก ภาษาไทยไม่มีช่องว่างระหว่างคำ
"""
ODDITIES = [
    "", " ", "   ", "\n", "\t a \t", " a", "a ", "  two  spaces  ", "a\r\n\r\nb", "\u3000a\u00a0b\u2003c",
    "e\u0301 a\u0308", "\ufb01ne \u00bd \u2167 \u33a5", "\uff21\uff22\uff23\uff11", "\u00ad\u200b\ufeff",
    "\U0001f600\U0001f44d\U0001f3fd", "\x00\x01\x7f\x85", "\ufffd", "\u0130I\u0131i", "\u1e9e\u00df",
    "\u03a3\u03c2\u03c3", "a" * 100, "a" * 101, "x" * 300, "=" * 50, "don't we're 'quoted'", "[CLS] [UNK] [MASK]",
    "<unk> </s>", "\u2581", "a\u2581b", "\u4e2d\u6587abc", "\U00020000\U0002f800", "$+<=>^`|~",
    "\u2014\u201cq\u201d\u2026", "99999"]
# Normalization of the second vocabulary: what it replaces, and by what (sequences, nothing, and more than there was).
REPLACEMENTS = {
    "\uff21": "A", "\uff22": "B", "\uff11": "1", "\ufb01": "fi",
    "\u00bd": "1/2",                 "e\u0301": "\u00e9", "e\u0301\u0301": "e", "\u00a0": " ", "\u3000": " ",
    "\t": " ", "\n": " ", "\u00ad": "", "\u200b": "", "\u2026": "..."}


def texts():
    rng = random.Random(1)
    out = ODDITIES + SENTENCES.splitlines()
    characters = sorted(set("".join(out)))
    words = SENTENCES.split()
    for _ in range(150):
        parts = [rng.choice(words if rng.random() < 0.6 else characters) for _ in range(rng.randrange(1, 12))]
        out.append("".join(part + rng.choice(["", " "]) for part in parts))
    return out


SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def word_piece_names(words):
    """Special tokens, most letters, and the most frequent beginnings and continuations of words."""
    letters, pieces = collections.Counter(), collections.Counter()
    for word in words:
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                (letters if end == start + 1 else pieces)[piece] += 1
    common = sorted(pieces, key=lambda piece: (-pieces[piece], piece))[:300]
    return SPECIAL + sorted(letters)[::-1][7:] + common


def word_pieces(inputs, lowercase, strip_accents):
    normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    splitter = pre_tokenizers.BertPreTokenizer()
    words = [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(SENTENCES))]
    names = word_piece_names(words)
    # The names of the special tokens are not given to the reference, which would find them in the text.
    reference = tokenizers.Tokenizer(models.WordPiece({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    reference.normalizer, reference.pre_tokenizer, reference.decoder = normalizer, splitter, decoders.WordPiece()
    # As files spell them: the beginning of a word is marked, not its continuation.
    spelled = [n if n in SPECIAL else n[2:] if n.startswith("##") else "\u2581" + n for n in names]
    cases = []
    for text in inputs:
        ids = reference.encode(text).ids
        cases.append({"text": text, "ids": ids, "decoded": reference.decode(ids)})
    # What is None is for the reference to decide, and is not said in the file.
    said = {"lowercase": lowercase, "strip_accents": strip_accents}
    return {"said": {k: v for k, v in said.items() if v is not None}, "tokens": spelled, "cases": cases}


def word_piece_variants():
    few = ODDITIES + SENTENCES.splitlines()
    return [word_pieces(texts(), True, None), word_pieces(few, False, None), word_pieces(few, True, False),
            word_pieces(few, False, True)]


def unigrams():
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.tsv")
        with open(rules, "w", encoding="utf-8") as out:
            for source, target in REPLACEMENTS.items():
                out.write("\t".join(" ".join(f"{ord(c):X}" for c in side) for side in (source, target)) + "\n")
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(SENTENCES.splitlines()), model_writer=model, model_type="unigram", vocab_size=420,
            hard_vocab_limit=False, normalization_rule_tsv=rules, character_coverage=0.99, minloglevel=2,
            pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    out = {"tokens": [p.piece for p in proto.pieces], "scores": [p.score for p in proto.pieces],
           "types": [p.type for p in proto.pieces], "normalizer": proto.normalizer_spec.precompiled_charsmap.hex(),
           "texts": texts(), "variants": []}
    for trim, prefix in ((True, True), (False, False), (False, True), (True, False)):
        proto.normalizer_spec.remove_extra_whitespaces = trim
        proto.normalizer_spec.add_dummy_prefix = prefix
        reference = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
        out["variants"].append({"remove_extra_whitespace": trim, "add_space_prefix": prefix,
                                "ids": [reference.encode(text) for text in texts()]})
    return out


def main(folder):
    for name, data in (("word_pieces", word_piece_variants()), ("unigrams", unigrams())):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
            json.dump(data, out, ensure_ascii=True, separators=(",", ":"))
            out.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
