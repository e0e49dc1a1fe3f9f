"""Splitters beside their peers, in one run, on the same texts: speed in MB of text per CPU second, and the promises of ours.

    cargo build --release -p okno-cli && cargo bench --bench split --no-run
    pip install llama-index-core langchain-text-splitters
    python benches/split.py FOLDER                 # *.md, *.txt and *.html below it
    python benches/split.py FOLDER --hostile 64    # and hostile texts up to 64 MB

Prints: ours (through `cargo bench --bench split`) and the peers on one English and one Chinese text made of the folder's files; then, for
every splitter and every text file, whether the spans that `okno split` prints are ordered, exact and cover every character that is not
white space; then what each HTML page costs to load and split. Nothing is written but temporary files.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OKNO = os.environ.get("OKNO", str(ROOT / "target/release/okno"))
# The bench program, if it is built already.
BENCH = os.environ.get("SPLIT_BENCH")
SPLITTERS = [
    "sentence", "sentences:3", "window:2", "paragraph", "section", "chunk:400c/200c", "chunk:512t", "words:200/40", "chars:400/200",
    "recursive:3000c/300c", "recursive:500c/50c", "tokens:512t/64t", "markdown", "markdown:2", "semantic:95p/3000c",
    "hierarchy:3000c/500c", "code:1500c",
]  # fmt: skip
# Peers are slow: this many characters are enough to see it.
PEER_TEXT = 1_000_000


def read(folder):
    texts = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".md", ".txt"}:
            try:
                texts[str(path.relative_to(folder))] = path.read_bytes().decode("utf-8").removeprefix("\ufeff")
            except UnicodeDecodeError:
                print(f"  not UTF-8, left out: {path.relative_to(folder)}")
    return {name: text for name, text in texts.items() if text.strip()}


def is_chinese(text):
    return sum("\u4e00" <= c <= "\u9fff" for c in text[:4000]) > len(text[:4000]) / 10


def speed(text, work):
    """MB per CPU second, the best of up to three runs."""
    best = None
    for _ in range(3):
        begun = time.process_time()
        count = len(work(text))
        took = time.process_time() - begun
        best = min(best or took, took)
        if took > 10:
            break
    return len(text.encode()) / 1e6 / best, count


def bench(*arguments):
    sys.stdout.flush()
    command = [BENCH] if BENCH else ["cargo", "bench", "-q", "--bench", "split", "--"]
    subprocess.run([*command, *arguments], cwd=ROOT, check=True)


def peers():
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer

    marks = ["\n\n", "\n", "。", "！", "？", ".", " ", ""]
    recursive = RecursiveCharacterTextSplitter(chunk_size=3000, chunk_overlap=300)
    chinese = RecursiveCharacterTextSplitter(chunk_size=3000, chunk_overlap=300, separators=marks)
    headings = MarkdownHeaderTextSplitter([("#" * n, f"Header {n}") for n in range(1, 7)])
    return {
        "LlamaIndex sentences (punkt)": split_by_sentence_tokenizer(),
        "LlamaIndex SentenceSplitter 512": SentenceSplitter(chunk_size=512, chunk_overlap=64).split_text,
        "LangChain recursive 3000/300": recursive.split_text,
        "LangChain recursive, Chinese marks": chinese.split_text,
        "LangChain Markdown headings": headings.split_text,
    }


def compare(texts):
    with tempfile.TemporaryDirectory() as folder:
        for language, wanted in (("English", False), ("Chinese", True)):
            text = "\n\n".join(text for text in texts.values() if is_chinese(text) == wanted)
            if not text:
                continue
            path = pathlib.Path(folder) / f"{language}.md"
            path.write_text(text, "utf-8")
            print(f"\n## {language}")
            bench(str(path))
            for name, work in peers().items():
                rate, count = speed(text[:PEER_TEXT], work)
                print(f"  {name:36} {rate:8.2f} MB per CPU s  {count:8} pieces")


def okno(*arguments):
    """Standard output, CPU seconds and the largest memory of any child so far, in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([OKNO, "split", *arguments, "--json"], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, cpu, after.ru_maxrss / 1024


def fault(text, spans, parents):
    """What is wrong with some spans, or nothing."""
    last = {}
    seen = 0
    for (start, end), parent in zip(spans, parents):
        if not 0 <= start < end <= len(text) or text[start:end].strip() != text[start:end]:
            return f"[{start}, {end}) is no exact slice"
        if (start, end) < last.get(parent, (0, 0)) or end < last.get(parent, (0, 0))[1]:
            return f"[{start}, {end}) is out of order"
        last[parent] = (start, end)
        if parent is None:
            if text[seen : max(seen, start)].strip():
                return f"[{seen}, {start}) is not covered"
            seen = max(seen, end)
    return f"[{seen}, …) is not covered" if text[seen:].strip() else None


def promises(texts):
    print("\n## Exact, ordered, covering: every splitter, every file")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "texts.jsonl"
        lines = (json.dumps({"id": name, "text": text}) for name, text in texts.items())
        path.write_text("".join(line + "\n" for line in lines), "utf-8")
        for splitter in SPLITTERS:
            out, cpu, _ = okno(str(path), "--splitter", splitter)
            bad = []
            for (name, text), line in zip(texts.items(), out.splitlines(), strict=True):
                answer = json.loads(line)
                spans = answer["spans"]
                wrong = fault(text, spans, answer.get("parents") or [None] * len(spans))
                bad += [f"{name}: {wrong}"] if wrong else []
            print(f"  {splitter:24} {len(texts) - len(bad):5} of {len(texts)} files, {cpu:5.2f} CPU s", *bad[:3])


def pages(folder):
    print("\n## HTML pages, loaded and split")
    for path in sorted(folder.rglob("*.html")):
        size = path.stat().st_size / 1e6
        for splitter in ("html", "sentence", "recursive:3000c/300c"):
            out, cpu, memory = okno(str(path), "--splitter", splitter)
            count = len(json.loads(out)["spans"])
            print(f"  {path.name:32} {size:5.1f} MB  {splitter:22} {cpu:5.2f} CPU s  ≤ {memory:4.0f} MB  {count:6} pieces")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hostile", metavar="MB", help="texts of one line, only marks, only accents … up to this size")
    parser.add_argument("--no-peers", action="store_true", help="only the promises")
    given = parser.parse_args()
    # First, while no other child has raised the largest memory.
    pages(given.folder)
    texts = read(given.folder)
    promises(texts)
    if not given.no_peers:
        compare(texts)
    if given.hostile:
        print("\n## Hostile texts")
        bench("hostile", given.hostile)


if __name__ == "__main__":
    sys.exit(main())
