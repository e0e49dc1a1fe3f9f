"""Writes tests/data/reference.json: what onnxruntime makes of a few texts with the same weights.

    pip install onnxruntime tokenizers numpy
    python reference.py SHELF      # a shelf that holds the models named below

Each text is run alone, so that int8 scales are its own. Vectors are of unit length; a component is four hexadecimal digits, round(x * 32767)
as 16 signed bits.
"""

import json
import pathlib
import sys
import tomllib

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

TEXTS = [
    "绿茶用八十度的水冲泡,红茶则需要沸水。",
    "宫保鸡丁怎么做?",
    "长江是亚洲第一长河,全长约六千三百公里,发源于青藏高原唐古拉山脉。",
    "请总结一下2023年第二季度财报中关于AI的论述",
    "他说:“走吧。”然后离开了。",
    "繁體中文的句子也要能夠讀懂。",
    "第1条 本法自2021年1月1日起施行。",
    "奥创是由哪两位复仇者联盟成员创造的?",
    "GPU 与 CPU 的区别:前者擅长并行计算 (SIMD)。",
    "好",
    "Green tea is brewed at 80 °C; black tea needs boiling water.",
    "How hot should water for black tea be?",
    "The quick brown fox jumps over the lazy dog.",
    "In 1969, Apollo 11 landed on the Moon, and Neil Armstrong became the first person to walk on it.",
    "Kubernetes restarts containers that fail, replaces containers, and kills containers that don't respond to your health check.",
    "naïve café déjà vu – façade, Zürich, straße",
    "e = mc² is not the whole story…",
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "a",
    "He was elected in 1998 and served two terms. " * 120,
]
MODELS = [
    "bge-small-zh-v1.5",
    "bge-small-zh-v1.5-q",
    "bge-small-en-v1.5",
    "bge-small-en-v1.5-q",
    "all-minilm-l6-v2",
    "gte-small",
]


def vector(session, tokenizer, pooling, text):
    encoding = tokenizer.encode(text)
    feed = {
        "input_ids": np.array([encoding.ids]),
        "attention_mask": np.array([encoding.attention_mask]),
        "token_type_ids": np.array([encoding.type_ids]),
    }
    hidden = session.run(None, feed)[0][0]
    pooled = hidden[0] if pooling == "cls" else hidden.mean(axis=0)
    return pooled / np.linalg.norm(pooled)


def packed(values):
    return "".join(f"{int(x) & 0xFFFF:04x}" for x in np.round(values * 32767))


def main(shelf):
    models = {}
    for name in MODELS:
        folder = pathlib.Path(shelf) / name
        card = tomllib.loads((folder / "card.toml").read_text())
        options = onnxruntime.SessionOptions()
        # The graph as it is written: with its fusions, onnxruntime's own int8 vectors differ by up to .0023 in cosine from those without.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(card["max_tokens"])
        weights = next(file["sha256"] for file in card["files"] if file["as"] == "model.onnx")
        vectors = [packed(vector(session, tokenizer, card["pooling"], text)) for text in TEXTS]
        models[name] = {"weights": weights, "vectors": vectors}
    out = pathlib.Path(__file__).parent / "data" / "reference.json"
    out.write_text(json.dumps({"texts": TEXTS, "models": models}, ensure_ascii=False, indent=0))


main(sys.argv[1])
