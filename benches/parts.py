#!/usr/bin/env python3
"""How whole are the answers? Sets whose answers have several parts, or whose questions name a document.

    parts.py SETS_DIR                                   every such set below SETS_DIR, at its budgets
    parts.py SETS_DIR --sets legal,covidqa --budgets 500,2000
    parts.py SETS_DIR --json > before.json
    parts.py SETS_DIR --compare before.json             what changed, question by question

A set is a folder with `queries.jsonl` and either `corpus.jsonl` ({"doc_id", "title", "lang", "text"}) or a folder `pdfs`.
What a question is judged by tells its kind:

    spans         every excerpt [{"doc_id", "start", "end"}] lies wholly in the returned text (white space aside)
    facts         one of the strings of every fact is in the returned text (white space aside)
    gold_titles   a context comes from every document of these titles
    gold_docs     a context comes from every one of these documents; also the nDCG of the first ten documents
    pages         a context is of the document `doc`; of one of its `pages`, counted from 1

`all` is the share of questions with the whole answer, `part` the mean share of its parts. The interval is a 95 % bootstrap
over questions. The budget is the engine's promise, so nothing is cut here. Needs Python 3.9 and nothing else.
"""
import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

import quality

BUDGETS = {"legal": (500, 2000), "dragon_zh": (2000,), "dragon_en": (2000,), "covidqa": (500,), "rgb_zh": (500,),
           "rgb_zh_int": (2000,), "wiki2": (500, 2000), "scifact": (2000,), "filings": (1000, 4000)}
KINDS = ("spans", "facts", "gold_titles", "gold_docs", "pages")


def squeezed(text):
    return "".join(text.split())


def span_found(span, contexts, texts):
    text = texts[span["doc_id"]]
    need = {i for i in range(span["start"], span["end"]) if not text[i].isspace()}
    for c in contexts:
        if c["doc_id"] == span["doc_id"]:
            need -= set(range(max(c["start"], span["start"]), min(c["end"], span["end"])))
    return not need


def page_of(label):
    return int(label) if str(label).isdigit() else 0


def score(query, contexts, texts, titles):
    """Which parts of the answer are there, and further figures of its kind."""
    if "spans" in query:
        return [span_found(span, contexts, texts) for span in query["spans"]], {}
    if "facts" in query:
        text = "".join(squeezed(c["text"]) for c in contexts)
        return [any(squeezed(form) in text for form in fact) for fact in query["facts"]], {}
    if "pages" in query:
        own = [c for c in contexts if c["doc_id"].endswith(query["doc"])]
        pages = {p for c in own for p in range(page_of(c["page"]), page_of(c.get("page_end") or c["page"]) + 1)}
        hits = [page in pages for page in query["pages"]]
        return hits, {"document": bool(own), "page": any(hits)}
    name = (lambda c: titles[c["doc_id"]]) if "gold_titles" in query else (lambda c: c["doc_id"])
    gold = set(query.get("gold_titles") or query["gold_docs"])
    order = list(dict.fromkeys(map(name, contexts)))
    gain = sum(1 / math.log2(rank + 2) for rank, found in enumerate(order[:10]) if found in gold)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(gold))))
    return [one in order for one in gold], {"ndcg": gain / best}


def row(query, contexts, texts, titles):
    hits, extra = score(query, contexts, texts, titles)
    figures = {"all": all(hits), "part": sum(hits) / len(hits), **extra, "contexts": len(contexts)}
    return {"qid": query["qid"], **{name: float(value) for name, value in figures.items()}}


def measure(folder, budgets, args):
    """{budget: rows} of one set: indexed once, asked once per budget."""
    queries = quality.read_file(folder / "queries.jsonl")
    corpus_file = folder / "corpus.jsonl"
    corpus = quality.read_file(corpus_file) if corpus_file.exists() else []
    texts, titles = {d["doc_id"]: d["text"] for d in corpus}, {d["doc_id"]: d["title"] for d in corpus}
    out = {}
    with tempfile.TemporaryDirectory(prefix="okno-parts-") as scratch:
        okno = [args.okno, "--index", Path(scratch) / "index"]
        quality.run([*okno, "index", corpus_file if corpus else folder / "pdfs"])
        for budget in budgets:
            search = [*okno, "search", "--queries", folder / "queries.jsonl", "--budget", budget, *args.extra.split()]
            answers = {a["qid"]: a["contexts"] for a in quality.read_jsonl(quality.run(search).split("\n"))}
            out[budget] = [row(q, answers.get(q["qid"], []), texts, titles) for q in queries]
    return out


def is_of_parts(folder):
    with open(folder / "queries.jsonl", encoding="utf-8") as file:
        first = json.loads(file.readline())
    spans = first.get("spans") or []
    return any(kind in first for kind in KINDS[1:]) or (bool(spans) and isinstance(spans[0], dict))


def interval(values):
    low, high = quality.interval(values)
    return f"[{low:.3f}, {high:.3f}]"


def print_table(results, before):
    print(f"{'set':<12}{'budget':>7}  {'figure':<10}{'mean':>7}  {'95 %':<16}" + ("  before" if before else ""))
    for name, budgets in results.items():
        for budget, rows in budgets.items():
            for figure in [key for key in rows[0] if key != "qid"]:
                values = [row[figure] for row in rows]
                line = f"{name:<12}{budget:>7}  {figure:<10}{quality.mean(values):>7.3f}  {interval(values):<16}"
                old = {row["qid"]: row for row in before.get(name, {}).get(str(budget), [])}
                if old:
                    changes = [row[figure] - old[row["qid"]][figure] for row in rows]
                    low, high = quality.interval(changes)
                    star = "*" if low > 0 or high < 0 else ""
                    line += f"  {quality.mean(changes):+.3f} [{low:+.3f}, {high:+.3f}]{star}"
                print(line.rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets_dir", type=Path, help="folder whose subfolders are question sets")
    parser.add_argument("--okno", default=quality.default_okno(), help="the binary (default: the release build, else PATH)")
    parser.add_argument("--sets", help="names separated by commas (default: all that have parts)")
    parser.add_argument("--budgets", help="tokens, separated by commas (default: those of the set, else 500,2000)")
    parser.add_argument("--extra", default="", help='more arguments for search, as in --extra="--recipe window"')
    parser.add_argument("--json", action="store_true", help="print JSON with one row per question instead of the table")
    parser.add_argument("--compare", metavar="FILE", help="an earlier --json output to compare with")
    args = parser.parse_args()
    folders = quality.chosen_sets(args.sets_dir, args.sets)
    results = {}
    for folder in folders if args.sets else filter(is_of_parts, folders):
        budgets = map(int, args.budgets.split(",")) if args.budgets else BUDGETS.get(folder.name, (500, 2000))
        results[folder.name] = measure(folder, list(budgets), args)
        print(f"{folder.name} done", file=sys.stderr)
    if args.json:
        json.dump(results, sys.stdout)
        return
    before = json.loads(Path(args.compare).read_text()) if args.compare else {}
    print_table(results, before)


if __name__ == "__main__":
    main()
