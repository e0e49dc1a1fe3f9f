#!/usr/bin/env python3
"""The comparison of pieces as the engine's second reading does it (`reread.rs`), for judge.py; besides with squared weights.

    static.py --model model.safetensors --tokenizer FILE --candidates DIR --out FILE

For each hit two numbers: the mean best cosine of the question's pieces in the hit, its neighbours, title and headings, weighed by the length of
their rows, with the lift of a heading that says what is asked; and the mean weighed by the square of the length, without the lift.
"""
import argparse
import glob
import json
import os

import numpy as np

import head

SAME = 0.5


def vector(table, ids):
    """The vector of a text, as MODEL.md says."""
    ids, counts = np.unique(ids, return_counts=True)
    v = np.sqrt(counts).astype(np.float32) @ table.rows[ids] if len(ids) else np.zeros(256, np.float32)
    return v / max(np.linalg.norm(v), 1e-9)


def lift(table, asked, lines, pieces):
    title, own = lines[0].strip(), lines[-1].strip()
    return 0.0 if own in title or title in own else max(0.0, float(vector(table, pieces(own)) @ asked) - SAME)


def read_question(table, row, pieces):
    q = np.unique(pieces(row["q"]))
    q, asked = q[table.length[q] > 0], vector(table, pieces(row["q"]))
    weight, out = table.length[q], []
    for hit in row["c"]:
        found = np.union1d(pieces(hit["around"]), pieces(hit["head"])).astype(int)
        best = np.maximum(table.unit[q] @ table.unit[found].T, 0).max(1) if len(found) and len(q) else np.zeros(len(q))
        mean = lambda w: float(w @ best / max(w.sum(), 1e-6))
        out.append([mean(weight) + lift(table, asked, hit["head"].split("\n"), pieces), mean(weight ** 2)])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "tokenizer", "candidates", "out"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    table, result = head.Table(args.model), {}
    tokenizer = head.readings.tokenizer_of(args.tokenizer)
    for path in sorted(glob.glob(os.path.join(args.candidates, "*.cand.jsonl"))):
        known = {}

        def pieces(text):
            if text not in known:
                known[text] = np.array([i for i in tokenizer.encode(text, add_special_tokens=False).ids if i > 2], np.int64)
            return known[text]
        name = os.path.basename(path).removesuffix(".cand.jsonl")
        result[name] = [read_question(table, json.loads(line), pieces) for line in open(path, encoding="utf8")]
        print(name, flush=True)
    json.dump(result, open(args.out, "w"))


if __name__ == "__main__":
    main()
