"""Which table a job reads."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import Column, JobPath, Settings, TableName, check
from starcloak.job.url import Url


def _known_encoding(name: str) -> str:
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)
    except (LookupError, ValueError):
        raise PydanticCustomError(
            "encoding", "unknown encoding {name}: give one such as utf-8, windows-1252 or utf-16", {"name": repr(name)}
        ) from None
    return codec.name


class Place(Settings):
    """The table: exactly one of ``path``, ``url`` (with ``table`` or ``query``) and ``dataset``.

    ``path`` is a CSV or Parquet file or one of JSON lines (``.jsonl``, ``.ndjson``), also one that is packed (``.gz``,
    ``.zst``), or a pattern such as ``visits/*.parquet`` of several with the same columns. Every column of a CSV is
    text. ``null`` is the text that stands for a missing value in it, or several; ``delimiter``, ``quote`` and
    ``encoding`` are found, and told, where they are not given. ``rename`` gives columns of a CSV other names; one
    without a name is called ``column 3`` there, by its position, and one whose name was there before ``name_2``.
    """

    path: JobPath | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Literal['"', "'"] | None = None
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    rename: dict[str, Column] = Field(default={})
    null: str | Annotated[list[str], Field(min_length=1)] = ""
    url: Url | None = None
    table: TableName | None = None
    query: str | None = None
    dataset: Literal["patients", "census", "adult"] | None = None

    @property
    def nulls(self) -> list[str]:
        """The texts that stand for a missing value."""
        return [self.null] if isinstance(self.null, str) else self.null

    @model_validator(mode="after")
    def _one_origin(self) -> Place:
        if sum(origin is not None for origin in (self.path, self.url, self.dataset)) != 1:
            raise PydanticCustomError("source", "give exactly one of path, url and dataset")
        if self.url is None and (self.table is not None or self.query is not None):
            raise PydanticCustomError("source", "table and query need a url")
        if self.url is not None and (self.table is None) == (self.query is None):
            raise PydanticCustomError("source", "a url needs exactly one of table and query")
        if self.path is None and self.nulls != [""]:
            raise PydanticCustomError("source", "null is for files: give clean: {column: {missing: ['-']}}")
        return self


class Register(Place):
    """A population: a source of its own, with the columns of the quasi-identifier.

    Each of its rows is one of the people or, with ``count``, stands for as many as that column says.
    """

    count: Column | None = None


def load_source(source: Mapping[str, Any]) -> Place:
    """A checked source from a mapping such as ``{"path": "table.csv"}``. Raises :class:`JobError`."""
    return check(Place, source, where="source")
