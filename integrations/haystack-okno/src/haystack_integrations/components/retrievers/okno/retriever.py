"""A retriever over an index of Okno."""

from __future__ import annotations

import os
from typing import Any, Optional
from weakref import WeakValueDictionary

import okno
from haystack import Document, component, default_from_dict, default_to_dict

#: The indexes that components of this process hold: one index is opened once and shared.
_OPEN: WeakValueDictionary[str, okno.Index] = WeakValueDictionary()


@component
class OknoRetriever:
    """Searches an index and returns passages with their places.

    Without ``top_k`` the budget alone decides how many passages there are. ``filters`` are those of Okno:
    ``{"kind": "drink", "year": {">=": 2023}}``.
    """

    def __init__(
        self,
        path: str,
        top_k: Optional[int] = None,
        budget: Optional[int] = None,
        recipe: Optional[str] = None,
        filters: Optional[dict[str, Any]] = None,
    ) -> None:
        self.path = path
        self.top_k = top_k
        self.budget = budget
        self.recipe = recipe
        self.filters = filters
        self._index: Optional[okno.Index] = None

    def warm_up(self) -> None:
        """Opens the index, or shares the one that another component has open."""
        if self._index is None:
            whole = os.path.realpath(self.path)
            held = _OPEN.get(whole)
            self._index = okno.Index.open(whole) if held is None else held
            _OPEN[whole] = self._index

    def to_dict(self) -> dict[str, Any]:
        """The component as a dict."""
        return default_to_dict(
            self, path=self.path, top_k=self.top_k, budget=self.budget, recipe=self.recipe, filters=self.filters
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OknoRetriever:
        """The component that a dict describes."""
        retriever: OknoRetriever = default_from_dict(cls, data)
        return retriever

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: Optional[int] = None, filters: Optional[dict[str, Any]] = None
    ) -> dict[str, list[Document]]:
        """Finds the passages that answer a question."""
        self.warm_up()
        assert self._index is not None
        answer = self._index.search(query, budget=self.budget, recipe=self.recipe, filter=filters or self.filters)
        most = top_k if top_k is not None else self.top_k
        return {"documents": [_document(context) for context in answer.contexts[:most]]}


def _document(context: okno.Context) -> Document:
    place = {
        "document": context.document,
        "start": context.start,
        "end": context.end,
        "headings": list(context.headings),
        "lines": list(context.lines),
        "page": context.page,
    }
    return Document(
        id=f"{context.document}:{context.start}-{context.end}",
        content=context.text,
        meta={**context.metadata, "okno": place},
        score=context.relevance,
    )
