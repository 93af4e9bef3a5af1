"""A source is opened: a file, a frame, a dataset, or a table or query of a database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from starcloak.cell import is_told
from starcloak.column import Column
from starcloak.errors import JobError, SourceError, StatementError
from starcloak.hosts.duckdb import attach
from starcloak.hosts.host import Host
from starcloak.hosts.registry import connect, embedded_file, kind_of
from starcloak.job import Source as Place
from starcloak.session import ORIGIN, Session
from starcloak.source import dataset, delimited, in_database, parquet
from starcloak.source.files import csv_rows, delimited_rows, is_parquet, parquet_rows
from starcloak.source.frame import LABEL, Frame
from starcloak.source.roles import Roles, placed, reading, refuse_twins, refuse_unusable, resolved, resolved_names
from starcloak.source.source import SOURCE, Source
from starcloak.statement import As, Hole, Literal, Name, Query, Statement, columns

log = logging.getLogger("starcloak")

if TYPE_CHECKING:
    from starcloak.arrow import Frame as AnyFrame


def open_source(
    session: Session,
    place: Place | None,
    roles: Roles,
    *,
    frame: AnyFrame | None = None,
    closed: bool = True,
    others: str | None = None,
) -> Source:
    """Open a source, or a frame in its stead, and check the roles against its columns.

    ``roles`` maps a role's name to columns and patterns of them, or does so once they are known, where there is no
    frame; with ``closed``, a column without a role is an error, unless ``others`` have one. Raises :class:`SourceError`
    or :class:`JobError`: a file that cannot be read, a column that the source lacks or that has no role, a
    quasi-identifier whose type or values cannot be generalized.
    """
    if frame is None and place is not None and place.url is not None and not kind_of(place.url).embedded:
        return in_database.open_source(session, place, roles, closed=closed, others=others)
    if frame is not None:
        assert not callable(roles)
        opened, roles = _open_frame(session, roles, frame, others)
    elif place is None:
        raise JobError("the job has no source: give source.path, source.url or source.dataset")
    else:
        opened = _open_place(session, place)
        if not closed:  # nobody else tells what was found of it
            for warning in session.warnings:
                log.warning("%s", warning)
    with reading(opened.label):
        return _opened(session, opened, roles, closed=closed, others=others)


def open_beside(session: Session, place: Place | None) -> Host:
    """Where the tables are that lie beside a source, of which no row is read. Raises :class:`SourceError`."""
    if place is None or place.url is None:
        return session
    if not kind_of(place.url).embedded:
        database = connect(place.url, session)
        database.read()
        return database
    _attach(session, place.url)
    return session


def _opened(session: Session, opened: _Opened, roles: Roles, *, closed: bool, others: str | None) -> Source:
    label, origin = opened.label, opened.rows
    numbering = [opened.frame.position] if opened.frame is not None else []
    described = [column for column in session.describe(origin) if Name(column.name) not in numbering]
    roles = resolved(roles, described, label, others=others)
    quasi_identifiers, released = placed(roles, described, label, closed=closed, mended_in=opened.mended_in)
    for column in released:
        if problem := opened.problem(column):
            raise SourceError(f"{label}: column {column.name!r} {problem}")
        if not is_told(column):
            raise SourceError(
                f"{label}: column {column.name!r} holds variants, or unions inside another type, whose cells cannot be "
                f"told apart: cast it in {opened.mended_in}"
            )
    plain = columns([_plain(session, column, origin) for column in released])
    viewed = columns([*plain.pieces, *numbering])
    session.create_view(SOURCE, Statement("source/source", {"columns": viewed, "origin": origin}))
    refuse_unusable(session, quasi_identifiers, SOURCE, label, mended_in=opened.mended_in)
    portable = Statement("source/source", {"columns": plain, "origin": opened.portable})
    as_read = {column: replace(column, type="VARCHAR") if column.is_enumeration else column for column in released}
    return Source(
        session,
        SOURCE,
        tuple(as_read.values()),
        tuple(as_read[column] for column in quasi_identifiers),
        label,
        portable,
        opened.count,
        frame=opened.frame,
        mended_in=opened.mended_in,
        roles=roles,
    )


@dataclass(frozen=True)
class _Opened:
    """Where the rows are: for this run, and for a script that the database's own client runs.

    ``count`` is how many there are, where that is known; ``problem`` tells why a column is not read exactly; ``frame``
    is the data frame that has them.
    """

    label: str
    rows: Statement
    portable: Hole
    count: int | None = None
    problem: Callable[[Column], str | None] = lambda _: None
    frame: Frame | None = None
    mended_in: str = "a query"


def _open_place(session: Session, place: Place) -> _Opened:
    if place.path is not None:
        if not place.path.is_file():
            raise SourceError(f"{place.path} is not a file: check source.path")
        here = session.plain(place.path.absolute())
        if is_parquet(place.path):
            return _open_parquet(session, place.path, here)
        found = delimited.find(place, place.path.absolute(), session.copy)
        refuse_twins(found.records.header, str(place.path))
        read = here if found.encoding == "utf-8" else found.path
        rows = delimited_rows(read, found.records, found.delimiter, place.null)
        portable = delimited_rows(place.path, found.records, found.delimiter, place.null, found.encoding)
        session.warnings.extend(found.said)
        return _Opened(str(place.path), rows, portable, found.records.rows, mended_in="the file")
    if place.dataset is not None:
        rows = _dataset(session, place.dataset)
        return _Opened(place.dataset, rows, rows)
    assert place.url is not None
    path = _attach(session, place.url)
    if place.table is not None:
        rows, portable = (
            Statement("source/relation", {"relation": Name(*prefix, *place.table.split("."))})
            for prefix in ([ORIGIN], [])
        )
        return _Opened(f"{place.table} in {path.name}", rows, portable)
    label, result = f"the query on {path.name}", Name("query_result")
    query = _query(session, place.query or "", label)
    try:
        # The query's own names mean the database's tables, never those of the working store.
        session.command(f"set search_path = {Literal(ORIGIN).sql()}")
        session.command(f"create table memory.main.{result.sql()} as\n{query.sql()}")
    except StatementError as error:
        raise SourceError(f"{label} fails ({error.kind}): try it in the database first") from None
    finally:
        session.command("set search_path = 'memory'")
    return _Opened(label, Statement("source/relation", {"relation": result}), query)


def _attach(session: Session, url: str) -> Path:
    """Attach the DuckDB file of a url as the source's; returns its path."""
    path = embedded_file(url)
    assert path is not None
    if not path.is_file():
        raise SourceError(f"{path} is not there: check the url")
    attach(session, path, ORIGIN, read_only=True)
    return path


def _open_parquet(session: Session, path: Path, here: Path) -> _Opened:
    label = str(path)
    with reading(label):
        schema = parquet.schema(session, here)
    # DuckDB would give such columns names of its own.
    refuse_twins(schema.names, label)
    if not all(schema.names):
        raise SourceError(f"{label}: a column has no name: name it")
    return _Opened(label, parquet_rows(here), parquet_rows(path), problem=schema.problem, mended_in="the file")


def _query(session: Session, text: str, label: str) -> Query:
    """The one statement of a query, without what follows it."""
    try:
        statements = session.connection.extract_statements(text)
    except duckdb.Error as error:
        raise SourceError(f"{label} fails ({type(error).__name__}): try it in the database first") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SourceError(f"{label} is not one select statement: give one")
    # Up to its semicolon: what follows is a remark, or there would be a second statement.
    content = text.encode()
    marks = [offset for offset, _ in duckdb.tokenize(text) if content[offset : offset + 1] == b";"]
    return Query(content[: marks[0]].decode() if marks else text)


def _dataset(session: Session, name: str) -> Statement:
    paths = dataset.files(name)
    if name == "patients":
        return csv_rows(paths[0])
    if name == "adult":
        data, test = (Literal(str(path)) for path in paths)
        return Statement("dataset/adult", {"data": data, "test": test})
    marginals, census = Name("marginals"), Name("census")
    session.create_view(marginals, csv_rows(paths[0]))
    session.create(census, Statement("dataset/census", {"marginals": marginals}), {"seed": 1})
    return Statement("source/relation", {"relation": census})


def _open_frame(
    session: Session, roles: Mapping[str, Sequence[str]], given: AnyFrame, others: str | None
) -> tuple[_Opened, Mapping[str, Sequence[str]]]:
    frame = Frame(given)
    refuse_twins(frame.names, LABEL)
    roles = resolved_names(roles, frame.names, LABEL, others=others)
    session.connection.register("frame", frame.table(roles))
    rows = Statement("source/relation", {"relation": Name("frame")})
    return _Opened(LABEL, rows, rows, problem=frame.problem, frame=frame, mended_in=LABEL), roles


def _plain(session: Session, column: Column, origin: Statement) -> Hole:
    name = Name(column.name)
    if column.is_enumeration:
        # An enumeration would carry along every value that it knows.
        return As(Statement("source/text", {"column": name}), name)
    if column.is_text:
        ((merges,),) = session.run(Statement("source/collation", {"column": name, "origin": origin}))
        if merges:
            return As(Statement("source/binary", {"column": name}), name)
    return name
