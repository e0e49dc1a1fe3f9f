"""Embedding throughput beside onnxruntime: the same weights, sentences and threads, turn by turn in one run.

    pip install onnxruntime tokenizers numpy
    cargo build --release -p okno-models --example throughput
    python benches/models.py target/release/examples/throughput SHELF SENTENCES.txt [MODEL ...]

SENTENCES.txt has one sentence per line; SHELF is what `okno models info` prints as folder, without the model. onnxruntime is given its best
case: sentences sorted by length, and the fastest of several batch sizes. Both are timed with tokenizing. The best of several rounds counts,
because a busy machine only ever adds time.
"""

import json
import os
import pathlib
import subprocess
import sys
import time
import tomllib

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

ROUNDS = 5
BATCHES = (1, 8, 32)


class Reference:
    def __init__(self, folder, threads):
        card = tomllib.loads((folder / "card.toml").read_text())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(card["max_tokens"])
        self.tokenizer.enable_padding()
        self.mean = card.get("pooling", "mean") == "mean"

    def seconds(self, sentences, batch):
        begun = time.perf_counter()
        ordered = sorted(sentences, key=len)
        for at in range(0, len(ordered), batch):
            encodings = self.tokenizer.encode_batch(ordered[at : at + batch])
            mask = np.array([e.attention_mask for e in encodings])
            feed = {
                "input_ids": np.array([e.ids for e in encodings]),
                "attention_mask": mask,
                "token_type_ids": np.array([e.type_ids for e in encodings]),
            }
            hidden = self.session.run(None, feed)[0]
            pooled = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None] if self.mean else hidden[:, 0]
            pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return time.perf_counter() - begun


def ours(binary, folder, sentences_file):
    out = subprocess.run([binary, str(folder), sentences_file], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def main(binary, shelf, sentences_file, *names):
    sentences = pathlib.Path(sentences_file).read_text().splitlines()
    threads = len(os.sched_getaffinity(0))
    shelf = pathlib.Path(shelf)
    print(f"{len(sentences)} sentences, {threads} threads, onnxruntime {onnxruntime.__version__}, best of {ROUNDS} rounds")
    print(f"{'model':22} {'onnxruntime/s':>14} {'batch':>6} {'okno/s':>8} {'ratio':>6} {'okno MB':>8}")
    for name in names or sorted(path.name for path in shelf.iterdir() if (path / "card.toml").exists()):
        reference = Reference(shelf / name, threads)
        best = {batch: float("inf") for batch in BATCHES}
        own, peak = 0.0, 0.0
        for _ in range(ROUNDS):
            for batch in BATCHES:
                best[batch] = min(best[batch], reference.seconds(sentences, batch))
            run = ours(binary, shelf / name, sentences_file)
            own, peak = max(own, run["per_second"]), max(peak, run["peak_mb"])
        batch = min(best, key=best.get)
        theirs = len(sentences) / best[batch]
        print(f"{name:22} {theirs:14.1f} {batch:6} {own:8.1f} {own / theirs:6.2f} {peak:8.0f}", flush=True)


main(*sys.argv[1:])
