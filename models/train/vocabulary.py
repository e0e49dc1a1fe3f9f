#!/usr/bin/env python3
"""Step 0: revise the vocabulary of the first tokenizer. The pipeline stays: charsmap, runs of Han / letters / digits, Unigram.

    vocabulary.py --base tokenizer.json --corpus DIR --out tokenizer.json [--size 61400]

The first vocabulary was drawn partly from text that is not in the corpus, cut frequent words in two ("then" = "the" + "n") and had
next to no parts of rare words ("tesla" = "tes" + "l" + "a"). Here pieces that the corpus hardly uses leave; parts of rare English words
and frequent words and numbers come in; every whole English word scores just above its best cut, and single
letters score last.
"""
import argparse
import collections
import json
import math
import re

from tokenizers import Tokenizer

import text

MARK = "\u2581"
FIRST = ("[PAD]", "[UNK]", MARK)          # ids 0, 1, 2: zero rows
RUN = re.compile("[a-z]+|[0-9]+")
HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff]+")
EVERY = 6                   # lines read: one in six is enough for counts
PARTS = {2: (450, 150), 3: (1400, 500), 4: (900, 300)}      # letters: places for parts inside a word and at its front
PART, LETTER = -12.0, -15.0 # one price for all parts, so that the fewest win; single letters come last


def sample(folder):
    """Normal text of the corpus, a line at a time, with a flag for the language."""
    for lang in ("en", "zh"):
        for name in text.SOURCES[lang]:
            for number, row in enumerate(text.lines(folder, name)):
                if number % EVERY == 0:
                    yield "\t".join(row)
    for name in ("secs", "parallel"):
        for number, row in enumerate(text.lines(folder, name)):
            if number % EVERY == 0:
                yield "\t".join(row)


def tokenizer_of(base, vocabulary):
    base["model"]["vocab"] = vocabulary
    return Tokenizer.from_str(json.dumps(base, ensure_ascii=False))


def piece_counts(tokenizer, lines):
    """How many texts hold each piece."""
    count = collections.Counter()
    for start in range(0, len(lines), 5000):
        for encoding in tokenizer.encode_batch_fast(lines[start:start + 5000], add_special_tokens=False):
            count.update(set(encoding.ids))
    return collections.Counter({tokenizer.id_to_token(number): c for number, c in count.items()})


def word_counts(lines):
    count = collections.Counter()
    for line in lines:
        count.update(set(RUN.findall(line)))
    return count


def best_cut(word, scores):
    """Score of the best segmentation of MARK + word, by Viterbi."""
    whole = MARK + word
    best = [0.0] + [-1e9] * len(whole)
    for end in range(1, len(whole) + 1):
        for start in range(max(0, end - 24), end):
            piece = whole[start:end]
            if piece in scores and (start, end) != (0, len(whole)):
                best[end] = max(best[end], best[start] + scores[piece])
    return best[-1]


def lift_words(scores):
    """Every whole word beats its own cuts."""
    for piece in sorted((p for p in scores if RUN.fullmatch(p[1:]) and p[0] == MARK), key=len):
        cut = best_cut(piece[1:], scores)
        if scores[piece] <= cut:
            scores[piece] = cut + 0.01


def english_to_add(words, scores, room):
    found = [(w, c) for w, c in words.most_common() if MARK + w not in scores and 2 <= len(w) <= 20]
    total = sum(words.values())
    return {MARK + w: math.log(c / total) for w, c in found[:room]}


def parts_to_add(words, scores):
    """Parts of the words that have no piece of their own, the most frequent of each length; rare words count by square root."""
    count = collections.Counter()
    for word, times in words.items():
        if MARK + word in scores or not word.isalpha() or times < 2 or len(word) > 20:
            continue
        for size in PARTS:
            count[MARK + word[:size]] += math.sqrt(times)
            for start in range(1, len(word) - size + 1):
                count[word[start:start + size]] += math.sqrt(times)
    out = {}
    for size, (inside, front) in PARTS.items():
        for mark, room in (("", inside), (MARK, front)):
            best = [p for p, _ in count.most_common() if (p[0] == MARK) == bool(mark) and len(p.strip(MARK)) == size][:room]
            out |= {p: PART for p in best}
    return out


def leaving(scores, count, known):
    """Pieces that the corpus does not use; dictionary words, single letters and digits stay."""
    return {p for p in list(scores)[3:] if count[p] < 2 and p not in known and not (len(p) <= 2 and p.strip(MARK).isascii())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("base", "corpus", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--size", type=int, default=61400)
    args = parser.parse_args()
    base = json.load(open(args.base, encoding="utf8"))
    normal = Tokenizer.from_file(args.base).normalizer.normalize_str
    lines = [normal(line) for line in sample(args.corpus)]
    words = word_counts(lines)
    print("lines", len(lines), "words", len(words), flush=True)
    scores = {p: s for p, s in base["model"]["vocab"]}
    lift_words(scores)
    count = piece_counts(tokenizer_of(base, list(scores.items())), lines)
    headwords = {normal(row[0]) for row in text.pairs(args.corpus, "cedict")}
    headwords = {w for w in headwords if HAN.fullmatch(w) and 1 <= len(w) <= 6}
    gone = leaving(scores, count, {w for w in headwords if len(w) > 1 or count[w]})
    scores = {p: s for p, s in scores.items() if p not in gone}
    scores = {p: LETTER if re.fullmatch("[a-z]", p) else PART if RUN.fullmatch(p) and p.isalpha() else s for p, s in scores.items()}
    scores = parts_to_add(words, scores) | scores
    scores |= english_to_add(words, scores, args.size - len(scores))
    lift_words(scores)
    scores = {p: scores[p] for p in FIRST} | scores
    base["model"]["vocab"] = [[p, round(s, 4)] for p, s in scores.items()]
    json.dump(base, open(args.out, "w", encoding="utf8"), ensure_ascii=False, separators=(",", ":"))
    print("left", len(gone), "pieces:", sorted(gone)[:20], "size now", len(scores))


if __name__ == "__main__":
    main()
