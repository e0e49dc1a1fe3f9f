#!/usr/bin/env python3
"""How often is a question told that nothing is relevant, with its answer in the index and without?

    refusals.py SETS_DIR                                every set below SETS_DIR whose questions name their documents
    refusals.py SETS_DIR --sets squad,legal --okno target/release/okno

A set is a folder with `corpus.jsonl` and `queries.jsonl` as for `quality.py`; the documents of a question are its `doc_id`,
those of its `spans`, and its `gold_docs`. Every set is asked of all of its documents, and then five times of all but a
fifth of the documents of answers: the questions about those are near the topic and have no answer. The columns:

    hidden     share of questions told that nothing is relevant, with all documents
    told       the same with the documents of the answer gone, of the questions whose first answer is nowhere returned
    questions  of both

Needs Python 3.9 and nothing else.
"""
import argparse
import json
import tempfile
from pathlib import Path

import quality

FOLDS = 5


def documents(query):
    """The documents that hold the answer."""
    spans = [span["doc_id"] for span in query.get("spans") or [] if isinstance(span, dict)]
    return {name for name in [query.get("doc_id"), *spans, *(query.get("gold_docs") or [])] if name}


def ask(args, corpus, queries):
    """{qid: line} of one batch search over an index of these documents."""
    with tempfile.TemporaryDirectory(prefix="okno-refusals-") as scratch:
        scratch = Path(scratch)
        for name, lines in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (scratch / name).write_text(text, encoding="utf-8")
        okno = [args.okno, "--index", scratch / "index"]
        quality.run([*okno, "index", scratch / "corpus.jsonl"])
        search = ["search", "--queries", scratch / "queries.jsonl", "--budget", args.budget, "--json"]
        output = quality.run([*okno, *search])
    return {line["qid"]: line for line in quality.read_jsonl(output.split("\n"))}


def is_refused(line):
    return bool(line.get("nothing_relevant")) or not line["contexts"]


def is_answered(query, line):
    squeezed = lambda text: "".join(text.split()).casefold()
    answers = query.get("answers") or []
    return bool(answers) and squeezed(answers[0]) in squeezed("".join(c["text"] for c in line["contexts"]))


def measure(args, folder):
    """Whether each question is refused: with all documents, and without those of its answer."""
    corpus = quality.read_file(folder / "corpus.jsonl")
    queries = [query for query in quality.read_file(folder / "queries.jsonl") if documents(query)]
    lines = ask(args, corpus, queries)
    whole = [is_refused(lines[query["qid"]]) for query in queries]
    names = sorted(set().union(*map(documents, queries)))
    gone = []
    for fold in range(FOLDS):
        removed = set(names[fold::FOLDS])
        orphans = [query for query in queries if documents(query) <= removed]
        if orphans:
            lines = ask(args, [text for text in corpus if text["doc_id"] not in removed], orphans)
            gone += [is_refused(lines[q["qid"]]) for q in orphans if not is_answered(q, lines[q["qid"]])]
    return whole, gone


def chosen(root, names):
    """The folders with documents of answers, of these names if there are any."""
    folders = [folder for folder in quality.chosen_sets(root, names) if (folder / "corpus.jsonl").exists()]
    return [folder for folder in folders if any(map(documents, quality.read_file(folder / "queries.jsonl")))]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets_dir", type=Path, help="folder whose subfolders are question sets")
    parser.add_argument("--okno", default=quality.default_okno(), help="the binary")
    parser.add_argument("--sets", help="names separated by commas (default: all that name documents)")
    parser.add_argument("--budget", type=int, default=500, help="tokens of context per question (default: 500)")
    return parser.parse_args()


def main():
    args = arguments()
    print(f"{'set':<12}{'hidden':>10}{'questions':>11}{'told':>10}{'questions':>11}")
    for folder in chosen(args.sets_dir, args.sets):
        whole, gone = measure(args, folder)
        shares = (quality.mean(whole), len(whole), quality.mean(gone), len(gone))
        print(f"{folder.name:<12}{shares[0]:>10.3f}{shares[1]:>11}{shares[2]:>10.3f}{shares[3]:>11}", flush=True)


if __name__ == "__main__":
    main()
