"""The source: where the rows are, which columns they have, and what each column may be used for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from starcloak import dataset, parquet, records
from starcloak.cell import is_told
from starcloak.column import Column
from starcloak.errors import JobError, SourceError, StatementError, hint
from starcloak.frame import LABEL, Frame
from starcloak.host import Host
from starcloak.job import Source as Place
from starcloak.session import ORIGIN, Session
from starcloak.statement import As, Hole, Joined, Literal, Name, Number, Query, Statement, Type, columns

if TYPE_CHECKING:
    import pandas
    from sqlalchemy.engine import URL

SOURCE = Name("source")
_FETCHED = Name("fetched")


@dataclass(frozen=True)
class Source:
    """The opened source.

    ``released`` are the columns of the release in the source's order; ``quasi_identifiers`` those of them that are
    generalized, in the job's order. ``relation`` has exactly these columns, without collations; ``host`` reads it.
    ``portable`` yields the same rows in the database's own client. ``rows`` is how many there are, where that is known
    from elsewhere. ``held`` has the columns as the place of the release holds them, where their types are others there.
    A source that is a data frame has a further column, which numbers its rows: with ``frame``, a release has that
    instead of the kept columns.
    """

    host: Host
    relation: Hole
    released: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    label: str
    portable: Statement
    rows: int | None = None
    held: tuple[Column, ...] = ()
    frame: Frame | None = None

    @property
    def selected(self) -> list[Name]:
        """The columns that the statement of a release yields."""
        if self.frame is None:
            return [Name(column.name) for column in self.released]
        generalized = (column for column in self.released if column in self.quasi_identifiers)
        return [*(Name(column.name) for column in generalized), self.frame.position]

    def refuse_lost(self, read: int) -> None:
        """Refuse rows that are not as many as the file has: its reader lost some, or it changed."""
        if self.rows not in (None, read):
            raise SourceError(f"{self.label} has {self.rows} rows, and {read} were read: if it changed, run again")

    def refuse_unlike(self, sensitive: Collection[str]) -> None:
        """Refuse sensitive columns whose different values cannot be counted away from their database.

        There 1 and 1.00 are one value, and a GROUP BY yields either of them: what comes home would be two.
        """
        for column in self.released:
            if column.name in sensitive and self.host.dialect and not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, whose values cannot be counted "
                    "for l_diversity: cast it in a query"
                )

    @property
    def grouped(self) -> Joined:
        """The columns of the quasi-identifier in the relation, where it goes by ``source``."""
        return Joined(tuple(Name("source", column.name) for column in self.quasi_identifiers), ", ")

    @property
    def kept(self) -> tuple[Column, ...]:
        """The columns that leave as they are: sensitive and kept ones."""
        return tuple(column for column in self.released if column not in self.quasi_identifiers)

    @property
    def leaving(self) -> tuple[Column, ...]:
        """The columns of the release with the types that the place of the release has for them as they are."""
        return self.held or self.released

    def cells(self, *, staged: bool) -> list[Hole]:
        """The kept cells of a row of the source, or of the staged release, each exactly as it leaves."""
        kept, cells = set(self.kept), []
        for column, held in zip(self.released, self.leaving, strict=True):
            if column in kept:
                cell: Hole = Name(column.name)
                if held != column and not staged:
                    cell = Statement("database/typed", {"column": cell, "type": Type(held.type)})
                cells.append(self.host.exact(cell, held))
        return cells

    def checksum(self, *, staged: bool) -> Hole:
        """The sum over rows that tells their kept cells from others, whether of the source or of the staged release."""
        if not self.kept:
            return Number(0)
        hashed: Hole = Number(0)
        for cell in self.cells(staged=staged):
            hashed = Statement("fingerprint/cell", {"before": hashed, "cell": cell})
        return Statement("fingerprint/checksum", {"cells": hashed})

    def as_held(self, held: Callable[[Column], str]) -> Source:
        """The source whose columns have other types where they go."""
        return replace(self, held=tuple(replace(column, type=held(column)) for column in self.released))

    def home(self, session: Session, held: Callable[[Column], str]) -> Source:
        """The source with its rows in the working store, for a release that leaves their database.

        Raises :class:`SourceError` for a column of a type that the working store lacks.
        """
        if self.host is session:
            return self
        for column in self.released:
            if not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, which does not leave its database "
                    "as it is: cast it in a query"
                )
        names = columns(Name(column.name) for column in self.released)
        rows = Statement("source/relation", {"relation": As(self.relation, _FETCHED)})
        self.host.gather(_FETCHED, Statement("source/source", {"columns": names, "origin": rows}), self.released)
        return replace(self, host=session, relation=_FETCHED).as_held(held)


def files(place: Place | None) -> list[Path]:
    """The data files that opening a place reads."""
    if place is None:
        return []
    if place.path is not None:
        return [place.path.absolute()]
    if place.dataset is not None:
        return dataset.files(place.dataset)
    return []


def databases(place: Place | None) -> list[Path]:
    """The database files that opening a place attaches."""
    if place is None or place.url is None or is_remote(place.url):
        return []
    return [database_path(place.url)]


def database_files(place: Place | None) -> list[Path]:
    """The files of databases that are files, whoever opens them: of DuckDB and of SQLite."""
    if place is None or place.url is None:
        return []
    file = database_file(place.url)
    return [] if file is None else [file]


def database_file(url: str) -> Path | None:
    """The file of a database that is one."""
    parts = parsed(url)
    if parts.get_backend_name() == "sqlite" and parts.database:
        return Path(parts.database)
    return None if is_remote(url) else database_path(url)


def is_remote(url: str) -> bool:
    """Whether a URL is of a database that the working store cannot attach."""
    return parsed(url).get_backend_name() != "duckdb"


def parsed(url: str) -> URL:
    """A URL in its parts. Raises :class:`SourceError`, which does not repeat it: it may hold a password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise SourceError(
            "the url is not of the form duckdb:///path/to/file.duckdb or postgresql://user@host/database"
        ) from None


def database_path(url: str) -> Path:
    """The file of a ``duckdb:///file.duckdb`` URL.

    Raises :class:`SourceError` for other databases; the URL itself, which may hold a password, is not repeated.
    """
    parts = parsed(url)
    if parts.get_backend_name() != "duckdb":
        raise SourceError(f"the url is of {parts.get_backend_name()}: use duckdb:///path/to/file.duckdb")
    if not parts.database or parts.database == ":memory:":
        raise SourceError("the url names no file: use duckdb:///path/to/file.duckdb")
    try:
        return Path(parts.database).expanduser().resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise SourceError(f"no file can have the path of the url ({type(error).__name__})") from None


def attach(session: Session, path: Path, name: str, *, read_only: bool) -> None:
    """Attach a DuckDB file under a name."""
    try:
        session.command(f"attach {Literal(str(path)).sql()} as {Name(name).sql()}{' (read_only)' if read_only else ''}")
    except StatementError as error:
        raise SourceError(
            f"{path} cannot be opened as a DuckDB database ({error.kind}): check the file, "
            "and that no other program has it open for writing"
        ) from None


def open_source(
    session: Session,
    place: Place | None,
    roles: Mapping[str, Sequence[str]],
    *,
    frame: pandas.DataFrame | None = None,
    closed: bool = True,
) -> Source:
    """Open a source that the working store reads itself; see :func:`starcloak.places.open_source`."""
    if frame is not None:
        opened = _open_frame(session, roles, frame)
    elif place is None:
        raise JobError("the job has no source: give source.path, source.url or source.dataset")
    else:
        opened = _open_place(session, place)
    with reading(opened.label):
        return _opened(session, opened, roles, closed=closed)


def _opened(session: Session, opened: _Opened, roles: Mapping[str, Sequence[str]], *, closed: bool) -> Source:
    label, origin = opened.label, opened.rows
    numbering = [opened.frame.position] if opened.frame is not None else []
    described = [column for column in session.describe(origin) if Name(column.name) not in numbering]
    quasi_identifiers, released = placed(roles, described, label, closed=closed)
    for column in released:
        if problem := opened.problem(column):
            raise SourceError(f"{label}: column {column.name!r} {problem}")
        if not is_told(column):
            raise SourceError(
                f"{label}: column {column.name!r} holds variants, or unions inside another type, whose cells cannot be "
                "told apart: cast it in a query"
            )
    plain = columns([_plain(session, column, origin) for column in released])
    viewed = columns([*plain.pieces, *numbering])
    session.create_view(SOURCE, Statement("source/source", {"columns": viewed, "origin": origin}))
    refuse_unusable(session, quasi_identifiers, SOURCE, label)
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
    )


@contextmanager
def reading(label: str) -> Iterator[None]:
    """A statement that fails while a source is opened is the source's fault."""
    try:
        yield
    except StatementError as error:
        raise SourceError(f"{label} cannot be read ({error.kind}): check that it is there and well-formed") from None


def placed(
    roles: Mapping[str, Sequence[str]], described: Sequence[Column], label: str, *, closed: bool
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """The quasi-identifiers, in the job's order, and the columns of the release, in the source's."""
    _check_roles(roles, described, label, closed=closed)
    by_name = {column.name: column for column in described}
    quasi_identifiers = tuple(by_name[name] for name in roles["quasi_identifiers"])
    leaving = {name for role, names in roles.items() if role != "identifiers" for name in names}
    released = tuple(column for column in described if column.name in leaving)
    _check_types(quasi_identifiers, released, label)
    return quasi_identifiers, released


def _check_types(quasi_identifiers: Sequence[Column], released: Sequence[Column], label: str) -> None:
    """Refuse quasi-identifiers without a hierarchy, and columns that carry more than their values."""
    for column in quasi_identifiers:
        if not column.is_groupable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} is of type {column.kind}, which has no hierarchy: "
                "cast it in a query"
            )
    for column in released:
        if column.holds(r"\bENUM\(") and not column.is_enumeration:
            raise SourceError(
                f"{label}: column {column.name!r} holds an enumeration, which would carry every value it knows: "
                "cast it in a query"
            )


def refuse_unusable(host: Host, quasi_identifiers: Sequence[Column], relation: Hole, label: str) -> None:
    """Refuse numbers that cannot be told apart safely: NaN, infinities, negative zero."""
    for column in quasi_identifiers:
        if not column.is_float:
            continue
        holes: dict[str, Hole] = {"column": Name(column.name), "source": relation}
        (unusable,) = host.row(Statement("source/unusable", holes))
        if unusable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} has {unusable} values that are NaN, infinite or negative "
                "zero: replace them in a query"
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


def _open_place(session: Session, place: Place) -> _Opened:
    if place.path is not None:
        if not place.path.is_file():
            raise SourceError(f"{place.path} is not a file: check source.path")
        here = session.plain(place.path.absolute())
        if is_parquet(place.path):
            return _open_parquet(session, place.path, here)
        found = records.examine(place.path, place.delimiter)
        _refuse_twins(found.header, str(place.path))
        rows, portable = (_csv(path, found, place.delimiter, place.null) for path in (here, place.path))
        return _Opened(str(place.path), rows, portable, found.rows)
    if place.dataset is not None:
        rows = _dataset(session, place.dataset)
        return _Opened(place.dataset, rows, rows)
    assert place.url is not None
    path = database_path(place.url)
    if not path.is_file():
        raise SourceError(f"{path} is not there: check the url")
    attach(session, path, ORIGIN, read_only=True)
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


def _open_parquet(session: Session, path: Path, here: Path) -> _Opened:
    label = str(path)
    with reading(label):
        schema = parquet.schema(session, here)
    # DuckDB would give such columns names of its own.
    _refuse_twins(schema.names, label)
    if not all(schema.names):
        raise SourceError(f"{label}: a column has no name: name it")
    return _Opened(label, parquet_rows(here), parquet_rows(path), problem=schema.problem)


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


def file_rows(path: Path) -> Statement:
    """The statement that reads a CSV or Parquet file."""
    return parquet_rows(path) if is_parquet(path) else csv_rows(path)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def parquet_rows(path: Path) -> Statement:
    """The statement that reads a Parquet file."""
    return Statement("source/parquet", {"path": Literal(str(path.absolute()))})


def csv_rows(path: Path) -> Statement:
    """The statement that reads a CSV file with a header; every column is text."""
    return _csv(path, records.examine(path, ","))


def _csv(path: Path, found: records.Records, delimiter: str = ",", missing: str = "") -> Statement:
    text = Literal("VARCHAR")
    return Statement(
        "source/csv",
        {
            "path": Literal(str(path.absolute())),
            "columns": Joined(tuple(Joined((Literal(name), text), ": ") for name in found.header), ", "),
            "delimiter": Literal(delimiter),
            "missing": Literal(missing),
            # Where it begins to read amid quotes, DuckDB guesses, and may lose rows.
            "parallel": Literal("false" if found.quoted else "true"),
        },
    )


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


def _refuse_twins(names: Sequence[str], label: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if name.casefold() in seen:
            other = seen[name.casefold()]
            raise SourceError(f"{label}: columns {other!r} and {name!r} differ at most in case: rename one")
        seen[name.casefold()] = name


def _open_frame(session: Session, roles: Mapping[str, Sequence[str]], given: pandas.DataFrame) -> _Opened:
    frame = Frame(given)
    _refuse_twins(frame.names, LABEL)
    session.connection.register("frame", frame.table(roles))
    rows = Statement("source/relation", {"relation": Name("frame")})
    return _Opened(LABEL, rows, rows, problem=frame.problem, frame=frame)


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


def _check_roles(roles: Mapping[str, Sequence[str]], described: Sequence[Column], label: str, *, closed: bool) -> None:
    """Refuse roles of columns that are not there and, if ``closed``, columns without a role."""
    names = [column.name for column in described]
    _refuse_twins(names, label)
    everywhere = {column for placed in roles.values() for column in placed}
    for role, placed in roles.items():
        for column in placed:
            if column not in names:
                raise SourceError(
                    f"{role}: column {column!r} is not in {label}, which has {len(names)} columns."
                    f"{hint(column, names)}{_no_header(names, everywhere)}"
                )
    for name in names:
        if closed and name not in everywhere:
            raise SourceError(
                f"column {name!r} of {label} is named nowhere in the job: put it under identifiers (never released), "
                "quasi_identifiers, sensitive or keep"
            )


def _no_header(names: Sequence[str], named: set[str]) -> str:
    """A file without a header shows a row where its names should be: they are not repeated then."""
    if named.isdisjoint(names):
        return " None of the job's columns is there: does its first line name the columns, with that delimiter?"
    return f" Its columns: {', '.join(map(repr, names))}."
