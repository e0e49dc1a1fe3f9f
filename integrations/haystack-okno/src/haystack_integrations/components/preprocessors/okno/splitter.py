"""A document splitter over the splitters of Okno."""

from __future__ import annotations

import okno
from haystack import Document, component


@component
class OknoSplitter:
    """Cuts documents into exact spans, as ``sentence``, ``chunk:400c/200c`` or ``recursive:3000c/300c``."""

    def __init__(self, splitter: str = "chunk:400c/200c") -> None:
        okno.split("", splitter)
        self.splitter = splitter

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """The pieces of all documents, in order, each with ``source_id``, ``split_id`` and ``split_idx_start``."""
        return {"documents": [piece for document in documents for piece in self._pieces(document)]}

    def _pieces(self, document: Document) -> list[Document]:
        if document.content is None:
            raise ValueError(f"document {document.id} has no text")
        pieces = okno.split(document.content, self.splitter)
        about = [{"source_id": document.id, "split_id": n, "split_idx_start": p.start} for n, p in enumerate(pieces)]
        return [
            Document(content=piece.text, meta={**document.meta, **place}) for piece, place in zip(pieces, about)
        ]
