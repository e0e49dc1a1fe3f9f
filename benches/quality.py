#!/usr/bin/env python3
"""How good are the contexts? One table over folders of questions with known answers.

    quality.py SETS_DIR                                        every set below SETS_DIR
    quality.py SETS_DIR --sets squad,cmrc --json > before.json
    quality.py SETS_DIR --sets squad,cmrc --compare before.json

A set is a folder with two files; offsets count Unicode code points, ends are exclusive:

    corpus.jsonl    {"doc_id", "title", "lang", "text"}
    queries.jsonl   {"qid", "question", "doc_id", "start", "end"[, "spans": [[start, end], …]][, "filter"]}

Each corpus is indexed into a temporary folder, all questions go through one batch search, and what comes back
is compared with the gold span. Questions without a gold span are ignored. The columns:

    coverage   share of questions whose gold span lies wholly in the returned text
    context    the same for the gold sentence with the sentence before and after it in its paragraph:
               what a reader needs to understand the answer
    all        the same for every excerpt in `spans`; without `spans` it equals coverage
    precision  characters of the gold sentence that were returned / all characters returned
    duplicate  share of the returned characters that were returned before
    exact      share of contexts that are, character by character, the slice of the document they claim to be
    fragments  contexts per question
    index s    wall seconds to index the corpus from nothing

The budget is the engine's promise, so nothing is cut here. Needs Python 3.9 and nothing else.
"""
import argparse
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARES = ("coverage", "context", "all", "precision", "duplicate", "exact")
COMPARED = ("coverage", "context", "all", "precision", "duplicate", "fragments")
# A full stop ends a sentence only before white space (3.14 does not); Chinese marks and line ends always do.
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
LONGEST_SENTENCE = 2000  # characters looked back for a beginning: text without any full stop exists
RESAMPLES, SEED = 2000, 20  # fixed, so that the same two runs always print the same interval


# ---- spans: (start, end) in one text

def trim(text, start, end):
    """The span without white space at its edges."""
    inner = text[start:end]
    return (start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip())) if inner.strip() else (end, end)


def sentence_around(text, start, end):
    """The sentence, or run of sentences, that holds the span."""
    before = text[max(0, start - LONGEST_SENTENCE):start]
    begin = start - len(before) + max((mark.end() for mark in SENTENCE_END.finditer(before)), default=0)
    mark = SENTENCE_END.search(text, max(start, end - 1))
    return trim(text, begin, mark.end() if mark else len(text))


def with_neighbours(text, start, end):
    """A sentence with the one before and the one after it, as far as its paragraph (its line) has them."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, after = trim(text, line_start, start), trim(text, end, line_end)
    if before[0] < before[1]:
        start = max(line_start, sentence_around(text, before[1] - 1, before[1])[0])
    if after[0] < after[1]:
        end = min(line_end, sentence_around(text, after[0], after[0] + 1)[1])
    return start, end


def union(spans):
    """The same characters as disjoint spans in order; spans that touch become one."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(spans):
    return sum(end - start for start, end in spans)


def overlap(spans, start, end):
    """How many characters of [start, end) lie in the disjoint spans."""
    return sum(max(0, min(e, end) - max(s, start)) for s, e in spans)


# ---- scoring

def gold(query, text):
    """The spans a question is judged by: its answer, the sentence, the sentence in context, all excerpts."""
    answer = trim(text, query["start"], query["end"])
    sentence = sentence_around(text, *answer)
    excerpts = [(s["start"], s["end"]) if isinstance(s, dict) else tuple(s) for s in query.get("spans") or []]
    return answer, sentence, with_neighbours(text, *sentence), [trim(text, *e) for e in excerpts] or [answer]


def spans_by_document(contexts):
    found = {}
    for c in contexts:
        found.setdefault(c["doc_id"], []).append((c["start"], c["start"] + len(c["text"])))
    return found


def is_exact(context, corpus):
    return corpus.get(context["doc_id"], "")[context["start"]:context["end"]] == context["text"]


def score_question(query, contexts, corpus):
    """One row of numbers for one question; the means over all rows make the table."""
    answer, sentence, around, excerpts = gold(query, corpus[query["doc_id"]])
    found = spans_by_document(contexts)
    returned = sum(length(spans) for spans in found.values())
    distinct = {doc: union(spans) for doc, spans in found.items()}
    seen = distinct.get(query["doc_id"], [])
    holds = lambda span: overlap(seen, *span) == span[1] - span[0]
    return {
        "qid": query["qid"],
        "coverage": float(holds(answer)),
        "context": float(holds(around)),
        "all": float(all(map(holds, excerpts))),
        "precision": overlap(seen, *sentence) / returned if returned else 0.0,
        "duplicate": 1 - sum(map(length, distinct.values())) / returned if returned else 0.0,
        "fragments": len(contexts),
        "exact": sum(is_exact(c, corpus) for c in contexts),
    }


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def summary(rows):
    """A set's line of the table. `exact` is a share of contexts, everything else a mean over questions."""
    out = {name: mean(row[name] for row in rows) for name in COMPARED}
    contexts = sum(row["fragments"] for row in rows)
    out["exact"] = sum(row["exact"] for row in rows) / contexts if contexts else 0.0
    out["questions"] = len(rows)
    return out


# ---- running okno

def read_jsonl(lines):
    return [json.loads(line) for line in lines if line.strip()]


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return read_jsonl(file)


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"`{shlex.join(map(str, command))}` ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def answer_all(folder, args):
    """Indexes and searches one set: ({qid: contexts}, seconds spent indexing)."""
    with tempfile.TemporaryDirectory(prefix="okno-quality-") as scratch:
        okno = [args.okno, "--index", Path(scratch) / "index"]
        begun = time.perf_counter()
        run([*okno, "index", folder / "corpus.jsonl", *shlex.split(args.index_extra)])
        seconds = time.perf_counter() - begun
        search = [*okno, "search", "--queries", folder / "queries.jsonl", "--budget", args.budget]
        output = run([*search, *shlex.split(args.extra)])
    # Only "\n" ends a line: `splitlines` would also cut at a U+2028 inside a text.
    return {line["qid"]: line["contexts"] for line in read_jsonl(output.split("\n"))}, seconds


def measure(folder, args):
    """One set's result, or None when no question of the set has a gold span."""
    queries = [q for q in read_file(folder / "queries.jsonl") if "start" in q and "end" in q]
    if not queries:
        print(f"{folder.name}: no question has a gold span, skipped", file=sys.stderr)
        return None
    corpus = {doc["doc_id"]: doc["text"] for doc in read_file(folder / "corpus.jsonl")}
    answers, seconds = answer_all(folder, args)
    missing = sum(q["qid"] not in answers for q in queries)
    if missing:
        print(f"{folder.name}: {missing} of {len(queries)} questions unanswered, counted as not found", file=sys.stderr)
    rows = [score_question(q, answers.get(q["qid"], []), corpus) for q in queries]
    return {**summary(rows), "index_seconds": seconds, "rows": rows}


def chosen_sets(root, names):
    if names:
        return [root / name for name in names.split(",")]
    return sorted(path.parent for path in root.glob("*/queries.jsonl"))


# ---- printing

def table_line(name, result):
    shares = "".join(f"{result[share]:>10.4f}" for share in SHARES)
    return f"{name:<12}{shares}{result['fragments']:>10.2f}{result['questions']:>10}{result['index_seconds']:>9.2f}"


def print_table(results):
    print(f"{'set':<12}" + "".join(f"{name:>10}" for name in (*SHARES, "fragments", "questions")) + f"{'index s':>9}")
    for name, result in results.items():
        print(table_line(name, result))
    if len(results) > 1:
        keys = (*SHARES, "fragments")
        average = {key: mean(r[key] for r in results.values()) for key in keys}
        totals = {key: sum(r[key] for r in results.values()) for key in ("questions", "index_seconds")}
        print(table_line("mean / sum", {**average, **totals}))


def interval(differences):
    """The 95 % interval of the mean difference: the same questions drawn again, with replacement."""
    dice = random.Random(SEED)
    means = sorted(mean(dice.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[round(0.025 * RESAMPLES)], means[round(0.975 * RESAMPLES) - 1]


def difference(now, before):
    """{metric: {difference, low, high}} over the questions both runs answered."""
    old = {row["qid"]: row for row in before["rows"]}
    pairs = [(row, old[row["qid"]]) for row in now["rows"] if row["qid"] in old]
    out = {}
    for name in COMPARED if pairs else ():
        changes = [new[name] - was[name] for new, was in pairs]
        low, high = interval(changes)
        out[name] = {"difference": mean(changes), "low": low, "high": high}
    return out


def compare(results, before):
    return {name: difference(result, before[name]) for name, result in results.items() if name in before}


def print_differences(differences):
    print("\nthis run minus the other one [95 % interval of a paired bootstrap]; * = the interval leaves out 0")
    for name, metrics in differences.items():
        for metric, d in metrics.items():
            star = "*" if d["low"] > 0 or d["high"] < 0 else ""
            bounds = f"[{d['low']:+.4f}, {d['high']:+.4f}]"
            print(f"{name:<12}{metric:<11}{d['difference']:>+9.4f}  {bounds} {star}".rstrip())


def load_comparison(path, budget):
    with open(path, encoding="utf-8") as file:
        other = json.load(file)
    if other["budget"] != budget:
        print(f"note: {path} was measured with budget {other['budget']}, this run with {budget}", file=sys.stderr)
    return other["sets"]


def default_okno():
    built = Path(__file__).resolve().parent.parent / "target" / "release" / "okno"
    return str(built) if built.exists() else "okno"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets_dir", type=Path, help="folder whose subfolders are question sets")
    parser.add_argument("--okno", default=default_okno(), help="the binary (default: the release build, else PATH)")
    parser.add_argument("--sets", help="names separated by commas (default: all)")
    parser.add_argument("--budget", type=int, default=500, help="tokens of context per question (default: 500)")
    parser.add_argument("--extra", default="", help='more arguments for search, as in --extra="--recipe window"')
    parser.add_argument("--index-extra", default="", help="more arguments for index")
    parser.add_argument("--json", action="store_true", help="print JSON with one row per question instead of the table")
    parser.add_argument("--compare", metavar="FILE", help="an earlier --json output to compare with")
    args = parser.parse_args()
    if not shutil.which(args.okno):
        parser.error(f"`{args.okno}` is no executable: run `cargo build --release` or name it with --okno")
    if absent := [str(f) for f in chosen_sets(args.sets_dir, args.sets) if not (f / "queries.jsonl").exists()]:
        parser.error(f"no queries.jsonl in {', '.join(absent)}")
    return args


def main():
    args = arguments()
    before = load_comparison(args.compare, args.budget) if args.compare else None
    measured = {folder.name: measure(folder, args) for folder in chosen_sets(args.sets_dir, args.sets)}
    results = {name: result for name, result in measured.items() if result}
    differences = compare(results, before) if before else None
    if args.json:
        report = {"budget": args.budget, "extra": args.extra, "sets": results}
        print(json.dumps({**report, "differences": differences} if differences else report, ensure_ascii=False))
        return
    print_table(results)
    if differences:
        print_differences(differences)


if __name__ == "__main__":
    main()
