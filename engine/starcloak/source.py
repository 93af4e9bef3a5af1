"""The source: where the rows are, which columns they have, and what each column may be used for."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak import dataset
from starcloak.errors import JobError, SourceError, StatementError, hint
from starcloak.job import Job
from starcloak.job import Source as Place
from starcloak.session import Session
from starcloak.statement import As, Hole, Joined, Literal, Name, Statement, columns

if TYPE_CHECKING:
    import pandas

SOURCE = Name("source")
ORIGIN = "origin"

# Types whose equal values have one text each, so that a dimension table can name them.
_GROUPABLE = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "ENUM", "UUID", "DATE", "TIME", "TIMESTAMP",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of the source and its type, as the working store names it."""

    name: str
    type: str

    @property
    def is_text(self) -> bool:
        return self.type == "VARCHAR"

    @property
    def is_float(self) -> bool:
        return self.type in ("FLOAT", "DOUBLE")

    @property
    def is_whole(self) -> bool:
        return self.type.removeprefix("U") in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")

    @property
    def is_groupable(self) -> bool:
        return self.type.startswith(_GROUPABLE) and not self.type.endswith("[]")


@dataclass(frozen=True)
class Source:
    """The opened source.

    ``released`` are the columns of the release in the source's order; ``quasi_identifiers`` those of them that are
    generalized, in the job's order. ``relation`` has exactly these columns, without collations.
    """

    relation: Name
    released: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    label: str

    @property
    def kept(self) -> tuple[Column, ...]:
        """The columns that leave as they are: sensitive and kept ones."""
        return tuple(column for column in self.released if column not in self.quasi_identifiers)


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
    return [database_path(place.url)] if place is not None and place.url is not None else []


def database_path(url: str) -> Path:
    """The file of a ``duckdb:///file.duckdb`` URL.

    Raises :class:`SourceError` for other databases; the URL itself, which may hold a password, is not repeated.
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except ArgumentError:
        raise SourceError("the url is not of the form duckdb:///path/to/file.duckdb") from None
    if parsed.get_backend_name() != "duckdb":
        raise SourceError(f"a url of {parsed.get_backend_name()} cannot be opened yet: use duckdb:///path/to/file.duckdb")
    if not parsed.database or parsed.database == ":memory:":
        raise SourceError("the url names no file: use duckdb:///path/to/file.duckdb")
    return Path(parsed.database).expanduser().absolute()


def attach(session: Session, path: Path, name: str, *, read_only: bool) -> None:
    """Attach a DuckDB file under a name."""
    try:
        session.command(
            f"attach {Literal(str(path)).sql()} as {Name(name).sql()}{' (read_only)' if read_only else ''}"
        )
    except StatementError as error:
        raise SourceError(
            f"{path} cannot be opened as a DuckDB database ({error.kind}): check the file, "
            "and that no other program has it open for writing"
        ) from None


def table_name(table: str, database: str) -> Name:
    """The qualified name of a table given as ``table`` or ``schema.table``."""
    return Name(database, *table.split("."))


def open_source(session: Session, job: Job, frame: pandas.DataFrame | None = None) -> Source:
    """Open the job's source, or a frame in its stead, and check the roles against its columns.

    Raises :class:`SourceError` or :class:`JobError`: a file that cannot be read, a column that the job names and the
    source lacks, a column that the source has and the job does not name, a type that cannot be generalized, no rows.
    """
    if frame is not None:
        label, origin = "the data frame", _open_frame(session, job, frame)
    elif job.source is None:
        raise JobError("the job has no source: give source.path, source.url or source.dataset")
    else:
        label, origin = _open_place(session, job.source)
    described = [Column(name, kind) for name, kind, *_ in _read(session, label, "source/describe", {"origin": origin})]
    _check_roles(job, described, label)
    roles = [*job.quasi_identifiers, *job.sensitive, *job.keep]
    released = tuple(column for column in described if column.name in roles)
    by_name = {column.name: column for column in described}
    quasi_identifiers = tuple(by_name[name] for name in job.quasi_identifiers)
    for column in quasi_identifiers:
        if not column.is_groupable:
            raise SourceError(
                f"{label}: quasi-identifier {column.name!r} is of type {column.type}, which has no hierarchy: "
                "cast it in a query"
            )
    session.create_view(
        SOURCE,
        Statement(
            "source/source",
            {"columns": columns(_plain(session, column, origin) for column in released), "origin": origin},
        ),
    )
    for column in quasi_identifiers:
        if column.is_float:
            holes: dict[str, Hole] = {"column": Name(column.name), "source": SOURCE}
            ((unusable,),) = _read(session, label, "source/unusable", holes)
            if unusable:
                raise SourceError(
                    f"{label}: quasi-identifier {column.name!r} has {unusable} values that are NaN, infinite or "
                    "negative zero: replace them in a query"
                )
    return Source(SOURCE, released, quasi_identifiers, label)


def _read(session: Session, label: str, path: str, holes: dict[str, Hole]) -> Sequence[tuple[Any, ...]]:
    try:
        return session.run(Statement(path, holes))
    except StatementError as error:
        raise SourceError(f"{label} cannot be read ({error.kind}): check that it is there and well-formed") from None


def _open_place(session: Session, place: Place) -> tuple[str, Statement]:
    if place.path is not None:
        return str(place.path), _file(place)
    if place.dataset is not None:
        return place.dataset, _dataset(session, place.dataset)
    assert place.url is not None
    path = database_path(place.url)
    if not path.is_file():
        raise SourceError(f"{path} is not there: check the url")
    attach(session, path, ORIGIN, read_only=True)
    if place.table is not None:
        label = f"{place.table} in {path.name}"
        return label, Statement("source/relation", {"relation": table_name(place.table, ORIGIN)})
    assert place.query is not None
    label = f"the query on {path.name}"
    result = Name("query_result")
    try:
        # The query's own names mean the database's tables, never those of the working store.
        session.command(f"set search_path = {Literal(ORIGIN).sql()}")
        session.command(f"create table memory.main.{result.sql()} as\n{place.query.strip().rstrip(';')}")
    except StatementError as error:
        raise SourceError(f"{label} fails ({error.kind}): try it in the database first") from None
    finally:
        session.command("set search_path = 'memory'")
    return label, Statement("source/relation", {"relation": result})


def _file(place: Place) -> Statement:
    path = place.path
    assert path is not None
    if not path.is_file():
        raise SourceError(f"{path} is not a file: check source.path")
    if path.suffix.lower() in (".parquet", ".pq"):
        return Statement("source/parquet", {"path": Literal(str(path.absolute()))})
    return _csv(path, place.delimiter, place.null)


def _csv(path: Path, delimiter: str = ",", missing: str = "") -> Statement:
    text = Literal("VARCHAR")
    typed = (Joined((Literal(name), text), ": ") for name in _header(path, delimiter))
    return Statement(
        "source/csv",
        {
            "path": Literal(str(path.absolute())),
            "columns": Joined(tuple(typed), ", "),
            "delimiter": Literal(delimiter),
            "missing": Literal(missing),
        },
    )


def _dataset(session: Session, name: str) -> Statement:
    paths = dataset.files(name)
    if name == "patients":
        return _csv(paths[0])
    if name == "adult":
        data, test = (Literal(str(path)) for path in paths)
        return Statement("dataset/adult", {"data": data, "test": test})
    marginals, census = Name("marginals"), Name("census")
    session.create_view(marginals, _csv(paths[0]))
    session.create(census, Statement("dataset/census", {"marginals": marginals}), {"seed": 1})
    return Statement("source/relation", {"relation": census})


def _header(path: Path, delimiter: str) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            header = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{path} cannot be read as CSV in UTF-8 ({type(error).__name__}): check the file") from None
    if not header or not all(header):
        raise SourceError(f"{path}, line 1: every column needs a name in the header")
    _refuse_twins(header, str(path))
    return header


def _refuse_twins(names: Sequence[str], label: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other is not name:
            raise SourceError(f"{label}: columns {other!r} and {name!r} differ at most in case: rename one")


def _open_frame(session: Session, job: Job, frame: pandas.DataFrame) -> Statement:
    import pyarrow

    names = [str(name) for name in frame.columns]
    _refuse_twins(names, "the data frame")
    arrays = {}
    for position, name in enumerate(names):
        if name in job.identifiers:
            arrays[name] = pyarrow.nulls(len(frame))
            continue
        try:
            arrays[name] = pyarrow.Array.from_pandas(frame.iloc[:, position])
        except (pyarrow.ArrowException, TypeError, ValueError):
            raise SourceError(f"the data frame: column {name!r} mixes types: convert it to one") from None
    session.connection.register("frame", pyarrow.table(arrays))
    return Statement("source/relation", {"relation": Name("frame")})


def _plain(session: Session, column: Column, origin: Statement) -> Hole:
    name = Name(column.name)
    if column.is_text:
        ((merges,),) = session.run(Statement("source/collation", {"column": name, "origin": origin}))
        if merges:
            return As(Statement("source/binary", {"column": name}), name)
    return name


def _check_roles(job: Job, described: Sequence[Column], label: str) -> None:
    names = [column.name for column in described]
    _refuse_twins(names, label)
    for role in job.roles:
        for column in getattr(job, role):
            if column not in names:
                raise SourceError(
                    f"{role}: column {column!r} is not in {label}. Its columns: {', '.join(names)}."
                    f"{hint(column, names)}"
                )
    placed = {column for role in job.roles for column in getattr(job, role)}
    for name in names:
        if name not in placed:
            raise SourceError(
                f"column {name!r} of {label} is named nowhere in the job: put it under identifiers (never released), "
                f"quasi_identifiers, sensitive or keep"
            )
