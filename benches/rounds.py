#!/usr/bin/env python3
"""Does an index give back what was deleted? Changes a tenth of a folder's files again and again, and measures.

    rounds.py FOLDER [--okno target/release/okno] [--rounds 50]

Copies the Markdown and text files of FOLDER, indexes them, then exchanges one word in ten of every tenth file in each
round and indexes again. Prints the size of the index beside that of the first one and the processor time of a round;
at the end the size of an index that is made anew. Needs Python 3.9 and nothing else.
"""
import argparse
import os
import random
import subprocess
import tempfile
from pathlib import Path

SEED = 5
TOLD_EVERY = 10


def size(folder):
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def indexed(okno, index, documents):
    """Indexes a folder; returns the seconds of processor time."""
    before = os.times()
    subprocess.run([okno, "index", "--index", index, documents], check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def exchanged(text, chance):
    """The text with a tenth of its words in another place."""
    words = text.split(" ")
    for _ in range(len(words) // 20):
        one, other = chance.randrange(len(words)), chance.randrange(len(words))
        words[one], words[other] = words[other], words[one]
    return " ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--okno", default="okno")
    parser.add_argument("--rounds", type=int, default=50)
    arguments = parser.parse_args()
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as work:
        documents, index = Path(work, "documents"), Path(work, "index")
        documents.mkdir()
        sources = sorted(path for path in arguments.folder.rglob("*") if path.suffix in (".md", ".txt"))
        files = [documents / f"{number}{path.suffix}" for number, path in enumerate(sources)]
        for file, source in zip(files, sources):
            file.write_bytes(source.read_bytes())
        took, first, spent = indexed(arguments.okno, index, documents), size(index), 0.0
        print(f"{len(files)} files, {size(documents) / 1e6:.1f} MB; index {first / 1e6:.1f} MB in {took:.2f} s")
        for number in range(1, arguments.rounds + 1):
            for file in chance.sample(files, len(files) // 10):
                file.write_text(exchanged(file.read_text(errors="replace"), chance))
            spent += indexed(arguments.okno, index, documents)
            if number % TOLD_EVERY == 0:
                print(f"{number} rounds: {size(index) / 1e6:.1f} MB, {size(index) / first:.2f} times the first; "
                      f"{spent / number:.2f} s a round", flush=True)
        anew = Path(work, "anew")
        indexed(arguments.okno, anew, documents)
        print(f"made anew: {size(anew) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
