"""Exceptions. Each has a stable ``code``, its message in English, and in Chinese as ``chinese``."""

from __future__ import annotations

__all__ = [
    "IndexLocked",
    "InvalidRequest",
    "LoadError",
    "ModelError",
    "NotFound",
    "OknoError",
    "StorageError",
    "Stopped",
]


class OknoError(Exception):
    """Anything the engine can fail with.

    Decide by the class or by ``code``; messages may change.

    >>> import okno
    >>> try:
    ...     okno.split("some text", "no-such-splitter")
    ... except okno.InvalidRequest as error:
    ...     error.code
    'unknown_splitter'
    """

    def __init__(self, message: str, *, code: str = "other", chinese: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.chinese = message if chinese is None else chinese


class InvalidRequest(OknoError, ValueError):
    """A filter, recipe, option or set of questions that cannot be used."""


class NotFound(OknoError, LookupError):
    """There is no such index, document or root."""


class IndexLocked(OknoError):
    """Another process or thread is writing to the index; searching works meanwhile."""


class LoadError(OknoError):
    """A file cannot be read."""


class ModelError(OknoError):
    """An embedder, reranker or language model failed; what a callable raised is the cause."""


class StorageError(OknoError):
    """The index cannot be read or written: a full disk, damage, another format."""


class Stopped(OknoError):
    """The work was stopped before its end."""


FAMILIES: dict[str, type[OknoError]] = {
    "invalid": InvalidRequest,
    "missing": NotFound,
    "locked": IndexLocked,
    "load": LoadError,
    "model": ModelError,
    "storage": StorageError,
    "stopped": Stopped,
}


def exception(*, family: str, code: str, message: str, chinese: str) -> OknoError:
    """Makes the exception of an error; called by the extension module."""
    return FAMILIES.get(family, OknoError)(message, code=code, chinese=chinese)


def closed() -> OknoError:
    """The exception for an index that was closed; called by the extension module."""
    return InvalidRequest("the index is closed", code="closed", chinese="索引已关闭")
