"""Fingerprints of jobs, hierarchies, columns, programs and rows: the hashes by which runs are compared.

Equal hashes mean the same release, so that a run can be skipped. Hashes of jobs, files and programs are SHA-256. Hashes
of rows are sums of 64-bit hashes, in any order of rows: two different tables have equal sums by accident with a chance
of about 2^-64, or 2^-32 if kept cells were read in a database other than the working store. The sums reveal
accidental changes, but not forged rows with the same sum. Anybody could test guessed rows against the sums, so only
the custodian of the source sees them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from starcloak.base import installation
from starcloak.base.column import Column
from starcloak.base.errors import SourceError, StatementError
from starcloak.hierarchy.builder import Builder
from starcloak.job import Job, Place
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import Joined, Name, Statement
from starcloak.store.databases.host import Host
from starcloak.store.session import Session
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.job.result import Decision
    from starcloak.store.writer import Writer

_LINES = Name("lines_beside")
_TEXT, _WHOLE, _TIMESTAMP = "VARCHAR", "HUGEINT", "TIMESTAMP"
_TIMESTAMPS = (_TIMESTAMP, "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def file(path: Path) -> str:
    """The SHA-256 of a file's bytes.

    Raises :class:`OSError` for an unreadable file, and for anything but a regular file: reading a pipe may never end.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not a file")
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def text(content: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def content(value: Any) -> str:
    """The SHA-256 of a JSON-compatible value."""
    return text(_canonical(value))


def job(described: Job) -> str:
    """The hash of a job's settings, without the places of its inputs and outputs.

    Of the hierarchies, the hash covers the importance of the attributes alone: :func:`hierarchies` covers the rest.
    """
    places = {"source", "output", "against", "accept", "without_leaf"}
    settings = described.model_dump(mode="json", exclude={*places, "ready_made", "quasi_identifiers"})
    settings["algorithm"].pop("cube", None)
    for key in ("companions", "drafted"):  # keys of later versions than the first jobs
        if not settings[key]:
            settings.pop(key)
    settings["refresh"] = bool(settings["refresh"])  # the first one is refreshed by the others
    if described.output is not None:
        settings["delimiter"] = described.output.delimiter
        if described.output.encoding != "utf-8":
            settings["encoding"] = described.output.encoding
    settings["requirement"].pop("population")  # a place as well: its people have a hash of their own
    importance = {name: float(times) for name, times in described.importance.items()}
    return text(
        _canonical({**settings, "quasi_identifiers": list(described.quasi_identifiers), "importance": importance})
    )


def origin(place: Place | None) -> str:
    """The hash of a source's place: a file, a dataset, a table or query of a database; one hash for all data frames.

    It contains no user, password or row. A kind of database with several names in URLs, such as ``mariadb`` and
    ``mysql``, counts by its first name. Raises :class:`SourceError` for an invalid URL.
    """
    if place is None:
        return text(_canonical(["frame"]))
    if place.path is not None:
        return text(_canonical(["file", os.path.abspath(place.path)]))
    if place.url is None:
        return text(_canonical(["dataset", place.dataset]))
    parts = place.url.parts
    kind, database = place.url.kind.names[0], parts.database or ""
    if place.url.file is not None:
        database = os.path.abspath(os.path.expanduser(database))
    server = [str(parts.host or parts.query.get("host", "")), str(parts.port or parts.query.get("port", ""))]
    return text(_canonical([kind, *server, database, place.table, place.query and place.query.strip()]))


def hierarchies(session: Session, host: Host, described: Job, rows: Source | None = None) -> dict[str, str | None]:
    """The hash of each hierarchy by attribute: its settings and its content; None for an unreadable hierarchy.

    The content is the bytes of a file, the rows of a table, or the values of columns in the source's ``rows``. An
    attribute with hierarchies for models of sensitive attributes has one hash for all of them.
    """
    digests = {name: _hierarchy(session, host, name, kind, rows) for name, kind in described.quasi_identifiers.items()}
    for name in described.required.reads:
        kinds = described.required.hierarchies(name)
        found_digests = [_hierarchy(session, host, name, kinds[column], None) for column in sorted(kinds)]
        if found_digests:
            digests[name] = None if None in found_digests else text(_canonical(found_digests))
    return digests


@cache
def program() -> str:
    """The hash of the statement files and of the modules that run them, including those of other packages."""
    digest = hashlib.sha256()
    for folder, ending in ((installation.sql(), ".sql"), (Path(__file__).parents[1], ".py")):
        paths = (f"{root}/{name}" for root, _, names in os.walk(folder) for name in names if name.endswith(ending))
        for path in sorted(paths):  # hundreds of texts: a Path of each would cost as much as to read it
            _add(digest, path, path[len(str(folder)) :])
    for module in installation.files():
        _add(digest, str(module), str(module))
    return digest.hexdigest()


def _add(digest: hashlib._Hash, path: str, name: str) -> None:
    with open(path, "rb", buffering=0) as module:
        content = module.read()
    digest.update(f"{name}\0{len(content)}\0".encode() + content)


def source(session: Session, opened: Source) -> str:
    """The fingerprint of a source's released columns, from its base frequency set."""
    released = [[column.name, column.type] for column in (*opened.quasi_identifiers, *opened.kept)]
    return text(_canonical([released, rows_of(session, Statement("store/relation", relation=BASE))]))


def combinations(session: Session, described: Sequence[Column]) -> str:
    """The fingerprint of the base frequency set's combinations as texts, independent of column order and types."""
    places = sorted((column.name, f"value_{position}") for position, column in enumerate(described, 1))
    cells = Joined(tuple(Statement("star/fingerprint/rows#cell", column=Name(place)) for _, place in places), ", ")
    row = session.row(Statement("star/fingerprint/rows#counted", cells=cells, rows=BASE))
    return text(_canonical([[name for name, _ in places], *row]))


def columns(rows: str, described: Sequence[Column]) -> str:
    """The hash of the fingerprint ``rows`` of some rows together with the names and types of their columns."""
    return text(_canonical([rows, *([column.name, column.type] for column in described)]))


def relation(session: Session | Writer, rows: Statement) -> str | None:
    """The fingerprint of a statement's rows, with its columns and their types; None if the statement fails."""
    with suppress(StatementError):  # None is never taken for equal
        return rows_of(session, rows)
    return None


def rows_of(session: Session | Writer, statement: Statement, described: Sequence[Column] = ()) -> str:
    """The fingerprint of a statement's rows, with its columns and their types. Raises :class:`StatementError`.

    ``described`` has the columns; without it, the statement's columns are queried.
    """
    described = described or session.describe(statement)
    cells = Joined(tuple(session.exact(Name(column.name), column) for column in described), ", ")
    row = session.row(Statement("star/fingerprint/rows", cells=cells, rows=statement))
    return text(_canonical([[[column.name, column.type] for column in described], *row]))


def _hierarchy(session: Session, host: Host, name: str, kind: Builder, rows: Source | None) -> str | None:
    try:
        content = [file(path) for path in kind.files]
        if kind.table_read is not None:
            content.append(_rows(session, host.dimension(kind.table_read)))
        if kind.columns_read:
            if rows is None:
                return None
            rows.gather_distinct(session, [name, *kind.columns_read], into=_LINES)
            content.append(_rows(session, _LINES))
            session.drop(_LINES)
        return text(_canonical([kind.described, content]))
    except (OSError, ValueError, TypeError, RecursionError, StatementError, SourceError):
        return None


def _rows(session: Session, relation: Name) -> str:
    return rows_of(session, Statement("store/relation", relation=relation))


def _canonical(value: Any) -> str:
    """The JSON text of a value, with non-ASCII characters as escapes."""
    return json.dumps(value, ensure_ascii=True)


class ColumnReading(BaseModel):
    """The type of a column, and the hash of its cleaning rules; an empty hash means cells without cleaning."""

    model_config = ConfigDict(frozen=True)

    type: str
    cleaning: str


def readings(job: Job, columns: Sequence[Column]) -> dict[str, ColumnReading]:
    """The reading (type and hash of cleaning rules) of each column, by name.

    One type stands for all types with the same texts for equal values, such as all types of whole numbers.
    """
    return {
        column.name: ColumnReading(type=_texts_of(column), cleaning=cleaning_rules(job, column.name))
        for column in columns
    }


def cleaning_rules(job: Job, column: str) -> str:
    """The hash of a job's cleaning rules for a column and of the texts read as missing cells in the source file.

    An empty text without rules and without such texts.
    """
    rules, nulls = job.clean.get(column), [""] if job.source is None else sorted(job.source.nulls)
    if rules is None and nulls == [""]:
        return ""
    rules_given = {} if rules is None else rules.model_dump(mode="json")
    ordered = sorted((rule, value if rule == "join" else _sorted(value)) for rule, value in rules_given.items())
    parts = [cleaning_rules(job, part) for part in rules_given.get("join") or ()]
    return content([ordered, nulls, *parts])


def _sorted(value: Any) -> Any:
    """A cleaning rule's value in sorted order, since the order of its parts has no effect.

    A list with None is a pair of bounds and keeps its order.
    """
    if isinstance(value, dict):
        return sorted(value.items())
    return sorted(value) if isinstance(value, list) and None not in value else value


def cleaned_otherwise(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> str | None:
    """Name of the first of ``columns`` with different cleaning rules in two jobs; None without such a column."""
    return next((name for name in columns if first[name].cleaning != second[name].cleaning), None)


def typed_otherwise(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> list[str]:  # fmt: skip
    """Names of the ``columns`` read in two jobs with types that may have different texts for equal values."""
    return [name for name in columns if first[name].type != second[name].type]


def type_beside_text(first: ColumnReading, second: ColumnReading) -> str | None:
    """The type (of the working store) of one of two readings, if the other one is text; None otherwise.

    A text is equal to a value of the type if the cast to the type and back does not change it.
    """
    kinds = {first.type, second.type}
    if _TEXT not in kinds or len(kinds) == 1:
        return None
    (kind,) = kinds - {_TEXT}
    return kind if Column("", kind).is_groupable else None


def _texts_of(column: Column) -> str:
    """The type that stands for all types with the same texts for equal values as the column's type.

    These are all whole numbers, texts, timestamps of any precision, and decimals of one scale.
    """
    if column.is_whole:
        return _WHOLE
    if column.is_text or column.is_enumeration:
        return _TEXT
    if column.type in _TIMESTAMPS:
        return _TIMESTAMP
    decimal = _DECIMAL.fullmatch(column.type)
    if decimal is None:
        return column.type
    digits, scale = map(int, decimal.groups())
    if scale == 0:
        return _WHOLE
    return column.type if scale == digits else f"DECIMAL(38,{scale})"  # without a digit before the point: .5


def decisions(job: Job) -> dict[str, Decision]:
    """The decision on each column of a job, by the draft of ``starcloak init``; empty without a record of a draft."""
    if job.drafted is None:
        return {}
    return {name: _decision(job.drafted.get(name), now) for name, now in columns_as_written(job).items()}


def _decision(proposal: str | None, now: str) -> Decision:
    if proposal is None:
        return "person"
    return "proposed" if proposal == now else "changed"


def columns_as_written(job: Job, files: Mapping[str, str] | None = None) -> dict[str, str]:
    """The fingerprint of each column's role, cleaning and hierarchy, as written in a job.

    The hierarchy includes the content of its file: the text in ``files``, by column, before the file is written.
    """
    return {
        name: _sum([role, _written_cleaning(job, name), _written_hierarchy(job, name, (files or {}).get(name))])
        for role, names in job.roles.items()
        for name in names
    }


def _written_cleaning(job: Job, name: str) -> Any:
    return job.clean[name].model_dump(mode="json", exclude_defaults=True) if name in job.clean else None


def _written_hierarchy(job: Job, name: str, text: str | None) -> Any:
    if name not in job.quasi_identifiers:
        return None
    kind = job.quasi_identifiers[name]
    # Without the defaults, so that a new setting of a later version changes no fingerprint.
    settings = kind.model_dump(mode="json", exclude_defaults=True, exclude={*kind.apart})
    contents = [path.read_bytes() for path in kind.files if path.is_file()] if text is None else [text.encode()]
    return [type(kind).__name__, settings, [hashlib.sha256(content).hexdigest() for content in contents]]


def _sum(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
