"""A chain that answers with citations, offline: the model is scripted."""

from __future__ import annotations

import tempfile
from pathlib import Path

import okno
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from langchain_okno import OknoRetriever

PROMPT = ChatPromptTemplate.from_template("Answer from these passages and cite them.\n\n{context}\n\n{question}")


def numbered(documents: list[Document]) -> str:
    return "\n".join(f"[{number}] {document.page_content}" for number, document in enumerate(documents, 1))


def main() -> None:
    with okno.Index.create(Path(tempfile.mkdtemp()) / "notes.okno") as index:
        index.add(
            [
                {"id": "tea.md", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."},
                {"id": "soup.md", "text": "Leek soup wants patience and butter."},
            ]
        )
        retriever = OknoRetriever(index=index, budget=200, k=1)
        model = FakeListChatModel(responses=["Boiling water [1]."])
        chain = {"context": retriever | numbered, "question": RunnablePassthrough()} | PROMPT | model | StrOutputParser()
        question = "What does black tea need?"
        print(chain.invoke(question))
        for number, document in enumerate(retriever.invoke(question), 1):
            place = document.metadata["okno"]
            print(f"[{number}] {place['document']} {place['start']}–{place['end']}: {document.page_content}")


if __name__ == "__main__":
    main()
