"""A source that syncs: a real Git repository, as the example reads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import okno

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import git_repository  # type: ignore[import-not-found]  # noqa: E402


def commit(repository: Path, author: str, **files: "bytes | None") -> None:
    for name, content in files.items():
        path = repository / name.replace("__", "/").replace("_md", ".md")
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True) if content is None else path.write_bytes(content)
    run = ["git", "-C", str(repository), "-c", f"user.name={author}", "-c", "user.email=a@example.com"]
    subprocess.run([*run, "add", "-A"], check=True)
    subprocess.run([*run, "commit", "-q", "-m", "change", "--date", "2026-02-03T12:00:00"], check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    commit(repository, "Ada", tea_md="茶 tea is brewed at 80 °C.".encode(), notes__soup_md=b"Leek soup wants butter.")
    commit(repository, "Bo", ice_md=b"Ice is cold.", picture=b"\x89PNG\xff\xfe\x00")
    return repository


def counts(report: okno.IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.removed, report.unchanged


def test_a_repository_is_followed(repository: Path, tmp_path: Path) -> None:
    with okno.Index.create(tmp_path / "git.okno") as index:
        index.add([{"id": "other", "text": "Not of the repository."}])
        assert counts(index.sync("git", git_repository.files(str(repository)))) == (3, 0, 0, 0)
        best = index.search("How hot is tea brewed?")[0]
        assert (best.document, best.metadata["author"], best.metadata["path"]) == ("git/tea.md", "Ada", "tea.md")
        assert best.metadata["date"] == "2026-02-03"
        assert {context.document for context in index.search("cold", filter="author = Bo")} == {"git/ice.md"}
        assert counts(index.sync("git", git_repository.files(str(repository)))) == (0, 0, 0, 3)
        commit(repository, "Cy", tea_md=b"Tea is brewed at 90 degrees now.", ice_md=None)
        assert counts(index.sync("git", git_repository.files(str(repository)))) == (0, 1, 1, 1)
        assert sorted(document.id for document in index.documents()) == ["git/notes/soup.md", "git/tea.md", "other"]
        assert "90 degrees" in index.search("How hot is tea brewed?")[0].text
        before = git_repository.files(str(repository), "HEAD~1")
        assert counts(index.sync("git", before)) == (1, 1, 0, 1), "an older revision can be had too"


def test_what_is_unchanged_is_not_read_and_a_failure_deletes_nothing(tmp_path: Path) -> None:
    def broken() -> None:
        raise OSError("the network is away")

    with okno.Index.create(tmp_path / "sync.okno") as index:
        index.sync("shop", [("a", "1", lambda: {"text": "Apples are red."}), ("b", "1", lambda: {"text": "Pears."})])
        report = index.sync("shop", [("a", "1", broken), ("b", "1", broken)])
        assert counts(report) == (0, 0, 0, 2)
        with pytest.raises(OSError):
            index.sync("shop", [("a", "2", broken)])
        assert sorted(document.id for document in index.documents()) == ["shop/a", "shop/b"]
        assert counts(index.sync("shop", [("a", "2", lambda: None)])) == (0, 0, 2, 0)
