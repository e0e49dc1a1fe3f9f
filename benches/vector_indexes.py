#!/usr/bin/env python3
"""What would another index of the vectors save? Codes of one and two bits beside lists (IVF) and graphs (HNSW), in FAISS.

    vector_indexes.py VECTORS.npy QUESTIONS.npy [--sizes 10000,40000,160000]

VECTORS.npy has rows of 32-bit numbers, of length 1, and QUESTIONS.npy too (`scale_peers.py` makes such files). Each
index finds the ten best of the first rows by what it keeps, from as few codes, lists or links as give .99 of the ten
best of an exact search over eight bits per component; what codes found is scored once more by eight bits. Then the same
with filters that leave .5, .05 and .001 of the rows, in no order; there the settings stay. Prints the processor time of
building and of a question on one thread, the bytes of a vector, and the recall. Needs numpy and faiss-cpu.
"""
import argparse
import time

import faiss
import numpy

SEED = 3
WANTED = 0.99
BEST = 10
FILTERS = (0.5, 0.05, 0.001)


def flat(size):
    return "SQ8", [None]


def one_bit(size):
    return "RaBitQ", [10 * 2 ** step for step in range(12)]


def two_bits(size):
    return "PQ128x4fs", [10 * 2 ** step for step in range(12)]


def lists(size):
    count = int(size ** 0.5)
    return f"IVF{count},SQ8", [probes for probes in (4, 8, 16, 32, 64, 128, 256, 512) if probes < count] + [count]


def graph(size):
    return "HNSW16,SQ8", [16 * 2 ** step for step in range(9)]


KINDS = {"exact": flat, "one bit, rescored": one_bit, "two bits, rescored": two_bits, "lists": lists, "graph": graph}


def searcher(kind, index, exact, setting):
    """A function from a question and a filter to the best rows."""
    def given(selector):
        if kind == "lists":
            return faiss.SearchParametersIVF(nprobe=setting, sel=selector)
        if kind == "graph":
            return faiss.SearchParametersHNSW(efSearch=setting, sel=selector)
        return faiss.SearchParameters(sel=selector)

    def search(question, selector=None):
        if not kind.endswith("rescored"):
            return index.search(question[None], BEST, params=given(selector))[1][0]
        if selector is not None and kind.startswith("two"):
            # This index takes no filter: it must find so many more.
            rows = index.search(question[None], min(index.ntotal, setting * 20))[1][0]
            rows = rows[[selector.is_member(int(row)) for row in rows]][:setting]
        else:
            params = {} if selector is None else {"params": given(selector)}
            rows = index.search(question[None], min(index.ntotal, setting), **params)[1][0]
        rows = rows[rows >= 0]
        likeness = exact.reconstruct_batch(rows) @ question
        return rows[numpy.argsort(-likeness)[:BEST]]
    return search


def measured(search, questions, truth, selector=None):
    """Milliseconds of a question, and the share of the best that were found."""
    found, begun = 0, time.process_time()
    answers = [search(question, selector) for question in questions]
    took = time.process_time() - begun
    found = sum(len(set(answer.tolist()) & set(best.tolist())) for answer, best in zip(answers, truth))
    return 1e3 * took / len(questions), found / max(sum(map(len, truth)), 1)


def best_of(exact, questions, selector=None):
    """What an exact search finds."""
    found = exact.search(questions, BEST, params=faiss.SearchParameters(sel=selector))[1]
    return [row[row >= 0] for row in found]


def compared(vectors, questions):
    size, chance = len(vectors), numpy.random.default_rng(SEED)
    exact = faiss.index_factory(vectors.shape[1], "SQ8", faiss.METRIC_INNER_PRODUCT)
    exact.train(vectors)
    exact.add(vectors)
    truth = best_of(exact, questions)
    selectors = [faiss.IDSelectorBatch(numpy.sort(chance.choice(size, max(1, int(size * share)), replace=False)))
                 for share in FILTERS]
    truths = [best_of(exact, questions, selector) for selector in selectors]
    for kind, of_size in KINDS.items():
        name, settings = of_size(size)
        begun = time.process_time()
        index = faiss.index_factory(vectors.shape[1], name, faiss.METRIC_INNER_PRODUCT)
        index.train(vectors)
        index.add(vectors)
        built, kept = time.process_time() - begun, len(faiss.serialize_index(index)) / size
        for setting in settings:
            search = searcher(kind, index, exact, setting)
            took, recall = measured(search, questions, truth)
            if recall >= WANTED:
                break
        filtered = [measured(search, questions, best, selector) for selector, best in zip(selectors, truths)]
        cells = [f"{took:.1f} ms, {recall:.2f}" for took, recall in [(took, recall), *filtered]]
        print(f"| {size:,} | {kind} | {setting or ''} | {built:.0f} s | {kept:.0f} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors")
    parser.add_argument("questions")
    parser.add_argument("--sizes", default="10000,40000,160000")
    arguments = parser.parse_args()
    faiss.omp_set_num_threads(1)
    vectors, questions = numpy.load(arguments.vectors), numpy.load(arguments.questions)
    print("| vectors | index | looked at | built | bytes | question | " + " | ".join(f"{share} left" for share in FILTERS)
          + " |\n|---:|---|---:|---:|---:|" + "---|" * (1 + len(FILTERS)))
    for size in map(int, arguments.sizes.split(",")):
        compared(numpy.ascontiguousarray(vectors[:size]), questions)


if __name__ == "__main__":
    main()
