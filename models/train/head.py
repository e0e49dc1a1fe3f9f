#!/usr/bin/env python3
"""A reading head of a few numbers over the cosines of the table's pieces, and a weight for every piece; numpy, no accelerator.

    head.py --model model.safetensors --tokenizer FILE --teachers DIR --corpus DIR --candidates DIR --out DIR

For piece i of the question and a passage: m = its best cosine, b = the best mean cosine of the pair (i, i + 1) at neighbouring places,
e = 1 if it is there itself. f_i = θ · (m, m², e, b, b²);  a_i = exp(β · log length + γ · (log length)² + δ_i).
score = Σ a_i f_i / Σ a_i + η · (pooled cosine, log of the passage's length).   δ, one number a piece, is drawn towards 0.
A list is a question (a heading of documentation, or made by rule), its passage, others of its document and neighbours by the table. Six heads
are learned: `small` (no δ), `plain` (neither δ nor η) and `pieces` (all), each from what is `known` and from the teachers (`taught`). Writes
NAME.npz and NAME.json, scores for judge.py.
"""
import argparse
import glob
import json
import os
import time

import numpy as np
from safetensors.numpy import load_file

import readings
import teach

FEATURES, EXTRA, DEPTH, Q_LEN = 5, 2, 20, 24
START = time.process_time()


def log(*what):
    print(f"[{time.process_time() - START:6.1f} s CPU]", *what, flush=True)


class Table:
    def __init__(self, path):
        stored = load_file(path)
        self.rows = stored["embeddings"].astype(np.float32) * stored["scales"].astype(np.float32)[:, None]
        self.length = np.linalg.norm(self.rows, axis=1)
        self.unit = self.rows / np.maximum(self.length, 1e-9)[:, None]
        logs = np.log(self.length + 1e-3)
        self.log = ((logs - logs[3:].mean()) / logs[3:].std()).astype(np.float32)

    def pooled(self, ids):
        v = self.rows[np.unique(ids)].sum(0) if len(ids) else np.zeros(256, np.float32)
        return v / max(np.linalg.norm(v), 1e-9)


def encoder(path):
    tokenizer = readings.tokenizer_of(path)
    return lambda texts: [np.array([i for i in e.ids if i > 2], np.int64)[:400] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


def distinct(ids, table):
    """A question's pieces, each once, in their order; the longest rows where there are too many."""
    ids = np.array(list(dict.fromkeys(i for i in ids.tolist() if table.length[i] > 0)), np.int64)
    return ids if len(ids) <= Q_LEN else ids[np.sort(np.argsort(-table.length[ids])[:Q_LEN])]


def features(table, q, passages):
    """[passages, Q_LEN, FEATURES] and [passages, EXTRA]."""
    out, extra = np.zeros((len(passages), Q_LEN, FEATURES), np.float32), np.zeros((len(passages), EXTRA), np.float32)
    passages = [p if len(p) else np.array([0]) for p in passages]
    size = np.array([len(p) for p in passages])
    starts, flat = np.cumsum(size) - size, np.concatenate(passages)
    if len(q):
        cosines = np.maximum(table.unit[q] @ table.unit[flat].T, 0)
        best = np.maximum.reduceat(cosines, starts, 1).T
        pairs = np.zeros_like(cosines)
        if len(q) > 1:
            pairs[:-1, :-1] = (cosines[:-1, :-1] + cosines[1:, 1:]) / 2
            pairs[:, starts[1:] - 1] = 0
            pairs[-1] = pairs[-2]
        pair = np.maximum.reduceat(pairs, starts, 1).T
        out[:, : len(q)] = np.stack([best, best ** 2, best > 0.999, pair, pair ** 2], -1)
        asked = table.pooled(q)
        extra[:, 0] = [table.pooled(p) @ asked for p in passages]
    extra[:, 1] = np.log(size) / 5
    return out, extra


def gather(table, lists):
    """Arrays of many (question pieces, passages): ids, features, extra, and which places hold a passage."""
    width = max(len(p) for _, p in lists)
    ids = np.zeros((len(lists), Q_LEN), np.int64)
    phi, psi, there = np.zeros((len(lists), width, Q_LEN, FEATURES), np.float16), np.zeros((len(lists), width, EXTRA), np.float32), np.zeros((len(lists), width), bool)
    for n, (q, passages) in enumerate(lists):
        ids[n, : len(q)] = q
        if passages:
            phi[n, : len(passages)], psi[n, : len(passages)] = features(table, q, passages)
            there[n, : len(passages)] = True
    return ids, phi, psi, there


def start(table):
    """What the engine does today: θ picks m, a is the length of the row."""
    spread = float(np.log(table.length[3:] + 1e-3).std())
    return {"theta": np.array([1, 0, 0, 0, 0], np.float32), "eta": np.zeros(EXTRA, np.float32), "beta": np.array([spread, 0], np.float32),
            "delta": np.zeros(len(table.length), np.float32), "sharp": np.array([3.0], np.float32)}


def scores(p, table, ids, phi, psi):
    logs = table.log[ids]
    a = np.exp(np.clip(p["beta"][0] * logs + p["beta"][1] * logs ** 2 + p["delta"][ids], -6, 6)) * (ids > 0)
    a = a / (a.sum(1, keepdims=True) + 1e-9)
    f = phi.astype(np.float32) @ p["theta"]
    return np.einsum("nq,nlq->nl", a, f) + psi @ p["eta"], a, f


def gradient(p, table, ids, phi, psi, there, goal):
    """Cross entropy of the lists against their goals, its gradient, and how often the first is the goal's first."""
    s, a, f = scores(p, table, ids, phi, psi)
    sharp = np.exp(p["sharp"][0])
    z = np.where(there, s * sharp, -1e9)
    z = np.exp(z - z.max(1, keepdims=True))
    z /= z.sum(1, keepdims=True)
    ds = (z - goal) * there / len(ids)
    g = {"sharp": np.array([(ds * np.where(there, s, 0)).sum() * sharp], np.float32)}
    ds = ds * sharp
    g["eta"] = np.einsum("nl,nle->e", ds, psi)
    g["theta"] = np.einsum("nl,nq,nlqf->f", ds, a, phi.astype(np.float32), optimize=True)
    df = np.einsum("nl,nlq->nq", ds, f)
    da = a * (df - (a * df).sum(1, keepdims=True))
    logs = table.log[ids]
    g["beta"] = np.array([(da * logs).sum(), (da * logs ** 2).sum()], np.float32)
    g["delta"] = np.bincount(ids.ravel(), da.ravel(), len(p["delta"])).astype(np.float32)
    return -(goal * np.log(z + 1e-9)).sum(1).mean(), g, (z.argmax(1) == goal.argmax(1)).mean()


def learn(table, data, goal, held, fixed, args):
    """Adam on all but the `fixed` numbers."""
    p = start(table)
    m, v = ({k: np.zeros_like(x) for k, x in p.items()} for _ in range(2))
    rng, step, rows = np.random.default_rng(1), 0, np.flatnonzero(~held)
    for epoch in range(args.epochs):
        rate = args.lr * (1 - epoch / args.epochs)
        for part in np.array_split(rng.permutation(rows), max(1, len(rows) // 128)):
            step += 1
            _, g, _ = gradient(p, table, *(x[part] for x in data), goal[part])
            g["delta"] += args.pull * p["delta"] * (np.bincount(data[0][part].ravel(), minlength=len(p["delta"])) > 0)
            for k in set(p) - fixed:
                m[k], v[k] = 0.9 * m[k] + 0.1 * g[k], 0.98 * v[k] + 0.02 * g[k] ** 2
                p[k] = p[k] - rate * (m[k] / (1 - 0.9 ** step)) / (np.sqrt(v[k] / (1 - 0.98 ** step)) + 1e-8)
    for q, label in ((start(table), "engine's"), (p, "learned")):
        loss, _, top = gradient(q, table, *(x[held] for x in data), goal[held])
        log("   held out,", label, "loss %.4f first %.3f" % (loss, top))
    log("  ", {k: [round(float(y), 3) for y in x] for k, x in p.items() if k != "delta"})
    return p


def standard(x):
    return (x - x.mean()) / (x.std() + 1e-6)


def taught_goal(teacher, question, passages):
    """The teacher's order as a distribution: its MaxSim and pooled cosine together."""
    whole, tokens = passages
    (q,), (pieces,) = teacher.encode([question], True)
    both = 0.6 * standard(np.array([teach.likeness(pieces.astype(np.float32), [t]) for t in tokens])) + 0.4 * standard(whole @ q)
    z = np.exp(2 * standard(both))
    return z / z.sum()


def training_lists(table, encode, args):
    """(question's pieces, passages, goal by what is known, goal by the teacher or None). Known are a question's own passage, or all of the
    section that a real question heads; the teacher reads the first `--taught` lists of each kind and language."""
    rng, out = np.random.default_rng(3), []
    for lang in readings.TEACHER:
        titles, bodies, document, real = readings.read_corpus(args.corpus, lang, args.passages)
        inventor, headed = readings.Inventor(lang, bodies, args.tokenizer), [readings.headed(t, b, lang) for t, b in zip(titles, bodies)]
        texts, teacher = encode(headed), teach.Teacher(args.teachers, lang, args.tokenizer) if args.taught else None
        real = [real[n] for n in rng.permutation(len(real))[: args.made]]
        made = [(inventor.question(titles[n], bodies[n]), int(n)) for n in rng.permutation(len(bodies))[: args.made]]
        asked = [(q, int(n), True) for q, n in real] + [(q, n, False) for q, n in made]
        units, first, taught = np.stack([table.pooled(t) for t in texts]), np.searchsorted(document, np.arange(document[-1] + 2)), {True: 0, False: 0}
        for q, (question, own, is_real) in zip(encode([a[0] for a in asked]), asked):
            q = distinct(q, table)
            if len(q) < 2:
                continue
            near = np.argpartition(-(units @ table.pooled(q)), 9)[:9]
            a, b = first[document[own]], first[document[own] + 1]
            chosen = list(dict.fromkeys([own, *rng.integers(a, b, 3).tolist(), *near.tolist()]))[:10]
            gold = np.array([document[c] == document[own] if is_real else c == own for c in chosen], np.float32)
            if gold.all():
                continue
            goal = None
            if taught[is_real] < args.taught:
                taught[is_real] += 1
                goal = taught_goal(teacher, question, teacher.encode([headed[c] for c in chosen]))
                goal = goal if is_real else 0.85 * goal + 0.15 * gold
            out.append((q, [texts[c] for c in chosen], gold / gold.sum(), goal))
        log(lang, "passages", len(bodies), "real", len(real), "made", len(made), "taught", taught, "lists so far", len(out))
    return out


def wide(goals, width):
    out = np.zeros((len(goals), width), np.float32)
    for row, goal in zip(out, goals):
        row[: len(goal)] = goal
    return out


def candidate_lists(path, table, encode):
    rows = [json.loads(line) for line in open(path, encoding="utf8")]
    texts = list(dict.fromkeys(c["head"] + "\n" + c["around"] for r in rows for c in r["c"][:DEPTH]))
    pieces = dict(zip(texts, encode(texts)))
    asked = [distinct(q, table) for q in encode([r["q"] for r in rows])]
    return rows, [(q, [pieces[c["head"] + "\n" + c["around"]] for c in r["c"][:DEPTH]]) for q, r in zip(asked, rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "tokenizer", "teachers", "corpus", "candidates", "out"):
        parser.add_argument("--" + name, required=True)
    for name, default in (("passages", 60000), ("made", 800), ("taught", 80), ("epochs", 8)):
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--pull", type=float, default=1e-4)
    args = parser.parse_args()
    table, encode = Table(args.model), encoder(args.tokenizer)
    lists = training_lists(table, encode, args)
    data, taught = gather(table, [x[:2] for x in lists]), np.array([x[3] is not None for x in lists])
    width = data[3].shape[1]
    known, goal = wide([x[2] for x in lists], width), wide([x[3] for x in lists if x[3] is not None], width)
    heads = {}
    for name, fixed in (("small", {"delta"}), ("plain", {"delta", "eta"}), ("pieces", set())):
        for kind, rows, target in (("known", np.ones(len(lists), bool), known), ("taught", taught, goal)):
            log(name, kind, "lists", rows.sum())
            heads[f"{name}-{kind}"] = learn(table, [x[rows] for x in data], target, np.arange(rows.sum()) % 10 == 0, fixed, args)
    for name, p in heads.items():
        np.savez_compressed(os.path.join(args.out, name + ".npz"), **p)
    result, spent, questions = {name: {} for name in heads}, 0.0, 0
    for path in sorted(glob.glob(os.path.join(args.candidates, "*.cand.jsonl"))):
        rows, asked = candidate_lists(path, table, encode)
        begun, key = time.process_time(), os.path.basename(path).removesuffix(".cand.jsonl")
        ids, phi, psi, _ = gather(table, asked)
        spent, questions = spent + time.process_time() - begun, questions + len(rows)
        for name, p in heads.items():
            found = scores(p, table, ids, phi, psi)[0]
            result[name][key] = [[round(float(x), 5) for x in s[: len(r["c"][:DEPTH])]] for s, r in zip(found, rows)]
    log("questions", questions, "features, numpy: %.2f ms CPU a question" % (1000 * spent / questions))
    for name, found in result.items():
        json.dump(found, open(os.path.join(args.out, name + ".json"), "w"))


if __name__ == "__main__":
    main()
