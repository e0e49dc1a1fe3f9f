"""Flat files that the engine reads in place: a header, then 64-byte aligned sections. Shared by `pack.py` and `pack_wordpiece.py`.

    magic     8 bytes
    version   u32
    count     u32, number of sections
    identity  16 bytes, BLAKE2b of everything after this field
    sections  count x (offset u64, length u64), in bytes from the start of the file
    ...       the sections, each on a multiple of 64, zeros between

All numbers are little-endian. Two structures appear in both files: a double-array trie and a two-stage table over code points.
"""
import hashlib
import struct

import numpy as np

ALIGN = 64              # a cache line: an int8 row of 256 dimensions touches exactly four
LEAF = 1 << 31          # a trie slot that holds a value (or nothing): no label matches it
FREE = LEAF | 0x7FFFFFFF
HAS_LEAF = 1 << 8
BASE_SHIFT, BASE_BITS = 9, 22
BLOCK = 64              # code points per block of a two-stage table: smallest files among 32, 64, 128, 256
KEEP, CHAR, SEQUENCE, STARTS, BREAK, ALONE = range(6)      # kinds of a code point's entry; see `entry`


def write(path, magic, version, sections):
    """Writes the file and returns its identity as hex digits."""
    assert len(magic) == 8
    table, body = [], b""
    start = len(magic) + 8 + 16 + 16 * len(sections)
    position = start
    chunks = []
    for section in sections:
        padding = -position % ALIGN
        chunks.append(b"\0" * padding + section)
        table.append(struct.pack("<QQ", position + padding, len(section)))
        position += padding + len(section)
    body = b"".join(table) + b"".join(chunks)
    identity = hashlib.blake2b(body, digest_size=16).digest()
    with open(path, "wb") as file:
        file.write(magic + struct.pack("<II", version, len(sections)) + identity + body)
    return identity.hex()


def u32s(values):
    return np.asarray(values, "<u4").tobytes()


def entry(kind, payload=0, length=0):
    """What a code point becomes: kind in the top 3 bits, length in the next 8, payload (a code point or a place in the pool) in 21.

    KEEP: itself. CHAR: the payload. SEQUENCE: pool[payload : payload + length]. STARTS: itself, but `length` rules of several code
    points begin with it, at pool[payload]. BREAK: the end of a word. ALONE: a word of its own.
    """
    assert payload < 1 << 21 and length < 1 << 8
    return kind << 29 | length << 21 | payload


def two_stage(values, dtype):
    """A table over code points as (index, blocks): values[c] == blocks[index[c // BLOCK] * BLOCK + c % BLOCK].

    Blocks after the last one that differs from 0 are left out; a reader takes 0 there.
    """
    values = np.asarray(values, dtype)
    last = int(np.flatnonzero(values)[-1]) // BLOCK + 1
    seen, index, blocks = {}, [], []
    for block in values[: last * BLOCK].reshape(last, BLOCK):
        key = block.tobytes()
        if key not in seen:
            seen[key] = len(blocks)
            blocks.append(key)
        index.append(seen[key])
    return np.asarray(index, "<u2").tobytes(), b"".join(blocks)


def double_array(keys):
    """A trie over byte strings, as u32 units: `keys` maps each to its value.

    A node at slot s has its child for byte b at slot base(s) ^ b, whose lowest 8 bits repeat b; every base is used once, so that is
    check enough. A node with HAS_LEAF keeps its value at slot base(s) itself, marked LEAF. The root is slot 0.
    """
    root = {}
    for key, value in keys.items():
        assert key and 0 not in key, "the byte 0 is the leaf's place"
        node = root
        for byte in key:
            node = node.setdefault(byte, {})
        node[0] = value
    slots = Slots()
    units = {0: 0}
    slots.used[0][0] = True
    todo = [(0, root)]
    while todo:
        slot, node = todo.pop()
        labels = sorted(node)
        base = slots.place(labels)
        assert base < 1 << BASE_BITS
        units[slot] |= base << BASE_SHIFT | (HAS_LEAF if 0 in node else 0)
        for label in labels:
            units[base ^ label] = label if label else LEAF | node[0]
            if label:
                todo.append((base ^ label, node[label]))
    filled = np.full(len(slots.used) * 256, FREE, "<u4")
    filled[list(units)] = list(units.values())
    return filled


class Slots:
    """Finds room for a node's children, in blocks of 256 slots: base ^ label never leaves the block of its base."""

    OPEN = 16                                       # blocks still tried; older ones are nearly full and cost only time
    XOR = np.arange(256)[:, None] ^ np.arange(256)

    def __init__(self):
        self.used, self.taken, self.open = [], [], []
        self.add_block()
        self.taken[0][0] = True                     # base 0 would make the root its own child

    def add_block(self):
        self.open = self.open[-self.OPEN + 1:] + [len(self.used)]
        self.used.append(np.zeros(256, bool))
        self.taken.append(np.zeros(256, bool))      # bases in use: each belongs to one node

    def place(self, labels):
        for block in self.open:
            room = ~self.taken[block]
            for label in labels:
                room &= ~self.used[block][self.XOR[label]]
            low = int(room.argmax())
            if room[low]:
                return self.take(block, low, labels)
        self.add_block()
        return self.take(self.open[-1], 0, labels)

    def take(self, block, low, labels):
        self.taken[block][low] = True
        self.used[block][[low ^ label for label in labels]] = True
        if self.used[block].all() or self.taken[block].all():
            self.open.remove(block)
        return block << 8 | low


def find(units, key):
    """The value of one key, or None; what the engine does, for checking."""
    slot = 0
    for byte in key:
        slot = int(units[slot]) >> BASE_SHIFT ^ byte
        if slot >= len(units) or int(units[slot]) & (LEAF | 0xFF) != byte:
            return None
    unit = int(units[slot])
    return int(units[unit >> BASE_SHIFT]) & ~LEAF if unit & HAS_LEAF else None
