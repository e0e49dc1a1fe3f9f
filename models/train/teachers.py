"""The teachers: three small BERT encoders, read from the ONNX files of their Maven packages and run with torch.

    teachers.py ONNX_FILE TOKENIZER_FILE FOLDER      writes FOLDER/weights.safetensors (int8 rows with scales) and tokenizer.json

int8 rows keep a teacher at a quarter of its size; its vectors keep a cosine of .997 or more with the float ones.
"""
import os
import shutil
import sys

import numpy as np

# name: pooling, query prefix (as their model cards say), longest input in tokens
TEACHERS = {
    "bge-small-zh-v1.5": ("cls", "为这个句子生成表示以用于检索相关文章：", 384),
    "bge-small-en-v1.5": ("cls", "Represent this sentence for searching relevant passages: ", 256),
    "all-MiniLM-L6-v2": ("mean", "", 256),
    "gte-small": ("mean", "", 256),
}
HEADS = {512: 8, 384: 12}


def onnx_weights(path):
    """Initialisers under their PyTorch names; matrices that the exporter renamed are found by the node that uses them."""
    import onnx
    from onnx import numpy_helper
    graph = onnx.load(path).graph
    arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    weights = {name: a for name, a in arrays.items() if not name.startswith("onnx::")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            weights[name + ".weight"] = arrays[node.input[1]].T
    return weights


def quantised(weights):
    out = {}
    for name, array in weights.items():
        if array.dtype != np.float32:
            continue
        if array.ndim == 2:
            scale = np.maximum(np.abs(array).max(1, keepdims=True), 1e-9) / 127
            out[name], out[name + ":scale"] = np.ascontiguousarray(np.round(array / scale).astype(np.int8)), scale.astype(np.float32)
        else:
            out[name] = np.ascontiguousarray(array)
    return out


def convert(onnx_file, tokenizer_file, folder):
    from safetensors.numpy import save_file
    os.makedirs(folder, exist_ok=True)
    save_file(quantised(onnx_weights(onnx_file)), os.path.join(folder, "weights.safetensors"))
    shutil.copy(tokenizer_file, os.path.join(folder, "tokenizer.json"))


def restored(folder):
    from safetensors.torch import load_file
    stored = load_file(os.path.join(folder, "weights.safetensors"))
    return {name: (value.float() * stored[name + ":scale"] if name + ":scale" in stored else value.float())
            for name, value in stored.items() if not name.endswith(":scale")}


class Teacher:
    def __init__(self, folder, name, device):
        import torch
        from tokenizers import Tokenizer
        from transformers import BertConfig, BertModel
        self.pool, self.prefix, longest = TEACHERS[name]
        self.torch, self.device = torch, device
        weights = restored(os.path.join(folder, name))
        vocabulary, width = weights["embeddings.word_embeddings.weight"].shape
        layers = 1 + max(int(k.split(".")[2]) for k in weights if k.startswith("encoder.layer."))
        inner = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
        self.model = BertModel(BertConfig(vocab_size=vocabulary, hidden_size=width, num_hidden_layers=layers, num_attention_heads=HEADS[width],
                                          intermediate_size=inner, max_position_embeddings=512), add_pooling_layer=False)
        report = self.model.load_state_dict(weights, strict=False)
        missing = [k for k in report.missing_keys if "position_ids" not in k and "token_type_ids" not in k]
        assert not missing, missing
        self.width = width
        self.half = torch.float16 if device == "cuda" else torch.float32
        self.model = self.model.to(device, self.half).eval()
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, name, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(longest)

    def tokens(self, texts):
        encodings = self.tokenizer.encode_batch_fast(texts)
        lengths = np.array([len(e.ids) for e in encodings], np.int64)
        return np.concatenate([np.array(e.ids, np.uint16) for e in encodings]), lengths

    def encode(self, texts, query=False):
        return self.encode_tokens(*self.tokens(texts), query)

    def encode_tokens(self, ids, lengths, query=False, budget=1 << 17):
        """Unit vectors (half precision, on the CPU) in the order of the texts; batches of about `budget` tokens of like length."""
        torch = self.torch
        prefix = self.tokenizer.encode(self.prefix, add_special_tokens=False).ids if query and self.prefix else []
        ids = torch.as_tensor(ids.astype(np.int32), device=self.device)
        starts = torch.as_tensor(np.cumsum(lengths) - lengths, device=self.device)
        order, lengths = np.argsort(lengths, kind="stable"), torch.as_tensor(lengths, device=self.device)
        out = torch.zeros(len(order), self.width, dtype=self.half, device=self.device)
        sorted_lengths, start = lengths.cpu().numpy()[order], 0
        while start < len(order):
            ahead = sorted_lengths[min(start + 1024, len(order) - 1)] + len(prefix)
            rows = torch.as_tensor(order[start:start + max(1, budget // max(8, ahead))], device=self.device)
            out[rows] = self.forward(*self.padded(ids, starts[rows], lengths[rows], prefix))
            start += len(rows)
        return out.cpu()

    def padded(self, ids, starts, lengths, prefix):
        """A batch as a matrix; the prefix goes in after the first token."""
        torch, extra = self.torch, len(prefix)
        column = torch.arange(int(lengths.max()) + extra, device=self.device)
        inside = torch.where(column > extra, column - extra, torch.zeros_like(column))
        mask = column[None] < (lengths + extra)[:, None]
        at = (starts[:, None] + inside[None]).clamp(max=len(ids) - 1)
        batch = torch.where(mask, ids[at].long(), 0)
        if extra:
            batch[:, 1:extra + 1] = torch.tensor(prefix, device=self.device)
        return batch, mask

    def forward(self, batch, mask):
        torch = self.torch
        with torch.no_grad():
            hidden = self.model(input_ids=batch, attention_mask=mask.long()).last_hidden_state
            pooled = hidden[:, 0] if self.pool == "cls" else (hidden * mask[..., None]).sum(1)
            return torch.nn.functional.normalize(pooled.float(), dim=-1).to(self.half)


if __name__ == "__main__":
    convert(*sys.argv[1:4])
