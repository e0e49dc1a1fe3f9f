#!/usr/bin/env python3
"""Are the rows of financial statements whole? Labels and values of PDFs, beside what `pdftotext -layout` prints.

    tables.py FOLDER [--okno PATH]        needs `pdftotext` (poppler-utils)

Of every PDF below FOLDER the first page is taken that is headed as a consolidated statement or balance sheet and has at least twelve lines of a
label and two to four numbers. A line is right if one row of a table of `okno load` holds its label and all of its numbers, each in a cell of its
own. Printed are the lines that are not, and the shares of lines and numbers that are.
"""
import argparse
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

from quality import default_okno

STATEMENT = re.compile(r"consolidated (statements? of|balance sheets?)", re.IGNORECASE)
HEAD = 900  # characters of a page that may be its heading
LINE = re.compile(r"\s*([A-Za-z][A-Za-z ,’'\-/&()]+?)[ .$]{2,}([^A-Za-z]*\d[^A-Za-z]*)$")
NUMBER = re.compile(r"\d[\d,]*\.?\d*")
FEWEST = 12


def printed(command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def digits(text):
    return re.sub(r"[^\d.]", "", text)


def letters(text):
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()


def lines_of(page):
    """(label, numbers) of the lines of a page that have both."""
    found = ((match.group(1).strip(), NUMBER.findall(match.group(2))) for match in map(LINE.match, page.split("\n")) if match)
    return [(label, numbers) for label, numbers in found if 2 <= len(numbers) <= 4]


def statement(path):
    """The first page that is one, with its lines."""
    for number, page in enumerate(printed(["pdftotext", "-layout", path, "-"]).split("\f"), 1):
        lines = lines_of(page) if STATEMENT.search(page[:HEAD]) else []
        if len(lines) >= FEWEST:
            return number, lines
    return None, []


def found(label, numbers, rows):
    """How many of the numbers stand in the row of this label that has most of them."""
    cells = ([digits(cell) for cell in row.split("|")] for row in rows if letters(label) in letters(row))
    return max((sum(digits(number) in row for number in numbers) for row in cells), default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="PDFs are looked for below it")
    parser.add_argument("--okno", default=default_okno(), help="the binary (default: the release build, else PATH)")
    args = parser.parse_args()
    whole = lines = values = numbers_of_all = 0
    for path in sorted(args.folder.rglob("*.pdf")):
        page, wanted = statement(path)
        rows = [row for row in printed([args.okno, "load", path]).split("\n") if row.startswith("|")] if wanted else []
        for label, numbers in wanted:
            right = found(label, numbers, rows)
            if right < len(numbers):
                print(f"{path.name}, page {page}: {label} {numbers}: {right} found")
            whole, lines = whole + (right == len(numbers)), lines + 1
            values, numbers_of_all = values + right, numbers_of_all + len(numbers)
        print(f"{path.name}: {f'page {page}, {len(wanted)} lines' if wanted else 'no statement'}", file=sys.stderr)
    print(f"lines {whole} of {lines}, numbers {values} of {numbers_of_all}")


if __name__ == "__main__":
    main()
