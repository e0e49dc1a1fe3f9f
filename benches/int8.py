"""How far int8 vectors move when almost nothing else does: onnxruntime against itself on the texts of the committed reference.

    pip install onnxruntime onnx numpy tokenizers
    python benches/int8.py langchain4j-embeddings-bge-small-zh-v15-q-1.11.0-beta19.jar

Prints the mean and the worst cosine between all optimisations off and each other level, and between the weights as they are and the same
weights with the scale and bias of the first layer norm moved by a 10,000,000th of themselves (one unit in the last place) and more. Where that
alone changes a vector by as much as another implementation does, no rule of rounding is to be found in the difference.
"""

import json
import pathlib
import sys
import zipfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper
from tokenizers import Tokenizer

REFERENCE = pathlib.Path(__file__).parent.parent / "crates/okno-models/tests/data/reference.json"
LEVELS = ort.GraphOptimizationLevel


def parts(jar):
    package = zipfile.ZipFile(jar)
    read = lambda ending: package.read(next(name for name in package.namelist() if name.endswith(ending)))
    return read(".onnx"), Tokenizer.from_str(read("tokenizer.json").decode())


def vectors(weights, level, tokenizer, texts):
    options = ort.SessionOptions()
    options.graph_optimization_level, options.intra_op_num_threads = level, 1
    session = ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    names = [node.name for node in session.get_inputs()]
    rows = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids[:512]])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        row = session.run(None, {name: feed[name] for name in names})[0][0][0]
        rows.append(row / np.linalg.norm(row))
    return np.array(rows)


def moved(weights, share):
    model, chance = onnx.load_from_string(weights), np.random.default_rng(0)
    for tensor in model.graph.initializer:
        if "embeddings.LayerNorm" in tensor.name and tensor.data_type == onnx.TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor)
            values = (values * (1 + share * chance.choice([-1, 1], values.shape))).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return model.SerializeToString()


def main(jar):
    weights, tokenizer = parts(jar)
    texts = json.loads(REFERENCE.read_text())["texts"]
    plain = vectors(weights, LEVELS.ORT_DISABLE_ALL, tokenizer, texts)
    others = {
        "basic": vectors(weights, LEVELS.ORT_ENABLE_BASIC, tokenizer, texts),
        "all": vectors(weights, LEVELS.ORT_ENABLE_ALL, tokenizer, texts),
    }
    for share in (1e-7, 1e-6, 1e-5):
        others[f"moved by {share:g}"] = vectors(moved(weights, share), LEVELS.ORT_DISABLE_ALL, tokenizer, texts)
    for name, other in others.items():
        cosines = (plain * other).sum(1)
        print(f"{name:>16}  mean {cosines.mean():.6f}  worst {cosines.min():.6f}")


main(sys.argv[1])
