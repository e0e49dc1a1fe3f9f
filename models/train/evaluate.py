#!/usr/bin/env python3
"""Measures embedders on question sets with exact gold spans: the dense leg alone, across languages, and in the hybrid.

    evaluate.py vectors --questions DIR --teachers DIR --out DIR          (GPU) encodes every text the tables need, once per teacher
    evaluate.py table --questions DIR --models A B … [--vectors DIR] [--counter tokenizer.json]

dense      recall@1/@5/@10 of the passage: sentence-aware chunks of 1000 (en) or 400 (zh) characters, gold = the chunk that holds the answer
sums       the same with each chunk's vector taken as the sum of its sentences' vectors (static models only)
across     XQuAD questions of one language over the paragraphs of the other: recall@1/@5/@10
hybrid     coverage@500, the share of questions whose whole gold span is in the context: every sentence scored alone, in its window of
           +-2 and with its paragraph, by BM25 and by the embedder; relative scores summed, a share spread to the neighbours, the best
           sentences fill 500 tokens (--dump FOLDER writes the contexts for other scorers)
A model is a folder, name=folder, or name=folder:128 for its leading 128 dimensions. Teachers' vectors are taken as they are for a
text: sentences and windows bare, and (+title) with their title in front.
A set is a folder with corpus.jsonl {doc_id, title, lang, text} and queries.jsonl {qid, question, doc_id, start, end}.
"""
import argparse
import collections
import hashlib
import json
import math
import os
import re

import numpy as np

DENSE = ("squad", "xquad_en", "cmrc_long", "drcd", "xquad_zh", "howtocook")
HYBRID = ("squad", "xquad_en", "chunkeval", "cmrc", "cmrc_long", "drcd", "xquad_zh")
WINDOW, BUDGET, TITLE, SPREAD = 2, 500, 0.5, 0.3
WEIGHTS = (1.0, 1.0, 0.5, 0.5, 0.5, 0.25)    # BM25 sentence, window, dense sentence, window, BM25 paragraph, dense paragraph
STOP = set("a an the of in on at to for from by with and or is are was were be been being it its this that these those as do does did "
           "what which who whom when where why how many much".split())
SENTENCE = re.compile(r'.+?(?:[.!?]["\')\]]*(?=\s+[A-Z0-9"\'(]|\s*$)|[。！？…]+[”’」』）]*|\n+|$)', re.S)
CHUNK_END = {"zh": re.compile(r"[。！？!?；]+[”’」』）)]*|\n+"), "en": re.compile(r"[.!?]+[\"')\]]*(?=\s)\s*|\n+")}
CHUNK = {"zh": 400, "en": 1000}


# ---------------------------------------------------------------- sets
class Set:
    def __init__(self, folder, name):
        read = lambda file: [json.loads(line) for line in open(os.path.join(folder, name, file), encoding="utf8")]
        self.name, self.corpus = name, read("corpus.jsonl")
        self.queries = [q for q in read("queries.jsonl") if "start" in q]
        self.lang = self.corpus[0]["lang"][:2]
        self.text = {d["doc_id"]: d["text"] for d in self.corpus}


def chunk_sentences(text, lang):
    ends, start = [m.end() for m in CHUNK_END[lang].finditer(text)] + [len(text)], 0
    for end in ends:
        if end > start:
            yield start, end
            start = end


def chunks(text, lang):
    """Sentences gathered up to the limit; a heading begins a new chunk."""
    out, current = [], None
    for start, end in chunk_sentences(text, lang):
        if current is None:
            current = [start, end]
            continue
        body = text[current[0]:current[1]].strip()
        heading = text[start:end].lstrip().startswith("#") and body and not body.startswith("#")
        if end - current[0] > CHUNK[lang] or heading:
            out.append(tuple(current))
            current = [start, end]
        else:
            current[1] = end
    return [(s, e) for s, e in out + ([tuple(current)] if current else []) if text[s:e].strip()]


def chunk_units(data):
    """(document, start, end) of every chunk, and for every query the numbers of its gold chunks."""
    units = [(d["doc_id"], s, e) for d in data.corpus for s, e in chunks(d["text"], data.lang)]
    by = collections.defaultdict(list)
    for number, (doc, s, e) in enumerate(units):
        by[doc].append((s, e, number))
    gold = []
    for q in data.queries:
        touching = {n for s, e, n in by[q["doc_id"]] if s < q["end"] and q["start"] < e}
        whole = {n for s, e, n in by[q["doc_id"]] if s <= q["start"] and q["end"] <= e}
        gold.append(touching if data.name == "howtocook" else whole or touching)
    return units, gold


def paragraphs(data):
    """(document, start, end) of the paragraphs that questions name."""
    return sorted({(q["doc_id"], q["para_start"], q["para_end"]) for q in data.queries})


def sentences(text):
    for match in SENTENCE.finditer(text):
        piece = match.group()
        start = match.start() + len(piece) - len(piece.lstrip())
        end = match.end() - (len(piece) - len(piece.rstrip()))
        if end > start:
            yield start, end


class Scales:
    """Sentences of a set with their windows and paragraphs."""

    def __init__(self, data):
        self.data, self.units, self.bounds = data, [], []
        for d, doc in enumerate(data.corpus):
            first = len(self.units)
            self.units += [(d, s, e) for s, e in sentences(doc["text"])]
            self.bounds.append((first, len(self.units)))
        self.paragraph = np.zeros(len(self.units), int)
        for i in range(1, len(self.units)):
            (d, start, _), (before, _, end) = self.units[i], self.units[i - 1]
            self.paragraph[i] = self.paragraph[i - 1] + (d != before or "\n" in data.corpus[d]["text"][end:start])

    def text(self, i):
        d, start, end = self.units[i]
        return self.data.corpus[d]["text"][start:end]

    def title(self, i):
        return self.data.corpus[self.units[i][0]]["title"]

    def window(self, i):
        first, last = self.bounds[self.units[i][0]]
        return max(first, i - WINDOW), min(last, i + WINDOW + 1)

    def slice(self, first, last):
        """The source text from one unit to another (exclusive)."""
        return self.data.corpus[self.units[first][0]]["text"][self.units[first][1]:self.units[last - 1][2]]

    def paragraph_texts(self):
        starts = np.searchsorted(self.paragraph, np.arange(self.paragraph[-1] + 2))
        return [self.slice(a, b) for a, b in zip(starts, starts[1:])]


# ---------------------------------------------------------------- embedders
def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


class Static:
    """The shipped arithmetic."""

    def __init__(self, folder):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
        folder, _, width = folder.partition(":")
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        weights = load_file(os.path.join(folder, "model.safetensors"))
        self.rows, self.scales = weights["embeddings"][:, :int(width or 256)], weights["scales"]

    def sum(self, text):
        """The unnormalised vector: sums of sentences make windows."""
        ids, counts = np.unique(self.tokenizer.encode(text, add_special_tokens=False).ids, return_counts=True)
        if not len(ids):
            return np.zeros(self.rows.shape[1], np.float32)
        ids = ids.astype(int)
        return (np.sqrt(counts) * self.scales[ids]).astype(np.float32) @ self.rows[ids].astype(np.float32)

    def sums(self, texts):
        return np.stack([self.sum(t) for t in texts])

    def encode(self, texts):
        return unit(self.sums(texts))

    query = encode

    def scale_vectors(self, scales):
        sums = self.sums([scales.text(i) for i in range(len(scales.units))])
        titles = TITLE * self.sums([d["title"] for d in scales.data.corpus])[[u[0] for u in scales.units]]
        running = np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(sums, 0)])
        windows = np.stack([running[b] - running[a] for a, b in map(scales.window, range(len(scales.units)))])
        paragraph = np.zeros((scales.paragraph[-1] + 1, sums.shape[1]))
        np.add.at(paragraph, scales.paragraph, sums)
        return unit(sums + titles), unit(windows + titles), unit(paragraph)


def key(text):
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


class Stored:
    """A teacher's vectors, computed before by the command `vectors`; sentences and windows with or without their title in front."""

    def __init__(self, folder, name, titled):
        kept = [np.load(os.path.join(folder, f)) for f in sorted(os.listdir(folder)) if f.startswith(name + ".")]
        self.rows = np.concatenate([k["rows"] for k in kept])
        self.scale = np.concatenate([k["scale"] for k in kept])
        names = np.concatenate([k["keys"] for k in kept])
        self.at, self.titled = {bytes(k): i for i, k in enumerate(names)}, titled

    def encode(self, texts):
        where = [self.at[key(t)] for t in texts]
        return unit(self.rows[where].astype(np.float32) * self.scale[where][:, None])

    def query(self, texts):
        return self.encode(["?" + t for t in texts])

    def scale_vectors(self, scales):
        texts = scale_texts(scales, self.titled)
        return tuple(self.encode(t) for t in texts)


def scale_texts(scales, titled):
    count = range(len(scales.units))
    front = (lambda i: scales.title(i) + "\n") if titled else (lambda i: "")
    return ([front(i) + scales.text(i) for i in count], [front(i) + scales.slice(*scales.window(i)) for i in count],
            scales.paragraph_texts())


def needed(folder, lang):
    """Every text a teacher of this language must encode: (units, questions)."""
    units, questions = {}, {}
    for name in sorted(set(DENSE) | set(HYBRID)):
        data = Set(folder, name)
        if data.lang != lang:
            continue
        scales = Scales(data)
        texts = [data.text[d][s:e] for d, s, e in chunk_units(data)[0]] + sum(scale_texts(scales, False), [])
        texts += sum(scale_texts(scales, True)[:2], []) if name in HYBRID else []
        units.update(dict.fromkeys(texts))
        questions.update(dict.fromkeys(q["question"] for q in data.queries))
    return list(units), list(questions)


def vectors(args):
    from teachers import Teacher
    for name, lang in (("bge-small-zh-v1.5", "zh"), ("all-MiniLM-L6-v2", "en"), ("bge-small-en-v1.5", "en")):
        teacher = Teacher(args.teachers, name, args.device)
        units, questions = needed(args.questions, lang)
        rows = np.concatenate([teacher.encode(units).float().numpy(), teacher.encode(questions, query=True).float().numpy()])
        names = np.array([np.frombuffer(key(t), np.uint8) for t in units + ["?" + q for q in questions]])
        scale = np.abs(rows).max(1) / 127
        rows = np.round(rows / scale[:, None]).astype(np.int8)
        for part, start in enumerate(range(0, len(rows), 24000)):
            cut = slice(start, start + 24000)
            np.savez(os.path.join(args.out, f"{name}.{part}.npz"), rows=rows[cut], scale=scale[cut].astype(np.float32), keys=names[cut])
        print(name, len(rows))


# ---------------------------------------------------------------- BM25
def words(text, lang):
    text = text.lower()
    if lang == "zh":
        return [w for w in JIEBA.lcut_for_search(text) if re.search(r"\w", w)]
    return STEM.stemWords([w for w in re.findall(r"\w+", text) if w not in STOP])


def load_analysers():
    global JIEBA, STEM
    import jieba
    import Stemmer
    jieba.setLogLevel(60)
    JIEBA, STEM = jieba, Stemmer.Stemmer("english")


class BM25:
    def __init__(self, docs, b, k1=1.2):
        lengths = np.array([len(d) for d in docs], float)
        self.n, self.k1, self.norm = len(docs), k1, k1 * (1 - b + b * lengths / lengths.mean())
        postings = collections.defaultdict(lambda: ([], []))
        for i, doc in enumerate(docs):
            for word, count in collections.Counter(doc).items():
                postings[word][0].append(i)
                postings[word][1].append(count)
        self.postings = {w: (np.array(i), np.array(c, float)) for w, (i, c) in postings.items()}

    def scores(self, query):
        out = np.zeros(self.n)
        for word in set(query) & self.postings.keys():
            where, count = self.postings[word]
            idf = math.log(1 + (self.n - len(where) + 0.5) / (len(where) + 0.5))
            out[where] += idf * count * (self.k1 + 1) / (count + self.norm[where])
        return out


# ---------------------------------------------------------------- measures
def recalls(scores, gold):
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    return [round(float(np.mean([bool(g & set(r[:k].tolist())) for r, g in zip(order, gold)])), 3) for k in (1, 5, 10)]


def dense(model, data):
    units, gold = chunk_units(data)
    return recalls(model.query([q["question"] for q in data.queries]) @ model.encode([data.text[d][s:e] for d, s, e in units]).T, gold)


def dense_sums(model, data):
    units, gold = chunk_units(data)
    rows = np.stack([model.sums([data.text[d][s:e][a:b] for a, b in sentences(data.text[d][s:e])]).sum(0) for d, s, e in units])
    return recalls(model.query([q["question"] for q in data.queries]) @ unit(rows).T, gold)


def dense_bm25(data):
    units, gold = chunk_units(data)
    index = BM25([words(data.text[d][s:e], data.lang) for d, s, e in units], b=0.5)
    return recalls(np.stack([index.scores(words(q["question"], data.lang)) for q in data.queries]), gold)


def across(model, asked, over):
    """Questions of one set over the paragraphs of its translation, matched by qid."""
    units = paragraphs(over)
    number = {u: i for i, u in enumerate(units)}
    home = {q["qid"]: number[(q["doc_id"], q["para_start"], q["para_end"])] for q in over.queries}
    queries = [q for q in asked.queries if q["qid"] in home]
    rows = model.encode([over.text[d][s:e] for d, s, e in units])
    return recalls(model.query([q["question"] for q in queries]) @ rows.T, [{home[q["qid"]]} for q in queries])


def relative(x):
    """0 at the 200th best, 1 at the best."""
    floor = np.sort(x)[-200:][0]
    return np.clip((x - floor) / max(x.max() - floor, 1e-9), 0, None)


class Lexical:
    """BM25 at the three scales; the title counts once per unit."""

    def __init__(self, scales):
        data, count = scales.data, range(len(scales.units))
        title = [words(d["title"], data.lang) for d in data.corpus]
        tokens = [words(scales.text(i), data.lang) for i in count]
        self.scales, of = scales, [title[u[0]] for u in scales.units]
        self.sentence = BM25([tokens[i] + of[i] for i in count], b=0.5)
        self.window = BM25([sum((tokens[j] for j in range(*scales.window(i))), []) + of[i] for i in count], b=0.4)
        gathered = [[] for _ in range(scales.paragraph[-1] + 1)]
        for i in count:
            gathered[scales.paragraph[i]] += tokens[i] if gathered[scales.paragraph[i]] else of[i] + tokens[i]
        self.paragraph = BM25(gathered, b=0.4)

    def legs(self, question):
        terms = words(question, self.scales.data.lang)
        return self.sentence.scores(terms), self.window.scores(terms), self.paragraph.scores(terms)[self.scales.paragraph]


def values(lexical, vectors, query, linked, paragraph):
    legs, weights = list(lexical), [WEIGHTS[0], WEIGHTS[1], WEIGHTS[4]]
    if vectors is not None:
        legs += [vectors[0] @ query, vectors[1] @ query, (vectors[2] @ query)[paragraph]]
        weights += [WEIGHTS[2], WEIGHTS[3], WEIGHTS[5]]
    own = sum(w * relative(leg) for w, leg in zip(weights, legs))
    value = own.copy()
    value[1:] += SPREAD * np.where(linked, own[:-1], 0)
    value[:-1] += SPREAD * np.where(linked, own[1:], 0)
    return value


def chosen(value, cost):
    out, left = set(), BUDGET
    for i in np.argsort(-value, kind="stable")[:80]:
        if value[i] > 0 and cost[i] <= left:
            out.add(int(i))
            left -= cost[i]
    return out


def contexts(scales, picked, value):
    runs = []
    for i in sorted(picked):
        if runs and runs[-1][1] == i - 1 and scales.units[i][0] == scales.units[i - 1][0]:
            runs[-1][1] = i
        else:
            runs.append([i, i])
    runs.sort(key=lambda r: -max(value[r[0]:r[1] + 1]))
    out = []
    for first, last in runs:
        doc = scales.data.corpus[scales.units[first][0]]
        start, end = scales.units[first][1], scales.units[last][2]
        out.append({"doc_id": doc["doc_id"], "start": start, "end": end, "text": doc["text"][start:end]})
    return out


def hybrid(data, models, counter):
    """Contexts per query for BM25 alone and for each embedder beside it."""
    scales = Scales(data)
    lexical = Lexical(scales)
    linked = np.array([scales.units[i][0] == scales.units[i - 1][0] for i in range(1, len(scales.units))])
    cost = [len(counter.encode(scales.text(i), add_special_tokens=False).ids) for i in range(len(scales.units))]
    found = {"BM25": None} | {name: m.scale_vectors(scales) for name, m in models.items()}
    asked = {name: m.query([q["question"] for q in data.queries]) for name, m in models.items()}
    out = {name: [] for name in found}
    for number, q in enumerate(data.queries):
        legs = lexical.legs(q["question"])
        for name, rows in found.items():
            value = values(legs, rows, asked[name][number] if rows is not None else None, linked, scales.paragraph)
            out[name].append({"qid": q["qid"], "contexts": contexts(scales, chosen(value, cost), value)})
    return out


def coverage(data, answers):
    """Share of questions whose whole gold span lies inside the contexts (already cut to the budget)."""
    hit = 0
    for q, answer in zip(data.queries, answers):
        missing = set(range(q["start"], q["end"]))
        missing = {i for i in missing if not data.text[q["doc_id"]][i].isspace()}
        for c in answer["contexts"]:
            if c["doc_id"] == q["doc_id"]:
                missing -= set(range(c["start"], c["end"]))
        hit += not missing
    return hit / len(data.queries)


def table(args):
    load_analysers()
    models = {m.split("=")[0]: Static(m.split("=")[-1]) for m in args.models}
    stored = {}
    if args.vectors:
        stored = {lang: {f"{n}{'+title' if t else ''}": Stored(args.vectors, n, t) for n in names for t in (False, True)}
                  for lang, names in (("en", ("all-MiniLM-L6-v2", "bge-small-en-v1.5")), ("zh", ("bge-small-zh-v1.5",)))}
    result = collections.defaultdict(dict)
    report = lambda kind, name, model, value: (result[f"{kind} {name}"].__setitem__(model, value), print(kind, name, model, value, flush=True))
    for name in DENSE if "dense" in args.parts else ():
        data = Set(args.questions, name)
        report("dense", name, "BM25", dense_bm25(data))
        for label, model in models.items():
            report("dense", name, label, dense(model, data))
            report("sums", name, label, dense_sums(model, data))
        for label, model in stored.get(data.lang, {}).items():
            if "+" not in label:
                report("dense", name, label, dense(model, data))
    if "across" in args.parts:
        english, chinese = Set(args.questions, "xquad_en"), Set(args.questions, "xquad_zh")
        for label, model in models.items():
            report("across", "en-zh", label, across(model, english, chinese))
            report("across", "zh-en", label, across(model, chinese, english))
    for name in HYBRID if "hybrid" in args.parts else ():
        from tokenizers import Tokenizer
        counter = Tokenizer.from_file(args.counter)
        counter.no_truncation()
        counter.no_padding()
        data = Set(args.questions, name)
        for label, answers in hybrid(data, models | stored.get(data.lang, {}), counter).items():
            report("hybrid", name, label, round(coverage(data, answers), 4))
            if args.dump:
                os.makedirs(args.dump, exist_ok=True)
                with open(os.path.join(args.dump, f"{name}.{label}.jsonl"), "w") as file:
                    file.writelines(json.dumps(a, ensure_ascii=False) + "\n" for a in answers)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(result, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("vectors", "table"))
    parser.add_argument("--questions", required=True)
    for name in ("teachers", "out", "vectors", "counter", "json", "dump"):
        parser.add_argument("--" + name)
    parser.add_argument("--models", nargs="*", default=[], help="folders, or name=folder")
    parser.add_argument("--parts", nargs="*", default=["dense", "across", "hybrid"])
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    vectors(args) if args.command == "vectors" else table(args)


if __name__ == "__main__":
    main()
