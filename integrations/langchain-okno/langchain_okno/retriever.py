"""A retriever that returns passages within a token budget."""

from __future__ import annotations

from typing import Any, Optional, Union

import okno
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict


class OknoRetriever(BaseRetriever):
    """Searches an index and returns passages with their places.

    Without ``k`` the budget alone decides how many passages there are.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: okno.Index
    k: Optional[int] = None
    budget: Optional[int] = None
    recipe: Optional[str] = None
    filter: Union[str, dict[str, Any], None] = None
    min_relevance: Optional[float] = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        names = ("k", "budget", "recipe", "filter", "min_relevance")
        chosen = {name: options.get(name, getattr(self, name)) for name in names}
        most = chosen.pop("k")
        answer = self.index.search(query, **chosen)
        return [passage(context) for context in answer.contexts[:most]]


def passage(context: okno.Context) -> Document:
    """A passage as a document of LangChain."""
    place = {
        "document": context.document,
        "start": context.start,
        "end": context.end,
        "lines": list(context.lines),
        "page": context.page,
        "headings": list(context.headings),
        "score": context.score,
        "relevance": context.relevance,
    }
    name = f"{context.document}:{context.start}-{context.end}"
    return Document(id=name, page_content=context.text, metadata={**context.metadata, "okno": place})
