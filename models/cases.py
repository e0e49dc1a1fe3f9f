"""What `tokenizers` and numpy say about a text: the truth that the engine's tests compare with. Used by make_cases.py and make_corpus_cases.py."""
import os

import numpy as np
from tokenizers import Tokenizer

from pack import read_safetensors

HEAD = 8                # components of a vector that go into a case


class Truth:
    def __init__(self, model_folder, counter_json):
        self.tokenizer = Tokenizer.from_file(os.path.join(model_folder, "tokenizer.json"))
        weights = read_safetensors(os.path.join(model_folder, "model.safetensors"))
        self.rows, self.scales = weights["embeddings"], weights["scales"].astype(float)
        self.counter = Tokenizer.from_file(counter_json)
        self.counter.no_truncation()
        self.counter.no_padding()

    def vector(self, ids):
        distinct, counts = np.unique(np.asarray(ids, int), return_counts=True)
        return (np.sqrt(counts) * self.scales[distinct]) @ self.rows[distinct].astype(float)

    def case(self, text):
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        vector = self.vector(ids)
        norm = max(float(np.linalg.norm(vector)), 1e-9)
        return {"text": text, "normal": self.tokenizer.normalizer.normalize_str(text), "ids": ids,
                "head": [round(float(x), 7) for x in vector[:HEAD]], "norm": round(norm, 7),
                "tokens": len(self.counter.encode(text, add_special_tokens=False).ids)}
