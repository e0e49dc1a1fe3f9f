"""Indexes the text files of a Git repository at a revision, with authors and dates: a source for `Index.sync`.

    python git_repository.py REPOSITORY INDEX [REVISION]     then: okno search "…" --index INDEX

Run it again after new commits: only files with another content are read.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

import okno


def git(repository: str, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], check=True, stdout=subprocess.PIPE).stdout


def files(repository: str, revision: str = "HEAD") -> Iterator[tuple[str, str, Callable[[], Optional[Mapping[str, Any]]]]]:
    """The files of a revision: path, hash of the content, and how to read it."""
    for entry in git(repository, "ls-tree", "-r", "-z", revision).decode().split("\0")[:-1]:
        (_, kind, hash), path = entry.split("\t")[0].split(" "), entry.split("\t", 1)[1]
        if kind == "blob":
            yield path, hash, lambda path=path, hash=hash: read(repository, revision, path, hash)


def read(repository: str, revision: str, path: str, hash: str) -> Optional[Mapping[str, Any]]:
    """A file with who changed it last, and when; `None` for what is no text."""
    content = git(repository, "cat-file", "blob", hash)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    if "\0" in text or not text.strip():
        return None
    author, date = git(repository, "log", "-1", "--format=%an%n%as", revision, "--", path).decode().split("\n")[:2]
    return {"text": text, "metadata": {"path": path, "author": author, "date": date}}


if __name__ == "__main__":
    repository, place, *revision = sys.argv[1:]
    with okno.Index.create(place) as index:
        report = index.sync("git", files(repository, *revision))
        print(f"{report.added} added, {report.changed} changed, {report.removed} removed, {report.unchanged} unchanged")
