#!/usr/bin/env python3
"""Where a leg alone fails: recall@1/10/100 of the gold passage by words, by a table, by a teacher and by words + table; and what reading the
engine's best hits again with a table gives (MRR@10).

    legs.py --questions DIR --tokenizer tokenizer.json --tables NAME=model.safetensors … [--teachers DIR] [--candidates DIR] [--out FILE]

Passages are chunks of 1000 (en) or 400 (zh) characters, as in evaluate.py; gold is any chunk that touches a gold span, or of a gold document,
or that has a wanted string. Words are the tokenizer's pieces. Candidates are files NAME.cand.jsonl of the engine's hits: {"q", "c": [{"t": text,
"title", "s": score, "g": 1 if gold}]}.
"""
import argparse
import collections
import glob
import json
import os

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import evaluate

BLEND, DEPTH = 0.3, 30


def read(path):
    return [json.loads(line) for line in open(path, encoding="utf8")]


def gold_of(query, units, texts, by):
    if query.get("gold_docs"):
        return {n for d in query["gold_docs"] for n in by[d]}
    if query.get("facts"):
        wanted = [f for facts in query["facts"] for f in facts]
        return {n for n, text in enumerate(texts) if any(f in text for f in wanted)}
    spans = [(x["doc_id"], x["start"], x["end"]) if isinstance(x, dict) else (query["doc_id"], *x[:2]) for x in query.get("spans") or []]
    if not spans and "start" in query:
        spans = [(query["doc_id"], query["start"], query["end"])]
    return {n for d, a, b in spans for n in by[d] if units[n][1] < b and a < units[n][2]}


def load(folder, name):
    corpus, queries = read(os.path.join(folder, name, "corpus.jsonl")), read(os.path.join(folder, name, "queries.jsonl"))
    lang = corpus[0]["lang"][:2]
    units = [(d["doc_id"], s, e) for d in corpus for s, e in evaluate.chunks(d["text"], lang)]
    text, title = {d["doc_id"]: d["text"] for d in corpus}, {d["doc_id"]: d.get("title", "") for d in corpus}
    texts, by = [text[d][s:e] for d, s, e in units], collections.defaultdict(list)
    for number, (document, *_) in enumerate(units):
        by[document].append(number)
    gold = [gold_of(q, units, texts, by) for q in queries]
    keep = [i for i, g in enumerate(gold) if g]
    return lang, [queries[i]["question"] for i in keep], texts, [title[u[0]] for u in units], [gold[i] for i in keep]


class Table:
    def __init__(self, path):
        weights = load_file(path)
        self.rows = weights["embeddings"].astype(np.float32) * weights["scales"].astype(np.float32)[:, None]
        self.length = np.linalg.norm(self.rows, axis=1)
        self.unit = self.rows / np.maximum(self.length, 1e-9)[:, None]

    def sum(self, ids):
        ids, counts = np.unique(ids, return_counts=True)
        return np.sqrt(counts).astype(np.float32) @ self.rows[ids] if len(ids) else np.zeros(self.rows.shape[1], np.float32)

    def likeness(self, query, text):
        """The mean best cosine of the query's pieces, weighted by the square of their length."""
        weight = self.length[query] ** 2
        return float(weight @ (self.unit[query] @ self.unit[text].T).max(1) / weight.sum()) if len(query) and len(text) else 0.0


def recalls(scores, gold):
    order = np.argsort(-scores, axis=1, kind="stable")[:, :100]
    return [round(100 * float(np.mean([bool(g & set(r[:k].tolist())) for r, g in zip(order, gold)])), 1) for k in (1, 10, 100)]


def scaled(x):
    low, high = x.min(-1, keepdims=True), x.max(-1, keepdims=True)
    return (x - low) / np.maximum(high - low, 1e-9)


def set_figures(folder, name, encode, tables, teachers):
    lang, questions, texts, titles, gold = load(folder, name)
    asked, found, headed = ([encode(t) for t in part] for part in (questions, texts, titles))
    index = evaluate.BM25([list(a) + list(b) for a, b in zip(found, headed)], b=0.5)
    words = np.stack([index.scores(list(q)) for q in asked])
    out = {"questions": len(gold), "passages": len(texts), "words": recalls(words, gold)}
    for label, table in tables.items():
        units = evaluate.unit(np.stack([table.sum(t) + 0.5 * table.sum(h) for t, h in zip(found, headed)]))
        scores = evaluate.unit(np.stack([table.sum(q) for q in asked])) @ units.T
        out[label] = recalls(scores, gold)
        out["words + " + label] = recalls(0.6 * scaled(words) + 0.4 * scaled(scores), gold)
    if teachers:
        teacher = teachers[lang]
        units = teacher.encode([f"{h}\n{t}" for h, t in zip(titles, texts)]).float().numpy()
        scores = teacher.encode(questions, query=True).float().numpy() @ units.T
        out["teacher"] = recalls(scores, gold)
        out["words + teacher"] = recalls(0.6 * scaled(words) + 0.4 * scaled(scores), gold)
    return out


def reciprocal(scores, gold):
    place = np.flatnonzero(gold[np.argsort(-scores, kind="stable")])
    return 1 / (place[0] + 1) if len(place) and place[0] < 10 else 0.0


def reading_figures(path, encode, tables):
    rows = [r for r in read(path) if r["c"]]
    gold = [np.array([c["g"] for c in r["c"]]) for r in rows]
    engine = [np.array([c["s"] for c in r["c"]], np.float32) for r in rows]
    asked = [np.unique(encode(r["q"])) for r in rows]
    texts = [[np.unique(np.concatenate([encode(c["title"]), encode(c["t"])])).astype(int) for c in r["c"][:DEPTH]] for r in rows]
    out = {"engine": round(100 * float(np.mean([reciprocal(s, g) for s, g in zip(engine, gold)])), 1)}
    for label, table in tables.items():
        alone, both = [], []
        for q, units, score, g in zip(asked, texts, engine, gold):
            like = np.zeros(len(score), np.float32)
            like[: len(units)] = scaled(np.array([table.likeness(q, u) for u in units], np.float32))
            alone.append(reciprocal(np.where(np.arange(len(score)) < DEPTH, like, -1), g))
            both.append(reciprocal((1 - BLEND) * scaled(score) + BLEND * like, g))
        out[label] = [round(100 * float(np.mean(x)), 1) for x in (alone, both)]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("questions", "tokenizer", "teachers", "candidates", "out"):
        parser.add_argument("--" + name)
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(args.tokenizer)
    encode = lambda text: np.array([i for i in tokenizer.encode(text, add_special_tokens=False).ids if i > 2], int)
    tables = {n: Table(p) for n, p in (t.split("=") for t in args.tables)}
    result, teachers = {"legs": {}, "reading": {}}, None
    if args.teachers:
        from teachers import Teacher
        teachers = {lang: Teacher(args.teachers, name, args.device) for lang, name in (("en", "gte-small"), ("zh", "bge-small-zh-v1.5"))}
    for name in sorted(os.listdir(args.questions)) if args.questions else []:
        if os.path.exists(os.path.join(args.questions, name, "corpus.jsonl")):
            result["legs"][name] = set_figures(args.questions, name, encode, tables, teachers)
            print(name, json.dumps(result["legs"][name]), flush=True)
    for path in sorted(glob.glob(os.path.join(args.candidates, "*.cand.jsonl"))) if args.candidates else []:
        name = os.path.basename(path).removesuffix(".cand.jsonl")
        result["reading"][name] = reading_figures(path, encode, tables)
        print("reading", name, json.dumps(result["reading"][name]), flush=True)
    if args.out:
        json.dump(result, open(args.out, "w"))


if __name__ == "__main__":
    main()
