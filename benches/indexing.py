#!/usr/bin/env python3
"""What does indexing a folder cost? Processor time, memory and disk, of one program or of several in turn.

    indexing.py FOLDER                                      the program `okno`
    indexing.py FOLDER --okno target/release/okno --okno old/okno --runs 2

Prints for each run: MB of text per second of processor time, that time, the most anonymous memory (Linux; looked at
ten times a second), the size of the index and of its part `lexical`, and the index's size beside that of the files,
which are taken for plain text. Needs Python 3.9 and nothing else.
"""
import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

MB = 1e6


def size(folder):
    """The bytes of all files below a folder."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def anonymous_memory(process):
    """The bytes of anonymous memory that a process has now; 0 where the system does not say."""
    try:
        found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        found = None
    return int(found[1]) * 1024 if found else 0


def indexed(okno, folder, index):
    """Indexes a folder: (seconds of processor time, most anonymous memory)."""
    before = os.times()
    running = subprocess.Popen([okno, "index", "--index", index, folder], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    most = 0
    while running.poll() is None:
        most = max(most, anonymous_memory(running.pid))
        time.sleep(0.1)
    if running.returncode:
        raise SystemExit(f"{okno} index failed with {running.returncode}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--okno", action="append", help="a program to measure; may be given several times")
    parser.add_argument("--runs", type=int, default=1, help="how often each program indexes the folder")
    args = parser.parse_args()
    text = size(args.folder)
    print(f"{text / MB:.1f} MB\n\n{'program':30} {'MB/CPU s':>9} {'CPU s':>7} {'memory':>8} {'disk':>8} {'lexical':>8} "
          f"{'/ text':>7}")
    for okno in (args.okno or ["okno"]) * args.runs:
        with tempfile.TemporaryDirectory() as place:
            index = Path(place) / "index"
            cpu, memory = indexed(okno, args.folder, index)
            disk, lexical = size(index), size(index / "lexical")
        print(f"{okno[-30:]:30} {text / MB / cpu:9.2f} {cpu:7.2f} {memory / MB:5.0f} MB {disk / MB:5.0f} MB "
              f"{lexical / MB:5.1f} MB {disk / text:7.2f}")


if __name__ == "__main__":
    main()
