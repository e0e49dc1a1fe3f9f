#!/usr/bin/env python3
"""What searching from Python costs beside searching from Rust, and what threads bring.

    python3 benches/python_search.py SETS_DIR/squad

Needs the package `okno` (.ci/wheel.sh). The time in Rust is the median that the engine measures itself while it
evaluates the same questions; the time in Python is the median of `index.search`. Both suffer from whatever else runs.
The CPU time of the Python side alone – writing the request, reading the answer into objects – does not.
"""

import json
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import okno
from okno._results import Answer

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
        print(f"Python side alone: {python_side(index, questions):.3f} ms of CPU time")
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


def python_side(index: okno.Index, questions: list[str]) -> float:
    """Milliseconds of CPU time for a request and its answer, without the search; the mean over questions."""
    total = 0.0
    for question in questions:
        asked = {"question": question, "recipe": "auto", "budget": 500}
        answer = index._engine.search(json.dumps(asked))
        times = []
        for _ in range(ROUNDS):
            begun = time.thread_time()
            json.dumps(asked)
            Answer._of(json.loads(answer))
            times.append(time.thread_time() - begun)
        total += min(times)
    return 1000 * total / len(questions)


if __name__ == "__main__":
    main()
