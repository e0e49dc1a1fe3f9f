#!/usr/bin/env python3
"""What reading the engine's hits again gives: MRR@10 and recall@1/5/10 for every set, the blend's weight chosen with the judged set left out.

    judge.py --candidates DIR --scores NAME=FILE … [--depth 20] [--base static]

A scores file is {set: [[score of every hit read] of every question, or null]}; questions that a reader did not score are left out. NAME:2 takes the third number where a hit has several. The first `depth`
hits are read: (1 − w) · engine + w · reader, both from 0 to 1 among those read; the others stay below. Sets with the same documents or
questions (squad and xquad, cmrc and cmrc_long, rgb_zh and rgb_zh_int, dragon) leave each other out too. `static` is what the engine does today; a name a+b
is the reader b on top of the blend of a.
"""
import argparse
import glob
import json
import os

import numpy as np

WEIGHTS = [i / 20 for i in range(1, 20)]
FAMILY = {"xquad_en": "squad", "xquad_zh": "squad", "cmrc_long": "cmrc", "rgb_zh_int": "rgb_zh", "dragon_en": "dragon", "dragon_zh": "dragon"}
ROUNDS = 4000


def scaled(x):
    reach = x.max() - x.min()
    return (x - x.min()) / reach if reach > 0 else np.ones_like(x)


def figures(order, gold):
    """MRR@10, recall@1, @5, @10."""
    place = np.flatnonzero(gold[order])
    rank = place[0] if len(place) else 99
    return (1 / (rank + 1) if rank < 10 else 0.0, rank < 1, rank < 5, rank < 10)


def blended(engine, reader, weight, depth):
    """New scores of all hits; those that were not read keep their order below the others."""
    k = min(depth, len(engine))
    out = np.linspace(-1, -2, len(engine))
    out[:k] = (1 - weight) * scaled(engine[:k]) + weight * scaled(reader[:k])
    return out


class Sets:
    def __init__(self, folder, depth):
        self.depth, self.gold, self.engine, self.scores = depth, {}, {}, {}
        for path in sorted(glob.glob(os.path.join(folder, "*.cand.jsonl"))):
            name = os.path.basename(path).removesuffix(".cand.jsonl")
            rows = [json.loads(line)["c"] for line in open(path, encoding="utf8")]
            self.gold[name] = [np.array([c["g"] for c in r]) for r in rows]
            self.engine[name] = [np.array([c["s"] for c in r], float) for r in rows]
        self.names = list(self.gold)

    def add(self, label, path, part):
        found = json.load(open(path))
        pick = lambda c: c if isinstance(c, float) else c[part]
        deep = lambda row, hits: np.array(([pick(c) for c in row] + [-9.0] * hits)[:hits], float)
        self.scores[label] = {n: [None if r is None else deep(r, len(g)) for r, g in zip(found[n], self.gold[n])] for n in self.names if n in found}

    def keep_common(self):
        """Leaves out the questions that a reader did not score."""
        for n in self.names:
            kept = [i for i in range(len(self.gold[n])) if all(s[n][i] is not None for s in self.scores.values())]
            for rows in (self.gold, self.engine, *self.scores.values()):
                rows[n] = [rows[n][i] for i in kept]

    def table(self, label, weight, base=None):
        """Figures of every question for one weight: {set: [questions, 4]}."""
        base, out = base or self.engine, {}
        for n, readings in self.scores[label].items():
            rows = []
            for gold, engine, reader in zip(self.gold[n], base[n], readings):
                new = blended(engine, reader, weight, self.depth) if weight is not None and len(gold) else engine
                rows.append(figures(np.argsort(-new, kind="stable"), gold) if len(gold) else (0.0,) * 4)
            out[n] = np.array(rows, float)
        return out

    def left_out(self, label, base=None):
        """({set: figures with the weight that is best for the other sets}, {set: weight})."""
        tables = {w: self.table(label, w, base) for w in WEIGHTS}
        family = lambda n: FAMILY.get(n, n)
        best, chosen = {}, {}
        for n in tables[WEIGHTS[0]]:
            others = lambda w: np.mean([t[:, 0].mean() for m, t in tables[w].items() if family(m) != family(n)])
            chosen[n] = max(WEIGHTS, key=others)
            best[n] = tables[chosen[n]][n]
        return best, chosen

    def blend_of(self, label, weights):
        """Scores after blending, to read again on top of."""
        return {n: [blended(e, r, weights[n], self.depth) if len(e) else e for e, r in zip(self.engine[n], readings)]
                for n, readings in self.scores[label].items()}


def interval(a, b, rng):
    """The difference of the means over sets, in points, with its 95 % interval (questions drawn within each set)."""
    diffs = [100 * (a[n][:, 0] - b[n][:, 0]) for n in a]
    drawn = np.mean([rng.choice(d, (ROUNDS, len(d))).mean(1) for d in diffs], 0)
    return float(np.mean([d.mean() for d in diffs])), *np.percentile(drawn, [2.5, 97.5])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", required=True)
    parser.add_argument("--scores", nargs="+", required=True)
    parser.add_argument("--over", nargs="*", default=[], help="a+b: reader b on top of the blend of a")
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--base", default="static")
    args = parser.parse_args()
    sets, rng = Sets(args.candidates, args.depth), np.random.default_rng(1)
    for item in args.scores:
        label, path = item.split("=")
        label, _, part = label.partition(":")
        sets.add(label, path, int(part or 0))
    sets.keep_common()
    first = next(iter(sets.scores))
    results, weights = {"engine": sets.table(first, None)}, {"engine": {}}
    for label in sets.scores:
        results[label], weights[label] = sets.left_out(label)
    for name in args.over:
        a, b = name.split("+")
        results[name], weights[name] = sets.left_out(b, sets.blend_of(a, weights[a]))
    mean = lambda t, k: 100 * np.mean([x[:, k].mean() for x in t.values()])
    print("questions", sum(map(len, sets.gold.values())), "depth", args.depth)
    print(f"{'MRR@10':22s}", *(f"{n[:9]:>9s}" for n in sets.names), "     mean  r@1/5/10")
    for label, t in results.items():
        line = " ".join(f"{100 * t[n][:, 0].mean():9.1f}" for n in t)
        print(f"{label:22s} {line}  {mean(t, 0):7.2f}  " + "/".join(f"{mean(t, k):.1f}" for k in (1, 2, 3)), "w", sorted(set(weights[label].values())))
    for label, t in results.items():
        if label != args.base:
            print(f"{label} against {args.base}: %+.2f [%+.2f, %+.2f]" % interval(t, results[args.base], rng))


if __name__ == "__main__":
    main()
