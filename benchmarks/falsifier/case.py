"""A job of the falsifier as plain data: it can be run again, shrunk, and printed as a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Role = Literal["quasi_identifiers", "sensitive", "keep", "identifiers", "levels"]
Row = tuple[Any, ...]

SERVERS = ("postgresql", "mariadb")
FILES = ("csv", "parquet", "jsonl")
_FILES = (*FILES, "xlsx", "frame", "memory")


@dataclass(frozen=True)
class Column:
    """A column of the source: ``kind`` is one of values.KINDS, and a quasi-identifier has a hierarchy.

    A hierarchy is what a job declares; ``csv`` and ``table`` have their lines in the place of a path or a name,
    ``columns`` those of the source that are its levels, and ``functions`` their names (trees.FUNCTIONS). What is lost
    in it counts by its ``importance``, a decimal.
    """

    name: str
    kind: str
    role: Role
    hierarchy: Any = None
    importance: str = "1"


@dataclass(frozen=True)
class Case:
    """A table, a job on it, and what is done besides the run.

    ``source`` and ``target`` are kinds of places. ``missing`` is the text of a CSV for a missing value, ``quote`` what
    its texts stand between, ``header`` the names in it where some are not those of the columns, and ``files`` how many
    files of what packing a source of files is (files.FILES), whose names end in ``suffix``, or in their kind.
    ``person`` is the column that tells whose a row is; ``as_set`` has all rows of a person compared at once. ``models``
    are further privacy models, each by its key, and ``reference`` is the whole that some compare classes with, the
    release or the source. ``k_map`` and δ-``presence``, of its two shares, are asked within a ``population``: its
    people by their quasi-identifiers, in a file of a kind, ``register``; with ``counted`` one row stands for all who
    are alike. ``l_diversity`` has sensitive columns with their l, and ``diversity`` the l that a check asks for.
    ``besides`` names what else is done (jobs.BESIDES), ``change`` what changes before another run (besides.CHANGES); a
    data frame is one of the library ``frame`` (files.GIVEN), and ``broken`` a fault (faults.FAULTS). ``history`` has
    what is released of the source later (evolution.drawn): beside it, ``against`` earlier releases, where a joint k of
    what is to ``accept`` is enough; or as a ``refresh``, which tells or holds departures. A run has so many
    ``threads``, and so much ``memory``, where that is told. Cells of ``dirty`` columns are others in the source, and
    cleaned by the job (dirt).
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    source: str = "csv"
    target: str = "memory"
    algorithm: Mapping[str, Any] = field(default_factory=lambda: {"name": "witness"})
    k: int | None = 2
    qids: tuple[tuple[tuple[str, ...], int], ...] = ()
    l_diversity: tuple[tuple[str, int], ...] = ()
    models: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    reference: str = "release"
    k_map: int | None = None
    presence: tuple[str, str] | None = None
    population: tuple[Row, ...] = ()
    register: str = "csv"
    counted: bool = False
    suppression: str = "0"
    objective: Mapping[str, Any] | None = None
    seed: int = 1
    delimiter: str = ","
    missing: str = ""
    quote: str = '"'
    encoding: str = ""
    header: tuple[str, ...] = ()
    files: str = "one"
    suffix: str = ""
    person: str | None = None
    as_set: bool = False
    besides: tuple[str, ...] = ()
    diversity: int = 2
    change: str = "kept"
    refresh: str = ""
    against: tuple[Any, ...] = ()
    accept: int | None = None
    history: tuple[Mapping[str, Any], ...] = ()
    frame: str = "pandas"
    threads: int = 1
    memory: str = ""
    broken: str | None = None
    dirty: tuple[str, ...] = ()

    @property
    def quasi_identifiers(self) -> list[Column]:
        """Their order is that of the job: the columns' own."""
        return self.of("quasi_identifiers")

    def of(self, role: Role) -> list[Column]:
        return [column for column in self.columns if column.role == role]

    @property
    def released(self) -> list[Column]:
        return [column for column in self.columns if column.role not in ("identifiers", "levels")]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def renamed(self) -> dict[str, str]:
        """What a job renames of a CSV: a column without a name is read as ``column 3``, a further zip as ``zip_2``."""
        found = {}
        for at, (read, column) in enumerate(zip(self.header, self.columns, strict=False)):
            before = self.header[:at].count(read)
            made = f"column {at + 1}" if not read else f"{read}_{before + 1}" if before else read
            if made != column.name:
                found[made] = column.name
        return found

    @property
    def levels(self) -> set[str]:
        """The columns that are levels of a hierarchy."""
        declared = [column.hierarchy for column in self.quasi_identifiers]
        return {name for each in declared if isinstance(each, Mapping) for name in each.get("columns", ())}

    @property
    def in_python(self) -> bool:
        """Whether a hierarchy is a thing of Python's, which no file can hold."""
        declared = [column.hierarchy for column in self.quasi_identifiers]
        return any(isinstance(each, Mapping) and "functions" in each for each in declared)

    @property
    def is_timed(self) -> bool:
        """Whether what comes of it depends on how much is done in so many seconds."""
        return bool(self.algorithm.get("improve"))

    @property
    def is_file(self) -> bool:
        """Whether the source is a file, or several."""
        return self.source in (*FILES, "xlsx")

    @property
    def host(self) -> str | None:
        """The kind of database that the source is in."""
        kind = "duckdb" if self.source == "query" else self.source.removesuffix("-query")
        return None if kind in _FILES else kind

    @property
    def home(self) -> str | None:
        """The kind of database that the release goes to."""
        kind = {"here": self.host, "fresh": "duckdb"}.get(self.target, self.target)
        return None if kind in _FILES else kind

    @property
    def moves(self) -> bool:
        """Whether the rows leave the database that they are in."""
        return not (self.target == "here" or self.target == self.host in SERVERS)

    @property
    def keeps_dimensions(self) -> bool:
        """Whether the release goes to a database that keeps dimension tables beside it."""
        return self.home not in (None, "duckdb")

    def place(self, name: str) -> int:
        """The position of a column."""
        return next(at for at, column in enumerate(self.columns) if column.name == name)

    def cells(self, name: str) -> list[Any]:
        at = self.place(name)
        return [row[at] for row in self.rows]

    @property
    def of_population(self) -> bool:
        """Whether something is asked within a population."""
        return self.k_map is not None or self.presence is not None

    @property
    def requirement(self) -> list[tuple[tuple[str, ...], int]]:
        """Every quasi-identifier of the requirement with its k."""
        if self.qids:
            return list(self.qids)
        return [(tuple(column.name for column in self.quasi_identifiers), self.k or 1)]

    def text(self, indent: str = "") -> str:
        """The case as Python, without what has its default."""
        lines = [f"{indent}Case("]
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("columns", "rows"):
                lines.append(f"{indent}    {each.name}=(")
                lines += [f"{indent}        {item!a}," for item in value]
                lines.append(f"{indent}    ),")
            elif value != (each.default_factory() if callable(each.default_factory) else each.default):
                lines.append(f"{indent}    {each.name}={value!a},")
        return "\n".join([*lines, f"{indent})"])
