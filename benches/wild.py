#!/usr/bin/env python3
"""What `okno load` makes of files that were not written for it: does it survive them, which does it refuse, how much of a PDF does it read?

    wild.py FOLDER… [--okno PATH] [--dump OUT]        PATH: target/release/okno; `pdftotext` (poppler-utils) for the words of PDFs

Every file is read in a process of its own, with 20 seconds and 2 GiB of address space. Printed are processes that died, hung or told an internal
error, how many files were refused for which reason, and for each PDF that both read the share of `pdftotext`'s words that okno has too (words of
letters and digits, counted with repetitions). Where the Python packages `pymupdf` and `pypdf` are installed, the same is printed for the words that
at least two of `pdftotext`, MuPDF and pypdf find: where one of them breaks words apart or reads the wrong letters, the others seldom do the same.
`--dump` writes a line of JSON per file: two such files show what a change did.
"""
import collections
import functools
import hashlib
import json
import logging
import operator
import re
import resource
import shutil
import statistics
import subprocess
import sys
import unicodedata
from pathlib import Path

SECONDS, MEMORY = 20, 2 << 30
GOOD = 0.95
LEAST_WORDS = 5


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command):
    """Exit status (`None` for a timeout), output, messages."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return None, b"", ""
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def load(okno, path):
    """What became of a file: `read`, `refused`, `died` or `hung`; its text; why."""
    status, out, said = run([okno, "load", str(path), "--json", "--lang", "en"])
    if status is None:
        return "hung", "", f"more than {SECONDS} s"
    texts = []
    for line in out.decode("utf-8", "replace").splitlines():
        try:
            texts.append(json.loads(line).get("text", ""))
        except ValueError:
            pass
    if status < 0 or status > 1 or "panicked at" in said or "internal error" in said:
        return "died", "\n".join(texts), said.strip()[-300:] or f"status {status}"
    reason = next((line for line in said.splitlines() if "skipped" in line), said.strip())
    return ("read" if texts else "refused"), "\n".join(texts), reason.split(" – ", 1)[-1].strip()


def words(text):
    """Words with how often they are there. Full-width letters and ligatures count as the letters that they stand for: okno writes these."""
    return collections.Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower()))


def undivided(text):
    """Text without the hyphens at the ends of lines, which MuPDF and pypdf leave to their users."""
    return re.sub(r"(?<=[^\W\d])[-\u00ad\u2010]\s*\n\s*(?=[^\W\d])", "", text)


def share(ours, theirs):
    """How many of their words we have too."""
    return sum((ours & theirs).values()) / max(1, sum(theirs.values()))


def of_mupdf(path):
    """The words that MuPDF finds; nothing where it is not installed or fails."""
    try:
        import pymupdf
    except ImportError:
        return None
    pymupdf.TOOLS.mupdf_display_errors(False)
    try:
        with pymupdf.open(path) as document:
            return words(undivided("\n".join(page.get_text() for page in document)))
    except Exception:  # whatever a damaged file makes of it
        return None


def of_pypdf(path):
    """The words that pypdf finds; nothing where it is not installed or fails."""
    try:
        import pypdf
    except ImportError:
        return None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        return words(undivided("\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)))
    except Exception:  # whatever a damaged file makes of it
        return None


def of_two(readers):
    """The words that at least two readers find, as often as the second of them does."""
    found = [reader for reader in readers if reader is not None]
    pairs = (one & other for at, one in enumerate(found) for other in found[at + 1 :])
    return functools.reduce(operator.or_, pairs, collections.Counter())


def summary(name, shares):
    """Prints the median of shares, how many are good, and which are least."""
    shares.sort()
    good = sum(one >= GOOD for one, _ in shares) / len(shares)
    print(f"{len(shares)} PDFs, {name}: median {statistics.median(one for one, _ in shares):.4f}, at least {GOOD}: {good:.4f}")
    print("  least: " + ", ".join(f"{path.name} {one:.2f}" for one, path in shares[:25]))


def main():
    given = sys.argv[1:]
    option = lambda name, default: given.pop(given.index(name) + 1) if name in given else default
    okno, dump = option("--okno", "target/release/okno"), option("--dump", None)
    folders = [Path(folder) for folder in given if not folder.startswith("--")]
    if not folders:
        sys.exit(__doc__)
    files = sorted(path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*")) if path.is_file())
    fates, refused, shares, agreed, lines = collections.Counter(), collections.defaultdict(list), [], [], []
    for path in files:
        fate, text, reason = load(okno, path)
        fates[fate] += 1
        record = {"file": str(path), "fate": fate, "reason": reason, "length": len(text), "hash": hashlib.md5(text.encode()).hexdigest()}
        if fate in ("died", "hung"):
            print(f"{fate}: {path}: {reason}")
        if fate == "refused":
            refused[re.sub(r"\d+|`[^`]*`|\([^)]*\)", "…", reason)].append(path)
        if path.suffix.lower() == ".pdf" and shutil.which("pdftotext"):
            status, theirs, _ = run(["pdftotext", "-q", str(path), "-"])
            theirs = words(theirs.decode("utf-8", "replace"))
            if status == 0 and sum(theirs.values()) >= LEAST_WORDS:
                shares.append((share(words(text), theirs), path))
                record["share"] = shares[-1][0]
                two = of_two([theirs, of_mupdf(path), of_pypdf(path)])
                if sum(two.values()) >= LEAST_WORDS:
                    agreed.append((share(words(text), two), path))
                    record["share of two"] = agreed[-1][0]
        lines.append(record)
    print(f"{len(files)} files: " + ", ".join(f"{count} {fate}" for fate, count in fates.most_common()))
    for reason, paths in sorted(refused.items(), key=lambda entry: -len(entry[1])):
        print(f"  {len(paths):3} {reason}: {', '.join(path.name for path in paths[:4])}")
    for name, found in (("words of pdftotext", shares), ("words of two of pdftotext, MuPDF and pypdf", agreed)):
        if found:
            summary(name, found)
    if dump:
        Path(dump).write_text("".join(json.dumps(line) + "\n" for line in lines))
    sys.exit(1 if fates["died"] + fates["hung"] else 0)


if __name__ == "__main__":
    main()
