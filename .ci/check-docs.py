#!/usr/bin/env python3
"""Checks the documentation: widths, links, named files, fences, and that both READMEs have the same shape.

Usage: .ci/check-docs.py [--strict-rust]

Markdown has at most 100 columns (a CJK character counts as two); tables, code blocks and lines that
are one long link are exempt. Rust has at most 120 characters a line, comments included; wider lines
are counted, and fail only with --strict-rust. Needs only the Python standard library.
"""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
MARKDOWN_WIDTH = 100
RUST_WIDTH = 120
# Sample documents and prompts are data: the engine reads them as they are.
DATA = ("crates/okno-cli/sample/documents/", "crates/okno-cli/sample/messy/", "crates/okno/prompts/", "crates/okno/tests/")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)", re.MULTILINE)
CODE_SPAN = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
# A file or folder of the repository, named in code.
PATH = re.compile(r"(?:crates|docs|benches|models|fuzz|\.ci)/[\w./-]+")


def tracked(pattern):
    """Files of the repository, committed or new, that match the pattern."""
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(name for name in set(names) if name and (ROOT / name).is_file())


def columns(line):
    """Columns of a line in a terminal: wide and full-width characters take two."""
    zero = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(c) in zero else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line
    )


def parse(text):
    """(lines outside code blocks with their numbers, code blocks as (info, text), number of an open fence)."""
    prose, blocks, fence, opened = [], [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.fullmatch(line)
        if fence:
            if match and match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip():
                fence = None
            else:
                blocks[-1][1].append(line)
        elif match and "`" not in match[2]:
            fence, opened = match[1], number
            blocks.append((match[2].strip(), []))
        else:
            prose.append((number, line))
    return prose, blocks, opened if fence else None


def paragraphs(prose):
    """Lines that follow one another, each run as one text under the number of its first line."""
    start, lines, last = None, [], 0
    for number, line in [*prose, (prose[-1][0] + 2, "")] if prose else []:
        if lines and (number != last + 1 or not line.strip()):
            yield start, "\n".join(lines)
            lines = []
        if line.strip():
            start = number if not lines else start
            lines.append(line)
        last = number


def too_wide(line):
    """A line of prose that could be wrapped and is not."""
    if columns(line) <= MARKDOWN_WIDTH or line.lstrip().startswith("|"):
        return False
    # A link or an address cannot be wrapped: what remains must be a list marker or less.
    rest = re.sub(r"!?\[[^\]]*\]\([^)]*\)|<?https?://\S+>?", "", line)
    return columns(rest.strip()) > 20


def slug(heading):
    """The anchor that GitHub makes of a heading."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return "".join(c for c in words if c.isalnum() or c in " -_").replace(" ", "-")


def headings(prose):
    return [match for _, line in prose if (match := re.fullmatch(r" {0,3}(#{1,6})\s+(.*?)\s*#*", line))]


def check_markdown(name):
    prose, _, open_fence = parse((ROOT / name).read_text(encoding="utf-8"))
    if open_fence:
        yield f"{name}:{open_fence}: this code block is not closed"
    for number, line in prose:
        if too_wide(line):
            yield f"{name}:{number}: {columns(line)} columns, at most {MARKDOWN_WIDTH}"
    for number, text in paragraphs(prose):
        for span in CODE_SPAN.findall(text):
            if PATH.fullmatch(span[1]) and not (ROOT / span[1]).exists():
                yield f"{name}:{number}: there is no `{span[1]}`"
        text = CODE_SPAN.sub("", text)
        for target in LINK.findall(text) + REFERENCE.findall(text):
            if problem := broken(name, target):
                yield f"{name}:{number}: {problem}"


def broken(name, target):
    """What is wrong with a link, if anything. Links to other sites are not followed."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (ROOT / name).parent / unquote(path) if path else ROOT / name
    if not file.exists():
        return f"the link `{target}` leads nowhere"
    if anchor and file.suffix == ".md":
        found = headings(parse(file.read_text(encoding="utf-8"))[0])
        if unquote(anchor) not in [slug(match[2]) for match in found]:
            return f"the link `{target}` names a heading that does not exist"
    return None


def check_twins(first, second):
    """Two languages of one page have the same headings, links and code, comments in code aside."""
    pages = []
    for name in (first, second):
        prose, blocks, _ = parse((ROOT / name).read_text(encoding="utf-8"))
        code = [(info, [re.sub(r"\s*#.*", "", line) for line in lines]) for info, lines in blocks]
        pages.append((prose, code))
    (a_prose, a_code), (b_prose, b_code) = pages
    levels = [[len(match[1]) for match in headings(prose)] for prose in (a_prose, b_prose)]
    if levels[0] != levels[1]:
        yield f"{first} has {len(levels[0])} headings, {second} {len(levels[1])}, or their levels differ"
    if len(a_code) != len(b_code):
        yield f"{first} has {len(a_code)} code blocks, {second} {len(b_code)}"
    for number, (a, b) in enumerate(zip(a_code, b_code), 1):
        if a != b:
            yield f"{first} and {second}: code block {number} differs"
    for name, other, prose in ((first, second, a_prose), (second, first, b_prose)):
        if f"]({other})" not in (prose[0][1] if prose else ""):
            yield f"{name}:1: the first line does not link to {other}"


def wide_rust():
    for name in tracked("*.rs"):
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > RUST_WIDTH:
                yield f"{name}:{number}: {len(line)} characters, at most {RUST_WIDTH}"


def main():
    strict = "--strict-rust" in sys.argv[1:]
    names = [name for name in tracked("*.md") if not name.startswith(DATA)]
    problems = [problem for name in names for problem in check_markdown(name)]
    problems += check_twins("README.md", "README.zh.md")
    wide = list(wide_rust())
    if strict:
        problems += wide
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(names)} Markdown files: {len(problems)} problems; Rust lines over {RUST_WIDTH}: {len(wide)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
