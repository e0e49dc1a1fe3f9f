#!/usr/bin/env python3
"""Packs the static embedding model into one file that the engine maps and reads in place.

    pack.py FOLDER OUT          FOLDER holds model.safetensors and tokenizer.json; OUT is usually okno-static.bin

Nothing about the contents is fixed here, only their form: int8 rows with one scale each; a `Precompiled` charsmap; a `Split` into runs
of character classes; `Metaspace`; `Unigram`. Any other form is refused. Needs numpy. Sections (see flat.py for the container):

    0 facts      u32 rows, dimensions, unknown id, longest piece in bytes; f64 score of an unknown character
    1 rows       int8 [rows][dimensions]
    2 scales     f32 [rows]
    3 scores     f64 [rows], log-probabilities; f64 because ties and sums must come out as they do in `tokenizers`
    4 pieces     the Unigram vocabulary, a double-array trie
    5, 6 charsmap  two-stage table of entries: what each code point becomes
    7 pool       u32: replacements of several code points; rules of several code points as (length, key..., length, value...)
    8, 9 classes   two-stage table of bytes: bit i is set where alternative i of the Split pattern takes the code point
    10 specials  u32: tokens found in the raw text, as (id, length in bytes, bytes padded to 4)
    11 prefix    UTF-8 of what Metaspace puts before each run
"""
import base64
import json
import os
import re
import struct
import sys

import numpy as np

import flat

VERSION = 1
CODE_POINTS = 0x110000
SHORT = 6               # `tokenizers` tries a whole grapheme cluster only below this many bytes
UNKNOWN_PENALTY = 10.0  # Unigram: an unknown character scores the worst piece minus this


def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = file.read()
    kinds = {"I8": "i1", "F32": "<f4"}
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__":
            start, end = about["data_offsets"]
            tensors[name] = np.frombuffer(body[start:end], kinds[about["dtype"]]).reshape(about["shape"])
    return tensors


def charsmap_rules(blob):
    """All rules {key: replacement} of a SentencePiece charsmap: u32 trie size, trie, strings that end with a zero byte."""
    (size,) = struct.unpack_from("<I", blob)
    units = [int(u) for u in np.frombuffer(blob, "<u4", size // 4, 4)]
    strings = blob[4 + size:]
    offset = lambda unit: (unit >> 10) << ((unit & 1 << 9) >> 6)
    rules, todo = {}, [(offset(units[0]), b"")]
    while todo:
        position, key = todo.pop()
        for byte in range(1, 256):
            child = position ^ byte
            if child < len(units) and units[child] & (1 << 31 | 0xFF) == byte:
                below = child ^ offset(units[child])
                longer = key + bytes([byte])
                if units[child] >> 8 & 1:
                    start = units[below] & (1 << 31) - 1
                    rules[longer.decode()] = strings[start:strings.index(b"\0", start)].decode()
                todo.append((below, longer))
    return rules


def charsmap_table(rules):
    """Entries per code point and the pool. The shortest key wins, so a longer key behind a shorter one is never reached."""
    table, pool = np.zeros(CODE_POINTS, np.uint32), []
    longer = {}
    for key, value in sorted(rules.items()):
        if len(key) == 1 and value != key:
            table[ord(key)] = replacement(value, pool)
        elif len(key) == 1:                     # a rule that changes nothing still ends the search for longer keys
            table[ord(key)] = flat.entry(flat.CHAR, ord(key))
        elif len(key.encode()) < SHORT and not any(key[:n] in rules for n in range(1, len(key))):
            longer.setdefault(key[0], []).append((key, value))
    for first, found in longer.items():
        table[ord(first)] = flat.entry(flat.STARTS, len(pool), len(found))
        for key, value in found:
            pool += [len(key), *map(ord, key), len(value), *map(ord, value)]
    return table, pool


def replacement(value, pool):
    if len(value) == 1:
        return flat.entry(flat.CHAR, ord(value))
    pool += map(ord, value)
    return flat.entry(flat.SEQUENCE, len(pool) - len(value), len(value))


def letters_and_numbers():
    """Code points of \\p{L} and \\p{N}, as the regex engine of `tokenizers` knows them: Python's own tables follow its version."""
    found = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "letters.txt"), encoding="utf8") as file:
        for line in file:
            if not line.startswith("#"):
                name, *ranges = line.split()
                found[name] = [tuple(int(end, 16) for end in item.split("-")) for item in ranges]
    return found


def class_masks(pattern):
    """One bit per alternative of a pattern like `[a-z]+|[0-9]+|[\\p{L}]+`; other forms are refused."""
    alternatives = re.findall(r"\[((?:\\p\{\w+\}|[^\]\\])+)\]\+", pattern)
    if "|".join(f"[{a}]+" for a in alternatives) != pattern or len(alternatives) > 8:
        sys.exit(f"pack.py: the Split pattern must be up to 8 alternatives `[...]+` of ranges and \\p{{..}}; got `{pattern}`")
    known, masks = letters_and_numbers(), np.zeros(CODE_POINTS, np.uint8)
    for bit, alternative in enumerate(alternatives):
        for name, first, last in re.findall(r"\\p\{(\w+)\}|(.)(?:-(.))?", alternative, re.S):
            ranges = known[name] if name else [(ord(first), ord(last or first))]
            for start, end in ranges:
                masks[start:end + 1] |= 1 << bit
    return masks


def special_tokens(tokens):
    packed = []
    for token in tokens:
        if token["normalized"] or token["lstrip"] or token["rstrip"] or token["single_word"]:
            sys.exit(f"pack.py: the added token `{token['content']}` must be matched as it is, without options")
        content = token["content"].encode()
        padded = content + b"\0" * (-len(content) % 4)
        packed += [token["id"], len(content), *np.frombuffer(padded, "<u4").tolist()]
    return packed


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what} is {got!r}; the packer knows only {wanted!r}")


def main(folder, out):
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf8") as file:
        tokenizer = json.load(file)
    weights = read_safetensors(os.path.join(folder, "model.safetensors"))
    rows, scales, model = weights["embeddings"], weights["scales"], tokenizer["model"]
    split, metaspace = tokenizer["pre_tokenizer"]["pretokenizers"]
    expect("normalizer", tokenizer["normalizer"]["type"], "Precompiled")
    expect("pre-tokenizer", (split["type"], split["behavior"], split["invert"]), ("Split", "Removed", True))
    expect("second pre-tokenizer", (metaspace["type"], metaspace["prepend_scheme"], metaspace["split"]), ("Metaspace", "always", False))
    expect("model", (model["type"], model.get("byte_fallback", False)), ("Unigram", False))
    expect("types", (rows.dtype.str, scales.dtype.str, len(scales)), ("|i1", "<f4", len(rows)))
    expect("vocabulary size", len(model["vocab"]), len(rows))

    masks = class_masks(split["pattern"]["Regex"])
    prefix = metaspace["replacement"]
    if masks[ord(prefix)] or masks[ord(" ")]:
        sys.exit("pack.py: the Split pattern must not keep spaces or the Metaspace character")
    table, pool = charsmap_table(charsmap_rules(base64.b64decode(tokenizer["normalizer"]["precompiled_charsmap"])))
    scores = [score for _, score in model["vocab"]]
    pieces = {piece.encode(): i for i, (piece, _) in enumerate(model["vocab"])}
    expect("number of distinct pieces", len(pieces), len(rows))
    trie = flat.double_array(pieces)
    assert all(flat.find(trie, piece) == i for piece, i in pieces.items())

    facts = struct.pack("<IIIId", *rows.shape, model["unk_id"], max(map(len, pieces)), min(scores) - UNKNOWN_PENALTY)
    sections = [facts, rows.tobytes(), scales.tobytes(), np.asarray(scores, "<f8").tobytes(), trie.tobytes(),
                *flat.two_stage(table, "<u4"), flat.u32s(pool), *flat.two_stage(masks, "u1"),
                flat.u32s(special_tokens(tokenizer["added_tokens"])), prefix.encode()]
    identity = flat.write(out, b"oknostat", VERSION, sections)
    print(f"{out}: {os.path.getsize(out)} bytes, identity {identity}, sections {[len(s) for s in sections]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
