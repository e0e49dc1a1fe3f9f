"""An index: made, opened, filled, searched."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Union

from . import _okno
from ._results import Answer, Document, Evaluation, IndexReport, Reply, Stats

__all__ = ["Embedder", "Index"]

#: A file or folder: text, or a :class:`pathlib.Path`.
Path = Union[str, "os.PathLike[str]"]

#: A language model: messages with ``role`` and ``content`` in, a text or the parts of one out.
LanguageModel = Callable[["list[dict[str, str]]"], "str | Iterable[str]"]

#: A reranker: a question and passages in, one score for each passage out.
Reranker = Callable[[str, "list[str]"], "Sequence[float]"]

#: A document of a source: its id, a version that changes whenever it does, and a function that reads it: what
#: :meth:`Index.add` takes, without ``id``, or ``None`` for something that holds no text.
SourceItem = Tuple[str, str, Callable[[], Optional[Mapping[str, Any]]]]


@dataclass(frozen=True)
class Embedder:
    """A callable as an embedder: texts and ``"query"`` or ``"passage"`` in, one vector for each text out.

    The same text must give the same vector, always. An index remembers the name, and opens only with it.

    >>> def letters(texts, role):
    ...     return [[float(text.count(letter)) for letter in "abcdefgh"] for text in texts]
    >>> embedder = okno.Embedder(letters, dimensions=8, name="letters")
    """

    call: Callable[[list[str], str], Any]
    dimensions: int
    name: str


class Index:
    """An index in a folder. Threads may share one; Rust works with the interpreter's lock released.

    >>> with okno.Index.create(folder / "notes.okno") as index:
    ...     report = index.add([{"id": "tea", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."}])
    ...     best = index.search("How hot should water for black tea be?")[0]
    >>> report.added, best.document, best.text[best.text.index("Black"):]
    (1, 'tea', 'Black tea needs boiling water.')
    """

    def __init__(self, engine: _okno.Engine) -> None:
        """Use :meth:`create` or :meth:`open`."""
        self._engine = engine

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        embedder: Embedder | None = None,
        model: LanguageModel | None = None,
        reranker: Reranker | None = None,
    ) -> Index:
        """Opens the index in a folder, or makes an empty one there."""
        return cls(_engine(path, True, embedder, model, reranker))

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        embedder: Embedder | None = None,
        model: LanguageModel | None = None,
        reranker: Reranker | None = None,
    ) -> Index:
        """Opens the index in a folder.

        >>> okno.Index.open(folder / "nothing-here")
        Traceback (most recent call last):
        ...
        okno._errors.NotFound: no index at `...`
        """
        return cls(_engine(path, False, embedder, model, reranker))

    def close(self) -> None:
        """Lets go of the index; later calls raise :class:`okno.InvalidRequest`."""
        self._engine.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def index(
        self,
        paths: Path | Iterable[Path] = (),
        *,
        recipe: str | None = None,
        jsonl_fields: str | None = None,
        max_file_size: int | None = None,
    ) -> IndexReport:
        """Brings the index up to date with files and folders; with none, with all that were indexed before.

        Only what changed is read. Ctrl-C stops it after the next commit; what was committed stays.

        >>> _ = (folder / "coffee.md").write_text("# Coffee\\n\\nCoffee is ground just before it is brewed.")
        >>> with okno.Index.create(folder / "files.okno") as index:
        ...     index.index(folder / "coffee.md").added
        1
        """
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        return IndexReport._of(json.loads(self._engine.index(given, recipe, jsonl_fields, max_file_size)))

    def add(self, documents: Iterable[Mapping[str, Any]]) -> IndexReport:
        """Adds documents that are not files: mappings with ``id``, ``text``, ``title``, ``metadata``.

        A document of the same id is replaced. The text is read as Markdown. Metadata are texts, numbers,
        truth values, dates (``2024-05-01``) and lists of them; anything else is left out.

        >>> with okno.Index.create(folder / "added.okno") as index:
        ...     _ = index.add([{"id": "a", "text": "First."}, {"id": "b", "text": "Second."}])
        ...     index.add([{"id": "a", "text": "Changed."}]).changed, index.delete(["a", "none"])
        (1, 1)
        """
        lines = (json.dumps(dict(document), ensure_ascii=False, default=str) for document in documents)
        return IndexReport._of(json.loads(self._engine.add(lines)))

    def sync(self, name: str, source: Iterable[SourceItem]) -> IndexReport:
        """Brings the documents of a source up to date: those that are new or have another version are read.

        The source gives ``(id, version, load)`` for everything it holds; what it does not name any more is
        removed, as are documents whose ``load`` returns ``None``. Where ``load`` raises, the report's ``skipped``
        says so and what is indexed stays; where the source itself raises, nothing is removed. Ids begin with
        ``name/``; metadata has the name as ``source`` and the ``version``.

        >>> texts = {"tea": "Tea is hot.", "ice": "Ice is cold."}
        >>> def source():
        ...     for id, text in texts.items():
        ...         yield id, text, lambda text=text: {"text": text}
        >>> with okno.Index.create(folder / "synced.okno") as index:
        ...     first = index.sync("fridge", source())
        ...     texts = {"tea": "Tea is cold now."}
        ...     second = index.sync("fridge", source())
        >>> (first.added, first.unchanged), (second.changed, second.removed)
        ((2, 0), (1, 1))
        """
        return IndexReport._of(json.loads(self._engine.sync(name, _listed(name, source))))

    def delete(self, ids: Iterable[str]) -> int:
        """Deletes documents that were added by these ids; returns how many there were."""
        return self._engine.delete(list(ids))

    def remove(self, names: Iterable[str]) -> int:
        """Takes out documents by name, those of files too, which stay out until they change."""
        return self._engine.remove(list(names))

    def search(
        self,
        question: str,
        *,
        budget: int | None = None,
        recipe: str | None = None,
        filter: str | Mapping[str, Any] | None = None,
        k: int | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        **options: Any,
    ) -> Answer:
        """Finds the passages that answer a question, within a budget of tokens.

        ``filter`` is text (``kind = drink and year >= 2023``) or JSON. Other options are those of the HTTP
        API: ``expand``, ``window``, ``legs``, ``unit``, ``diversity``, ``order``, ``auto_filter``, ``route`` …
        """
        request = _request(question, budget, recipe, filter, k, min_relevance, options)
        if explain:
            request["explain"] = True
        return Answer._found(self._engine.search(json.dumps(request)))

    def ask(
        self,
        question: str,
        *,
        budget: int | None = None,
        recipe: str | None = None,
        filter: str | Mapping[str, Any] | None = None,
        on_text: Callable[[str], object] | None = None,
        **options: Any,
    ) -> Reply:
        """Answers in words, with citations. Without a ``model`` the best passages are the answer.

        ``on_text`` gets each piece of text as soon as it is checked.

        >>> def model(messages):
        ...     return "Boiling water [1]."
        >>> with okno.Index.create(folder / "asked.okno", model=model) as index:
        ...     _ = index.add([{"id": "tea", "text": "Black tea needs boiling water."}])
        ...     reply = index.ask("What does black tea need?")
        >>> reply.text, reply.citations[0].text
        ('Boiling water [1].', 'Black tea needs boiling water.')
        """
        request = _request(question, budget, recipe, filter, None, None, options)
        return Reply._of(json.loads(self._engine.ask(json.dumps(request), on_text)))

    def evaluate(
        self, questions: Path, *, recipes: Sequence[str] = ("auto",), budgets: Sequence[int] = (500,)
    ) -> Evaluation:
        """Measures recipes on a file of questions with known answers (JSON lines, CSV, TSV)."""
        return Evaluation._of(json.loads(self._engine.evaluate(questions, list(recipes), list(budgets))))

    def stats(self) -> Stats:
        """What the index holds."""
        return Stats._of(json.loads(self._engine.stats()))

    def documents(self) -> Iterator[Document]:
        """All documents, without their texts."""
        return (Document._of(json.loads(document)) for document in self._engine.documents())

    def get(self, name: str) -> Document:
        """A document with its text, by id or path; :class:`okno.NotFound` if there is none."""
        return Document._of(json.loads(self._engine.document(name)))

    def __len__(self) -> int:
        return self.stats().documents


def _engine(
    path: Path,
    create: bool,
    embedder: Embedder | None,
    model: LanguageModel | None,
    reranker: Reranker | None,
) -> _okno.Engine:
    given = None if embedder is None else (embedder.name, embedder.dimensions, embedder.call)
    return _okno.Engine(path, create, given, _named(model), _named(reranker))


def _listed(name: str, source: Iterable[SourceItem]) -> Iterator[tuple[str, str, Callable[[], str | None]]]:
    """The documents of a source as the extension module takes them."""
    for own, version, load in source:
        id = f"{name}/{own}"

        def read(id: str = id, version: Any = version, load: Any = load) -> str | None:
            document = load()
            if document is None:
                return None
            metadata = {**document.get("metadata", {}), "source": name, "version": version}
            return json.dumps({**document, "id": id, "metadata": metadata}, ensure_ascii=False, default=str)

        yield id, str(version), read


def _named(call: Any) -> Any:
    return None if call is None else (getattr(call, "__name__", type(call).__name__), call)


def _request(
    question: str,
    budget: int | None,
    recipe: str | None,
    filter: str | Mapping[str, Any] | None,
    k: int | None,
    min_relevance: float | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    request: dict[str, Any] = {"question": question}
    chosen = {"budget": budget, "recipe": recipe, "filter": filter, "k": k, "min_relevance": min_relevance}
    request.update((name, value) for name, value in chosen.items() if value is not None)
    request.update(options)
    return request
