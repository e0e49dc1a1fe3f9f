"""What the suites do not ask."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import okno
import pytest
from langchain_core.documents import Document

from langchain_okno import OknoRetriever, OknoVectorStore


def test_a_passage_has_its_place(tmp_path: Path) -> None:
    with okno.Index.create(tmp_path / "a.okno") as index:
        index.add([{"id": "tea", "text": "# Tea\n\nBlack tea needs boiling water.", "metadata": {"kind": "drink"}}])
        (document,) = OknoRetriever(index=index, budget=100).invoke("What does black tea need?")
        place, text = document.metadata["okno"], index.get("tea").text
        assert text is not None and text[place["start"] : place["end"]] == document.page_content
        assert (document.metadata["kind"], place["document"]) == ("drink", "tea")
        assert OknoRetriever(index=index, filter="kind = food").invoke("black tea") == []


def test_a_store_filters_and_says_how_relevant(tmp_path: Path) -> None:
    texts = ["Black tea needs boiling water.", "Leek soup wants butter."]
    store = OknoVectorStore.from_texts(texts, metadatas=[{"kind": "drink"}, {"kind": "food"}], path=tmp_path / "s")
    assert [d.page_content for d in store.similarity_search("tea", k=2, filter="kind = food")] == texts[1:]
    (best, relevance), (_, other) = store.similarity_search_with_relevance_scores("What does black tea need?", k=2)
    assert best.page_content == texts[0] and 1 >= relevance > other >= 0
    assert store.as_retriever(search_kwargs={"k": 1}).invoke("soup")[0].page_content == texts[1]


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parent.parent / "examples" / "answer.py"), run_name="__main__")
    assert "Boiling water [1]." in capsys.readouterr().out


def test_the_three_lines_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    after = readme.split("```python\n")[2].split("```")[0]
    about = {"source": "tea.md", "title": "Tea", "year": 2024}
    names: dict[str, Any] = {"documents": [Document("Black tea needs boiling water.", metadata=about)]}
    exec(after, names)
    (found,) = names["retriever"].invoke("What does black tea need?")
    assert found.page_content == "Black tea needs boiling water." and found.metadata["year"] == 2024
    assert found.metadata["okno"]["document"] == "tea.md"
