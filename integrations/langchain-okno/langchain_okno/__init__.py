"""Okno as a retriever and vector store of LangChain."""

from langchain_okno.retriever import OknoRetriever
from langchain_okno.vectorstore import OknoVectorStore

__all__ = ["OknoRetriever", "OknoVectorStore"]
