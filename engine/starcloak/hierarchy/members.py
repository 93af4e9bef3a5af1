"""Dimension tables of hierarchies: created by a rule or declared leaf by leaf, and checked in both cases.

A member is a row of such a table: a leaf and its generalized values, up to the top. A run counts the values without a
leaf in the source. The custodian of the source sees these values by a statement for the database's own client or in a
private file, if the job asks for one, and never in a message.
"""

from __future__ import annotations

import csv
import io
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np

from starcloak.base import settings
from starcloak.base.errors import HierarchyError, OutputError
from starcloak.hierarchy.builder import TOP, Builder, BuildPlace
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Row, Statement, columns
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from starcloak.base.column import Column
    from starcloak.store.databases.host import Host
    from starcloak.store.source import Source


_BETWEEN = Name("members_between")


@dataclass(frozen=True)
class ReleasedLevels:
    """Levels of a hierarchy permitted in a release: only these are in the dimension table, numbered 0 to ``height``.

    ``beneath`` is the number of removed levels below the permitted levels, ``above`` the number of removed levels
    above.
    """

    height: int
    beneath: int = 0
    above: int = 0


def members_of(
    session: Session,
    hierarchy: Builder,
    column: Column,
    *,
    host: Host,
    domain: Name,
    into: Name,
    rows: Source | None = None,
    without_leaf: Name | None = None,
) -> ReleasedLevels:
    """Create the dimension table of a column's hierarchy; return its levels, limited to those permitted in a release.

    Args:
        host: Database of the source.
        domain: Table with the column's distinct values, as ``value``.
        into: Name of the new table with one row per leaf: ``present`` (true if the source has the leaf), ``value`` (the
            value as stored in the source), ``level_0`` … ``level_<height>`` (texts).
        rows: The source if the column is a quasi-identifier of the source, else None.
        without_leaf: Name of a new table for source values absent from the hierarchy, with a leaf by ``nonconforming``
            alone; None for no table.

    Raises:
        HierarchyError: A value of the source has no leaf, a level is no function of the level below, or there are
            several top values. These are the conditions on value generalization functions of LeFevre, DeWitt,
            Ramakrishnan 2005, section 2. The message counts the wrong values and contains none of them.
    """
    place = BuildPlace(session, host, column, domain, into, rows)
    height = hierarchy.members(place)
    if without_leaf is not None:
        session.create(without_leaf, Statement("hierarchy/nonconforming#values", domain=domain, members=into))
    add_strangers(place, hierarchy, height)
    check_coverage(place, hierarchy)
    return keep_between(place, hierarchy, height)


def keep_between(place: BuildPlace, hierarchy: Builder, height: int) -> ReleasedLevels:
    """Remove levels not permitted in a release from the dimension table; return the remaining levels.

    The lowest permitted level becomes level 0. With ``suppressed: null`` (the column keeps its type), the labels of the
    top become missing. Raises :class:`HierarchyError` if the hierarchy does not have the levels set in the job.
    """
    try:
        first, last = hierarchy.between(height)
    except ValueError as problem:
        raise place.wrong(str(problem)) from None
    blanks = hierarchy.keeps_type and last > 0
    if (first, last) == (0, height) and not blanks:
        return ReleasedLevels(height)
    if first and not (first == 1 and hierarchy.unifies_spellings):
        unchanged = Statement("hierarchy/between#unchanged", lowest=Name(f"level_{first}"), members=place.into)
        (values,) = place.session.row(unchanged)
        if values:
            place.host.warnings.append(
                f"hierarchy of {place.column.name!r}: {values:,} {'values read' if values > 1 else 'value reads'} the "
                f"same at level {first}, the lowest level permitted by from, and can be released unchanged: give the "
                "hierarchy another label there"
            )
    texts: list[Hole] = [Name(f"level_{level}") for level in range(first, last + 1)]
    if blanks:
        texts[-1] = Statement("hierarchy/between#missing")
    levels = columns(As(text, Name(f"level_{level}")) for level, text in enumerate(texts))
    place.session.create(_BETWEEN, Statement("hierarchy/between", levels=levels, members=place.into))
    place.session.create(place.into, Statement("store/relation", relation=_BETWEEN))
    place.session.drop(_BETWEEN)
    return ReleasedLevels(last - first, beneath=first, above=height - last)


def check_levels(place: BuildPlace, lines: Name, height: int, *, lowest: int = 0) -> None:
    """Check a hierarchy: each level is a function of the level below, and the last level has a single text.

    ``lines`` is a table with the columns ``level_0`` … ``level_<height>``. Levels below ``lowest`` are not checked:
    with one line per leaf, level 1 is a function of the leaf. Raises :class:`HierarchyError`.
    """
    names = [Name(f"level_{level}") for level in range(lowest, height + 1)]
    parents = [
        Statement("hierarchy/problems#two_parents", below=below, above=above, declared=lines)
        for below, above in pairwise(names)
    ]
    # With one value at the last level, no value has two parents there.
    last: dict[str, Hole] = {"top": names[-1], "declared": lines}
    tops_and_gaps = (Statement("hierarchy/problems#tops", **last), Statement("hierarchy/problems#no_top", **last))
    counted = [*parents[:-1], *tops_and_gaps]
    counts = (
        As(Statement("hierarchy/levels#count", counted=member), name)
        for member, name in zip(counted, [*names[:-2], names[-1], Name("no_top")], strict=True)
    )
    *splits, tops, without = place.session.row(Statement("hierarchy/levels", counts=columns(counts)))
    if tops > 1:
        splits += [place.session.row(parent)[0] for parent in parents[-1:]]
    for level, split in enumerate(splits, lowest):
        if split:
            raise place.wrong(
                f"{split} values of level {level} have two parents: give each one value at level {level + 1}"
            )
    if tops > 1:
        raise place.wrong(f"its last level has {tops} values: end every line in the same value, such as {TOP}")
    if without:  # a suppressed cell could not be told from a missing one
        raise place.wrong(
            f"its last level is missing: end every line in one text, such as {TOP}, and write suppressed: null to "
            "release suppressed cells as missing"
        )


def add_strangers(place: BuildPlace, hierarchy: Builder, height: int) -> None:
    """Add leaves for source values without one, if the job sets ``nonconforming`` to ``missing`` or ``suppress``."""
    if hierarchy.nonconforming != "refuse":
        if place.column.is_text and (near := hierarchy.near(place)):
            place.host.warnings.append(
                f"hierarchy of {place.column.name!r}: of the values without a leaf, {near}: the hierarchy's key "
                "nonconforming applies to them, too"
            )
        _add_nonconforming(place, height, like_missing=hierarchy.nonconforming == "missing")


def _add_nonconforming(place: BuildPlace, height: int, *, like_missing: bool) -> None:
    """Add a leaf for each source value without a leaf, and check the levels again.

    Such a leaf has the labels of the missing value (``like_missing``), or the top at every level above the leaf.
    """
    levels = columns(
        Statement("hierarchy/nonconforming#missing", level=Name(f"level_{level}"))
        if like_missing and level < height
        else Statement("hierarchy/nonconforming#top")
        for level in range(1, height + 1)
    )
    place.session.insert(
        place.into,
        Statement(
            "hierarchy/nonconforming",
            levels=levels,
            domain=place.domain,
            members=place.into,
            last=Name(f"level_{height}"),
        ),
    )
    check_levels(place, place.into, height)


def check_coverage(place: BuildPlace, hierarchy: Builder) -> None:
    statement = Statement("hierarchy/problems#without_leaf", domain=place.domain, members=place.into)
    values, missing = place.session.row(statement)
    if not values:
        return
    if values == 1 and missing:
        problem = (
            "the source has missing values, and the hierarchy has no leaf for them: add a line with an empty leaf "
            "(csv, table) or null (tree, levels), or write nonconforming: missing or nonconforming: suppress in the "
            "hierarchy"
        )
    else:
        near = hierarchy.near(place)
        problem = (
            f"{values} values of the source have no leaf: {hierarchy.remedy}{f' ({near})' if near else ''}; or write "
            "nonconforming: missing or nonconforming: suppress in the hierarchy"
        )
    error = place.wrong(problem)
    error.without_leaf = True
    raise error


class Rule(Builder):
    """A hierarchy by SQL expressions over the values, one expression per level; ``*`` goes on top."""

    top_label: ClassVar[str] = TOP

    @abstractmethod
    def levels(self, place: BuildPlace) -> list[Hole]:
        """SQL expressions of the levels between the leaf and the top, from level 1 upward."""

    @abstractmethod
    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        """Query for the rows of the dimension table; ``levels`` are its columns level_1, level_2, …"""

    @property
    def binds(self) -> Mapping[str, Any]:
        """Values of the bind parameters of :meth:`statement`, by name."""
        return {}

    def members(self, place: BuildPlace) -> int:
        pieces: list[Hole] = [*self.levels(place), Statement("hierarchy/top")]
        levels = columns(As(piece, Name(f"level_{level}")) for level, piece in enumerate(pieces, 1))
        place.session.create(place.into, self.statement(place, levels), self.binds)
        check_levels(place, place.into, len(pieces))
        return len(pieces)


def numbers(place: BuildPlace, *, comma: bool = False) -> Statement:
    """Query for the column's distinct values as exact numbers.

    Texts have a decimal point or, with ``comma``, a comma.
    """
    pointed = Statement("hierarchy/numbers#comma" if comma and place.column.is_text else "hierarchy/numbers#point")
    return Statement("hierarchy/numbers", domain=place.domain, digits=pointed)


NUMBERS_ONLY = "they are not numbers of at most 20 digits and 18 decimals"


_HEADER = "attribute,value,rows"
_MOST_RUNS = 20  # of neighbours in a statement: so many values are enough to understand the problem


def file_of_values(path: Path) -> Written:
    """Declare the output file for values without a leaf. It may replace only an earlier file of such values."""
    return Written(path, "the file of values without a leaf", "without_leaf", is_own=_is_own)


class Misfits:
    """Collector of the source values that have no leaf in the hierarchy of their attribute, for all attributes.

    ``into`` is the file for these values, or None."""

    def __init__(self, session: Session, source: Source, into: Path | None) -> None:
        self._session, self._source, self._into = session, source, into
        self._rows: list[Row] = []
        self._shown: list[str] = []
        self._count = 0

    def add(self, column: Column, *, domain: Name, members: Name, value: Name, base: Name) -> int:
        """Record an attribute's values without a leaf; return the number of source rows with such a value.

        ``domain`` names the table of the distinct values, ``members`` the attribute's dimension table, ``base`` the
        base frequency set and ``value`` the attribute's column there.
        """
        misfits = Statement("hierarchy/misfits", value=value, members=members, base=base)
        (count,) = self._session.row(Statement("hierarchy/misfits#count", misfits=misfits))
        if self._into is not None:
            self._rows += [(column.name, *row) for row in self._session.run(misfits)]
        elif self._source.frame is None and self._source.has_client:
            self._shown.append(self._statement(column, domain, members))
        self._count += count
        return int(count)

    def refusal(self, problems: list[str]) -> HierarchyError:
        """Return one error with all ``problems`` of hierarchies, and a way to see the values without a leaf.

        The values are written to the file if the job names one, else SQL shows them in the source's database. Raises
        OutputError for an unwritable file.
        """
        if self._count and self._into is not None:
            self._write(self._into)
            problems = [*problems, f"these values are in {self._into}, which only you can read"]
        elif self._count:
            problems = [*problems, "without_leaf: FILE in the job writes these values to a file that only you can read"]
            if self._shown:
                problems[-1] += ", and the SQL of this error shows them in the database's own client (--json has it)"
        needed = [f"{need};\n" for need in self._source.host.client_needs] if self._shown else []
        return HierarchyError("; ".join(problems), sql="\n".join([*needed, *self._shown]) or None)

    def _statement(self, column: Column, domain: Name, members: Name) -> str:
        """Return SQL for the client of the source's database, to show an attribute's values without a leaf.

        The SQL contains no value: it selects values by their positions in ascending order.
        """
        runs = self._session.run(Statement("hierarchy/misfits#places", domain=domain, members=members))
        places = [
            Statement("hierarchy/misfits#run", first=Number(first), last=Number(last))
            if first < last
            else Statement("hierarchy/misfits#alone", first=Number(first))
            for first, last in runs[:_MOST_RUNS]
        ]
        portable = self._source.portable.holes
        assert isinstance(portable["columns"], Joined)
        piece = portable["columns"].pieces[self._source.released.index(column)]
        statement, dialect = (
            Statement(
                "hierarchy/misfits#shown",
                column=piece.piece if isinstance(piece, As) else piece,
                origin=portable["origin"],
                places=Joined(tuple(places), " or "),
            ),
            self._source.host.dialect,
        )
        more = "" if len(runs) <= _MOST_RUNS else ", the first of them"
        named = " ".join(f"-- Values of {column.name} that have no leaf{more}:".split())
        return f"{named}\n{statement.sql(dialect)};\n"

    def _write(self, into: Path) -> None:
        lines = f"{_HEADER}\n{as_csv(self._rows, delimiter=',')}"
        try:
            staging.write(into.resolve(), lines, self._session.run_id, private=True)
        except OSError as error:
            raise OutputError(
                f"{into} cannot be written ({type(error).__name__}): check the path in without_leaf"
            ) from None


def _is_own(path: Path) -> bool:
    with open(path, "rb") as content:
        return content.read(len(_HEADER) + 1) == f"{_HEADER}\n".encode()


def as_csv(lines: Iterable[Sequence[object]], *, delimiter: str = ";") -> str:
    r"""Text of lines in CSV, read back without loss: all cells are quoted if one has a carriage return or a BOM.

    >>> as_csv([["a\r", 1], [None, 2]])
    '"a\r";"1"\n"";"2"\n'
    """
    rows, content = [*lines], io.StringIO(newline="")
    odd = any(mark in cell for row in rows for cell in row if isinstance(cell, str) for mark in "\r\ufeff")
    quoting: Literal[0, 1] = csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL
    csv.writer(content, delimiter=delimiter, lineterminator="\n", quoting=quoting).writerows(rows)
    return content.getvalue()


_DECLARED, _INCOMING, _ONCE = Name("declared"), Name("lines"), Name("once")
_TOGETHER = 10_000  # lines received at once

_Line = TypeVar("_Line", bound=Sequence[str | None])


class Declared(Builder):
    """A hierarchy declared line by line; the cells of a line are leaf, level 1, …, top."""

    @abstractmethod
    def declare(self, place: BuildPlace, into: Name) -> int:
        """Create the table ``into`` of lines (``level_0, level_1, …``); return the number of levels above the leaf."""

    @property
    def remedy(self) -> str:
        return "declare a leaf for each"

    def near(self, place: BuildPlace) -> str:
        return near_leaves(place)

    def repeated(self, place: BuildPlace) -> str:
        """Numbers of two lines with the same leaf, for an error; empty for declarations without line numbers."""
        return ""

    def members(self, place: BuildPlace) -> int:
        session = place.session
        height = self.declare(place, _DECLARED)
        respell(place, _DECLARED, height)
        lines = _once(place, self, height)
        check_levels(place, lines, height, lowest=1)
        levels = columns(Name("declared", f"level_{level}") for level in range(1, height + 1))
        session.create(place.into, Statement("hierarchy/declared", levels=levels, declared=lines, domain=place.domain))
        session.drop(_DECLARED, _ONCE)
        return height


def receive(place: BuildPlace, lines: Iterable[Sequence[str | None]], into: Name) -> int:
    """Store the lines of a hierarchy in the table ``into``; return the number of levels above the leaf.

    The columns are ``level_0, level_1, …``. Raises HierarchyError without any line, and beyond the limits of
    :func:`bound_lines`.
    """
    rest, height = bound_lines(place, lines), -1
    # Some at a time: as Python's own texts they would take ten times the memory.
    while batch := list(islice(rest, _TOGETHER)):
        arrays = {f"level_{level}": array_of_texts(cells) for level, cells in enumerate(zip(*batch, strict=True))}
        cells = columns(As(Statement("hierarchy/cast", column=name), name) for name in map(Name, arrays))
        read = Statement("store/relation#columns", columns=cells, relation=_INCOMING)
        place.session.receive(into, _INCOMING, arrays, read, more=height >= 0)
        height = len(arrays) - 1
    if height < 0:
        raise place.wrong("it has no leaf: give a line for each value")
    return height


def lines_of_texts(
    place: BuildPlace, levels_of: Callable[[str], Sequence[str] | None], *, levels: int, none: str
) -> Generator[Sequence[str | None], None, int]:
    """Make a line for each value of a column with known texts; return the number of unknown values.

    Args:
        place: Column and working store of the hierarchy. The missing value stays missing until the top.
        levels_of: Labels of a text from level 1 to the level below the top; None for an unknown text.
        levels: Number of these labels.
        none: Continuation of the error ``none of its 3 values …``, if no value is known.
    """
    values = leaves = 0
    for _, text in place.session.run(Statement("hierarchy/value_texts", domain=place.domain)):
        if text is None:
            yield [None, *[None] * levels, TOP]
            continue
        values += 1
        if (labels := levels_of(text)) is not None:
            leaves += 1
            yield [text, *labels, TOP]
    if values and not leaves:
        raise place.wrong(f"none of the column's {values:,} values {none}")
    return values - leaves


def bound_lines(place: BuildPlace, lines: Iterable[_Line]) -> Iterator[_Line]:
    """Pass on lines up to the permitted number of leaves and characters. Raises HierarchyError beyond these limits."""
    characters = 0
    for leaves, line in enumerate(lines, 1):
        characters += len("".join(filter(None, line)))
        if leaves > settings.MOST_LEAVES or characters > settings.MOST_CHARACTERS:
            raise place.wrong(
                f"more than {settings.MOST_LEAVES:,} leaves, or {settings.MOST_CHARACTERS:,} characters over all "
                "levels: give the hierarchy as a table of the source's database"
            )
        if len(line) > settings.MOST_LEVELS + 1:
            raise place.too_high()
        yield line


def array_of_texts(cells: Sequence[str | None]) -> NDArray[np.object_]:
    """Texts as an array of objects for the working store; from other forms, Arrow would import pandas."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _once(place: BuildPlace, hierarchy: Declared, height: int) -> Name:
    """Return the table of distinct lines; warn of repeated lines. Raises HierarchyError for a leaf with two lines."""
    if not _leaves_twice(place, _DECLARED):
        return _DECLARED
    levels = columns(Name(f"level_{level}") for level in range(height + 1))
    rows = Statement("store/relation#once", columns=levels, relation=_DECLARED)
    (lines,) = place.session.row(Statement("store/relation#count", relation=_DECLARED))
    repeated = lines - place.session.create(_ONCE, rows)
    if twice := _leaves_twice(place, _ONCE):
        holes = {"below": Name("level_0"), "above": Name("level_1"), "declared": _ONCE}
        (split,) = place.session.row(Statement("hierarchy/problems#two_parents", **holes))
        problem = f"{split} leaves have two parents" if split else f"{twice} leaves are declared twice"
        raise place.wrong(f"{problem}{hierarchy.repeated(place)}: declare each leaf once")
    repetition = "line repeats another" if repeated == 1 else "lines repeat others"
    place.host.warnings.append(f"hierarchy of {place.column.name!r}: {repeated:,} {repetition}: taken once")
    return _ONCE


def _leaves_twice(place: BuildPlace, lines: Name) -> int:
    (twice,) = place.session.row(Statement("hierarchy/declared#leaves_twice", declared=lines))
    return int(twice)


def with_top(lines: Sequence[Sequence[str | None]]) -> Iterator[Sequence[str | None]]:
    """Lines with one common top: unchanged if all end in the same value, otherwise with a further ``*``."""
    whole = len({line[-1] for line in lines}) == 1 and all(len(line) > 1 for line in lines)
    return (line if whole else [*line, TOP] for line in lines)


def text(value: object) -> str:
    """Text of a value from a job, in the spelling of a database: ``true`` for True."""
    return str(value).lower() if isinstance(value, bool) else str(value)


#: Example of a value's text for each column type, for errors about leaves.
_EXAMPLES = {
    "BOOLEAN": "true",
    "DATE": "2019-01-31",
    "TIMESTAMP": "2019-01-31 00:00:00",
    "TIMESTAMP WITH TIME ZONE": "2019-01-31 00:00:00+00",
    "TIME": "08:30:00",
}


def respell(place: BuildPlace, declared: Name, height: int) -> None:
    """Replace leaves in the table ``declared`` by the source's spelling of the same value, such as 23 by 23.0.

    A spelling already present as a leaf is not used.

    Numbers, truth values, dates and times without a zone are compared by value, if this comparison is exact. Texts are
    never compared by value.
    """
    key = _spelling_key(place.column)
    if key is None:
        return
    unread = Statement("hierarchy/spelling#unread", domain=place.domain, declared=declared)
    (values,) = place.session.row(Statement("hierarchy/spelling#count", values=unread))
    if values:
        levels = columns(Name("declared", f"level_{level}") for level in range(1, height + 1))
        keys = {name: Statement(key, text=Name(name, "level_0")) for name in ("one", "declared")}
        rows = Statement(
            "hierarchy/spelling",
            levels=levels,
            declared=declared,
            domain=place.domain,
            unread=unread,
            key=keys["declared"],
            own=keys["one"],
        )
        place.session.create(declared, rows)


def near_leaves(place: BuildPlace) -> str:
    """Text on the number of values similar to a leaf, or on the spelling of the column's type; may be empty."""
    if place.column.is_text:
        (values,) = place.session.row(Statement("hierarchy/spelling#near", domain=place.domain, members=place.into))
        return f"{values:,} of them differ from a leaf only in case, blanks, dots or quotes" if values else ""
    example = _example_of(place.column)
    return f"its type is {place.column.kind}, whose values read as {example}" if example else ""


def _spelling_key(column: Column) -> str | None:
    """Path of the SQL to compare two spellings of one value; None for types without such a comparison."""
    if column.is_number:
        return "hierarchy/spelling#number"
    if column.type == "BOOLEAN":
        return "hierarchy/spelling#truth"
    if column.type in ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"):
        return "hierarchy/spelling#moment"
    return None


def _example_of(column: Column) -> str | None:
    if column.is_float:
        return "23.0"
    if column.is_whole:
        return "23"
    if column.kind == "DECIMAL":
        decimals = int(column.type.rpartition(",")[2].strip(" )") or 0)
        return f"{23:.{decimals}f}"
    return _EXAMPLES.get(column.type)
