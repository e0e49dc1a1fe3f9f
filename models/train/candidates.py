#!/usr/bin/env python3
"""The engine's hits for the questions of every set, with what its second reading sees of a hit, and which are gold.

    candidates.py --okno PROGRAM --indexes DIR --questions DIR --out DIR [--recipe window] [--sets NAME …]

`DIR/NAME.cand.jsonl`, one question a line: {"q", "c": [{"t": the hit, "around": with one sentence on each side in its paragraph,
"head": title and headings, one a line, "s": score, "g": 1 if gold}]}. Nothing is expanded, 50 hits; of the recipe `auto`, whose hits
grow together, every hit is taken by itself. Gold is a hit that touches a gold span, or lies in a gold document, or holds a wanted string.
"""
import argparse
import json
import os
import re
import subprocess

HITS = 50
ENDS = re.compile(r"[.!?]+[\"'”’)\]]*\s+|[。！？；]+[”’」』）]*|\n")


def read(path):
    return [json.loads(line) for line in open(path, encoding="utf8")]


def ask(program, index, question, recipe):
    """Contexts with their titles, headings and hits; of many questions at once the program prints less."""
    options = ["--recipe", recipe, "--expand", "none", "-k", str(HITS), "--budget", "1000000", "--json", "--all"]
    found = subprocess.run([program, "--index", index, "search", *options, "--", question], check=True, capture_output=True, text=True)
    return json.loads(found.stdout)["contexts"]


def around(text, start, end):
    """A span with the sentence before and the sentence after it, inside its paragraph."""
    floor, ceiling = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    ceiling = len(text) if ceiling < 0 else ceiling
    before = [m.end() + floor for m in ENDS.finditer(text[floor:start].rstrip())]
    after = ENDS.search(text, end + 1, ceiling) if text[end:ceiling].strip() else None
    first = before[-1] if before else floor
    return text[first:after.end() if after else max(end, ceiling if text[end:ceiling].strip() else end)]


def hits_of(context, recipe):
    if recipe == "window":
        return [(context["start"], context["end"], context["score"])]
    return [(hit["start"], hit["end"], hit["score"]) for hit in context["hits"]]


def spans_of(query):
    spans = [(x["doc_id"], x["start"], x["end"]) if isinstance(x, dict) else (query["doc_id"], *x[:2]) for x in query.get("spans") or []]
    return spans or ([(query["doc_id"], query["start"], query["end"])] if "start" in query else [])


def is_gold(query, document, title, start, end, text):
    if query.get("gold_docs"):
        return document in query["gold_docs"]
    if query.get("gold_titles"):
        return title in query["gold_titles"]
    if query.get("facts"):
        return any(fact in text for facts in query["facts"] for fact in facts)
    return any(d == document and max(a, start) < min(b, end) for d, a, b in spans_of(query))


def candidates(query, contexts, texts, recipe):
    out = []
    for context in contexts:
        document, title = context["doc_id"], context.get("title", "")
        for start, end, score in hits_of(context, recipe):
            text = texts[document][start:end]
            out.append({"t": text, "around": around(texts[document], start, end), "head": "\n".join([title, *context["headings"]]), "s": score,
                        "g": int(is_gold(query, document, title, start, end, text))})
    return sorted(out, key=lambda c: -c["s"])[:HITS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("okno", "indexes", "questions", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--recipe", default="window", choices=("window", "auto"))
    parser.add_argument("--sets", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in args.sets or sorted(os.listdir(args.indexes)):
        folder = os.path.join(args.questions, name)
        if not os.path.exists(os.path.join(folder, "corpus.jsonl")):
            continue
        texts = {d["doc_id"]: d["text"] for d in read(os.path.join(folder, "corpus.jsonl"))}
        queries = read(os.path.join(folder, "queries.jsonl"))
        index = os.path.join(args.indexes, name)
        found = [(q["question"], candidates(q, ask(args.okno, index, q["question"], args.recipe), texts, args.recipe)) for q in queries]
        with open(os.path.join(args.out, name + ".cand.jsonl"), "w", encoding="utf8") as file:
            file.writelines(json.dumps({"q": q, "c": c}, ensure_ascii=False) + "\n" for q, c in found)
        share = sum(any(x["g"] for x in c) for _, c in found) / len(found)
        print(name, len(found), "gold among the hits %.3f" % share, "hits %.1f" % (sum(len(c) for _, c in found) / len(found)), flush=True)


if __name__ == "__main__":
    main()
