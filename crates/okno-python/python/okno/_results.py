"""Results: what a search, an answer and a run of indexing return. Offsets are code points, end exclusive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from . import _okno

__all__ = ["Answer", "Citation", "Context", "Document", "Evaluation", "IndexReport", "Piece", "Reply", "Stats"]

Json = dict[str, Any]


class _Result:
    """What every result has: the JSON that it was made of."""

    _json: Json

    def to_dict(self) -> Json:
        """The result as a dict, the same as the JSON of the command line and of HTTP."""
        return dict(self._json)

    def to_json(self) -> str:
        """The result as a JSON text."""
        return json.dumps(self._json, ensure_ascii=False)


class _Lazy(_Result):
    """A result of a search, made when it is looked at: values that were not asked for stay in Rust.

    ``_make`` makes the values of a field, and of those that come with it, when the field is first read.
    """

    _make: Callable[[str], Json]

    @classmethod
    def _later(cls, make: Callable[[str], Json], **known: Any) -> Any:
        result = object.__new__(cls)
        result.__dict__.update(known, _make=make)
        return result

    if not TYPE_CHECKING:  # else any name would pass for a field

        def __getattr__(self, name: str) -> Any:
            # Asked only for what is not there yet.
            if name not in self.__dataclass_fields__ or "_make" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.__dict__.update(self._make(name))
            return self.__dict__[name]

        def __reduce__(self) -> Any:
            # Copies and pickles hold all values.
            return type(self), tuple(getattr(self, name) for name in self.__dataclass_fields__)


@dataclass(frozen=True)
class Context(_Lazy):
    """A passage: an exact span of one document.

    ``text`` is the document's text from ``start`` to ``end``. ``score`` is comparable within one answer,
    ``relevance`` (0 to 1) everywhere.
    """

    text: str
    document: str
    start: int
    end: int
    score: float
    relevance: float
    title: str
    headings: tuple[str, ...]
    page: int | None
    lines: tuple[int, int]
    tokens: int
    metadata: Mapping[str, Any]
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Context:
        return Context(
            json["text"],
            json["doc_id"],
            json["start"],
            json["end"],
            json["score"],
            json["relevance"],
            json["title"],
            tuple(json["headings"]),
            json.get("page"),
            (json["lines"][0], json["lines"][1]),
            json["tokens"],
            json["metadata"],
            json,
        )

    @staticmethod
    def _found(found: _okno.Found, position: int, values: tuple[Any, ...]) -> Context:
        def make(name: str) -> Json:
            return {"_json": json.loads(found.context_json(position))}

        context: Context = Context._later(make, **dict(zip(_CONTEXT_FIELDS, values)))
        return context


#: The order in which Rust gives the values of a context.
_CONTEXT_FIELDS = tuple(name for name in Context.__dataclass_fields__ if name != "_json")


@dataclass(frozen=True)
class Answer(_Lazy):
    """What a search found; iterate over it for the contexts, best first."""

    question: str
    contexts: tuple[Context, ...]
    tokens: int
    relevance: float
    nothing_relevant: bool
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Answer:
        contexts = tuple(map(Context._of, json["contexts"]))
        return Answer(
            json["question"], contexts, json["tokens"], json["relevance"], json["nothing_relevant"], json
        )

    @staticmethod
    def _found(found: _okno.Found) -> Answer:
        def make(name: str) -> Json:
            if name == "contexts":
                rows = enumerate(found.contexts())
                return {name: tuple(Context._found(found, position, values) for position, values in rows)}
            if name == "_json":
                return {name: json.loads(found.json())}
            return dict(zip(("question", "tokens", "relevance", "nothing_relevant"), found.head()))

        answer: Answer = Answer._later(make)
        return answer

    def __iter__(self) -> Iterator[Context]:
        return iter(self.contexts)

    def __len__(self) -> int:
        return len(self.contexts)

    def __getitem__(self, at: int) -> Context:
        return self.contexts[at]


@dataclass(frozen=True)
class Citation(_Result):
    """The place that supports a statement of a reply; ``number`` is that of its context, from 1."""

    number: int
    document: str
    start: int
    end: int
    text: str
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Citation:
        return Citation(json["number"], json["doc_id"], json["start"], json["end"], json["text"], json)


@dataclass(frozen=True)
class Reply(_Result):
    """An answer in words with its citations; ``found`` says whether the documents hold an answer."""

    text: str
    citations: tuple[Citation, ...]
    found: bool
    model: str | None
    contexts: tuple[Context, ...]
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Reply:
        return Reply(
            json["answer"],
            tuple(map(Citation._of, json["citations"])),
            json["found"],
            json.get("model"),
            tuple(map(Context._of, json["contexts"])),
            json,
        )

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class IndexReport(_Result):
    """What indexing or adding did; ``skipped`` holds what could not be read, each with place, code and reason."""

    added: int
    changed: int
    removed: int
    unchanged: int
    sentences: int
    skipped: tuple[Mapping[str, str], ...]
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> IndexReport:
        return IndexReport(
            json["added"],
            json["changed"],
            json["removed"],
            json["unchanged"],
            json["sentences"],
            tuple(json["skipped"]),
            json,
        )


@dataclass(frozen=True)
class Document(_Result):
    """A document. ``text`` is ``None`` in a list of documents."""

    id: str
    title: str
    language: str | None
    metadata: Mapping[str, Any]
    text: str | None
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Document:
        name = json["doc_id"] if "doc_id" in json else json["id"]
        return Document(name, json["title"], json["language"], json["metadata"], json.get("text"), json)


@dataclass(frozen=True)
class Piece:
    """A span that a splitter made; ``parent`` is the number of the piece it is a part of."""

    text: str
    start: int
    end: int
    headings: tuple[str, ...]
    parent: int | None

    def to_dict(self) -> Json:
        """The piece as a dict."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "headings": list(self.headings),
            "parent": self.parent,
        }


@dataclass(frozen=True)
class Stats(_Result):
    """What an index holds."""

    documents: int
    sentences: int
    text_bytes: int
    disk_bytes: int | None
    embedder: str
    recipe: str
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Stats:
        return Stats(
            json["documents"],
            json["sentences"],
            json["text_bytes"],
            json["disk_bytes"],
            json["embedder"],
            json["recipe"],
            json,
        )


@dataclass(frozen=True)
class Evaluation(_Result):
    """The figures of a run: one cell for each recipe and budget."""

    cells: tuple[Mapping[str, Any], ...]
    questions: tuple[str, ...]
    _json: Json = field(repr=False, compare=False)

    @staticmethod
    def _of(json: Json) -> Evaluation:
        return Evaluation(tuple(json["cells"]), tuple(json["questions"]), json)

    def scores(self, recipe: str, budget: int | None = None) -> Mapping[str, float]:
        """The mean of each measure for a recipe, at a budget or at the first one."""
        for cell in self.cells:
            if cell["recipe"] == recipe and budget in (None, cell["budget"]):
                scores: Mapping[str, float] = cell["scores"]
                return scores
        raise KeyError(recipe)
