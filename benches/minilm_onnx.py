#!/usr/bin/env python3
"""Turns a BERT encoder's weights into an ONNX file, without PyTorch.

    minilm_onnx.py FOLDER TARGET.onnx        FOLDER holds config.json and model.safetensors

Inputs of the file: `input_ids` and `attention_mask`; output: one vector per token, not pooled. peers.py uses it for
all-MiniLM-L6-v2, whose vectors it reproduces to 1e-6. Needs the packages onnx, safetensors and numpy.
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file


class Graph:
    """Collects ONNX nodes; every method returns the name of the value it made."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def number(self, value):
        return self.constant(np.array([value], np.float32))

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, x, name):
        product = self.op("MatMul", x, self.constant(self.weights[name + ".weight"].T))
        return self.op("Add", product, self.constant(self.weights[name + ".bias"]))

    def normalise(self, x, name, epsilon):
        scale, shift = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def embed_tokens(graph, epsilon):
    """Word + position + (always the first) type."""
    words, positions, types = (graph.weights[f"embeddings.{kind}_embeddings.weight"]
                               for kind in ("word", "position", "token_type"))
    token = graph.op("Gather", graph.constant(words), "input_ids")
    count = graph.op("Shape", "input_ids", start=1, end=2)
    place = graph.op("Slice", graph.constant(positions + types[0]), graph.integers(0), count, graph.integers(0))
    return graph.normalise(graph.op("Add", token, place), "embeddings.LayerNorm", epsilon)


def attention(graph, x, ignore, name, heads, width):
    """Every token looks at all tokens except those that `ignore` makes very unlikely (the padding)."""
    split = graph.integers(0, 0, heads, width // heads)
    parts = {part: graph.op("Reshape", graph.linear(x, f"{name}.self.{part}"), split)
             for part in ("query", "key", "value")}
    query, value = (graph.op("Transpose", parts[part], perm=[0, 2, 1, 3]) for part in ("query", "value"))
    key = graph.op("Transpose", parts["key"], perm=[0, 2, 3, 1])
    scores = graph.op("Div", graph.op("MatMul", query, key), graph.number((width / heads) ** 0.5))
    shares = graph.op("Softmax", graph.op("Add", scores, ignore), axis=-1)
    joined = graph.op("Transpose", graph.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.linear(graph.op("Reshape", joined, graph.integers(0, 0, width)), name + ".output.dense")


def encoder_layer(graph, x, ignore, name, config):
    epsilon, heads, width = config["layer_norm_eps"], config["num_attention_heads"], config["hidden_size"]
    seen = attention(graph, x, ignore, name + ".attention", heads, width)
    x = graph.normalise(graph.op("Add", seen, x), name + ".attention.output.LayerNorm", epsilon)
    wide = graph.op("Gelu", graph.linear(x, name + ".intermediate.dense"))
    thought = graph.linear(wide, name + ".output.dense")
    return graph.normalise(graph.op("Add", thought, x), name + ".output.LayerNorm", epsilon)


def bert_to_onnx(folder, target):
    """A BERT encoder (config.json, model.safetensors) as an ONNX file whose output is one vector per token."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    graph = Graph(load_file(folder / "model.safetensors"))
    mask = graph.op("Unsqueeze", graph.op("Cast", "attention_mask", to=TensorProto.FLOAT), graph.integers(1, 2))
    ignore = graph.op("Mul", graph.op("Sub", mask, graph.number(1)), graph.number(10000))
    x = embed_tokens(graph, config["layer_norm_eps"])
    for layer in range(config["num_hidden_layers"]):
        x = encoder_layer(graph, x, ignore, f"encoder.layer.{layer}", config)
    graph.op("Identity", x, output="last_hidden_state")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask")]
    shape = ["batch", "tokens", config["hidden_size"]]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], graph.constants)
    # Operator set 20 is the first with Gelu; format 9 belongs to it.
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bert_to_onnx(Path(sys.argv[1]), sys.argv[2])
