#!/usr/bin/env python3
"""What a small encoder over the table would cost: CPU time a question, int8, one thread, on the engine's real hits with their titles.

    cost.py --tokenizer FILE --candidates DIR [--sets squad cmrc dragon_en legal] [--depth 20] [--questions 12]

Weights are drawn by lot: the cost does not depend on them. Every distinct part of a hit is encoded once a question.
"""
import argparse
import json
import os
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

import readings

WIDTH, HEADS, LONGEST = 256, 4, 112
SIZES = ((1, 256), (1, 512), (2, 256), (2, 512), (3, 1024))           # layers, inner width


class Graph:
    def __init__(self):
        self.rng, self.weights, self.nodes = np.random.default_rng(0), [], []

    def weight(self, *shape):
        return self.constant((self.rng.standard_normal(shape) * 0.02).astype(np.float32))

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, kind, *given, **settings):
        self.nodes.append(helper.make_node(kind, list(given), [f"n{len(self.nodes)}"], **settings))
        return self.nodes[-1].output[0]

    def linear(self, x, wide, out):
        return self.node("MatMul", x, self.weight(wide, out))

    def normal(self, x):
        return self.node("LayerNormalization", x, self.weight(WIDTH), self.weight(WIDTH), axis=-1)

    def layer(self, x, mask, inner):
        heads, back = self.constant(np.array([0, 0, HEADS, WIDTH // HEADS])), self.constant(np.array([0, 0, WIDTH]))
        y = self.normal(x)
        turned = lambda order: self.node("Transpose", self.node("Reshape", self.linear(y, WIDTH, WIDTH), heads), perm=order)
        q, k, v = turned([0, 2, 1, 3]), turned([0, 2, 3, 1]), turned([0, 2, 1, 3])
        alike = self.node("Mul", self.node("MatMul", q, k), self.constant(np.float32((WIDTH // HEADS) ** -0.5)))
        seen = self.node("MatMul", self.node("Softmax", self.node("Add", alike, mask), axis=-1), v)
        x = self.node("Add", x, self.linear(self.node("Reshape", self.node("Transpose", seen, perm=[0, 2, 1, 3]), back), WIDTH, WIDTH))
        return self.node("Add", x, self.linear(self.node("Gelu", self.linear(self.normal(x), WIDTH, inner)), inner, WIDTH))

    def save(self, path, out):
        shape = ["batch", "pieces", WIDTH]
        given = [helper.make_tensor_value_info("rows", TensorProto.FLOAT, shape), helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", 1, 1, "pieces"])]
        self.nodes.append(helper.make_node("Identity", [out], ["out"]))
        graph = helper.make_graph(self.nodes, "late", given, [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", "pieces", 128])], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
        model.ir_version = 9
        onnx.save(model, path)


def session(layers, inner, folder):
    graph = Graph()
    x = graph.linear("rows", WIDTH, WIDTH)
    for _ in range(layers):
        x = graph.layer(x, "mask", inner)
    path = os.path.join(folder, f"{layers}-{inner}.onnx")
    graph.save(path, graph.linear(graph.normal(x), WIDTH, 128))
    quantize_dynamic(path, path + ".int8", weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path + ".int8", options, providers=["CPUExecutionProvider"]), os.path.getsize(path + ".int8")


def spent(run, lengths, batch=16):
    """Milliseconds of CPU for texts of these lengths, sorted so that little is padded."""
    lengths, begun = sorted(lengths), time.process_time()
    for start in range(0, len(lengths), batch):
        part = np.array(lengths[start:start + batch])
        mask = np.where(np.arange(part.max()) < part[:, None], 0, -1e9).astype(np.float32)[:, None, None]
        run.run(None, {"rows": np.ones((len(part), part.max(), WIDTH), np.float32), "mask": mask})
    return 1000 * (time.process_time() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--candidates", required=True)
    parser.add_argument("--sets", nargs="+", default=["squad", "cmrc", "dragon_en", "legal"])
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--questions", type=int, default=12)
    args = parser.parse_args()
    tokenizer, lengths = readings.tokenizer_of(args.tokenizer), {}
    for name in args.sets:
        lang = readings.language_of(name)
        for line in list(open(os.path.join(args.candidates, name + ".cand.jsonl"), encoding="utf8"))[: args.questions]:
            hits = json.loads(line)["c"][: args.depth]
            parts = dict.fromkeys(readings.headed(c["head"], body, lang) for c in hits for body in readings.chunks(c["around"], lang))
            lengths.setdefault(name, []).append([max(1, min(LONGEST, len(e.ids))) for e in tokenizer.encode_batch(list(parts), add_special_tokens=False)])
    print("pieces a question", {name: int(np.median([sum(x) for x in found])) for name, found in lengths.items()})
    with tempfile.TemporaryDirectory() as folder:
        for layers, inner in SIZES:
            run, size = session(layers, inner, folder)
            spent(run, lengths[args.sets[0]][0])
            times = {name: [(spent(run, x), sum(x)) for x in found] for name, found in lengths.items()}
            per = np.median([1000 * t / n for found in times.values() for t, n in found])
            print(f"{layers} layers, inner {inner}: {size / 1e6:.2f} MB, {per:.1f} µs a piece; ms a question", {name: round(float(np.median([t for t, _ in found])), 1) for name, found in times.items()}, flush=True)


if __name__ == "__main__":
    main()
