#!/usr/bin/env python3
"""Writes cases for whole question sets and for random strings, to be compared by the engine's example `compare`; too large to keep.

    make_corpus_cases.py MODEL_FOLDER COUNTER.json QUESTIONS > all.jsonl          needs numpy, tokenizers
"""
import json
import os
import random
import re
import sys

from cases import Truth
from make_cases import mixed

SENTENCE = re.compile(r"[^.!?。！？…\n]*[.!?。！？…\n]+\s*|[^.!?。！？…\n]+$")
RANDOM = 100_000


def lines(folder):
    for name in sorted(os.listdir(folder)):
        for file in ("corpus.jsonl", "queries.jsonl"):
            with open(os.path.join(folder, name, file), encoding="utf8") as opened:
                for row in map(json.loads, opened):
                    for key in ("title", "text", "question", "answer"):
                        if isinstance(row.get(key), str):
                            yield row[key]
                            if key == "text":
                                yield from SENTENCE.findall(row[key])
                                yield from row[key].split("\n")


def anything(random_source):
    """Any code points at all, in pairs with letters, to meet tables at their edges."""
    code = lambda: random_source.choice([random_source.randrange(0x300, 0x3400), random_source.randrange(0xA000, 0x11000), random_source.randrange(0x10000, 0x20000), random_source.randrange(0x20, 0x250)])
    codes = [code() for _ in range(random_source.randrange(1, 8))]
    return "".join(chr(c) for c in codes if not 0xD800 <= c < 0xE000)


def main(model_folder, counter_json, questions):
    truth, random_source, seen = Truth(model_folder, counter_json), random.Random(11), set()
    for text in lines(questions):
        if text not in seen:
            seen.add(text)
            print(json.dumps(truth.case(text), ensure_ascii=False))
    for _ in range(RANDOM):
        print(json.dumps(truth.case(mixed(random_source)), ensure_ascii=False))
        print(json.dumps(truth.case(anything(random_source)), ensure_ascii=False))
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000 and (code < 0x3400 or 0xA000 <= code < 0x20000 or code % 97 == 0):
            print(json.dumps(truth.case(f"a{chr(code)}b {chr(code)}\u0301 {chr(code)}"), ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
