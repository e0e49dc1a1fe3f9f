"""Okno as a retriever and node parser of LlamaIndex."""

from llama_index.retrievers.okno.base import OknoNodeParser, OknoRetriever

__all__ = ["OknoNodeParser", "OknoRetriever"]
