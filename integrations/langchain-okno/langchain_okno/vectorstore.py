"""A vector store: texts by id, whole texts returned."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

import okno
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

#: More tokens than any number of texts that a caller asks for.
_NO_LIMIT = 100_000_000

#: True for every text. With a filter, texts that share nothing with the question are ranked too, as in other stores.
_EVERY_TEXT = {"doc_id": {"exists": True}}


class OknoVectorStore(VectorStore):
    """Texts in an index of Okno, found by words and by meaning.

    Args:
        path: The folder of the index; an empty one is made where there is none.
        embedding: Makes the vectors, in place of Okno's own model. An index opens only with the embedding that made
            it, which is known by ``embedding_name``.
    """

    def __init__(
        self,
        path: Union[str, "os.PathLike[str]"],
        embedding: Optional[Embeddings] = None,
        *,
        embedding_name: Optional[str] = None,
    ) -> None:
        self._embedding = embedding
        embedder = None if embedding is None else _embedder(embedding, embedding_name)
        self.index = okno.Index.create(path, embedder=embedder)

    @property
    def embeddings(self) -> Optional[Embeddings]:
        """The embedding that was given."""
        return self._embedding

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Optional[list[dict[str, Any]]] = None,
        *,
        ids: Optional[Sequence[Optional[str]]] = None,
        **options: Any,
    ) -> list[str]:
        """Adds texts; one of the same id is replaced. Metadata that are not typed values are left out."""
        given = list(texts)
        names = [name or str(uuid.uuid4()) for name in (ids or [None] * len(given))]
        about = metadatas or [{} for _ in given]
        if not len(given) == len(names) == len(about):
            raise ValueError("texts, metadatas and ids differ in number")
        self.index.add(
            {"id": name, "text": text, "metadata": metadata} for name, text, metadata in zip(names, given, about)
        )
        return names

    def delete(self, ids: Optional[list[str]] = None, **options: Any) -> Optional[bool]:
        """Deletes texts by id; all of them without ids. An id that is not there is no error."""
        self.index.delete([document.id for document in self.index.documents()] if ids is None else ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The texts of these ids, in their order; those that are not there are left out."""
        found = []
        for name in ids:
            try:
                document = self.index.get(name)
            except okno.NotFound:
                continue
            found.append(Document(id=name, page_content=document.text or "", metadata=dict(document.metadata)))
        return found

    def similarity_search(self, query: str, k: int = 4, **options: Any) -> list[Document]:
        """The texts that are most like a question, best first."""
        return [document for document, _ in self._ranked(query, k, **options)]

    def similarity_search_with_score(self, query: str, k: int = 4, **options: Any) -> list[tuple[Document, float]]:
        """The same with the relevance of each, from 0 to 1."""
        return self._ranked(query, k, **options)

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **options: Any
    ) -> list[tuple[Document, float]]:
        return self._ranked(query, k, **options)

    def _ranked(
        self, query: str, k: int, filter: Union[str, dict[str, Any], None] = None, **options: Any
    ) -> list[tuple[Document, float]]:
        if not query.strip() or k < 1 or not len(self.index):
            return []
        answer = self.index.search(
            query,
            recipe="window",
            expand="document",
            k=k,
            budget=_NO_LIMIT,
            filter=filter or _EVERY_TEXT,
            auto_filter=False,
        )
        return [
            (Document(id=c.document, page_content=c.text, metadata=dict(c.metadata)), c.relevance)
            for c in answer.contexts[:k]
        ]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Optional[Embeddings] = None,
        metadatas: Optional[list[dict[str, Any]]] = None,
        *,
        ids: Optional[list[str]] = None,
        path: Union[str, "os.PathLike[str]"] = ".okno",
        embedding_name: Optional[str] = None,
        **options: Any,
    ) -> OknoVectorStore:
        """A store in the folder ``path`` with these texts."""
        store = cls(path, embedding, embedding_name=embedding_name)
        store.add_texts(texts, metadatas, ids=ids)
        return store


def _embedder(embedding: Embeddings, name: Optional[str]) -> okno.Embedder:
    def embed(texts: list[str], role: str) -> list[list[float]]:
        if role == "query":
            return [embedding.embed_query(text) for text in texts]
        return embedding.embed_documents(texts)

    model = name or getattr(embedding, "model", None) or type(embedding).__name__
    return okno.Embedder(embed, dimensions=len(embedding.embed_query("dimensions")), name=f"langchain/{model}")
