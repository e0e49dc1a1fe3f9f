#!/usr/bin/env python3
"""What searching from Python costs beside searching from Rust, what threads bring, and what indexing costs.

    python3 benches/python_search.py SETS_DIR/squad
    python3 benches/python_search.py SETS_DIR/squad --package OLD --package NEW      two builds, in turns
    python3 benches/python_search.py SETS_DIR/squad --documents FOLDER --okno target/release/okno

Needs the package `okno` (.ci/wheel.sh), or folders that hold one (`--package`; unpacked wheels). Rounds of all builds
and all kinds alternate, and a figure is the median of its rounds, so that whatever else runs meets all of them:

    Rust      the median time that the engine itself takes for the same questions while it evaluates them
    search    the median time of `index.search`
    read      the same with every field of every context read
    CPU       CPU time of the calling thread for a question, the mean
    Python    CPU time of what Python does for a question beside the search: reading every field of answers that were
              found before, and letting go of them
    threads   questions a second with 8 threads beside one, the best rounds; how much CPU time of the process a question
              takes then, the median; and how many cores were busy with it, the most of all rounds. The rates need a
              machine that does nothing else; on another one, cores that are busy without more CPU time a question say
              that threads do not hinder each other
    indexing  CPU and wall seconds of `Index.index` over a folder of documents beside `okno index`
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

THREADS = 8
KINDS = ("rust", "search", "read")
FIELDS = ("text", "document", "start", "end", "score", "relevance", "title", "headings", "page", "lines", "tokens",
          "metadata")


# ---- one build, in a process of its own: a round for each line that comes in

def serve(folder):
    import okno
    questions_file = folder / "queries.jsonl"
    lines = questions_file.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines if line.strip()]
    with okno.Index.create(Path(tempfile.mkdtemp()) / "measured.okno") as index:
        index.index(folder / "corpus.jsonl")
        print(json.dumps({"sentences": index.stats().sentences, "questions": len(questions)}), flush=True)
        for line in sys.stdin:
            kind = line.strip()
            if kind == "rust":
                done = {"ms": index.evaluate(questions_file, budgets=[500]).cells[0]["latency"]["p50"]}
            elif kind == "python":
                done = python_side(index, questions)
            elif kind in ("1", str(THREADS)):
                done = threads(index, questions, int(kind))
            else:
                done = timed(index, questions, kind == "read")
            print(json.dumps(done), flush=True)


def read_all(answer):
    for context in answer:
        for field in FIELDS:
            getattr(context, field)


def python_side(index, questions):
    answers = [index.search(question, recipe="auto", budget=500) for question in questions]
    begun = time.thread_time()
    while answers:
        read_all(answers.pop())
    return {"cpu": 1000 * (time.thread_time() - begun) / len(questions)}


def timed(index, questions, read):
    times, begun_cpu = [], time.thread_time()
    for question in questions:
        begun = time.perf_counter()
        answer = index.search(question, recipe="auto", budget=500)
        if read:
            read_all(answer)
        times.append(1000 * (time.perf_counter() - begun))
    return {"ms": statistics.median(times), "cpu": 1000 * (time.thread_time() - begun_cpu) / len(questions)}


def threads(index, questions, count):
    with ThreadPoolExecutor(count) as pool:
        begun, begun_cpu = time.perf_counter(), time.process_time()
        for _ in pool.map(lambda question: len(index.search(question, budget=500)), questions * 2):
            pass
        seconds, cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    return {"rate": 2 * len(questions) / seconds, "cpu": 1000 * cpu / (2 * len(questions)), "cores": cpu / seconds}


class Build:
    """A build that waits for rounds."""

    def __init__(self, folder, package):
        environment = {**os.environ, **({"PYTHONPATH": str(package)} if package else {})}
        command = [sys.executable, __file__, "--serve", str(folder)]
        self.name = package.name if package else "okno"
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.about = json.loads(self.process.stdout.readline())
        self.rounds = {}

    def round(self, kind):
        self.process.stdin.write(f"{kind}\n")
        self.process.stdin.flush()
        self.rounds.setdefault(kind, []).append(json.loads(self.process.stdout.readline()))

    def median(self, kind, figure):
        return statistics.median(done[figure] for done in self.rounds[kind])

    def above_rust(self, kind):
        """The median of what each round took beyond Rust's round beside it."""
        pairs = zip(self.rounds[kind], self.rounds["rust"])
        return statistics.median(own["ms"] - rust["ms"] for own, rust in pairs)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def print_search(build):
    rust = build.median("rust", "ms")
    print(f"{build.name}: Rust {rust:.3f} ms")
    print(f"{build.name}: Python {build.median('python', 'cpu'):.3f} ms of CPU time")
    for kind in KINDS[1:]:
        median, cpu = build.median(kind, "ms"), build.median(kind, "cpu")
        print(f"{build.name}: {kind} {median:.3f} ms, {build.above_rust(kind):+.3f} beside Rust; {cpu:.3f} ms of CPU time")


def print_threads(build):
    one, many = "1", str(THREADS)
    best = {kind: max(done["rate"] for done in build.rounds[kind]) for kind in (one, many)}
    cpu = {kind: build.median(kind, "cpu") for kind in (one, many)}
    cores = {kind: max(done["cores"] for done in build.rounds[kind]) for kind in (one, many)}
    print(f"{build.name}: 1 thread {best[one]:.0f} questions a second, {many} threads {best[many]:.0f}: "
          f"{best[many] / best[one]:.2f} times; CPU a question {cpu[one]:.3f} and {cpu[many]:.3f} ms; "
          f"cores busy {cores[one]:.2f} and {cores[many]:.2f}")


# ---- indexing

INDEX = "import sys, okno\nwith okno.Index.create(sys.argv[1]) as index: index.index(sys.argv[2])"


def index_cost(command, package=None):
    """CPU and wall seconds of a process that indexes into a new folder."""
    environment = {**os.environ, **({"PYTHONPATH": str(package)} if package else {})}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, env=environment, capture_output=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def print_indexing(args):
    costs = {"command line": [], "Python": []}
    for _ in range(args.index_rounds):
        with tempfile.TemporaryDirectory() as scratch:
            program = [args.okno, "--index", f"{scratch}/a", "index", args.documents]
            script = [sys.executable, "-c", INDEX, f"{scratch}/b", args.documents]
            costs["command line"].append(index_cost(program))
            costs["Python"].append(index_cost(script, args.package[-1] if args.package else None))
    cpu, wall = ({name: statistics.median(cost[at] for cost in all) for name, all in costs.items()} for at in (0, 1))
    for name in costs:
        print(f"indexing, {name}: {cpu[name]:.2f} s of CPU time, {wall[name]:.2f} s")
    print(f"indexing from Python takes {cpu['Python'] / cpu['command line'] - 1:+.1%} of CPU time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("--package", type=Path, action="append", default=[], help="folder that holds a package `okno`")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--documents", type=Path, help="a folder to index, too")
    parser.add_argument("--okno", default="okno", help="the program to compare indexing with")
    parser.add_argument("--index-rounds", type=int, default=3)
    args = parser.parse_args()
    builds = [Build(args.set, package) for package in args.package or [None]]
    print("{sentences} sentences, {questions} questions".format(**builds[0].about))
    for _ in range(args.rounds):
        for kind in (*KINDS, "python", "1", str(THREADS)):
            for build in builds:
                build.round(kind)
    for build in builds:
        build.end()
        print_search(build)
        print_threads(build)
    if args.documents:
        print_indexing(args)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]))
    else:
        main()
