"""Reading the corpus: documents become passages, passages become sentences, and a slice of documents is held out.

A passage is at most 900 characters of English or 380 of Chinese, cut between sentences: about what search treats as a paragraph.
Documents whose title hashes to 0 modulo HELD_OUT are never trained on; settings are chosen on them.
"""
import lzma
import os
import re
import zlib

SIZES = {"en": (900, 100, 15), "zh": (380, 40, 5)}     # longest passage, shortest passage, shortest sentence; characters
SPLIT = {"en": re.compile(r"(?<=[.!?]) +"), "zh": re.compile(r"(?<=[。！？；])")}
SOURCES = {"en": ("enlong", "enwiki"), "zh": ("zhlong", "zhwiki")}
HELD_OUT = 60
HELD_SOURCES = {"debian-faq", "debian-faq-zh-cn", "harden-doc", "celery", "dolphinscheduler"}     # documentation held out whole


def lines(folder, name):
    """Lines of one corpus file, compressed or not; none of a file that is not there."""
    plain = os.path.join(folder, name + ".txt")
    if not os.path.exists(plain) and not os.path.exists(plain + ".xz"):
        return
    opened = open(plain, encoding="utf8") if os.path.exists(plain) else lzma.open(plain + ".xz", "rt", encoding="utf8")
    with opened as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def held_out(title):
    return zlib.crc32(title.encode()) % HELD_OUT == 0


def passages(text, lang):
    """Lists of sentences, each list one passage."""
    longest, shortest, smallest = SIZES[lang]
    out = []
    for paragraph in text.split("\x1f"):
        current, size = [], 0
        for sentence in SPLIT[lang].split(paragraph):
            if len(sentence.strip()) <= smallest:
                continue
            if current and size >= longest:
                out.append(current)
                current, size = [], 0
            current.append(sentence[:longest])
            size += len(sentence)
        if size >= shortest:
            out.append(current)
    return out


def documents(folder, lang, limit=None):
    """(title, passages) of every document of a language: articles, then sections of technical documents under their heading."""
    for name in SOURCES[lang]:
        for number, row in enumerate(lines(folder, name)):
            if limit and number >= limit:
                break
            if len(row) == 2 and (found := passages(row[1], lang)):
                yield row[0], found
    for name in ("secs", "licences"):
        for number, row in enumerate(lines(folder, name)):
            if limit and number >= limit:
                break
            if len(row) == 3 and row[0] == lang and (found := passages(row[2], lang)):
                yield row[1], found


def pairs(folder, name, limit=None):
    """Two-column files: parallel text (English, Chinese) and the dictionary (Chinese, English)."""
    rows = [row for row in lines(folder, name) if len(row) == 2 and row[0] and row[1]]
    return rows[:limit] if limit else rows


def documentation(folder, lang):
    """(source, kind, query or None, title, passages) of every section that documentation.py found."""
    for row in lines(folder, "docs"):
        if len(row) != 6 or row[1] != lang or not (found := passages(row[5], lang)):
            continue
        source, _, kind, heading, above, _ = row
        query = None if kind == "text" else heading
        if kind == "heading" and above and zlib.crc32(heading.encode()) % 2:
            query = above.split(" / ")[-1] + " " + heading          # half of the plain headings with the one above
        yield source, kind, query, above or source, found
