"""The places of a job: the source table, the place of the release, and the URLs of databases."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_wrap_validator_function, str_schema

from starcloak.base.settings import Column, JobPath, Settings, TableName, check
from starcloak.store.databases import url as hosts
from starcloak.store.databases.registry import examples

_OF_DUCKDB = (
    "url is a DuckDB connection, which is not supported: give a relation of the connection as the data, such as "
    "connection.table('people'), or the url of the database file"
)
_ENGINE_OF_DUCKDB = (
    "url is an SQLAlchemy engine or connection for DuckDB, which is not supported: give a relation of a DuckDB "
    "connection as the data, such as connection.table('people'), or close the engine and give the url of the "
    "database file"
)
_OF_OTHERS = "give url as a text, or as an engine or connection of SQLAlchemy"


def _is_of_duckdb(value: Any) -> bool:
    return type(value).__name__ == "DuckDBPyConnection"


class _Known:
    """Validator of a URL: a text, an engine or a connection of SQLAlchemy. The JSON Schema has examples of URLs."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def resolve(value: Any, check: Callable[[Any], str]) -> hosts.Url:
            if isinstance(value, hosts.Url):
                return value
            if (url := hosts.url_of(value)) is None and not isinstance(value, str):
                raise PydanticCustomError("url", _OF_DUCKDB if _is_of_duckdb(value) else _OF_OTHERS)
            if url is not None and url.engine is not None and url.kind.embedded:
                raise PydanticCustomError("url", _ENGINE_OF_DUCKDB)
            return url or hosts.Url(check(value))

        return no_info_wrap_validator_function(resolve, str_schema())

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(core), "examples": examples()}


Url = Annotated[hosts.Url, _Known()]


def _known_encoding(name: str) -> str:
    try:
        codec = codecs.lookup(name)
        "".encode(codec.name)
    except (LookupError, ValueError):
        raise PydanticCustomError(
            "encoding",
            "unknown encoding {name}: give an encoding such as utf-8, windows-1252 or utf-16",
            {"name": repr(name)},
        ) from None
    return codec.name


class Place(Settings):
    """The source table: exactly one of ``path``, ``url`` (with ``table`` or ``query``) and ``dataset``, a shipped one.

    ``path`` is a CSV file, a Parquet file, a file of JSON lines (``.jsonl``, ``.ndjson``) or a workbook (``.xlsx``),
    also compressed (``.gz``, ``.zst``), or a pattern such as ``visits/*.parquet`` for several files with the same
    columns. Every column of a CSV is text. ``null`` is the text, or the list of texts, for a missing value in a CSV.
    ``delimiter``, ``quote`` and ``encoding``, if absent, are detected and reported. ``sheet`` is the name of a
    workbook's sheet, if several have cells; ``header`` is the number of its row with the columns' names, if that is not
    its first row with cells. ``rename`` gives columns of a CSV or a workbook other names; a column without a name is
    called ``column 3``, by its position, in a workbook ``column C``, and a repeated name becomes ``name_2``.
    """

    path: JobPath | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Literal['"', "'"] | None = None
    encoding: Annotated[str, AfterValidator(_known_encoding)] | None = None
    sheet: Annotated[str, Field(min_length=1)] | None = None
    header: Annotated[StrictInt, Field(ge=1)] | None = None
    rename: dict[str, Column] = Field(default={})
    null: str | Annotated[list[str], Field(min_length=1)] = ""
    url: Url | None = None
    table: TableName | None = None
    query: str | None = None
    dataset: Literal["patients", "census", "adult"] | None = None

    @property
    def nulls(self) -> list[str]:
        """The texts for a missing value."""
        return [self.null] if isinstance(self.null, str) else self.null

    @model_validator(mode="before")
    @classmethod
    def _null_is_a_key(cls, place: Any) -> Any:
        """The mapping with the key ``null`` as text; YAML reads this word as None."""
        if isinstance(place, Mapping) and None in place and "null" not in place:
            return {"null" if key is None else key: content for key, content in place.items()}
        return place

    @model_validator(mode="after")
    def _one_origin(self) -> Place:
        if sum(origin is not None for origin in (self.path, self.url, self.dataset)) != 1:
            raise PydanticCustomError(
                "source",
                "a source needs exactly one of path (a file), url (a database) and dataset (a shipped example): "
                "give one of them",
            )
        if self.url is None and (self.table is not None or self.query is not None):
            raise PydanticCustomError(
                "source",
                "table and query are for a database, but there is no url: give the url, such as url: "
                "duckdb:///clinic.duckdb, or leave table and query out for a file",
            )
        if self.url is not None and (self.table is None) == (self.query is None):
            raise PydanticCustomError(
                "source",
                "url needs exactly one of table and query: give table: patients, or query: select …; in a command: "
                "--table patients",
            )
        if self.path is None and (self.sheet is not None or self.header is not None):
            raise PydanticCustomError(
                "source", "sheet and header are for a workbook (.xlsx): give its path, or leave sheet and header out"
            )
        if self.path is None and self.nulls != [""]:
            raise PydanticCustomError(
                "source",
                "null is for files only: for a database, list the texts of missing values under clean, as in clean: "
                "{column: {missing: ['-']}}",
            )
        return self


class Register(Place):
    """A population: a separate source with the columns of the quasi-identifier.

    Each row stands for one person or, with ``count``, for as many people as this column says.
    """

    count: Column | None = None


def load_source(source: Mapping[str, Any]) -> Place:
    """A validated source, from a mapping such as ``{"path": "table.csv"}``. Raises :class:`JobError`."""
    return check(Place, source, where="source")


class Output(Settings):
    """The release: a file (``path``) or a ``table``, in the source's database or the one of ``url``.

    The name of a file ends in .csv, .parquet or .xlsx. With ``replace``, the release may replace a release of another
    source. A CSV file has a comma between cells unless ``delimiter`` is set, for example to ``";"`` for spreadsheets of
    many countries. It is UTF-8; ``encoding: utf-8-sig`` adds the byte order mark for Excel. With
    ``suppressed: null`` the suppressed cells of all quasi-identifiers are missing, and their columns keep their types.
    """

    path: JobPath | None = None
    table: TableName | None = None
    url: Url | None = None
    replace: StrictBool = False
    delimiter: Literal[",", ";", "\t", "|"] = ","
    encoding: Literal["utf-8", "utf-8-sig"] = "utf-8"
    suppressed: Annotated[
        Literal["label"] | None,
        Field(description="null: the same as suppressed: null beside the hierarchy of every quasi-identifier"),
    ] = "label"

    @model_validator(mode="after")
    def _one_target(self) -> Output:
        if (self.path is None) == (self.table is None):
            raise PydanticCustomError(
                "output", "output needs exactly one of path (a file) and table: give one of the two"
            )
        if self.url is not None and self.table is None:
            raise PydanticCustomError("output", "a url needs a table")
        is_plain = self.delimiter == "," and self.encoding == "utf-8"
        if not is_plain and (self.path is None or self.path.suffix.lower() != ".csv"):
            raise PydanticCustomError(
                "output", "delimiter and encoding are for a CSV file: give a path that ends in .csv, or leave them out"
            )
        if self.path is not None and self.path.suffix.lower() not in (".csv", ".parquet", ".xlsx"):
            raise PydanticCustomError(
                "output", "the path of a release must end in .csv, .parquet or .xlsx: change its ending"
            )
        return self
