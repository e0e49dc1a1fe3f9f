#!/usr/bin/env python3
"""Do questions about kinds of recipes find recipes of that kind? Asks a folder of HowToCook recipes.

    recipes.py HOWTOCOOK_DIR [--okno target/release/okno]

Each `dishes/<kind>/…/<name>.md` becomes a line with `category` from its folder and `difficulty` from its stars, once as a
number and once as a word; the recipes say nothing of the kind themselves. For each question the table shows the filter that was
read and the share of returned contexts whose recipe is of the expected kind, with filters read from the question and without.
Needs Python 3.9 and nothing else.
"""
import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

CATEGORIES = {
    "meat_dish": "荤菜", "vegetable_dish": "素菜", "soup": "汤羹", "dessert": "甜品", "breakfast": "早餐",
    "staple": "主食", "aquatic": "水产", "condiment": "酱料", "drink": "饮品", "semi-finished": "半成品",
}
WORDS = ["", "简单", "简单", "中等", "困难", "困难"]
EASY = lambda recipe: recipe["stars"] <= 2
OF = lambda category: lambda recipe: recipe["category"] == category
QUESTIONS = [
    ("推荐几道素菜", OF("素菜")),
    ("有什么简单的菜谱", EASY),
    ("适合新手", EASY),
    ("今天喝什么汤", OF("汤羹")),
    ("推荐几道用土豆做的素菜", OF("素菜")),
    ("easy recipes with eggs", EASY),
    ("早餐有哪些", OF("早餐")),
]


def recipes(folder):
    for path in sorted(Path(folder).rglob("dishes/*/**/*.md")):
        kind = path.relative_to(folder).parts[1]
        stars = re.search("★+", text := path.read_text(encoding="utf-8"))
        if kind in CATEGORIES and stars:
            yield {"doc_id": str(path.relative_to(folder)), "title": path.stem, "text": text,
                   "category": CATEGORIES[kind], "stars": len(stars[0])}


def index(okno, folder, lines, words):
    """An index whose `difficulty` is a number, or a word."""
    name = "words" if words else "numbers"
    file = folder / f"{name}.jsonl"
    line = lambda r: {k: r[k] for k in ("doc_id", "title", "text")} | {
        "meta": {"category": r["category"], "difficulty": WORDS[r["stars"]] if words else r["stars"]}}
    file.write_text("\n".join(json.dumps(line(r), ensure_ascii=False) for r in lines), encoding="utf-8")
    subprocess.run([okno, "--index", folder / name, "index", file], check=True, capture_output=True)
    return folder / name


def ask(okno, index, question, *flags):
    command = [okno, "--index", index, "search", question, "--json", *flags]
    return json.loads(subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout)


def share(answer, by_name, expected):
    found = [expected(by_name[context["doc_id"]]) for context in answer["contexts"]]
    return f"{sum(found)}/{len(found)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--okno", default=str(Path(__file__).resolve().parent.parent / "target/release/okno"))
    args = parser.parse_args()
    lines = list(recipes(args.folder))
    by_name = {recipe["doc_id"]: recipe for recipe in lines}
    print(f"{len(lines)} recipes")
    with tempfile.TemporaryDirectory() as folder:
        for words in (False, True):
            place = index(args.okno, Path(folder), lines, words)
            for question, expected in QUESTIONS:
                read = ask(args.okno, place, question)
                plain = ask(args.okno, place, question, "--no-auto-filter")
                found = f"{share(read, by_name, expected)} (without: {share(plain, by_name, expected)})"
                print(f"{question}\t{read['understood']['filter']}\t{found}")


if __name__ == "__main__":
    main()
