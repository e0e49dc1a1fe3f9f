"""Makes two tiny ONNX models with the inputs and outputs of real ones, so that loaders are tested without large files.

    pip install onnx numpy
    python make_tiny.py

`tiny-encoder`: a table of 8-component token vectors, nothing more. `tiny-reranker`: how many tokens of the question the passage has,
minus one half, as a logit. Both read the vocabulary that is written beside them.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = "tea green black water hot boiling is at the needs brewed coffee ground first how should be for a of in river".split()
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)] + [str(d) for d in range(10)] + list(".,?!:;-°")
VOCABULARY = SPECIAL + WORDS + [letter for letter in LETTERS if letter not in WORDS] + ["##" + letter for letter in LETTERS]
INT = TensorProto.INT64


def inputs():
    return [helper.make_tensor_value_info(name, INT, ["batch", "length"]) for name in ("input_ids", "attention_mask", "token_type_ids")]


def constant(name, values):
    return numpy_helper.from_array(np.array(values), name)


def save(name, nodes, output, constants):
    graph = helper.make_graph(nodes, name, inputs(), [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")


def encoder():
    table = np.random.default_rng(7).normal(size=(len(VOCABULARY), 8)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", 8])
    save("tiny-encoder", nodes, output, [constant("table", table)])


def reranker():
    node = helper.make_node
    nodes = [
        node("Unsqueeze", ["input_ids", "two"], ["rows"]),
        node("Unsqueeze", ["input_ids", "one"], ["columns"]),
        node("Equal", ["rows", "columns"], ["equal"]),
        node("Cast", ["equal"], ["same"], to=TensorProto.FLOAT),
        # A word, and no beginning, end or unknown one.
        node("Greater", ["input_ids", "last_special"], ["is_word"]),
        node("Cast", ["is_word"], ["word"], to=TensorProto.FLOAT),
        node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        node("Sub", ["unit", "second"], ["first"]),
        node("Mul", ["first", "word"], ["question"]),
        node("Unsqueeze", ["question", "two"], ["question_rows"]),
        node("Unsqueeze", ["second", "one"], ["passage_columns"]),
        node("Mul", ["same", "question_rows"], ["asked"]),
        node("Mul", ["asked", "passage_columns"], ["shared"]),
        node("ReduceSum", ["shared", "both"], ["count"], keepdims=0),
        node("Unsqueeze", ["count", "one"], ["column"]),
        node("Sub", ["column", "half"], ["logits"]),
    ]
    constants = [
        constant("one", np.array([1], dtype=np.int64)),
        constant("two", np.array([2], dtype=np.int64)),
        constant("both", np.array([1, 2], dtype=np.int64)),
        constant("last_special", np.array(len(SPECIAL) - 1, dtype=np.int64)),
        constant("unit", np.array(1, dtype=np.float32)),
        constant("half", np.array(0.5, dtype=np.float32)),
    ]
    save("tiny-reranker", nodes, helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1]), constants)


encoder()
reranker()
