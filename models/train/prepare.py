#!/usr/bin/env python3
"""Step 1: the corpus becomes what training reads: bags of pieces, pseudo-questions, teachers' vectors, hard negatives by BM25.

    prepare.py --corpus DIR --teachers DIR --tokenizer tokenizer.json --cache DIR

One file per language plus one for the cross-language pairs and one for the initial rows.
"""
import argparse
import collections
import math
import multiprocessing
import os
import re
import subprocess
import sys
import time

import numpy as np
import torch
from tokenizers import Tokenizer

import queries
import text
from teachers import Teacher

SPACE = 2                    # ids 0, 1 and 2 are padding, unknown and the bare word mark: zero rows
PER_PASSAGE = 4              # pseudo-questions per passage
CLEAR = 200                  # a real question is trained on if the teacher ranks its passage before this
HARD = 16                    # neighbours kept per query, by BM25 and by the first teacher each
K1, B = 1.2, 0.5
TEACHER_LENGTH = 256         # tokens; passages are shorter
TEACHERS = {"en": ("bge-small-en-v1.5", "all-MiniLM-L6-v2"), "zh": ("bge-small-zh-v1.5",)}     # --english names others
SHARED = {}
START = time.time()


def log(*what):
    print(f"[{time.time() - START:6.1f}]", *what, flush=True)


# ---------------------------------------------------------------- text to pieces
def encode_slice(job):
    """Runs in a worker; the texts are inherited by fork, only the numbers travel back."""
    start, end, path, longest = job
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest) if longest else tokenizer.no_truncation()
    rows = [e.ids for e in tokenizer.encode_batch_fast(SHARED["texts"][start:end], add_special_tokens=bool(longest))]
    if not longest:
        rows = [[i for i in row if i > SPACE] for row in rows]
    return np.fromiter((i for row in rows for i in row), np.uint16), np.array([len(row) for row in rows], np.int64)


def tokens(path, texts, longest=None):
    """Ids and lengths of many texts: of our pieces, or, with `longest`, of a teacher's tokens with its special ones."""
    SHARED["texts"] = texts
    jobs = [(i, min(i + 20000, len(texts)), path, longest) for i in range(0, len(texts), 20000)]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        parts = pool.map(encode_slice, jobs, chunksize=1)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def bags(flat, owner=None):
    """Distinct pieces with the weight sqrt(count), or, given the owner of each row, the sum of its rows' weights."""
    ids, lengths = (torch.as_tensor(x.astype(np.int64), device=DEVICE) for x in flat)
    row = torch.repeat_interleave(torch.arange(len(lengths), device=DEVICE), lengths)
    key, count = torch.unique(row * 65536 + ids, return_counts=True)
    row, ids, weight = key // 65536, key % 65536, count.float().sqrt()
    rows = len(lengths)
    if owner is not None:
        owner = torch.as_tensor(owner, device=DEVICE)
        key, inverse = torch.unique(owner[row] * 65536 + ids, return_inverse=True)
        weight = torch.zeros(len(key), device=DEVICE).index_add_(0, inverse, weight)
        row, ids, rows = key // 65536, key % 65536, int(owner.max()) + 1
    starts = torch.searchsorted(row, torch.arange(rows + 1, device=DEVICE))
    return {"ids": ids.int().cpu(), "weight": weight.half().cpu(), "offsets": starts.cpu()}


# ---------------------------------------------------------------- passages and queries
def read(corpus, lang, limit):
    """Documents, then sections of documentation with their real questions: (query, first passage, number of passages, kind)."""
    titles, sentences, first, document, held, real = [], [], [0], [], [], []
    for title, found in text.documents(corpus, lang, limit):
        for passage in found:
            sentences += passage
            first.append(len(sentences))
            document.append(len(titles))
            held.append(text.held_out(title))
        titles.append(title)
    for source, kind, query, title, found in text.documentation(corpus, lang):
        if query:
            real.append((query, len(document), len(found), kind))
        for passage in found:
            sentences += passage
            first.append(len(sentences))
            document.append(len(titles))
            held.append(source in text.HELD_SOURCES)
        titles.append(title)
    return titles, sentences, np.array(first), np.array(document), np.array(held), real


def segmenter(tokenizer):
    """Chinese words = the pieces of our own tokenizer, as slices of the text."""
    def cut(sentence):
        encoding = tokenizer.encode(sentence, add_special_tokens=False)
        return [sentence[a:b] for (a, b), piece in zip(encoding.offsets, encoding.ids) if b > a and piece != SPACE]
    return cut


def words_of(lang, tokenizer):
    return queries.WORD.findall if lang == "en" else segmenter(tokenizer)


def rarities(lang, tokenizer, texts):
    count, cut = collections.Counter(), words_of(lang, tokenizer)
    for passage in texts:
        count.update({w.lower() for w in cut(passage)})
    return {w: math.log(len(texts) / c) for w, c in count.items() if c > 1}


def make_queries(job):
    """Runs in a worker; the inputs are inherited by fork, only the slice travels."""
    start, end = job
    lang, path, rarity, titles, sentences, first, document = SHARED["inputs"]
    maker = queries.Maker(lang, rarity, segmenter(Tokenizer.from_file(path)), start)
    return [pair for p in range(start, end)
            for pair in maker.for_passage(titles[document[p]], sentences[first[p]:first[p + 1]], PER_PASSAGE)]


def all_queries(*inputs):
    SHARED["inputs"] = inputs
    total = len(inputs[-1])
    jobs = [(i, min(i + 4000, total)) for i in range(0, total, 4000)]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        made = [pair for part in pool.imap(make_queries, jobs) for pair in part]
    return [m[0] for m in made], np.array([m[1] for m in made])


# ---------------------------------------------------------------- BM25 on the GPU
def bm25_matrix(passages, vocabulary):
    ids, offsets, count = passages["ids"].to(DEVICE).long(), passages["offsets"].to(DEVICE), passages["weight"].to(DEVICE).float() ** 2
    rows = len(offsets) - 1
    row = torch.repeat_interleave(torch.arange(rows, device=DEVICE), torch.diff(offsets))
    length = torch.zeros(rows, device=DEVICE).index_add_(0, row, count)
    found = torch.bincount(ids, minlength=vocabulary).float()
    idf = torch.log(1 + (rows - found + 0.5) / (found + 0.5))
    value = idf[ids] * count * (K1 + 1) / (count + K1 * (1 - B + B * length / length.mean())[row])
    return torch.sparse_csr_tensor(offsets, ids, value, (rows, vocabulary))


def best_rows(scores, count, group=64):
    """Indices of the largest `count` entries of each row: they lie in the `count` groups with the largest maxima."""
    spare = -scores.shape[1] % group
    grouped = torch.nn.functional.pad(scores, (0, spare), value=-1e4).view(len(scores), -1, group)
    groups = grouped.amax(-1).topk(min(count, grouped.shape[1]), -1).indices
    inside = grouped.gather(1, groups[..., None].expand(-1, -1, group)).flatten(1)
    best = inside.topk(count, -1).indices
    return groups.gather(1, best // group) * group + best % group


def without_own(best, own):
    """One entry less per row: its own, or the last."""
    mine = best == own[:, None]
    mine[~mine.any(1), -1] = True
    return best[~mine].view(len(best), -1).int().cpu()


def hard_by_words(passages, query_bags, positive, vocabulary, made, batch=1024):
    """The HARD best passages by BM25, its own left out: for every second of the `made` queries (the one between shares its neighbour's
    list) and for every real one."""
    matrix, offsets, ids = bm25_matrix(passages, vocabulary), query_bags["offsets"], query_bags["ids"].long()
    chosen, out = torch.cat([torch.arange(0, made, 2), torch.arange(made, len(offsets) - 1)]), []
    for rows in chosen.split(batch):
        length = offsets[rows + 1] - offsets[rows]
        column = torch.repeat_interleave(torch.arange(len(rows)), length)
        inside = torch.arange(len(column)) - torch.repeat_interleave(torch.cumsum(length, 0) - length, length)
        dense = torch.zeros(vocabulary, len(rows), device=DEVICE)
        dense[ids[offsets[rows][column] + inside].to(DEVICE), column.to(DEVICE)] = 1
        out.append(without_own(best_rows((matrix @ dense).T.contiguous(), HARD + 1), positive[rows].to(DEVICE)))
    out = torch.cat(out)
    return torch.cat([out[: made // 2].repeat_interleave(2, 0), out[made // 2:]])


def hard_by_meaning(taught, positive, batch=2048):
    """The HARD passages a teacher finds nearest to each query, its own left out: likeness without shared words."""
    passages, out = taught["passage"].to(DEVICE), []
    for rows in torch.arange(len(positive)).split(batch):
        scores = taught["query"][rows].to(DEVICE) @ passages.T
        out.append(without_own(best_rows(scores, HARD + 1), positive[rows].to(DEVICE)))
    return torch.cat(out)


# ---------------------------------------------------------------- real questions
def placed(real, taught, first):
    """For each real question the passage of its section and the sentence of that passage that the teacher finds nearest, and the rank
    of the passage among all: a heading that does not lead the teacher to its section says too little without its surroundings."""
    own, at, rank = [], [], []
    everything = taught["passage"].to(DEVICE)
    for n, (_, start, count, _) in enumerate(real):
        query = taught["query"][len(taught["query"]) - len(real) + n].float()
        best = start + int((taught["passage"][start:start + count].float() @ query).argmax())
        own.append(best)
        at.append(int((taught["sentence"][first[best]:first[best + 1]].float() @ query).argmax()))
    own = torch.tensor(own, dtype=torch.long)
    for rows in torch.arange(len(real)).split(1024):
        scores = taught["query"][len(taught["query"]) - len(real) + rows].to(DEVICE) @ everything.T
        rank.append((scores > scores.gather(1, own[rows].to(DEVICE)[:, None])).sum(1).cpu())
    return own, np.array(at, np.int64), torch.cat(rank)


# ---------------------------------------------------------------- teachers
def simplified(tokenizer):
    """The Chinese teacher reads simplified characters only."""
    table = {c: tokenizer.normalizer.normalize_str(chr(c)) for c in range(0x3400, 0xA000)}
    return lambda texts: [t.translate(table) for t in texts]


def teach(folder, name, units):
    """A teacher's vectors of tokenised units."""
    teacher, out = Teacher(folder, name, DEVICE), {}
    for key, (ids, lengths) in units.items():
        out[key] = teacher.encode_tokens(ids, lengths, query=key == "query")
        log(name, key, len(lengths))
    return out


def teacher_tokens(folder, name, texts):
    return tokens(os.path.join(folder, name, "tokenizer.json"), texts, TEACHER_LENGTH)


def language(args, lang, tokenizer):
    titles, sentences, first, document, held, real = read(args.corpus, lang, args.limit)
    passage_of = np.repeat(np.arange(len(document)), np.diff(first))
    glue = " " if lang == "en" else ""
    whole = [glue.join(sentences[a:b]) for a, b in zip(first, first[1:])]
    log(lang, "documents", len(titles), "passages", len(whole), "sentences", len(sentences), "held out", int(held.sum()))
    asked, at = all_queries(lang, args.tokenizer, rarities(lang, tokenizer, whole[::10]), titles, sentences, first, document)
    positive, made = np.repeat(np.arange(len(whole)), PER_PASSAGE), len(asked)
    asked += [r[0] for r in real]
    log(lang, "queries", made, "real", len(real), asked[:6], asked[-6:])
    pieces = {k: tokens(args.tokenizer, v) for k, v in (("passage", whole), ("sentence", sentences), ("title", titles), ("query", asked))}
    log(lang, "pieces")
    named = [f"{titles[document[p]]}{': ' if lang == 'en' else '。'}{s}" for s, p in zip(sentences, passage_of)]
    units = {"query": asked, "passage": whole, "sentence": named}
    if lang == "zh":
        units = {k: simplified(tokenizer)(v) for k, v in units.items()}
    units = {k: teacher_tokens(args.teachers, TEACHERS[lang][0], v) for k, v in units.items()}      # both English teachers share a vocabulary
    log(lang, "teachers' tokens")
    out = {k: bags(v) for k, v in pieces.items()} | {"passage_sums": bags(pieces["sentence"], passage_of)}
    out["teachers"] = [teach(args.teachers, name, units) for name in TEACHERS[lang]]
    if real:
        own, within, rank = placed(real, out["teachers"][0], first)
        positive, at = np.concatenate([positive, own.numpy()]), np.concatenate([at, within])
        asks = torch.tensor([r[3] in ("question", "howto") for r in real])
        left = torch.from_numpy(held)[own]
        out |= {"made": made, "real": made + torch.nonzero((rank < CLEAR) & ~left)[:, 0], "asks": made + torch.nonzero(asks & left)[:, 0]}
        log(lang, "real questions", len(real), "clear", len(out["real"]), "held out", len(out["asks"]),
            "teacher's recall@1/10/100", *[round((rank < k).float().mean().item(), 3) for k in (1, 10, 100)])
    positive = torch.from_numpy(positive)
    out |= {"first": torch.from_numpy(first), "document": torch.from_numpy(document), "held": torch.from_numpy(held),
            "positive": positive, "asked": torch.from_numpy(first[positive.numpy()] + at)}
    words = hard_by_words(out["passage"], out["query"], positive, tokenizer.get_vocab_size(), made)
    log(lang, "neighbours by BM25")
    out["hard"] = torch.cat([words, hard_by_meaning(out["teachers"][0], positive)], 1)
    log(lang, "neighbours by meaning")
    torch.save(out, os.path.join(args.cache, lang + ".pt"))


def cross(args, tokenizer):
    """Parallel text with both teachers' vectors; dictionary pairs; word-for-word translations of pieces."""
    parallel, dictionary = text.pairs(args.corpus, "parallel", args.limit), text.pairs(args.corpus, "cedict")
    english, chinese = [p[0] for p in parallel], [p[1] for p in parallel]
    pieces = {"en": english, "zh": chinese, "word": [d[0] for d in dictionary], "gloss": [d[1] for d in dictionary]}
    pieces = {k: tokens(args.tokenizer, v) for k, v in pieces.items()}
    taught = {"en": (TEACHERS["en"][0], english), "zh": ("bge-small-zh-v1.5", simplified(tokenizer)(chinese))}
    taught = {lang: (name, teacher_tokens(args.teachers, name, texts)) for lang, (name, texts) in taught.items()}
    out = {k: bags(v) for k, v in pieces.items()} | {"held": torch.tensor([text.held_out(e) for e in english])}
    out["teachers"] = {lang: teach(args.teachers, name, {"passage": units})["passage"] for lang, (name, units) in taught.items()}
    out["translate"] = translations(tokenizer, dictionary)
    torch.save(out, os.path.join(args.cache, "cross.pt"))


def meanings(gloss):
    """Short glosses of a dictionary entry: 'to go; river (old)' gives 'go', 'river'."""
    for part in re.split(r"[;/]", re.sub(r"\(.*?\)|\[.*?\]", "", gloss)):
        part = re.sub(r"^\s*(to|a|an|the|be) ", "", part.strip().lower()).strip()
        if part and len(part.split()) <= 2:
            yield part


def translations(tokenizer, dictionary, width=4):
    """For each piece up to `width` pieces of the other language that the dictionary gives for it; 0 = none."""
    vocabulary = tokenizer.get_vocab()
    found = collections.defaultdict(list)
    for word, gloss in dictionary:
        here = vocabulary.get(word)
        if here is None:
            continue
        for meaning in meanings(gloss):
            for part in meaning.split():
                there = vocabulary.get("\u2581" + part)
                if there:
                    found[here].append(there)
                    if len(meaning.split()) == 1:
                        found[there].append(here)
    table = torch.zeros(tokenizer.get_vocab_size(), width, dtype=torch.int32)
    for piece, others in found.items():
        best = [p for p, _ in collections.Counter(others).most_common(width)]
        table[piece] = torch.tensor([best[i % len(best)] for i in range(width)])
    log("pieces with a translation", len(found))
    return table


# ---------------------------------------------------------------- initial rows
def piece_texts(tokenizer, dictionary):
    """What to show an English teacher for a piece: the word, or the dictionary's gloss of the Chinese word."""
    glosses, out = dict(dictionary), {}
    for piece, number in tokenizer.get_vocab().items():
        if piece.startswith("\u2581") and len(piece) > 1:
            out[number] = piece[1:]
        elif piece in glosses:
            out[number] = glosses[piece]
        elif re.fullmatch("[a-z]{2,}", piece):
            out[number] = piece
    return out


def initial(args, tokenizer):
    """Rows in one space for both languages: English teachers' vectors of words and glosses; for Chinese words also the Chinese
    teacher's vector, carried over by a ridge regression fitted on the words that have a gloss."""
    dictionary = text.pairs(args.corpus, "cedict")
    shown = piece_texts(tokenizer, dictionary)
    if args.limit:
        shown = {n: t for n, t in shown.items() if n % 100 == 0}
    numbers, texts = list(shown), list(shown.values())
    vectors = torch.cat([Teacher(args.teachers, name, DEVICE).encode(texts).float() for name in TEACHERS["en"]], 1)
    vectors = vectors - vectors.mean(0)
    chinese = {n: p for p, n in tokenizer.get_vocab().items() if queries.HAN.search(p)}
    order = list(chinese)[:20 * args.limit if args.limit else None]
    own = Teacher(args.teachers, "bge-small-zh-v1.5", DEVICE).encode([chinese[n] for n in order]).float()
    own = own - own.mean(0)
    rows = torch.zeros(tokenizer.get_vocab_size(), vectors.shape[1])
    rows[torch.tensor(numbers)] = vectors
    glossed = torch.tensor([n in shown for n in order])
    known = rows[torch.tensor(order)][glossed]
    x = own[glossed]
    ridge = torch.linalg.solve(x.T @ x + 10 * torch.eye(x.shape[1]), x.T @ known)
    mapped = torch.nn.functional.normalize(own @ ridge, dim=-1)
    where = torch.tensor(order)
    rows[where] = torch.nn.functional.normalize(rows[where], dim=-1) + torch.where(glossed, 0.7, 1.0)[:, None] * mapped
    torch.save(torch.nn.functional.normalize(rows, dim=-1), os.path.join(args.cache, "initial.pt"))
    log("initial rows", len(shown), "from words and glosses,", int((~glossed).sum()), "from the regression alone")


def parts_at_once():
    """English, Chinese and the rest side by side, each a process of its own."""
    running = [subprocess.Popen([sys.executable, *sys.argv, "--part", part]) for part in ("en", "zh", "cross")]
    failed = [p.args[-1] for p in running if p.wait()]
    sys.exit(f"failed: {failed}" if failed else 0)


def main():
    global DEVICE, PROCESSES
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("corpus", "teachers", "tokenizer", "cache"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--limit", type=int, help="documents per file, for a dry run")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--english", nargs="+", default=TEACHERS["en"], help="the English teachers; the first also chooses neighbours")
    parser.add_argument("--warm", action="store_true", help="no initial rows: training starts from a table")
    parser.add_argument("--part", choices=("en", "zh", "cross"))
    args = parser.parse_args()
    TEACHERS["en"] = tuple(args.english)
    os.makedirs(args.cache, exist_ok=True)
    if not args.part:
        parts_at_once()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    DEVICE, PROCESSES = ("cuda" if torch.cuda.is_available() else "cpu"), args.processes
    tokenizer = Tokenizer.from_file(args.tokenizer)
    if args.part == "cross":
        cross(args, tokenizer)
        if not args.warm:
            initial(args, tokenizer)
    else:
        language(args, args.part, tokenizer)
    log(args.part, "prepared")


if __name__ == "__main__":
    main()
