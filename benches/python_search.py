#!/usr/bin/env python3
"""What searching from Python costs beside searching from Rust, and what threads bring.

    python3 benches/python_search.py SETS_DIR/squad

Needs the package `okno` (.ci/wheel.sh). The time in Rust is the median that the engine measures itself while it
evaluates the same questions; the time in Python is the median of `index.search`.
"""

import json
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import okno

ROUNDS = 5
THREADS = 8


def main() -> None:
    folder = Path(sys.argv[1])
    questions_file = folder / "queries.jsonl"
    with okno.Index.create(Path(tempfile.mkdtemp()) / "measured.okno") as index:
        index.index(folder / "corpus.jsonl")
        lines = questions_file.read_text(encoding="utf-8").splitlines()
        questions = [json.loads(line)["question"] for line in lines if line.strip()]
        print(f"{index.stats().sentences} sentences, {len(questions)} questions")
        rust, python = [], []
        for _ in range(ROUNDS):
            rust.append(index.evaluate(questions_file, budgets=[500]).cells[0]["latency"]["p50"])
            times = []
            for question in questions:
                begun = time.perf_counter()
                index.search(question, recipe="auto", budget=500)
                times.append(1000 * (time.perf_counter() - begun))
            python.append(statistics.median(times))
        print(f"Rust {min(rust):.3f} ms, Python {min(python):.3f} ms: {min(python) - min(rust):+.3f} ms")
        rates = {}
        for threads in (1, THREADS):
            best = 0.0
            for _ in range(ROUNDS):
                with ThreadPoolExecutor(threads) as pool:
                    begun = time.perf_counter()
                    list(pool.map(lambda question: index.search(question, budget=500), questions))
                    best = max(best, len(questions) / (time.perf_counter() - begun))
            rates[threads] = best
        print(f"1 thread {rates[1]:.0f} questions a second, {THREADS} threads {rates[THREADS]:.0f}: "
              f"{rates[THREADS] / rates[1]:.2f} times")


if __name__ == "__main__":
    main()
