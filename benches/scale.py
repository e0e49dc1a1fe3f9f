#!/usr/bin/env python3
"""How does search grow with the index? Builds indexes of several sizes from one corpus, measures each, and draws.

    scale.py CORPUS.jsonl QUERIES.jsonl                               10,000 to 1,000,000 sentences
    scale.py CORPUS.jsonl QUERIES.jsonl --sizes 10000,100000 --filter 'shelf = 7'
    scale.py CORPUS.jsonl QUERIES.jsonl --keep FOLDER                 keeps the indexes, and uses those that are there

    CORPUS.jsonl    {"doc_id", "title", "text"[, "meta"]}; the first documents with enough sentences are taken
    QUERIES.jsonl   {"question"}

A filter should leave about one document in twenty. Prints a Markdown table; `--plot speed.svg` draws it (needs
matplotlib); `--binary` names the compiled `scale` bench, otherwise cargo builds and runs it. Every measurement is a
process of its own, on one thread; times are processor time, without embedding the question.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = "10000,30000,100000,300000,1000000"
COLUMNS = ("sentences", "p50", "p95", "filtered p50", "exact p50", "open", "open + search", "memory/sentence",
           "disk/sentence", "indexed/s")


def bench(binary, *arguments):
    """One JSON object from the bench; `None` from what prints nothing."""
    command = [binary] if binary else ["cargo", "bench", "-q", "--bench", "scale", "--"]
    done = subprocess.run([*command, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout or "null")


def built(binary, index, corpus, size):
    """Builds an index, unless it is there; what building it took."""
    facts = index.with_suffix(".json")
    if not facts.exists():
        facts.write_text(json.dumps(bench(binary, "build", index, corpus, size)))
    return json.loads(facts.read_text())


def measured(arguments, folder, size):
    """Everything about one size."""
    index = folder / f"index-{size}"
    facts = built(arguments.binary, index, arguments.corpus, size)
    print(f"measuring {facts['sentences']} sentences", file=sys.stderr)
    given = [index, arguments.queries] + ([arguments.filter] if arguments.filter else [])
    return {"build": facts, "auto": bench(arguments.binary, "measure", *given),
            "exact": bench(arguments.binary, "measure", index, arguments.queries, "--exact"),
            "recall": bench(arguments.binary, "recall", index, arguments.queries)}


def row(found):
    """One row of the table."""
    build, auto, exact = found["build"], found["auto"], found["exact"]
    filtered = auto["filtered"]["p50_ms"] if auto["filtered"] else None
    sentences = build["sentences"]
    return (f"{sentences:,}", *(f"{ms:.1f} ms" if ms is not None else "" for ms in (
        auto["search"]["p50_ms"], auto["search"]["p95_ms"], filtered, exact["search"]["p50_ms"], auto["open_ms"],
        auto["first_search_ms"])),
        f"{auto['anonymous_bytes'] / sentences:.0f} B", f"{build['index_bytes'] / sentences:.0f} B",
        f"{sentences / build['cpu_s']:,.0f}")


def table(rows):
    """A Markdown table."""
    lines = [COLUMNS, ["---:"] * len(COLUMNS), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def recalls(results):
    """A Markdown table of what the approximate scan finds of the exact one."""
    lines = ["| sentences | layer | recall@10 | recall@200 |", "|---:|---|---:|---:|"]
    for found in results:
        for layer, shares in found["recall"].items():
            lines.append(f"| {found['build']['sentences']:,} | {layer} | {shares['at_10']:.4f} | {shares['at_200']:.4f} |")
    return "\n".join(lines)


def draw(results, path):
    """Time against size, both on logarithmic axes."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.rcParams["svg.hashsalt"] = "okno"  # the same figures give the same file
    sizes = [found["build"]["sentences"] for found in results]
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    axes.loglog(sizes, [found["auto"]["search"]["p50_ms"] for found in results], "o-", label="p50")
    axes.loglog(sizes, [found["auto"]["search"]["p95_ms"] for found in results], "o--", label="p95")
    axes.loglog(sizes, [found["exact"]["search"]["p50_ms"] for found in results], "s:", label="p50, exact scan")
    if results[0]["auto"]["filtered"]:
        axes.loglog(sizes, [found["auto"]["filtered"]["p50_ms"] for found in results], "^-", label="p50, filter of 5 %")
    axes.set(xlabel="sentences", ylabel="processor time per search, ms", title="Searching with `auto`, one core")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--filter")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", type=Path, help="writes everything that was measured")
    parser.add_argument("--binary")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = [measured(arguments, folder, int(size)) for size in arguments.sizes.split(",")]
    print(table([row(found) for found in results]), "\n\n" + recalls(results), sep="")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    if arguments.plot:
        draw(results, arguments.plot)


if __name__ == "__main__":
    main()
