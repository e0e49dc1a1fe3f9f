#!/usr/bin/env python3
"""Packs the token counter's tokenizer (BERT uncased WordPiece) into one file that the engine reads in place.

    pack_wordpiece.py TOKENIZER.json OUT          OUT is usually wordpiece.bin

What the normaliser and the pre-tokenizer do to a code point is asked from `tokenizers` itself, one code point at a time, so that the
Unicode tables are the ones it was built with; needs tokenizers and numpy. Sections (see flat.py for the container):

    0 facts        u32: slot of the trie where pieces inside a word begin, most characters in a word
    1 pieces       the vocabulary, a double-array trie (values unused: only the number of pieces matters)
    2, 3 characters  two-stage table of entries
    4 pool         u32: what a code point becomes if not one character
    5 specials     u32: tokens found in the raw text, as (id, length in bytes, bytes padded to 4)

Hangul syllables are left out: they decompose by arithmetic, which is checked here and done in the engine.
"""
import json
import os
import struct
import sys
import unicodedata

import numpy as np
from tokenizers import Tokenizer

import flat
from pack import CODE_POINTS, expect, special_tokens

VERSION = 1
HANGUL = range(0xAC00, 0xD7A4)


def becomes(tokenizer, character):
    """The characters that one turns into between two letters, with 0 where words end."""
    pieces = tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(f"a{character}b"))
    items = []
    for piece, _ in pieces:
        items += [0, *map(ord, piece)]
    return items[2:-1]                      # without the first 0 and the two letters


def jamo(code):
    index = code - HANGUL.start
    parts = [0x1100 + index // 588, 0x1161 + index % 588 // 28, 0x11A7 + index % 28]
    return parts if index % 28 else parts[:2]


def character_entry(code, items, pool):
    if items == [code]:
        return flat.entry(flat.KEEP)
    if items == [0]:
        return flat.entry(flat.BREAK)
    if len(items) == 3 and items[0] == items[2] == 0:
        return flat.entry(flat.ALONE)        # known or not, it is one token: which one does not matter
    if len(items) == 1:
        return flat.entry(flat.CHAR, items[0])
    assert 0 not in items, "no known character breaks a word and adds to it"
    pool += items
    return flat.entry(flat.SEQUENCE, len(pool) - len(items), len(items))


def main(source, out):
    with open(source, encoding="utf8") as file:
        about = json.load(file)
    expect("model", (about["model"]["type"], about["model"]["continuing_subword_prefix"]), ("WordPiece", "##"))
    expect("pre-tokenizer", about["pre_tokenizer"]["type"], "BertPreTokenizer")
    tokenizer, table, pool = Tokenizer.from_file(source), np.zeros(CODE_POINTS, np.uint32), []
    for code in range(CODE_POINTS):
        if not 0xD800 <= code < 0xE000:
            items = becomes(tokenizer, chr(code))
            if code in HANGUL:
                assert items == jamo(code)
            else:
                table[code] = character_entry(code, items, pool)
    vocabulary = about["model"]["vocab"]
    # Decomposed marks that survive could change places; the engine looks at one code point at a time, so none may be in a piece.
    assert not [c for piece in vocabulary for c in piece if unicodedata.combining(c) and becomes(tokenizer, c) == [ord(c)]]
    trie = flat.double_array({piece.encode(): i for piece, i in vocabulary.items()})
    inside = 0
    for byte in b"##":
        inside = int(trie[inside]) >> flat.BASE_SHIFT ^ byte
    facts = struct.pack("<II", inside, about["model"]["max_input_chars_per_word"])
    sections = [facts, trie.tobytes(), *flat.two_stage(table, "<u4"), flat.u32s(pool), flat.u32s(special_tokens(about["added_tokens"]))]
    identity = flat.write(out, b"oknowdpc", VERSION, sections)
    print(f"{out}: {os.path.getsize(out)} bytes, identity {identity}, sections {[len(s) for s in sections]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
