from __future__ import annotations

import asyncio
import runpy
from pathlib import Path
from typing import Any

import okno
import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import Document

from llama_index.retrievers.okno import OknoNodeParser, OknoRetriever


def test_class() -> None:
    assert BaseRetriever.__name__ in [base.__name__ for base in OknoRetriever.__mro__]
    assert NodeParser.__name__ in [base.__name__ for base in OknoNodeParser.__mro__]


def test_nodes_are_exact_spans(tmp_path: Path) -> None:
    with okno.Index.create(tmp_path / "a.okno") as index:
        index.add(
            [
                {"id": "tea", "text": "# 茶\n\nBlack tea needs boiling water.", "metadata": {"kind": "drink"}},
                {"id": "soup", "text": "Leek soup wants butter.", "metadata": {"kind": "food"}},
            ]
        )
        retriever = OknoRetriever(index, budget=100, similarity_top_k=1)
        for nodes in [
            retriever.retrieve("What does black tea need?"),
            asyncio.run(retriever.aretrieve("What does black tea need?")),
        ]:
            (found,) = nodes
            text = index.get("tea").text
            assert text is not None
            assert text[found.node.start_char_idx : found.node.end_char_idx] == found.text  # type: ignore[attr-defined]
            assert found.score is not None and 0 <= found.score <= 1
            assert found.metadata["kind"] == "drink" and found.metadata["okno"]["document"] == "tea"
        food = OknoRetriever(index, filter="kind = food").retrieve("black tea")
        assert all(node.metadata["kind"] == "food" for node in food)


def test_a_node_parser(tmp_path: Path) -> None:
    text = "茶很热。好喝。 It is white. " * 20
    nodes = OknoNodeParser("chunk:100c/0c").get_nodes_from_documents([Document(text=text)])
    assert len(nodes) > 2 and all(node.get_content() in text for node in nodes)
    assert OknoNodeParser("sentence").to_dict()["splitter"] == "sentence"


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parent.parent / "examples" / "answer.py"), run_name="__main__")
    assert "[1] tea.md" in capsys.readouterr().out


def test_the_three_lines_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    after = readme.split("```python\n")[2].split("```")[0]
    document = Document(id_="tea.md", text="Black tea needs boiling water.", metadata={"title": "Tea", "year": 2024})
    names: dict[str, Any] = {"documents": [document]}
    exec(after, names)
    (found,) = names["retriever"].retrieve("What does black tea need?")
    assert found.text == "Black tea needs boiling water." and found.metadata["year"] == 2024
    assert found.metadata["okno"]["document"] == "tea.md"
