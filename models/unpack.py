#!/usr/bin/env python3
"""Takes the weights out of the packed model again: rows and scales lie in it as they were trained.

    unpack.py okno-static.bin model.safetensors          standard library only

`pack.py` of the result and `tokenizer.json` gives the same packed file, byte for byte.
"""
import json
import struct
import sys

ROWS, SCALES = 1, 2     # sections, see pack.py


def section(packed, number):
    offset, length = struct.unpack_from("<QQ", packed, 32 + 16 * number)
    return packed[offset:offset + length]


def main(path, out):
    with open(path, "rb") as file:
        packed = file.read()
    rows, dimensions = struct.unpack_from("<II", section(packed, 0))
    tensors = {"embeddings": ("I8", [rows, dimensions], section(packed, ROWS)), "scales": ("F32", [rows], section(packed, SCALES))}
    header, body = {}, b""
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(out, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


if __name__ == "__main__":
    main(*sys.argv[1:])
