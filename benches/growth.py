"""Writes a corpus to measure how an index grows: python3 benches/growth.py SETS_DIR TIMES OUT.jsonl

The texts of all question sets in SETS_DIR once, and TIMES - 1 times more with a tenth of the characters (Chinese) or
words (Latin letters) changed. Each has a number from 0 to 999 in the field `place`, for filters: `place < 50` leaves one
in twenty. What was measured with it is in docs/scale.md:

    okno index --index one OUT.jsonl
    cargo run --release -p okno-opensearch --example beside_opensearch -- \\
        'HOSTS?shards=3&replicas=0' one QUESTIONS.jsonl 1 NAME

and again after the shards were moved to one node (`index.routing.allocation.include._id` of `NAME*/_settings`). A
document's id has the name of its set in front, so questions must name it so too.
"""

import itertools
import json
import random
import sys
from pathlib import Path

HAN = [chr(c) for c in range(0x4E00, 0x5E00)]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def changed(text: str) -> str:
    return " ".join(changed_word(word) for word in text.split(" "))


def changed_word(word: str) -> str:
    if word.isascii():
        if len(word) > 3 and word.isalpha() and random.random() < 0.1:
            at = random.randrange(len(word))
            return word[:at] + random.choice(LETTERS) + word[at + 1 :]
        return word
    return "".join(random.choice(HAN) if "\u4e00" <= c <= "\u9fff" and random.random() < 0.1 else c for c in word)


def main() -> None:
    sets, times, out = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    random.seed(3)
    place = itertools.count()
    with out.open("w", encoding="utf-8") as file:
        for time in range(times):
            for corpus in sorted(sets.glob("*/corpus.jsonl")):
                for line in corpus.open(encoding="utf-8"):
                    document = json.loads(line)
                    own = f"{corpus.parent.name}-{document['doc_id']}"
                    document["doc_id"] = own if time == 0 else f"{own}-{time}"
                    document["meta"] = {**document.get("meta", {}), "place": next(place) % 1000}
                    if time:
                        document["text"] = changed(document["text"])
                    file.write(json.dumps(document, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
