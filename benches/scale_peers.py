#!/usr/bin/env python3
"""Okno beside LanceDB, SQLite (FTS5 + sqlite-vec) and bm25s + FAISS: the same sentences, the same vectors, one run.

    python3 benches/scale_peers.py CORPUS.jsonl QUERIES.jsonl [--sizes 100000] [--questions 100] [--binary SCALE]

Needs the packages okno (.ci/wheel.sh), numpy, lancedb, sqlite-vec, pysqlite3-binary, bm25s and faiss-cpu. A hybrid
question is the best 200 sentences by words, the best 200 by vector, and their reciprocal ranks added up; that is all a
peer does. Okno ranks sentences, windows and paragraphs, fills a budget of tokens and reads documents for it. Every
engine is a process of its own; times are processor time of all its threads, without embedding the question. Words are
those of a simple rule – Latin words, pairs of Chinese characters – for all peers. Recall is the share of the ten
sentences found first that are as near as the tenth of an exact scan; Okno's is printed by `scale.py`. `--binary` names
the compiled `scale` bench, otherwise cargo builds it.
"""
import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scale import bench

DEPTH = 200
BATCH = 20_000
# Seconds after which a file is taken to be at rest, and one more.
SETTLED = 4


def words(text):
    """Latin words and pairs of Chinese characters."""
    found = []
    for run in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]+", text.lower()):
        found += [run] if run[0] < "\u4e00" or len(run) == 1 else [run[at:at + 2] for at in range(len(run) - 1)]
    return found


def prepare(corpus, queries, size, count, folder):
    """The sentences, their vectors, the questions, and what an exact scan finds, as files."""
    import numpy
    import okno
    sentences = []
    for line in corpus.open(encoding="utf-8"):
        sentences += [piece.text for piece in okno.split(json.loads(line)["text"])]
        if len(sentences) >= size:
            break
    sentences = sentences[:size]
    vectors = numpy.lib.format.open_memmap(folder / "vectors.npy", "w+", "f4", (len(sentences), 256))
    for at in range(0, len(sentences), BATCH):
        vectors[at:at + BATCH] = unit(okno.embed(sentences[at:at + BATCH]))
    questions = [json.loads(line)["question"] for line in queries.open(encoding="utf-8") if line.strip()][:count]
    asked = unit(okno.embed(questions, query=True))
    best = numpy.concatenate([vectors[at:at + BATCH] @ asked.T for at in range(0, len(sentences), BATCH)])
    numpy.savez(folder / "asked.npz", asked=asked, least=-numpy.partition(-best, 9, axis=0)[9])
    (folder / "texts.json").write_text(json.dumps({"sentences": [" ".join(words(text)) for text in sentences],
                                                   "questions": [words(question) for question in questions]}))
    return len(sentences)


def unit(rows):
    """Rows of length 1."""
    import numpy
    return rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class LanceDB:
    """IVF-PQ and its own full-text index."""

    def __init__(self, folder, sentences, vectors):
        import lancedb
        import pyarrow
        schema = pyarrow.schema([("id", pyarrow.int32()), ("text", pyarrow.string()),
                                 ("vector", pyarrow.list_(pyarrow.float32(), vectors.shape[1]))])

        def batches():
            for at in range(0, len(sentences), BATCH):
                part = vectors[at:at + BATCH]
                values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(part.reshape(-1)), vectors.shape[1])
                yield pyarrow.record_batch([pyarrow.array(range(at, at + len(part)), pyarrow.int32()),
                                            pyarrow.array(sentences[at:at + BATCH]), values], schema=schema)

        self.table = lancedb.connect(str(folder)).create_table("units", batches(), schema=schema)
        self.table.create_index("cosine", num_partitions=max(16, int(len(sentences) ** 0.5)), num_sub_vectors=64)
        self.table.create_fts_index("text", base_tokenizer="whitespace", stem=False, remove_stop_words=False,
                                    ascii_folding=False, with_position=False)

    def by_vector(self, vector):
        query = self.table.search(vector).distance_type("cosine").nprobes(20).refine_factor(5)
        return query.limit(DEPTH).select(["id", "_distance"]).to_arrow()["id"].to_pylist()

    def by_words(self, asked):
        query = self.table.search(" ".join(asked), query_type="fts")
        return query.limit(DEPTH).select(["id", "_score"]).to_arrow()["id"].to_pylist()


class SQLite:
    """FTS5 and sqlite-vec, which scans."""

    def __init__(self, folder, sentences, vectors):
        import pysqlite3 as sqlite3
        import sqlite_vec
        self.base = sqlite3.connect(folder / "units.sqlite")
        self.base.enable_load_extension(True)
        sqlite_vec.load(self.base)
        self.base.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61')")
        self.base.execute(f"CREATE VIRTUAL TABLE near USING vec0(vector int8[{vectors.shape[1]}] "
                          "distance_metric=cosine)")
        self.base.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(sentences))
        rows = ((at, self.packed(row)) for at, row in enumerate(vectors))
        self.base.executemany("INSERT INTO near(rowid, vector) VALUES (?, vec_int8(?))", rows)
        self.base.commit()

    @staticmethod
    def packed(row):
        """Eight bits per component, as Okno has them."""
        return (row * (127 / max(abs(row).max(), 1e-9))).round().astype("i1").tobytes()

    def by_vector(self, vector):
        found = self.base.execute("SELECT rowid FROM near WHERE vector MATCH vec_int8(?) AND k = ? ORDER BY distance",
                                  (self.packed(vector), DEPTH))
        return [row for row, in found]

    def by_words(self, asked):
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(asked))
        found = self.base.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH))
        return [row for row, in found]


class Bm25sFaiss:
    """bm25s in memory, FAISS with eight bits per component in lists."""

    def __init__(self, folder, sentences, vectors):
        import bm25s
        import faiss
        faiss.omp_set_num_threads(1)
        self.words = bm25s.BM25()
        self.words.index([sentence.split() for sentence in sentences], show_progress=False)
        self.words.save(str(folder / "bm25s"))
        lists = max(16, int(len(sentences) ** 0.5))
        self.near = faiss.index_factory(vectors.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        self.near.train(vectors[::max(1, len(sentences) // (lists * 50))])
        for at in range(0, len(sentences), BATCH):
            self.near.add(vectors[at:at + BATCH])
        self.near.nprobe = max(8, lists // 3)
        faiss.write_index(self.near, str(folder / "near.faiss"))

    def by_vector(self, vector):
        return self.near.search(vector[None], DEPTH)[1][0].tolist()

    def by_words(self, asked):
        found = self.words.retrieve([asked], k=DEPTH, show_progress=False, n_threads=1)
        return found.documents[0].tolist()


PEERS = {"lancedb": LanceDB, "sqlite": SQLite, "bm25s+faiss": Bm25sFaiss}


def run_peer(name, folder):
    """Builds one engine, asks it all questions, and prints what that cost."""
    import numpy
    given = json.loads((folder / "texts.json").read_text())
    vectors = numpy.load(folder / "vectors.npy", mmap_mode="r")
    with numpy.load(folder / "asked.npz") as files:
        asked, least = files["asked"], files["least"]
    own = folder / name
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    begun = time.process_time()
    engine = PEERS[name](own, given["sentences"], vectors)
    built, times, found = time.process_time() - begun, [], 0
    for vector, terms, tenth in zip(asked, given["questions"], least):
        begun = time.process_time()
        near, by_words = engine.by_vector(vector), engine.by_words(terms)
        ranks = {}
        for ranking in (near, by_words):
            for rank, at in enumerate(ranking):
                ranks[at] = ranks.get(at, 0.0) + 1 / (60 + rank)
        sorted(ranks, key=ranks.get, reverse=True)
        times.append(time.process_time() - begun)
        found += int((vectors[sorted(near[:10])] @ vector >= tenth - 1e-5).sum())
    disk = sum(file.stat().st_size for file in own.rglob("*") if file.is_file())
    # Not `ru_maxrss`, which begins with what the process had that started this one.
    status = Path("/proc/self/status").read_text()
    memory = int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) * 1024
    print(json.dumps({"build_s": built, "p50": statistics.median(times) * 1e3, "disk": disk, "memory": memory,
                      "p95": sorted(times)[int(len(times) * 0.95)] * 1e3, "recall": found / (10 * len(times))}))


def run_okno(arguments, size, folder):
    """The same of Okno, with the `layout` that its first search keeps."""
    index, queries = folder / "okno", folder / "queries.jsonl"
    asked = [line for line in arguments.queries.open(encoding="utf-8") if line.strip()]
    queries.write_text("".join(asked[:arguments.questions]), encoding="utf-8")
    built = bench(arguments.binary, "build", index, arguments.corpus, size)
    time.sleep(SETTLED)
    bench(arguments.binary, "keep", index)
    time.sleep(SETTLED)
    bench(arguments.binary, "measure", index, queries)
    asked = bench(arguments.binary, "measure", index, queries)
    disk = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    memory = max(built["peak_bytes"], asked["anonymous_bytes"] + asked["mapped_bytes"])
    return {"build_s": built["cpu_s"], "p50": asked["search"]["p50_ms"], "p95": asked["search"]["p95_ms"],
            "disk": disk, "memory": memory, "recall": None}


def line(size, name, found):
    """One row of the table."""
    recall = "" if found["recall"] is None else f"{found['recall']:.3f}"
    return (f"| {size:,} | {name} | {found['build_s']:.0f} s | {found['disk'] / 1e6:,.0f} MB | "
            f"{found['memory'] / 1e6:,.0f} MB | {found['p50']:.1f} / {found['p95']:.1f} ms | {recall} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--sizes", default="100000")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--binary")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        return run_peer(arguments.peer, arguments.corpus)
    print("| sentences | | index, CPU | disk | peak memory | question, CPU p50 / p95 | recall@10 |")
    print("|---:|---|---:|---:|---:|---:|---:|", flush=True)
    for size in map(int, arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            size = prepare(arguments.corpus, arguments.queries, size, arguments.questions, folder)
            print(line(size, "okno", run_okno(arguments, size, folder)), flush=True)
            for name in PEERS:
                command = [sys.executable, __file__, "--peer", name, folder, arguments.queries]
                done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True)
                print(line(size, name, json.loads(done.stdout.splitlines()[-1])), flush=True)


if __name__ == "__main__":
    main()
