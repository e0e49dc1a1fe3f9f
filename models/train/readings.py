"""Passages as the second reading sees a hit – sentences with their title in front – and questions for them; for teach.py, head.py and late.py."""
import functools
import math
import random
import re

import numpy as np
from tokenizers import Tokenizer

import queries
import text

BODY, HEAD = {"en": 400, "zh": 120}, {"en": 80, "zh": 30}      # characters
TEACHER = {"en": "gte-small", "zh": "bge-small-zh-v1.5"}
PREFIX = {"en": "", "zh": "为这个句子生成表示以用于检索相关文章："}
ENDS = {"en": re.compile(r"(?<=[.!?])\s+|\n+"), "zh": re.compile(r"(?<=[。！？；])|\n+")}
CHINESE = ("cmrc", "drcd", "zh", "howtocook")
PER_DOCUMENT, PER_SECTION = 40, 3                         # passages of an article, paragraphs of a section


def headed(head, body, lang):
    head = " / ".join(dict.fromkeys(part.strip() for part in head.split("\n") if part.strip()))[: HEAD[lang]]
    return head + (": " if lang == "en" else "。") + body if head else body


def chunks(body, lang):
    """A text in parts of at most BODY characters, cut between sentences where that is possible."""
    out = []
    for sentence in filter(None, map(str.strip, ENDS[lang].split(body))):
        for start in range(0, len(sentence), BODY[lang]):
            part = sentence[start:start + BODY[lang]]
            if out and len(out[-1]) + len(part) < BODY[lang]:
                out[-1] += (" " if lang == "en" else "") + part
            else:
                out.append(part)
    return out or [body[: BODY[lang]] or "-"]


@functools.cache
def tokenizer_of(path):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@functools.cache
def simple_letters(path):
    """Traditional characters and the simplified ones that our tokenizer takes them for."""
    normal = tokenizer_of(path).normalizer.normalize_str
    return {c: normal(chr(c)) for c in range(0x3400, 0xA000)}


def documents(corpus, lang):
    """(question or None, title, paragraphs of sentences), documentation first."""
    for source, _, query, title, found in text.documentation(corpus, lang):
        if query and source not in text.HELD_SOURCES:
            yield query, title, found[:PER_SECTION]
    for name, columns in (("secs", 3), (lang + "long", 2)):
        for row in text.lines(corpus, name):
            if len(row) == columns and (columns == 2 or row[0] == lang) and not text.held_out(row[-2]) and (found := text.passages(row[-1], lang)):
                yield None, row[-2], found


def read_corpus(corpus, lang, limit):
    """Titles and bodies of passages, the document of each, and real questions with the passage that they head."""
    dice, titles, bodies, document, real = random.Random(7), [], [], [], []
    for number, (query, title, found) in enumerate(documents(corpus, lang)):
        if query:
            real.append((query, len(bodies)))
        count = 0
        for paragraph in found:
            start = 0
            while start < len(paragraph) and count < PER_DOCUMENT:
                take = dice.choice((1, 2, 2, 3, 3, 4))
                bodies.append(("" if lang == "zh" else " ").join(paragraph[start:start + take])[: BODY[lang]])
                titles.append(title)
                document.append(number)
                start, count = start + take, count + 1
        if len(bodies) > limit:
            break
    return titles, bodies, np.array(document, np.int32), [r for r in real if r[1] < len(bodies)]


class Inventor:
    """Questions made by rule for the passages of one language."""

    def __init__(self, lang, bodies, tokenizer):
        self.lang, self.tokenizer = lang, tokenizer_of(tokenizer)
        self.maker = queries.Maker(lang, rarity_of(bodies) if lang == "en" else {}, self.cut, 0)

    def cut(self, sentence):
        encoding = self.tokenizer.encode(sentence, add_special_tokens=False)
        return [sentence[a:b] for (a, b), i in zip(encoding.offsets, encoding.ids) if b > a and i != 2]

    def question(self, title, body):
        sentences = [s for s in ENDS[self.lang].split(body) if s and len(s) > 8] or [body]
        return self.maker.one(title.split(" / ")[-1], self.maker.random.choice(sentences)).strip() or body[:60]


def rarity_of(bodies):
    count = {}
    for body in bodies[::5]:
        for word in {w.lower() for w in queries.WORD.findall(body)}:
            count[word] = count.get(word, 0) + 1
    return {w: math.log(len(bodies) / 5 / c) for w, c in count.items() if c > 1}


def language_of(name):
    return "zh" if any(part in name for part in CHINESE) else "en"
