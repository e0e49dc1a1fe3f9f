"""The framework's own suites."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import okno
import pytest
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

from langchain_okno import OknoRetriever, OknoVectorStore

NOTES = {
    "green": "Green tea is brewed at 80 °C.",
    "black": "Black tea needs boiling water.",
    "white": "White tea is picked before the leaves open.",
    "oolong": "Oolong tea is half oxidised.",
    "soup": "Leek soup wants patience and butter.",
}


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[OknoRetriever]:
        return OknoRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        index = okno.Index.create(Path(tempfile.mkdtemp()) / "notes.okno")
        index.add({"id": name, "text": text} for name, text in NOTES.items())
        return {"index": index}

    @property
    def retriever_query_example(self) -> str:
        return "How is tea made?"


class TestVectorStore(VectorStoreIntegrationTests):
    """With the model of Okno."""

    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[VectorStore]:
        store = OknoVectorStore(tmp_path / "store.okno")
        yield store
        store.index.close()


class TestVectorStoreWithEmbeddings(VectorStoreIntegrationTests):
    """With embeddings of LangChain."""

    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[VectorStore]:
        store = OknoVectorStore(tmp_path / "store.okno", self.get_embeddings())
        yield store
        store.index.close()
