"""The source of a run: the host of its rows, its columns, and the permitted use of each column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from starcloak.base.column import Column
from starcloak.base.errors import SourceError, StatementError, unread
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns
from starcloak.store.databases.host import Host
from starcloak.store.session import Session

SOURCE = Name("source")
_FETCHED = Name("fetched")
_DEEPEST = 16  # nested hashes of cells: a parser of SQLite takes some 25


class Cleaned(NamedTuple):
    """Number of ``cells`` in a column changed by one cleaning rule of the job.

    ``missing`` is the number of the column's missing cells before the rule.
    """

    column: str
    rule: str
    cells: int
    missing: int


class FrameRows(Protocol):
    """The rows of a data frame as the source: ``position`` is the column with row numbers, from 0."""

    @property
    def position(self) -> Name: ...

    def refuse_elsewhere(self, columns: Sequence[Column], target: str) -> None:
        """Refuse kept columns with types specific to data frames, if the release is not a data frame."""

    def release(self, rows: Any, columns: Sequence[Column]) -> Any:
        """The released rows as a data frame of the same kind as the source; kept cells are read from the source."""


@dataclass(frozen=True)
class Populated:
    """The population for a source: its place (``label``), its numbers of people and of tuples, and its fingerprint."""

    label: str
    people: int
    tuples: int
    fingerprint: str


def uncleaned(rows: Hole) -> Hole:
    """The rows unchanged, for a source without cleaning rules."""
    return rows


@dataclass(frozen=True)
class Source:
    """The opened source.

    - ``host`` reads the rows.
    - ``relation`` has exactly the columns of the release, without collations.
    - ``released`` are the columns of the release in the source's order.
    - ``quasi_identifiers`` are the generalized columns among them, in the job's order.
    - ``portable`` is a statement for the same rows and the columns of persons, for the database's own client.
    - ``rows`` is the number of rows, if it is known without a count by the host.
    - ``held`` are the released columns with their types in the release's database, if these types differ.
    - ``frame`` is set for a data frame: its relation has a further column of row numbers, and a release is first made
      with this column in place of the kept columns.
    - ``mended_in`` is the place for corrections of a refused column, for messages, such as "a query".
    - ``has_client`` is false if the rows cannot be read by the client of a database.
    - ``roles`` are the roles of the job, with the columns matched by its patterns.
    - ``beside`` are unreleased columns of the relation, read only for hierarchies.
    - ``persons`` are unreleased columns to identify a person; ``identifiers`` are probable ones if the job has none.
    - ``population`` is set if the requirement needs it.
    - ``combinations`` is the number of distinct tuples, if these are too many for a transfer.
    - ``cleaned`` has the number of changed cells per column and cleaning rule.
    - ``joined`` are the names of columns made by the cleaning from several columns.
    - ``cleaning`` applies the cleaning rules to a relation with raw rows.
    """

    host: Host
    relation: Hole
    released: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    label: str
    portable: Statement
    rows: int | None = None
    held: tuple[Column, ...] = ()
    frame: FrameRows | None = None
    mended_in: str = "a query"
    has_client: bool = True
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    beside: tuple[Column, ...] = ()
    persons: tuple[Column, ...] = ()
    identifiers: tuple[Column, ...] = ()
    population: Populated | None = None
    combinations: int | None = None
    cleaned: tuple[Cleaned, ...] = ()
    joined: frozenset[str] = frozenset()
    cleaning: Callable[[Hole], Hole] = field(default=uncleaned, compare=False)

    @property
    def is_home(self) -> bool:
        """True if only this process can make the release, such as for rows copied to the working store: a script for a
        database's own client could not read them."""
        return self.relation == _FETCHED or not self.has_client

    @property
    def private(self) -> Source:
        """The source with the columns of persons as released ones, for a private release kept from other users."""
        return replace(self, released=(*self.released, *self.persons), persons=(), held=()) if self.persons else self

    @property
    def selected(self) -> list[Name]:
        """Columns yielded by a release's statement; for a data frame, the changed columns and the row number."""
        if self.frame is None:
            return [Name(column.name) for column in self.released]
        return [*(Name(column.name) for column in self.remade), self.frame.position]

    @property
    def remade(self) -> tuple[Column, ...]:
        """The released columns with possibly changed cells: generalized, cleaned or joined columns."""
        clean = {*self.joined, *(part.column for part in self.cleaned)}
        return tuple(column for column in self.released if column in self.quasi_identifiers or column.name in clean)

    def refuse_lost(self, read: int) -> None:
        """Raise :class:`SourceError` if ``read``, the number of rows read, differs from the source's known number."""
        if self.rows not in (None, read):
            raise SourceError(
                f"{self.label} has {self.rows} rows, and {read} were read: if the source changed, run again"
            )

    def refuse_unlike(self, sensitive: Collection[str]) -> None:
        """Refuse sensitive columns with distinct values that cannot be counted exactly. Raises :class:`SourceError`.

        - Types unknown to the working store, in another database: a GROUP BY there takes 1 and 1.00 as one value and
          yields either text, so the transfer would turn one value into two.
        - NaN: a value here, a missing value in a data frame, and absent from SQLite and MariaDB.
        - Equal values with different texts, such as 0.0 and -0.0: counted as one value, and distinct to readers of the
          release.
        """
        for column in self.released:
            if column.name in sensitive and self.host.dialect and not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, whose values cannot be counted "
                    f"for the requirement: cast the column in {self.mended_in}"
                )
            if column.name in sensitive and column.is_float:
                nan, *_ = self.host.row(Statement("store/unusable", column=Name(column.name), source=self.relation))
                if nan:
                    raise SourceError(
                        f"{self.label}: column {column.name!r} has {nan:,} NaN values, which some programs read as a "
                        f"number and others as missing: replace them in {self.mended_in}"
                    )
            if column.name in sensitive and not (column.is_text or column.is_plain or column.is_enumeration):
                cell = Name("source", column.name)
                (alike,) = self.host.row(
                    Statement(
                        "store/equal_values", cell=cell, exact=self.host.exact(cell, column), source=self.relation
                    )
                )
                if alike:
                    raise SourceError(
                        f"{self.label}: column {column.name!r} has equal values with different texts, such as 0.0 "
                        f"and -0.0, or one month and 30 days: write equal values alike in {self.mended_in}"
                    )

    @property
    def grouped(self) -> Joined:
        """The quasi-identifier columns, qualified by the alias ``source``, for a GROUP BY."""
        return Joined(tuple(Name("source", column.name) for column in self.quasi_identifiers), ", ")

    @property
    def kept(self) -> tuple[Column, ...]:
        """The columns released unchanged: sensitive and kept ones."""
        return tuple(column for column in self.released if column not in self.quasi_identifiers)

    @property
    def leaving(self) -> tuple[Column, ...]:
        """The released columns with their types in the release's database."""
        return self.held or self.released

    @property
    def cells(self) -> list[Hole]:
        """Expressions for the exact values of a row's kept cells, equal for the source and for the staged release."""
        kept, cells = set(self.kept), []
        for column, is_held in zip(self.released, self.leaving, strict=True):
            if column in kept:
                cell: Hole = Name(column.name)
                if is_held != column:  # those of the release are as they leave
                    cell = Statement("store/received#typed", column=cell, type=Type(is_held.type))
                cells.append(self.host.exact(cell, is_held))
        return cells

    @property
    def checksum(self) -> Hole:
        """Expression for the sum of the rows' hashes over kept cells: equal for the source and the staged release."""
        if not self.kept:
            return Number(0)
        hashed: Hole = Number(0)
        for batch in _evenly(self.cells):
            statement = Statement("store/checksum#cell", before=hashed, cell=batch[0])
            hashed = (
                statement
                if len(batch) == 1
                else Statement("store/checksum#cells", before=hashed, cells=Joined(batch, ", "))
            )
        return Statement("store/checksum", cells=hashed)

    def gather_distinct(self, session: Session, names: Sequence[str], *, into: Name) -> None:
        """Copy the distinct combinations of the columns ``names`` to the table ``into`` of the working store."""
        columns_known = {column.name: column for column in (*self.released, *self.beside)}
        rows: dict[str, Hole] = {"columns": columns(map(Name, names)), "relation": As(self.relation, SOURCE)}
        session.drop(into)
        self.host.gather(into, Statement("store/relation#once", **rows), [columns_known[name] for name in names])

    def as_held(self, predicate: Callable[[Column], str]) -> Source:
        """The source with ``held`` set: ``predicate`` returns a column's type in the release's database."""
        return replace(self, held=tuple(replace(column, type=predicate(column)) for column in self.released))

    def home(self, session: Session, predicate: Callable[[Column], str]) -> Source:
        """Copy the source's rows to the working store, for a release outside the source's database.

        ``predicate`` returns a column's type at the release. Raises :class:`SourceError` for a column with a type
        unknown to the working store.
        """
        if self.host is session:
            return self
        everything = tuple(dict.fromkeys((*self.released, *self.beside, *self.persons, *self.identifiers)))
        for column in everything:
            if not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, which cannot be read without "
                    f"loss: cast the column in {self.mended_in}"
                )
        names = columns(Name(column.name) for column in everything)
        rows = Statement("store/relation", relation=As(self.relation, _FETCHED))
        self.host.gather(_FETCHED, Statement("store/source", columns=names, origin=rows), everything)
        return replace(self, host=session, relation=_FETCHED).as_held(predicate)


def _evenly(cells: Sequence[Hole]) -> Iterator[tuple[Hole, ...]]:
    """Cells in at most 16 groups of equal size (the last may be smaller), as hash calls are nested once per group."""
    size = -(-len(cells) // _DEEPEST)
    return (tuple(cells[start : start + size]) for start in range(0, len(cells), size))


def rejoin(source: Source, release: Name) -> Statement:
    """The rows of a release; for a data frame, each with the kept cells of its original row."""
    if source.frame is None:
        return Statement("store/relation", relation=release)
    origins = (Name("released" if column in source.remade else "source", column.name) for column in source.released)
    return Statement(
        "store/rejoined",
        columns=columns(origins),
        release=release,
        source=source.relation,
        position=source.frame.position,
    )


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Context for statements over all source rows: their errors are raised as errors of the source with a remedy."""
    try:
        yield
    except StatementError as error:
        raise unread(source.label, error.kind) from None
