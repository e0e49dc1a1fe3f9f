#!/usr/bin/env python3
"""Do natural questions over real files get their whole answer? One table over `benches/natural/`.

    natural.py DATA_DIR                                 questions of dev.jsonl, budgets 500 and 1000
    natural.py DATA_DIR --show-failures                 and what is missing from each failed answer
    natural.py DATA_DIR --keep /tmp/natural             keep the corpus and its index for the next run
    natural.py DATA_DIR --index /tmp/natural/index      ask an index that exists already
    natural.py DATA_DIR --split held                    the questions kept for the end; or another file of benches/natural
    natural.py DATA_DIR --replies                       what `okno ask` says without a model, instead of searching

DATA_DIR holds the folders `documents` and `wild`. Both are copied into one corpus, which is indexed once; all questions
go through one batch search per budget. The columns:

    whole      share of answerable questions whose every answer string is in the returned contexts, where at least one
               context comes from a named document
    shown      the same, and the answer does not say that nothing is relevant
    refused    share of questions answered with "nothing relevant": wanted for unanswerable questions only
    bare       share of contexts that hold only headings, markup, rules or images
    contexts   contexts per question
    tokens     size of the contexts per question, estimated (Han characters, punctuation, five letters a piece)

Intervals are 95 % bootstrap intervals. Texts are compared without white space, Markdown emphasis, table pipes and
backticks, after Unicode NFKC, and without regard to case. Failures of the held questions are printed only with
`--split held`. Needs Python 3.9 and nothing else.
"""
import argparse
import html
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

QUESTIONS = Path(__file__).resolve().parent / "natural"
SPLITS = ("both", *sorted(file.stem for file in QUESTIONS.glob("*.jsonl")))
FOLDERS = ("documents", "wild")
RESAMPLES, SEED = 2000, 20  # fixed, so that the same run always prints the same interval
IGNORED = re.compile(r"[\s*_`|\\\u00ad\u200b\ufeff]+")
# What remains of a bare line after these are removed has no letter or digit.
MARKUP = re.compile(
    r"<!--.*?-->"  # comments
    r"|!\[[^\]]*\]\([^)]*\)"  # images
    r"|\{\{[<%].*?[%>]\}\}"  # shortcodes
    r"|</?[a-zA-Z][^>]*>"  # tags
    r"|^ {0,3}#{1,6} [^\n]*$"  # headings
    r"|^\s*\{#[^}]*\}\s*$",  # anchors
    re.MULTILINE | re.DOTALL,
)


# ---- scoring

def normal(text):
    """The text as it is compared."""
    return IGNORED.sub("", unicodedata.normalize("NFKC", html.unescape(text))).casefold()


def answers(question):
    """Every whole answer of a question: each a list of strings that must all be found."""
    return [question["answer"], *question.get("alternatives", [])]


def from_named_document(question, context):
    names = [context["doc_id"], *context.get("copies", [])]
    return any(document in name for document in question["documents"] for name in names)


def missing_strings(question, contexts):
    """The strings that the best of the answers lacks; none where the answer is whole."""
    text = normal("\n".join(context["text"] for context in contexts))
    lacks = [[string for string in answer if normal(string) not in text] for answer in answers(question)]
    return min(lacks, key=len)


def is_bare(context):
    return not any(map(str.isalnum, MARKUP.sub("", context["text"])))


def tokens(text):
    """An estimate: Han characters, punctuation marks and pieces of five letters."""
    words = re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]", text)
    return sum((len(word) + 4) // 5 for word in words)


def score(question, line):
    contexts = line.get("contexts", [])
    answerable = bool(question["documents"])
    row = {key: question[key] for key in ("qid", "kind", "lang", "question")}
    row["answerable"] = answerable
    row["format"] = Path(question["documents"][0]).suffix.lstrip(".") if answerable else ""
    row["refused"] = bool(line.get("nothing_relevant")) or not contexts
    row["contexts"] = len(contexts)
    row["bare"] = sum(map(is_bare, contexts))
    row["tokens"] = sum(tokens(context["text"]) for context in contexts)
    if answerable:
        row["document"] = any(from_named_document(question, context) for context in contexts)
        row["missing"] = missing_strings(question, contexts)
        row["whole"] = row["document"] and not row["missing"]
        row["shown"] = row["whole"] and not row["refused"]
    return row


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def interval(values):
    """The 95 % bootstrap interval of the mean."""
    dice = random.Random(SEED)
    means = sorted(mean(dice.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return means[round(0.025 * RESAMPLES)], means[round(0.975 * RESAMPLES) - 1]


def share(rows, key):
    values = [float(row[key]) for row in rows]
    if not values:
        return None
    low, high = interval(values)
    return {"share": mean(values), "low": low, "high": high, "questions": len(values)}


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return {name: groups[name] for name in sorted(groups)}


def summary(rows):
    """All figures of one budget."""
    answerable = [row for row in rows if row["answerable"]]
    unanswerable = [row for row in rows if not row["answerable"]]
    contexts = sum(row["contexts"] for row in rows)
    return {
        "whole": share(answerable, "whole"),
        "shown": share(answerable, "shown"),
        "document": share(answerable, "document"),
        "refused_answerable": share(answerable, "refused"),
        "refused_unanswerable": share(unanswerable, "refused"),
        "refused_by_kind": {name: share(group, "refused") for name, group in grouped(unanswerable, "kind").items()},
        "bare": sum(row["bare"] for row in rows) / contexts if contexts else 0.0,
        "contexts": mean(row["contexts"] for row in rows),
        "tokens": mean(row["tokens"] for row in rows),
        "groups": {
            key: {name: share(group, "whole") for name, group in grouped(answerable, key).items()}
            for key in ("kind", "lang", "format")
        },
    }


# ---- running okno

def read_jsonl(lines):
    return [json.loads(line) for line in lines if line.strip()]


def read_questions(split):
    names = ("dev", "held") if split == "both" else (split,)
    questions = []
    for name in names:
        with open(QUESTIONS / f"{name}.jsonl", encoding="utf-8") as file:
            questions += [{**question, "split": name} for question in read_jsonl(file)]
    return questions


def run(command):
    """Standard output of a command; stops when it fails without any."""
    done = subprocess.run([str(part) for part in command], capture_output=True, encoding="utf-8")
    if done.returncode:
        told = f"`{shlex.join(map(str, command))}` ended with status {done.returncode}:\n{done.stderr[-2000:]}"
        if not done.stdout:
            sys.exit(told)
        print(told, file=sys.stderr)
    return done.stdout


def copy_corpus(data, corpus):
    """Plain copies, because links may not be followed and the modes of the originals may forbid cleaning up."""
    for folder in FOLDERS:
        for path, _, files in os.walk(data / folder):
            target = corpus / Path(path).relative_to(data)
            target.mkdir(parents=True, exist_ok=True)
            for name in files:
                shutil.copyfile(Path(path) / name, target / name)


def make_index(args, folder):
    """Copies and indexes the corpus below `folder`; returns the index."""
    corpus, index = folder / "corpus", folder / "index"
    if not corpus.exists():
        copy_corpus(args.data_dir, corpus)
    begun = time.perf_counter()
    run([args.okno, "--index", index, "index", corpus])
    print(f"indexed in {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    return index


def ask(args, index, queries, budget):
    """{qid: line} of one batch search."""
    command = [args.okno, "--index", index, "search", "--queries", queries, "--budget", budget, "--json"]
    output = run([*command, "--recipe", args.recipe, *shlex.split(args.extra)])
    # Only "\n" ends a line: `splitlines` would also cut at a U+2028 inside a text.
    return {line["qid"]: line for line in read_jsonl(output.split("\n"))}


def measure(args, index, questions, scratch):
    """{budget: rows}"""
    queries = scratch / "queries.jsonl"
    lines = (json.dumps({key: q[key] for key in ("qid", "question")}, ensure_ascii=False) + "\n" for q in questions)
    queries.write_text("".join(lines), encoding="utf-8")
    measured = {}
    for budget in args.budgets:
        lines = ask(args, index, queries, budget)
        lost = sum(question["qid"] not in lines for question in questions)
        if lost:
            print(f"budget {budget}: {lost} questions unanswered, counted as not found", file=sys.stderr)
        measured[budget] = [
            {**score(question, lines.get(question["qid"], {})), "split": question["split"]} for question in questions
        ]
    return measured


def replies(args, index, questions):
    """Whether the whole answer is in what `okno ask` says without a model, and how long that is."""
    rows = []
    for question in filter(lambda question: question["documents"], questions):
        output = run([args.okno, "--index", index, "ask", "--no-model", "--json", question["question"]])
        # Fences of code are written as quotation marks there.
        text = json.loads(output)["answer"].replace("'''", "```")
        rows.append({"whole": not missing_strings(question, [{"text": text}]), "tokens": tokens(text)})
    return rows


def with_index(args, look):
    """What `look` makes of the index and of a folder for scratch files."""
    with tempfile.TemporaryDirectory(prefix="okno-natural-") as scratch:
        scratch = Path(scratch)
        if args.index:
            return look(args.index, scratch)
        folder = args.keep or scratch
        folder.mkdir(parents=True, exist_ok=True)
        return look(make_index(args, folder), scratch)


# ---- printing

def cell(figure):
    if figure is None:
        return f"{'–':>20}"
    return f"{figure['share']:>6.3f} [{figure['low']:.3f}, {figure['high']:.3f}]".rjust(20)


def table_line(name, count, figures):
    return f"{name:<24}{count:>5}  " + "  ".join(map(cell, figures))


def print_table(summaries):
    budgets = list(summaries)
    print(f"{'':<24}{'n':>5}  " + "  ".join(f"{f'budget {budget}':>20}" for budget in budgets))
    rows = [
        ("whole answer", "whole"),
        ("whole and shown", "shown"),
        ("named document found", "document"),
        ("answerable refused", "refused_answerable"),
        ("unanswerable refused", "refused_unanswerable"),
    ]
    for name, key in rows:
        print_row(name, [summaries[budget][key] for budget in budgets])
    for kind in summaries[budgets[0]]["refused_by_kind"]:
        print_row("  " + kind, [summaries[budget]["refused_by_kind"][kind] for budget in budgets])
    for name, digits in (("bare", 3), ("contexts", 2), ("tokens", 0)):
        values = "  ".join(f"{summaries[budget][name]:>20.{digits}f}" for budget in budgets)
        print(f"{name:<24}{'':>5}  {values}")
    for key in ("kind", "lang", "format"):
        print(f"\nwhole answer by {key}")
        for name in summaries[budgets[0]]["groups"][key]:
            print_row("  " + name, [summaries[budget]["groups"][key][name] for budget in budgets])


def print_row(name, figures):
    counts = {figure["questions"] for figure in figures if figure}
    print(table_line(name, max(counts, default=0), figures))


def failed(row):
    return not row["shown"] if row["answerable"] else not row["refused"]


def may_be_shown(row, split):
    return row["split"] in ("dev", split)


def why(row):
    if not row["answerable"]:
        return "answered, though no document answers it"
    if row["whole"]:
        return "refused, though the answer was found"
    place = "" if row["document"] else "no context from a named document; "
    return place + "missing: " + " ¦ ".join(row["missing"] or ["–"])


def print_failures(measured, split):
    for budget, rows in measured.items():
        print(f"\nfailures, budget {budget}")
        for row in filter(failed, rows):
            if may_be_shown(row, split):
                print(f"{row['qid']} {row['kind']}: {row['question']}\n     {why(row)}")


def default_okno():
    built = Path(__file__).resolve().parent.parent / "target" / "release" / "okno"
    return str(built) if built.exists() else "okno"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data_dir", type=Path, help="folder with `documents` and `wild`")
    parser.add_argument("--okno", default=default_okno(), help="the binary (default: the release build, else PATH)")
    parser.add_argument("--split", choices=SPLITS, default="dev", help="the questions (default: dev)")
    parser.add_argument("--budgets", default="500,1000", help="tokens of context, by commas (default: 500,1000)")
    parser.add_argument("--recipe", default="auto", help="the recipe (default: auto)")
    parser.add_argument("--extra", default="", help='more arguments for search, as in --extra="--no-auto-filter"')
    parser.add_argument("--keep", type=Path, metavar="DIR", help="put corpus and index here and keep them")
    parser.add_argument("--index", type=Path, metavar="DIR", help="use this index instead of making one")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--replies", action="store_true", help="measure `okno ask` without a model")
    parser.add_argument("--show-failures", action="store_true", help="print what each failed answer lacks")
    args = parser.parse_args()
    args.budgets = [int(budget) for budget in args.budgets.split(",")]
    if not shutil.which(args.okno):
        parser.error(f"`{args.okno}` is not an executable: run `cargo build --release` or name it with --okno")
    if not args.index and not all((args.data_dir / folder).is_dir() for folder in FOLDERS):
        parser.error(f"`{args.data_dir}` has no folders `documents` and `wild`")
    return args


def main():
    args = arguments()
    questions = read_questions(args.split)
    if args.replies:
        rows = with_index(args, lambda index, _: replies(args, index, questions))
        print_row("whole in the reply", [share(rows, "whole")])
        print(f"tokens of a reply {mean(row['tokens'] for row in rows):.0f}")
        return
    measured = with_index(args, lambda index, scratch: measure(args, index, questions, scratch))
    summaries = {budget: summary(rows) for budget, rows in measured.items()}
    if args.json:
        rows = {b: [row for row in rows if may_be_shown(row, args.split)] for b, rows in measured.items()}
        report = {"split": args.split, "recipe": args.recipe, "extra": args.extra, "summaries": summaries, "rows": rows}
        print(json.dumps(report, ensure_ascii=False))
        return
    print_table(summaries)
    if args.show_failures:
        print_failures(measured, args.split)


if __name__ == "__main__":
    main()
