"""A query engine that answers with citations, offline: the model is scripted."""

from __future__ import annotations

import tempfile
from pathlib import Path

import okno
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer

from llama_index.retrievers.okno import OknoRetriever


def main() -> None:
    with okno.Index.create(Path(tempfile.mkdtemp()) / "notes.okno") as index:
        index.add(
            [
                {"id": "tea.md", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."},
                {"id": "soup.md", "text": "Leek soup wants patience and butter."},
            ]
        )
        retriever = OknoRetriever(index, budget=200, similarity_top_k=1)
        engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM()))
        answer = engine.query("What does black tea need?")
        print(answer)
        for number, found in enumerate(answer.source_nodes, 1):
            print(f"[{number}] {found.metadata['okno']['document']}: {found.text}")


if __name__ == "__main__":
    main()
