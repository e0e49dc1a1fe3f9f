#!/usr/bin/env python3
"""Proves that nothing of the question sets was trained on.

    leak_check.py --corpus DIR --questions DIR --tokenizer tokenizer.json [--clean NAME …]

`--clean` first rewrites these files of the corpus (docs, enlong …) without the lines that hold such a sentence, title or question.

Fails if a training document has the title of a document in squad, xquad, cmrc, cmrc_long or drcd, or if any training text holds a
sentence of 12 or more letters that occurs in a set's documents, or a set's question. English sentences of fewer than 4 words are
not telling ("Configuration", "information science": dictionary glosses and headings equal such fragments of the old collections), and a
dictionary entry counts as one sentence (its glosses are phrases such as "on the other hand"). Compared by hash after folding case, width,
accents, Traditional to Simplified and dropping everything but letters and digits.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import sys

from tokenizers import Tokenizer

import text

TITLED = ("squad", "xquad_en", "xquad_zh", "cmrc", "drcd")
ENDS = re.compile(r"(?<=[。！？!?；;\n])|(?<=[.?!])\s+")
DROP = re.compile(r"[^0-9a-z\u3400-\u9fff]+")
HAN = re.compile("[\u3400-\u9fff]")
SHORTEST, WORDS = 12, 4


class Folder:
    def __init__(self, tokenizer):
        self.normal = Tokenizer.from_file(tokenizer).normalizer.normalize_str

    def fold(self, string):
        return DROP.sub("", self.normal(string))

    def hash(self, string):
        return hashlib.blake2b(string.encode(), digest_size=8).digest()

    def sentences(self, string):
        """Hashes of the sentences long enough to be telling."""
        parts = (part for part in ENDS.split(string) if part and (HAN.search(part) or len(part.split()) >= WORDS))
        return [self.hash(f) for f in map(self.fold, parts) if len(f) >= SHORTEST]


def read(path):
    return [json.loads(line) for line in open(path, encoding="utf8")]


def forbidden(folder, questions):
    titles, hashes = set(), {}
    for path in sorted(glob.glob(os.path.join(questions, "*", "corpus.jsonl"))):
        name = path.split(os.sep)[-2]
        for document in read(path):
            if name in TITLED:
                titles.add(folder.fold(document.get("title", "")))
            if name == "cmrc_long":
                titles |= {folder.fold(h) for h in re.findall(r"^## (.*)$", document["text"], re.M)}
            hashes.update((h, name) for h in folder.sentences(document["text"]))
    for path in sorted(glob.glob(os.path.join(questions, "*", "queries.jsonl"))):
        for query in read(path):
            hashes[folder.hash(folder.fold(query["question"]))] = path.split(os.sep)[-2]
    titles.discard("")
    return titles, hashes


def training_texts(corpus):
    """(source, title or None, text) of everything that training reads."""
    for name in sum(text.SOURCES.values(), ()):
        for row in text.lines(corpus, name):
            yield name, row[0], "\n".join(row[1:]).replace("\x1f", "\n")
    for name, first in (("secs", 1), ("licences", 1), ("docs", 3), ("parallel", 0)):
        for row in text.lines(corpus, name):
            yield name, None, "\n".join(row[first:]).replace("\x1f", "\n")
    for row in text.lines(corpus, "cedict"):
        yield "cedict", None, " ".join(row).replace(";", ",")       # one entry, one sentence


def cleaned(corpus, name, folder, titles, hashes):
    """Rewrites one corpus file without the lines that hold a set's title, question or sentence."""
    first = {"docs": 3, "secs": 1, "licences": 1}.get(name, 1)
    rows = list(text.lines(corpus, name))
    heading = lambda row: row[3] if name == "docs" and len(row) == 6 else row[0]
    kept = [r for r in rows if folder.fold(heading(r)) not in titles and folder.hash(folder.fold(heading(r))) not in hashes
            and not any(h in hashes for h in folder.sentences("\n".join(r[first:]).replace("\x1f", "\n")))]
    with open(os.path.join(corpus, name + ".txt"), "w", encoding="utf8") as file:
        file.writelines("\t".join(r) + "\n" for r in kept)
    print("cleaned", name, len(rows) - len(kept), "of", len(rows), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "questions", "tokenizer"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--clean", nargs="+", default=[])
    args = parser.parse_args()
    folder = Folder(args.tokenizer)
    titles, hashes = forbidden(folder, args.questions)
    print("forbidden titles", len(titles), "sentences and questions", len(hashes), flush=True)
    for name in args.clean:
        cleaned(args.corpus, name, folder, titles, hashes)
    checked, found = {}, []
    for source, title, body in training_texts(args.corpus):
        checked[source] = checked.get(source, 0) + 1
        if title is not None and folder.fold(title) in titles:
            found.append((source, "title", title))
        hit = next((hashes[h] for h in folder.sentences(body) if h in hashes), None)
        if hit:
            found.append((source, hit, body[:80]))
    print("checked", checked)
    for leak in found[:40]:
        print("LEAK", *leak)
    print("leaks", len(found), {pair: sum(leak[:2] == pair for leak in found) for pair in sorted({leak[:2] for leak in found})})
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
