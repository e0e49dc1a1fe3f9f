"""A retriever over an index of Okno."""

from haystack_integrations.components.retrievers.okno.retriever import OknoRetriever

__all__ = ["OknoRetriever"]
