from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import okno
import pytest
from haystack import Document, Pipeline
from haystack_integrations.components.preprocessors.okno import OknoSplitter
from haystack_integrations.components.retrievers.okno import OknoRetriever


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "a.okno"
    with okno.Index.create(path) as index:
        index.add(
            [
                {"id": "tea", "text": "# 茶\n\nBlack tea needs boiling water.", "metadata": {"kind": "drink"}},
                {"id": "soup", "text": "Leek soup wants butter.", "metadata": {"kind": "food"}},
            ]
        )
    return str(path)


def test_a_pipeline_with_the_retriever(path: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("retriever", OknoRetriever(path, top_k=1, budget=100))
    # What every component must be able to do: be written down and read again.
    pipeline = Pipeline.loads(pipeline.dumps())
    (found,) = pipeline.run({"retriever": {"query": "What does black tea need?"}})["retriever"]["documents"]
    place = found.meta["okno"]
    text = "# 茶\n\nBlack tea needs boiling water."
    assert text[place["start"] : place["end"]] == found.content
    assert found.meta["kind"] == "drink" and 0 <= found.score <= 1
    # A second component shares the index that the first has open.
    filtered = OknoRetriever(path).run("black tea", filters={"kind": "food"})["documents"]
    assert all(document.meta["kind"] == "food" for document in filtered)


def test_the_splitter_gives_exact_spans() -> None:
    pipeline = Pipeline()
    pipeline.add_component("splitter", OknoSplitter("sentence"))
    pipeline = Pipeline.loads(pipeline.dumps())
    document = Document(content="茶很热。 It is white.", meta={"kind": "drink"})
    pieces = pipeline.run({"splitter": {"documents": [document]}})["splitter"]["documents"]
    assert [piece.content for piece in pieces] == ["茶很热。", "It is white."]
    for piece in pieces:
        start = piece.meta["split_idx_start"]
        assert document.content is not None and document.content[start:].startswith(piece.content)
        assert (piece.meta["source_id"], piece.meta["kind"]) == (document.id, "drink")
    with pytest.raises(okno.InvalidRequest):
        OknoSplitter("none")


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parent.parent / "examples" / "answer.py"), run_name="__main__")
    assert "[1] tea.md" in capsys.readouterr().out


def test_the_three_lines_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    after = readme.split("```python\n")[2].split("```")[0]
    document = Document(id="tea.md", content="Black tea needs boiling water.", meta={"title": "Tea", "year": 2024})
    names: dict[str, Any] = {"documents": [document], "pipeline": Pipeline()}
    exec(after, names)
    (found,) = names["pipeline"].run({"retriever": {"query": "What does black tea need?"}})["retriever"]["documents"]
    assert found.content == "Black tea needs boiling water." and found.meta["year"] == 2024
    assert found.meta["okno"]["document"] == "tea.md"
