"""A retriever over an index, and a node parser over the splitters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import okno
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.node_parser import TextSplitter
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class OknoRetriever(BaseRetriever):
    """Searches an index and returns passages with their places.

    Without ``similarity_top_k`` the budget alone decides how many passages there are.
    """

    def __init__(
        self,
        index: okno.Index,
        *,
        similarity_top_k: Optional[int] = None,
        budget: Optional[int] = None,
        recipe: Optional[str] = None,
        filter: Union[str, dict[str, Any], None] = None,
        callback_manager: Optional[CallbackManager] = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._index = index
        self._most = similarity_top_k
        self._options = {"budget": budget, "recipe": recipe, "filter": filter}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answer = self._index.search(query_bundle.query_str, **self._options)
        return [_node(context) for context in answer.contexts[: self._most]]


def _node(context: okno.Context) -> NodeWithScore:
    place = {
        "document": context.document,
        "headings": list(context.headings),
        "lines": list(context.lines),
        "page": context.page,
    }
    node = TextNode(
        id_=f"{context.document}:{context.start}-{context.end}",
        text=context.text,
        start_char_idx=context.start,
        end_char_idx=context.end,
        metadata={**context.metadata, "okno": place},
        excluded_embed_metadata_keys=["okno"],
        excluded_llm_metadata_keys=["okno"],
    )
    return NodeWithScore(node=node, score=context.relevance)


class OknoNodeParser(TextSplitter):
    """Cuts documents into exact spans, as ``sentence``, ``chunk:400c/200c`` or ``recursive:3000c/300c``."""

    splitter: str = "chunk:400c/200c"

    def __init__(self, splitter: str = "chunk:400c/200c", **options: Any) -> None:
        super().__init__(splitter=splitter, **options)

    @classmethod
    def class_name(cls) -> str:
        return "OknoNodeParser"

    def split_text(self, text: str) -> list[str]:
        return [piece.text for piece in okno.split(text, self.splitter)]

    def split_texts(self, texts: Sequence[str]) -> list[str]:
        return [piece for text in texts for piece in self.split_text(text)]
