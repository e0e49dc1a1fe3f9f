#!/usr/bin/env python3
"""Writes letters.txt: the code points that `\\p{L}` and `\\p{N}` mean to `tokenizers`. Needs tokenizers; run it when that is upgraded."""
from tokenizers import Regex, pre_tokenizers

print("# Code points of \\p{L} and \\p{N}, asked from the regex engine of `tokenizers` by make_letters.py; read by pack.py.")
for name in "LN":
    split = pre_tokenizers.Split(Regex(rf"\p{{{name}}}"), "removed", invert=True)
    ranges = []
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000 and split.pre_tokenize_str(chr(code)):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    print(name, *(f"{first:x}-{last:x}" for first, last in ranges))
