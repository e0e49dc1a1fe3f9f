"""A source that syncs: a real Git repository, as the example reads it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def names(index: okno.Index) -> list[str]:
    return sorted(document.id for document in index.documents())


def test_what_is_unchanged_is_not_read_and_what_holds_no_text_goes(tmp_path: Path) -> None:
    def broken() -> None:
        raise OSError("must not be read")

    with okno.Index.create(tmp_path / "sync.okno") as index:
        index.sync("shop", [("a", "1", lambda: {"text": "Apples are red."}), ("b", "1", lambda: {"text": "Pears."})])
        report = index.sync("shop", [("a", "1", broken), ("b", "1", broken)])
        assert counts(report) == (0, 0, 0, 2) and not report.skipped
        report = index.sync("shop", [("a", "2", lambda: None), ("b", "1", broken)])
        assert counts(report) == (0, 0, 1, 1) and report.skipped[0]["code"] == "no_text"
        assert names(index) == ["shop/b"]
        assert counts(index.sync("shop", [])) == (0, 0, 1, 0) and len(index) == 0


def test_a_document_that_fails_is_told_and_stays_and_is_read_again(tmp_path: Path) -> None:
    def broken() -> None:
        raise OSError("the network is away")

    with okno.Index.create(tmp_path / "sync.okno") as index:
        index.sync("shop", [("a", "1", lambda: {"text": "Apples are red."}), ("b", "1", lambda: {"text": "Pears."})])
        news = [("a", "2", broken), ("b", "2", lambda: {"text": "Pears are green."}), ("c", "1", lambda: "no mapping")]
        report = index.sync("shop", news)  # type: ignore[arg-type]
        assert counts(report) == (0, 1, 0, 0)
        assert [(skipped["place"], skipped["code"]) for skipped in report.skipped] == [
            ("shop/a", "source_failed"), ("shop/c", "source_failed"),
        ]
        assert "OSError: the network is away" in report.skipped[0]["reason"]
        assert "来源无法读取" in report.skipped[0]["chinese"]
        assert index.get("shop/a").text == "Apples are red." and index.get("shop/b").text == "Pears are green."
        back = [("a", "2", lambda: {"text": "Apples are red and green."}), ("b", "2", broken)]
        assert counts(index.sync("shop", back)) == (0, 1, 0, 1)


def test_a_source_that_fails_removes_nothing(tmp_path: Path) -> None:
    def away() -> Iterator[Any]:
        yield "a", "2", lambda: {"text": "Apples are blue."}
        raise ConnectionError("the shop is closed")

    def interrupted() -> None:
        raise KeyboardInterrupt

    with okno.Index.create(tmp_path / "sync.okno") as index:
        index.sync("shop", [("a", "1", lambda: {"text": "Apples are red."}), ("b", "1", lambda: {"text": "Pears."})])
        with pytest.raises(ConnectionError, match="the shop is closed"):
            index.sync("shop", away())
        with pytest.raises(KeyboardInterrupt):
            index.sync("shop", [("a", "3", interrupted)])
        assert names(index) == ["shop/a", "shop/b"]
        with pytest.raises(ValueError):
            index.sync("shop", [("only two", "1")])  # type: ignore[list-item]


def test_a_function_may_use_the_variables_of_the_loop_that_lists_it(tmp_path: Path) -> None:
    def notes() -> Iterator[Any]:
        for number in range(300):
            yield str(number), "1", lambda: {"text": f"This is note {number}."}

    with okno.Index.create(tmp_path / "sync.okno") as index:
        assert index.sync("notes", notes()).added == 300
        assert index.get("notes/7").text == "This is note 7." and index.get("notes/299").text == "This is note 299."


def test_sources_do_not_touch_one_another_nor_what_was_added(tmp_path: Path) -> None:
    with okno.Index.create(tmp_path / "sync.okno") as index:
        index.add([{"id": "shop/x", "text": "It was added by hand.", "metadata": {"source": "shop"}}])
        index.sync("shop", [("a", "1", lambda: {"text": "Apples."}), ("a", "1", lambda: {"text": "Twice."})])
        index.sync("garden", [("a", "1", lambda: {"text": "Apples on trees."})])
        assert counts(index.sync("shop", [])) == (0, 0, 1, 0)
        assert names(index) == ["garden/a", "shop/x"]
        # Bringing files up to date leaves sources alone.
        index.index()
        assert names(index) == ["garden/a", "shop/x"]
