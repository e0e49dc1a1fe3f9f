#!/usr/bin/env python3
"""The teachers on the processor (int8, one thread), and their own scores of the engine's hits: MaxSim and pooled cosine.

    teach.py --teachers DIR --tokenizer FILE --candidates DIR --out FILE [--questions 50 --depth 20]

`DIR/gte-small` and `DIR/bge-small-zh-v1.5` hold `model.onnx` and `tokenizer.json`; `model-int8.onnx` is made beside them. A drawn sample
(seed 7) of each set's questions is scored; the others stay empty and judge.py leaves them out. A long hit is read in parts with the title in
front of each; a question token takes its best similarity in any of them.
"""
import argparse
import glob
import json
import os
import random
import time

import numpy as np

import readings

LONGEST, BATCH = 192, 16


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


class Teacher:
    def __init__(self, folder, lang, tokenizer):
        import onnxruntime
        from onnxruntime.quantization import QuantType, quantize_dynamic
        folder = os.path.join(folder, readings.TEACHER[lang])
        small = os.path.join(folder, "model-int8.onnx")
        if not os.path.exists(small):
            quantize_dynamic(os.path.join(folder, "model.onnx"), small, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(small, options, providers=["CPUExecutionProvider"])
        self.names, self.lang = [i.name for i in self.session.get_inputs()], lang
        self.tokenizer = readings.tokenizer_of(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.simple = readings.simple_letters(tokenizer) if lang == "zh" else {}

    def hidden(self, rows):
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for line, row in zip(ids, rows):
            line[: len(row)] = row
        given = {"input_ids": ids, "attention_mask": (np.arange(ids.shape[1]) < np.array([[len(r)] for r in rows])).astype(np.int64), "token_type_ids": np.zeros_like(ids)}
        return self.session.run(None, {name: given[name] for name in self.names})[0]

    def encode(self, texts, query=False):
        """Unit vectors of the whole texts, and of each text's tokens without prefix and special ones."""
        prefix = readings.PREFIX[self.lang] if query else ""
        rows = [e.ids for e in self.tokenizer.encode_batch([prefix + t.translate(self.simple) for t in texts])]
        skipped = 1 + (len(self.tokenizer.encode(prefix, add_special_tokens=False).ids) if prefix else 0)
        order, whole, tokens = np.argsort([len(r) for r in rows]), [None] * len(rows), [None] * len(rows)
        for start in range(0, len(order), BATCH):
            part = order[start:start + BATCH]
            for n, hidden in zip(part, self.hidden([rows[n] for n in part])):
                own = hidden[: len(rows[n])]
                whole[n] = unit(own[0] if self.lang == "zh" else own.mean(0))
                tokens[n] = unit(own[skipped:-1] if len(own) > skipped + 1 else own).astype(np.float16)
        return np.array(whole), tokens


def likeness(asked, parts):
    """MaxSim of a question's token vectors over the parts of a passage together."""
    return float(np.max([(asked @ part.astype(np.float32).T).max(1) for part in parts], 0).mean())


def score_set(teacher, rows, depth):
    units = {}
    parts = [[[units.setdefault(readings.headed(c["head"], body, teacher.lang), len(units)) for body in readings.chunks(c["around"], teacher.lang)] for c in r["c"][:depth]] for r in rows]
    (whole, tokens), (asked, pieces) = teacher.encode(list(units)), teacher.encode([r["q"] for r in rows], True)
    return [[[round(likeness(p.astype(np.float32), [tokens[u] for u in hit]), 5), round(float((whole[hit] @ q).max()), 5)] for hit in hits]
            for hits, q, p in zip(parts, asked, pieces)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("teachers", "tokenizer", "candidates", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--depth", type=int, default=20)
    args = parser.parse_args()
    teachers = {lang: Teacher(args.teachers, lang, args.tokenizer) for lang in readings.TEACHER}
    result = json.load(open(args.out)) if os.path.exists(args.out) else {}
    for path in sorted(glob.glob(os.path.join(args.candidates, "*.cand.jsonl"))):
        name, begun = os.path.basename(path).removesuffix(".cand.jsonl"), time.process_time()
        if name in result:
            continue
        rows = [json.loads(line) for line in open(path, encoding="utf8")]
        chosen = sorted(random.Random(7).sample(range(len(rows)), min(args.questions, len(rows))))
        found = dict(zip(chosen, score_set(teachers[readings.language_of(name)], [rows[n] for n in chosen], args.depth)))
        result[name] = [found.get(n) for n in range(len(rows))]
        json.dump(result, open(args.out, "w"))
        print(name, len(chosen), "questions, %.0f ms CPU each" % (1000 * (time.process_time() - begun) / len(chosen)), flush=True)


if __name__ == "__main__":
    main()
