#!/usr/bin/env python3
"""What does a question in a new process cost, without the file `layout` of the index and with it?

    opening.py OKNO INDEX QUESTION…      OKNO is the program, INDEX the folder of an index that nobody writes to

Prints the processor seconds (user and system) of each question, least and most of the runs, and the size of `layout`. The file is
deleted first; the index must have been at rest for three seconds, and have 2,000 sentences or more, or none is kept.
Needs Python 3.9 and nothing else.
"""
import resource
import subprocess
import sys
import time
from pathlib import Path

RUNS = 5
# Seconds after which a file is taken to be at rest, and one more.
SETTLED = 4


def cpu(okno, index, question):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([okno, "--index", index, "search", question], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    okno, index, *questions = sys.argv[1:]
    layout = Path(index) / "layout"
    print(f"{'CPU s':<12}{'without':>16}{'with':>16}")
    for question in questions:
        without = []
        for _ in range(RUNS):
            layout.unlink(missing_ok=True)
            without.append(cpu(okno, index, question))
        # A layout that is at rest is looked at as a whole once more, by the first process that finds it so.
        time.sleep(SETTLED)
        cpu(okno, index, question)
        kept = [cpu(okno, index, question) for _ in range(RUNS)]
        print(f"{question[:10]:<12}{min(without):>8.3f}–{max(without):.3f}{min(kept):>10.3f}–{max(kept):.3f}")
    print(f"layout: {layout.stat().st_size / 1e6:.1f} MB" if layout.exists() else "no layout was kept")


if __name__ == "__main__":
    main()
