"""A pipeline that answers with citations, offline: the model is scripted."""

from __future__ import annotations

import tempfile
from pathlib import Path

import okno
from haystack import Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack_integrations.components.retrievers.okno import OknoRetriever

PROMPT = """Answer from these passages and cite them.
{% for document in documents %}[{{ loop.index }}] {{ document.content }}
{% endfor %}
{{ question }}"""


@component
class ScriptedModel:
    """Answers always the same."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        return {"replies": ["Boiling water [1]."]}


def main() -> None:
    path = Path(tempfile.mkdtemp()) / "notes.okno"
    with okno.Index.create(path) as index:
        index.add(
            [
                {"id": "tea.md", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."},
                {"id": "soup.md", "text": "Leek soup wants patience and butter."},
            ]
        )
    pipeline = Pipeline()
    pipeline.add_component("retriever", OknoRetriever(str(path), top_k=1, budget=200))
    pipeline.add_component("prompt", PromptBuilder(PROMPT, required_variables="*"))
    pipeline.add_component("model", ScriptedModel())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "model.prompt")
    question = "What does black tea need?"
    asked = {"retriever": {"query": question}, "prompt": {"question": question}}
    answer = pipeline.run(asked, include_outputs_from={"retriever"})
    print(answer["model"]["replies"][0])
    for number, document in enumerate(answer["retriever"]["documents"], 1):
        print(f"[{number}] {document.meta['okno']['document']}: {document.content}")


if __name__ == "__main__":
    main()
