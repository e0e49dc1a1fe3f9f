#!/usr/bin/env python3
"""What do permissions cost? Processor time of a server for each search, with them off and on, over one index.

    access.py OKNO --corpus CORPUS.jsonl … --questions QUERIES.jsonl … [--sentences 150000] [--keep FOLDER]

    CORPUS.jsonl    {"doc_id", "title", "text"}; repeated with changed words until there are enough sentences
    QUERIES.jsonl   {"question"}

Every document is for one of two groups, one document for a third. The same questions are asked with the owner's key,
for which permissions are off, and with keys that see all documents, all but one, and half of them. Blocks of questions
take turns, so that what else the machine does meets all keys alike; printed is the median over blocks of the time
beside that of the owner's block. Owner's blocks that are compared with other owner's blocks show the noise. Linux.
"""
import argparse
import http.client
import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

BLOCK = 25
KEYS = {"owner, off": None, "owner again": None, "all documents": "a,b,rare", "all but one": "a,b", "half": "a"}


def changed(text, copy):
    """A text of which every fifth word differs from those of the other copies."""
    count = 0

    def word(found):
        nonlocal count
        count += 1
        return found[0] + chr(ord("a") + copy % 26) * (1 + copy // 26) if count % 5 == 0 else found[0]
    return re.sub(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{6}", word, text) if copy else text


def lines(files):
    return [json.loads(line) for file in files for line in open(file, encoding="utf-8")]


def built(okno, folder, corpus, sentences):
    """An index of at least this many sentences; how many it has."""
    index, documents = folder / "index", lines(corpus)

    def count():
        told = subprocess.run([okno, "--index", index, "status", "--json"], capture_output=True, text=True)
        return json.loads(told.stdout)["sentences"] if told.returncode == 0 else 0
    copy = 0
    while count() < sentences:
        with open(folder / f"part{copy}.jsonl", "w", encoding="utf-8") as part:
            for number, document in enumerate(documents):
                allow = "rare" if copy == number == 0 else "ab"[number % 2]
                print(json.dumps({"doc_id": f"{document['doc_id']}-{copy}", "title": document.get("title", ""),
                                  "text": changed(document["text"], copy), "meta": {"allow": [allow]}},
                                 ensure_ascii=False), file=part)
        subprocess.run([okno, "--index", index, "index", folder / f"part{copy}.jsonl"], check=True,
                       stderr=subprocess.DEVNULL)
        copy += 1
    return count(), copy * len(documents)


def keys(okno, index):
    made = {}
    subprocess.run(["rm", "-f", index.parent / ".index-keys.json"], check=True)
    for number, (name, groups) in enumerate(KEYS.items()):
        flags = ["--groups", groups] if groups else []
        role = "search" if groups else "administer"
        told = subprocess.run([okno, "--index", index, "keys", "make", f"key{number}", "--role", role, "--json", *flags],
                              check=True, capture_output=True, text=True)
        made[name] = json.loads(told.stdout)["key"]
    return made


def cpu(process):
    """Nanoseconds of processor time of all threads. Those of the server stay while it has something to do."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{process}/task").iterdir())


def measured(okno, index, questions):
    """For every key the median, over blocks, of its time beside the owner's; and the owner's milliseconds."""
    made = keys(okno, index)
    server = subprocess.Popen([okno, "serve", "--json", "--port", "0", "--index", f"notes={index}"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        wire = http.client.HTTPConnection(json.loads(server.stdout.readline())["url"].removeprefix("http://"))

        def block(name, asked):
            begun = cpu(server.pid)
            for question in asked:
                wire.request("POST", "/api/v1/search", json.dumps({"question": question}).encode(),
                             {"Content-Type": "application/json", "Authorization": f"Bearer {made[name]}"})
                answer = wire.getresponse()
                body = answer.read()
                assert answer.status == 200, body
            return (cpu(server.pid) - begun) / len(asked) / 1e6
        for name in KEYS:
            # Opening the index, and gathering what each key may see.
            block(name, [f"{question} ?" for question in questions[:BLOCK]])
        times = {name: [] for name in KEYS}
        blocks = [questions[at:at + BLOCK] for at in range(0, len(questions) - BLOCK + 1, BLOCK)]
        for turn, asked in enumerate(blocks):
            names = list(KEYS)
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                # The owner's answers are kept for the owner: the second time asks in other words.
                asking = [f"{question} " + "?" * (name == "owner again") for question in asked]
                times[name].append(block(name, asking))
    finally:
        server.terminate()
        server.wait()
    first = times["owner, off"]
    return statistics.median(first), {
        name: (statistics.median(own), statistics.median(own[at] / first[at] for at in range(len(own))))
        for name, own in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okno", type=Path)
    parser.add_argument("--corpus", nargs="+", required=True)
    parser.add_argument("--questions", nargs="+", required=True)
    parser.add_argument("--sentences", type=int, default=150_000)
    parser.add_argument("--keep", type=Path, help="keeps the index here, and uses one that is there")
    given = parser.parse_args()
    okno = given.okno.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sentences, documents = built(okno, folder, given.corpus, given.sentences)
        questions = list(dict.fromkeys(line["question"] for line in lines(given.questions)))
        _, found = measured(okno, folder / "index", questions)
        print(f"{sentences} sentences, {len(questions)} questions, processor time of the server for each search")
        for name, (own, ratio) in found.items():
            print(f"{name:15} {own:8.3f} ms  {100 * (ratio - 1):+6.2f} %")


if __name__ == "__main__":
    main()
