"""Checks the sample: every answer occurs exactly once in its document, and the counts are as promised.

In:  documents/ and messy/ (documents) and questions.jsonl, all beside this file.
Out: a short report on standard output; exit status 1 when a rule is broken.

It also shows how many content terms a question shares with the sentence that answers it. That is
what makes the sample hard: a question with hardly any shared term is found through the neighbours.
"""

import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENTS = [HERE / "documents", HERE / "messy"]
QUESTIONS = HERE / "questions.jsonl"

FIELDS = {"qid", "question", "doc_id", "answers", "kind"}
KINDS = {"fact", "list", "broad", "code", "cross", "paraphrase", "multi"}
PER_LANGUAGE = 100  # questions in each language, at least
CROSS = 6  # questions asked in the other language than the document's, at least
SIZE = range(60_000, 140_001)  # bytes of all documents together
FEW_SHARED = 0.1  # at most this share of a question's terms in the answering sentence: "hard"
HARD_SHARE = (0.28, 0.40)  # about a third of the questions should be hard

ENGLISH_STOP = set(
    "a about all an and any are as at be been before being by can cannot did do does for from get given had has have he "
    "her his how i if in inside into is it its may me more most much my new no not of on one only or out should so still "
    "than that the their them there these they this to under up was were what when where which while who whose why will "
    "with would you your".split()
)
CHINESE_STOP = set("的了是在和有什么怎样为哪吗呢我你他它她这那要想能可以会还最很多少几就也又都与及或被把让對从到去上下里中時")
HAN = re.compile(r"[\u3400-\u9fff]+")


class VisibleArticle(HTMLParser):
    """Collects the text inside <article>; a tag leaves a mark that no answer contains."""

    def __init__(self):
        super().__init__()
        self.inside = False
        self.parts = []

    def handle_starttag(self, tag, attrs):
        self.inside = self.inside or tag == "article"
        self.parts.append("\0")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "article"
        self.parts.append("\0")

    def handle_data(self, data):
        if self.inside:
            self.parts.append(data)


def visible(html):
    parser = VisibleArticle()
    parser.feed(html)
    return "".join(parser.parts)


def read_documents():
    """Raw text by document id; a JSONL line is a document of its own."""
    texts = {}
    for folder in DOCUMENTS:
        for path in files_of(folder):
            raw = path.read_bytes().decode("utf-8")
            if path.suffix == ".jsonl":
                texts |= {item["doc_id"]: item["text"] for item in map(json.loads, raw.splitlines())}
            else:
                texts[path.relative_to(folder).as_posix()] = raw
    return texts


def files_of(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file())


def is_chinese(text):
    return len("".join(HAN.findall(text))) * 4 > len(text)


def terms(text):
    """English words without common ones, cut to a crude stem; Chinese pairs of characters."""
    words = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.lower())
    found = {re.sub(r"(ing|ed|es|s)$", "", w) for w in words if w not in ENGLISH_STOP}
    for run in HAN.findall(text):
        found |= {a + b for a, b in zip(run, run[1:]) if not {a, b} & CHINESE_STOP}
    return found


def answering_sentence(text, answer):
    """The answer widened to the sentence (or line) ends around it."""
    start = text.index(answer)
    end = start + len(answer)
    before = re.split(r"(?<=[.!?])\s|[。！？\n]", text[:start])[-1]
    after = re.split(r"(?<=[.!?])\s|[。！？\n]", text[end:])[0]
    return before + answer + after


def shared_terms(question, sentence):
    asked = terms(question)
    return len(asked & terms(sentence)) / max(1, len(asked))


def faults_of(question, texts):
    if set(question) != FIELDS or question["kind"] not in KINDS or not question["answers"]:
        return ["fields or kind are not as described"]
    text = texts.get(question["doc_id"])
    if text is None:
        return [f"no document {question['doc_id']}"]
    faults = [f"{text.count(a)} times: {a!r}" for a in question["answers"] if text.count(a) != 1]
    if question["doc_id"].endswith(".html"):
        article = visible(text)
        faults += [f"not plain article text: {a!r}" for a in question["answers"] if article.count(a) != 1]
    crosses = is_chinese(question["question"]) != is_chinese(text)
    if crosses != (question["kind"] == "cross"):
        faults.append("languages and kind do not fit")
    return faults


def main():
    texts = read_documents()
    questions = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    faults = [f"{q.get('qid')}: {f}" for q in questions for f in faults_of(q, texts)]

    files = [p for folder in DOCUMENTS for p in files_of(folder)]
    size = sum(p.stat().st_size for p in files)
    kinds = Counter(q["kind"] for q in questions)
    languages = Counter("zh" if is_chinese(q["question"]) else "en" for q in questions)
    if len({q["qid"] for q in questions}) != len(questions):
        faults.append("a qid occurs twice")
    if min(languages.values()) < PER_LANGUAGE:
        faults.append(f"languages: {dict(languages)}")
    if kinds["cross"] < CROSS:
        faults.append(f"{kinds['cross']} cross-language questions instead of {CROSS}")
    if any((q["kind"] == "multi") and len(q["answers"]) < 2 for q in questions):
        faults.append("a question of several places has one")
    if size not in SIZE:
        faults.append(f"{size} bytes of documents")
    if faults:
        print(*faults, sep="\n")
        return 1

    same = [q for q in questions if q["kind"] != "cross"]
    share = {q["qid"]: shared_terms(q["question"], answering_sentence(texts[q["doc_id"]], q["answers"][0])) for q in same}
    hard = [qid for qid, value in share.items() if value <= FEW_SHARED]
    print(f"{len(files)} files, {len(texts)} documents, {size} bytes")
    for doc_id, text in texts.items():
        asked = sum(q["doc_id"] == doc_id for q in questions)
        print(f"  {len(text.encode()):6} bytes  {asked:2} questions  {doc_id}")
    print("kinds:", dict(sorted(kinds.items())), "languages:", dict(languages))
    print(f"hard (at most {FEW_SHARED:.0%} of the terms shared with the answering sentence): {len(hard)} of {len(same)}")
    print(" ", " ".join(hard))
    if "-v" in sys.argv:
        for q in same:
            print(f"  {share[q['qid']]:.2f} {q['qid']} {q['question']}")
    least, most = HARD_SHARE
    return 0 if least <= len(hard) / len(same) <= most else 1


if __name__ == "__main__":
    sys.exit(main())
