#!/usr/bin/env python3
"""Are questions answered from documents in another language, and told that nothing is relevant where nothing is?

    across.py SETS_DIR [--okno target/release/okno]

The questions of XQuAD (`xquad_en`, `xquad_zh`) are asked of an index that holds the same articles in the other language
only, among articles of other sets in both languages; beside them questions of sets that are not in the index. Columns:

    found      share of questions that get a passage of their article (it may be the wrong one)
    first      the same as the first context
    told       share of questions told that nothing is relevant: wanted only where `found` is empty

Needs Python 3.9 and nothing else.
"""
import argparse
from pathlib import Path

import quality
from refusals import ask, is_refused

# The questions in the other language, what else is in the index, and questions about what is not in it.
WAYS = (
    ("xquad_en", "xquad_zh", ("cmrc", "drcd", "howtocook", "rgb_zh", "covidqa"), ("chunkeval",)),
    ("xquad_zh", "xquad_en", ("squad", "chunkeval", "covidqa", "howtocook"), ("cmrc", "drcd")),
)


def in_other(name, asked, answering):
    return name.replace(asked.replace("_", "-"), answering.replace("_", "-"))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets_dir", type=Path, help="folder whose subfolders are question sets")
    parser.add_argument("--okno", default=quality.default_okno(), help="the binary")
    parser.add_argument("--budget", type=int, default=500, help="tokens of context per question (default: 500)")
    return parser.parse_args()


def main():
    args = arguments()
    read = lambda name, file: quality.read_file(args.sets_dir / name / file)
    # squad has the articles of XQuAD, too.
    titles = {text["title"] for text in read("xquad_en", "corpus.jsonl")}
    kept = lambda name: [text for text in read(name, "corpus.jsonl") if name.startswith("xquad") or text["title"] not in titles]
    print(f"{'questions':<12}{'of':<12}{'count':>7}{'found':>8}{'first':>8}{'told':>8}")
    for asked, answering, beside, foreign in WAYS:
        corpus = [text for name in (answering, *beside) for text in kept(name)]
        for name in (asked, *foreign):
            known = {text["doc_id"] for text in kept(name)}
            queries = [query for query in read(name, "queries.jsonl") if query["doc_id"] in known]
            if not queries:
                continue
            lines = ask(args, corpus, queries)
            told = quality.mean([is_refused(lines[query["qid"]]) for query in queries])
            places = [
                [context["doc_id"] == in_other(query["doc_id"], asked, answering) for context in lines[query["qid"]]["contexts"]]
                for query in queries
            ]
            shares = [quality.mean([any(place) for place in places]), quality.mean([any(place[:1]) for place in places])]
            found = "".join(f"{share:>8.3f}" for share in shares) if name == asked else " " * 16
            print(f"{name:<12}{answering:<12}{len(queries):>7}{found}{told:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
