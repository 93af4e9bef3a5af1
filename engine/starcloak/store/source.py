"""The source: where the rows are, which columns they have, and what each column may be used for."""

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
_DEEPEST = 16  # hashes of cells that stand in each other: a parser of SQLite takes some 25


class Cleaned(NamedTuple):
    """How many cells of a column a rule of the job's cleaning changed."""

    column: str
    rule: str
    cells: int


class FrameRows(Protocol):
    """The rows of a data frame that is the source: ``position`` is the column that numbers them, from 0."""

    @property
    def position(self) -> Name: ...

    def refuse_elsewhere(self, columns: Sequence[Column], goal: str) -> None:
        """Refuse kept columns that only a data frame can hold, where the release is none."""

    def release(self, rows: Any, columns: Sequence[Column]) -> Any:
        """The released rows as a data frame of the same kind, with its own kept cells."""


@dataclass(frozen=True)
class Populated:
    """The population that a source is of: where it is, how many people in how many tuples, and what tells it apart."""

    label: str
    people: int
    tuples: int
    fingerprint: str


def uncleaned(rows: Hole) -> Hole:
    """Rows as they are: none of their cells is cleaned."""
    return rows


@dataclass(frozen=True)
class Source:
    """The opened source.

    ``released`` are the columns of the release in the source's order; ``quasi_identifiers`` those of them that are
    generalized, in the job's order. ``relation`` has exactly these columns, without collations; ``host`` reads it.
    ``portable`` yields the same rows, with whose they are, in the database's own client. ``rows`` is how many there
    are, where that is known from elsewhere. ``held`` has the columns as the place of the release holds them, where
    their types are others there.
    A source that is a data frame has a further column, which numbers its rows: with ``frame``, a release has that
    instead of the kept columns. ``mended_in`` is where the user can mend what is refused of a column.
    ``roles`` are those of the job, with the columns that its patterns mean. Of columns of the relation that are not
    released, ``beside`` are read for a hierarchy, and ``persons`` tell whose a row is, as
    ``identifiers`` seem to, where the job does not say.
    ``population`` is at hand where the requirement asks for it. Where there are too many ``combinations`` of the
    quasi-identifier to come home, that is how many.
    ``cleaned`` are the columns that the job cleans, by rule; ``cleaning`` makes of rows those of the source, whose
    cells are clean.
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
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict)
    beside: tuple[Column, ...] = ()
    persons: tuple[Column, ...] = ()
    identifiers: tuple[Column, ...] = ()
    population: Populated | None = None
    combinations: int | None = None
    cleaned: tuple[Cleaned, ...] = ()
    cleaning: Callable[[Hole], Hole] = field(default=uncleaned, compare=False)

    @property
    def is_home(self) -> bool:
        """Whether its rows came to the working store from a database, whose own client cannot make its release."""
        return self.relation == _FETCHED

    @property
    def private(self) -> Source:
        """The source whose release has the columns that tell persons apart, too: nobody else sees that one."""
        return replace(self, released=(*self.released, *self.persons), persons=(), held=()) if self.persons else self

    @property
    def selected(self) -> list[Name]:
        """The columns that the statement of a release yields."""
        if self.frame is None:
            return [Name(column.name) for column in self.released]
        return [*(Name(column.name) for column in self.remade), self.frame.position]

    @property
    def remade(self) -> tuple[Column, ...]:
        """The columns whose cells are not those that the rows came with: generalized ones, and those that are clean."""
        clean = {column for column, _, _ in self.cleaned}
        return tuple(column for column in self.released if column in self.quasi_identifiers or column.name in clean)

    def refuse_lost(self, read: int) -> None:
        """Refuse rows that are not as many as the file has: its reader lost some, or it changed."""
        if self.rows not in (None, read):
            raise SourceError(f"{self.label} has {self.rows} rows, and {read} were read: if it changed, run again")

    def refuse_unlike(self, sensitive: Collection[str]) -> None:
        """Refuse sensitive columns whose different values cannot be counted, or not by whoever gets the release.

        Away from a database: there 1 and 1.00 are one value, and a GROUP BY yields either of them: what comes home
        would be two. NaN: a value here is a missing one in a data frame, and in no SQLite or MariaDB. Values that are
        equal and read otherwise, 0.0 and -0.0: counted as one, and told apart by whoever reads the release.
        """
        for column in self.released:
            if column.name in sensitive and self.host.dialect and not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, whose values cannot be counted "
                    f"for the requirement: cast it in {self.mended_in}"
                )
            if column.name in sensitive and column.is_float:
                nan, *_ = self.host.row(Statement("store/unusable", column=Name(column.name), source=self.relation))
                if nan:
                    raise SourceError(
                        f"{self.label}: column {column.name!r} has {nan:,} values that are NaN, which is a value in "
                        f"one place and a missing one in another: replace them in {self.mended_in}"
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
                        f"{self.label}: column {column.name!r} has values that are equal and read otherwise, such as "
                        f"0.0 and -0.0, or one month and 30 days: give each one reading in {self.mended_in}"
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

    @property
    def cells(self) -> list[Hole]:
        """The kept cells of a row of the source, or of the staged release, each exactly as it leaves."""
        kept, cells = set(self.kept), []
        for column, held in zip(self.released, self.leaving, strict=True):
            if column in kept:
                cell: Hole = Name(column.name)
                if held != column:  # those of the release are as they leave
                    cell = Statement("store/received#typed", column=cell, type=Type(held.type))
                cells.append(self.host.exact(cell, held))
        return cells

    @property
    def checksum(self) -> Hole:
        """The sum over rows that tells their kept cells from others, whether of the source or of the staged release."""
        if not self.kept:
            return Number(0)
        hashed: Hole = Number(0)
        for some in _evenly(self.cells):
            one = Statement("store/checksum#cell", before=hashed, cell=some[0])
            hashed = (
                one if len(some) == 1 else Statement("store/checksum#cells", before=hashed, cells=Joined(some, ", "))
            )
        return Statement("store/checksum", cells=hashed)

    def gather_distinct(self, session: Session, names: Sequence[str], *, into: Name) -> None:
        """Bring the combinations of some columns' values home, each once."""
        known = {column.name: column for column in (*self.released, *self.beside)}
        rows: dict[str, Hole] = {"levels": columns(map(Name, names)), "declared": As(self.relation, SOURCE)}
        session.drop(into)
        self.host.gather(into, Statement("hierarchy/declared#once", **rows), [known[name] for name in names])

    def as_held(self, held: Callable[[Column], str]) -> Source:
        """The source whose columns have other types where they go."""
        return replace(self, held=tuple(replace(column, type=held(column)) for column in self.released))

    def home(self, session: Session, held: Callable[[Column], str]) -> Source:
        """The source with its rows in the working store, for a release that leaves their database.

        Raises :class:`SourceError` for a column of a type that the working store lacks.
        """
        if self.host is session:
            return self
        everything = tuple(dict.fromkeys((*self.released, *self.beside, *self.persons, *self.identifiers)))
        for column in everything:
            if not column.is_groupable:
                raise SourceError(
                    f"{self.label}: column {column.name!r} is of type {column.kind}, which does not leave its database "
                    f"as it is: cast it in {self.mended_in}"
                )
        names = columns(Name(column.name) for column in everything)
        rows = Statement("store/relation", relation=As(self.relation, _FETCHED))
        self.host.gather(_FETCHED, Statement("store/source", columns=names, origin=rows), everything)
        return replace(self, host=session, relation=_FETCHED).as_held(held)


def _evenly(cells: Sequence[Hole]) -> Iterator[tuple[Hole, ...]]:
    """Cells in groups, one of them in each unless there are more than are hashed one after another."""
    size = -(-len(cells) // _DEEPEST)
    return (tuple(cells[start : start + size]) for start in range(0, len(cells), size))


def rejoin(source: Source, release: Name) -> Statement:
    """The rows of a release, each with the kept cells of the row of the data frame that it takes, if it is of one."""
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
    """What fails while all rows of a source are read is for the user to mend."""
    try:
        yield
    except StatementError as error:
        raise unread(source.label, error.kind) from None
