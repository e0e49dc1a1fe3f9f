"""Okno: search your own documents and get exact, cited passages, in Chinese and English, offline.

>>> with okno.Index.create(folder / "quick.okno") as index:
...     _ = index.add([{"id": "tea", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."}])
...     for context in index.search("How hot should water for black tea be?", budget=200):
...         print(context.document, context.start, context.end)
tea 0 60
"""

from __future__ import annotations

import json as _json
import os as _os
from collections.abc import Iterable
from typing import Any, Union

from . import _okno
from ._errors import (
    IndexLocked,
    InvalidRequest,
    LoadError,
    ModelError,
    NotFound,
    OknoError,
    Stopped,
    StorageError,
)
from ._index import Embedder, Index
from ._okno import __version__
from ._results import Answer, Citation, Context, Document, Evaluation, IndexReport, Piece, Reply, Stats

__all__ = [
    "Answer",
    "Citation",
    "Context",
    "Document",
    "Embedder",
    "Evaluation",
    "Index",
    "IndexLocked",
    "IndexReport",
    "InvalidRequest",
    "LoadError",
    "ModelError",
    "NotFound",
    "OknoError",
    "Piece",
    "Reply",
    "Stats",
    "Stopped",
    "StorageError",
    "__version__",
    "embed",
    "load",
    "split",
]


def load(path: Union[str, "_os.PathLike[str]"]) -> list[Document]:
    """What is read from a file or folder, without an index.

    >>> _ = (folder / "load.md").write_text("# Tea\\n\\nIt is hot.")
    >>> document = okno.load(folder / "load.md")[0]
    >>> document.title, document.to_dict()["blocks"][0]["kind"]
    ('Tea', 'heading')
    """
    documents, _ = _okno.load(path)
    return [Document._of(_json.loads(document)) for document in documents]


def split(text: str, splitter: str = "sentence", *, markdown: bool = True) -> list[Piece]:
    """Cuts a text into exact spans.

    Splitters are ``sentence``, ``sentences:3``, ``window:2``, ``paragraph``, ``section``, ``chunk:400c/200c``,
    ``words:200/40``, ``chars:400/200``, ``recursive:3000c/300c``, ``tokens:512t/64t``, ``markdown``,
    ``semantic:95p/3000c``, ``hierarchy:3000c/500c`` and ``code:1500c``.

    >>> [piece.text for piece in okno.split("It cost 3.50 Mr. Li said. 茶很热。好喝。")]
    ['It cost 3.50 Mr. Li said.', '茶很热。', '好喝。']
    """
    return [
        Piece(text[start:end], start, end, tuple(headings), parent)
        for start, end, headings, parent in _okno.split(text, splitter, markdown)
    ]


def embed(texts: Iterable[str], *, query: bool = False) -> Any:
    """The vectors of the built-in model, one row for each text: a NumPy array, or lists without NumPy.

    Rows are sums, not normalised: the sum of the rows of several sentences stands for all of them.

    >>> rows = okno.embed(["green tea", "绿茶"])
    >>> len(rows), len(rows[0])
    (2, 256)
    """
    given = list(texts)
    data, dimensions = _okno.embed(given, query)
    try:
        import numpy
    except ImportError:
        values = memoryview(data).cast("f").tolist()
        return [values[at * dimensions : (at + 1) * dimensions] for at in range(len(given))]
    return numpy.frombuffer(data, dtype=numpy.float32).reshape(len(given), dimensions)
