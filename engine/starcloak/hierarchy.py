"""Generalization hierarchies: each becomes the members of a dimension table, leaf to top, and is checked in SQL."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from starcloak import extent
from starcloak.column import Column
from starcloak.errors import HierarchyError, SourceError, StatementError
from starcloak.host import Host
from starcloak.job import Csv, Dates, Digits, Hierarchy, Intervals, Table, Tree
from starcloak.session import Session
from starcloak.statement import As, Bind, Hole, Name, Number, Statement, columns

if TYPE_CHECKING:
    import pyarrow

TOP = "*"

_Line = TypeVar("_Line", bound=Sequence[str | None])


def members(session: Session, hierarchy: Hierarchy, column: Column, *, host: Host, domain: Name, into: Name) -> int:
    """Create the members of a column's hierarchy and return its height.

    ``domain`` has the column's distinct values, as ``value``. ``into`` becomes a table with one row per leaf:
    ``present`` (the source has it), ``value`` (as the source has it), ``level_0`` … ``level_<height>`` (texts).

    Raises :class:`HierarchyError` unless every value of the source has a leaf, every level is a function of the one
    below it and there is one top value: the value generalization functions of LeFevre, DeWitt, Ramakrishnan 2005,
    section 2. The message tells how many values are wrong, never which.
    """
    declared = Name("declared")
    match hierarchy:
        case Intervals() | Digits() | Dates() | "suppress" | "numeric":
            height = _by_rule(session, hierarchy, column, domain=domain, into=into)
            _check_levels(session, column, into, height)
        case _:
            height = _declare(session, host, hierarchy, column, declared)
            _check_leaves(session, column, declared)
            _check_levels(session, column, declared, height)
            levels = columns(Name("declared", f"level_{level}") for level in range(1, height + 1))
            session.create(
                into,
                Statement("hierarchy/declared", {"levels": levels, "declared": declared, "domain": domain}),
            )
            session.drop(declared)
    _check_coverage(session, hierarchy, column, domain=domain, into=into)
    return height


def _by_rule(session: Session, rule: Hierarchy, column: Column, *, domain: Name, into: Name) -> int:
    binds: dict[str, Any] = {}
    holes: dict[str, Hole] = {"domain": domain}
    numbers = {"numbers": Statement("hierarchy/numbers", {"domain": domain})}
    levels: list[Hole]
    match rule:
        case Intervals(intervals=widths):
            holes = {**numbers}
            binds = {f"width_{level}": str(width) for level, width in enumerate(widths, 1)}
            levels = [Statement("hierarchy/range", {"width": Bind(name)}) for name in binds]
        case Digits(digits=digits):
            if not (column.is_text or column.is_whole):
                raise _wrong(column, f"digits need text or whole numbers, and it is of type {column.kind}")
            binds = {"digits": digits}
            levels = [Statement("hierarchy/masked", {"lost": Number(lost)}) for lost in range(1, digits)]
            holes["text"] = Statement("hierarchy/number" if column.is_whole else "hierarchy/text")
        case Dates(dates=units):
            levels = [Name(unit) for unit in units]
        case "numeric":
            holes, levels = {**numbers}, []
        case _:
            levels = []
    levels.append(Statement("hierarchy/top"))
    holes["levels"] = columns(As(piece, Name(f"level_{level}")) for level, piece in enumerate(levels, 1))
    kind = rule if isinstance(rule, str) else type(rule).__name__.lower()
    session.create(into, Statement(f"hierarchy/{kind}", holes), binds)
    return len(levels)


def _declare(session: Session, host: Host, hierarchy: Hierarchy, column: Column, declared: Name) -> int:
    match hierarchy:
        case Table(table=table):
            return _declare_table(session, host, table, column, declared)
        case Csv():
            lines = _read(hierarchy, column)
        case Tree(tree=tree):
            lines = _padded(tree, column)
    given, incoming = _table(lines, column), Name("lines")
    levels: list[str] = given.column_names
    rows = Statement("hierarchy/lines", {"levels": columns(map(Name, levels)), "lines": incoming})
    session.receive(declared, incoming, given.to_reader(), rows)
    return len(levels) - 1


def _padded(tree: Mapping[str, Any], column: Column) -> Iterator[Sequence[str | None]]:
    """The lines of a tree: a leaf nearer the top repeats itself below its parent."""
    try:
        paths = list(_bounded(_paths(tree, (), column), column))
    except RecursionError:
        raise _wrong(column, "its tree contains itself or is nested too deeply") from None
    depth = max((len(path) for path in paths), default=0)
    return ([*(path[0],) * (depth - len(path)), *path, TOP] for path in paths)


def _table(lines: Iterable[Sequence[str | None]], column: Column) -> pyarrow.Table:
    """The lines of a hierarchy, as level_0, level_1, …"""
    import pyarrow

    rest, batches = _bounded(lines, column), []
    # Some at a time: as Python's own texts they would take ten times the memory.
    while some := list(islice(rest, 10_000)):
        cells = [pyarrow.array(level, pyarrow.string()) for level in zip(*some, strict=True)]
        batches.append(pyarrow.record_batch(cells, names=[f"level_{level}" for level in range(len(cells))]))
    if not batches:
        raise _wrong(column, "it has no leaf")
    return pyarrow.Table.from_batches(batches)


def _bounded(lines: Iterable[_Line], column: Column) -> Iterator[_Line]:
    """Lines, as long as they are no more and no longer than a hierarchy may have them."""
    characters = 0
    for leaves, line in enumerate(lines, 1):
        characters += sum([len(cell) for cell in line if cell])
        if leaves > extent.MOST_LEAVES or characters > extent.MOST_CHARACTERS:
            raise _wrong(
                column,
                f"more than {extent.MOST_LEAVES:,} leaves, or {extent.MOST_CHARACTERS:,} characters over all levels: "
                "it has to be a table of the source's database",
            )
        if len(line) > extent.MOST_LEVELS + 1:
            raise _too_high(column)
        yield line


def _declare_table(session: Session, host: Host, table: str, column: Column, declared: Name) -> int:
    try:
        name = host.dimension(table)
        described = session.run(
            Statement("source/describe", {"origin": Statement("source/relation", {"relation": name})})
        )
    except (StatementError, SourceError):
        raise _wrong(column, f"its dimension table {table!r} is not in the source's database") from None
    if len(described) < 2:
        raise _wrong(column, f"its dimension table {table!r} has no level above the leaf")
    if len(described) > extent.MOST_LEVELS + 1:
        raise _too_high(column)
    cast = (Statement("hierarchy/cast", {"column": Name(row[0])}) for row in described)
    levels = columns(As(piece, Name(f"level_{level}")) for level, piece in enumerate(cast))
    try:
        session.create(declared, Statement("hierarchy/table", {"levels": levels, "table": name}))
    except StatementError as error:
        raise _wrong(column, f"its dimension table {table!r} cannot be read ({error.kind})") from None
    return len(described) - 1


def _read(hierarchy: Csv, column: Column) -> Iterator[Sequence[str | None]]:
    path, cells = hierarchy.csv, 0
    if path.exists() and not path.is_file():
        raise _wrong(column, f"{path} cannot be read: it is not a file")
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter=hierarchy.delimiter, strict=True), 1):
                if not row:
                    continue
                cells = cells or len(row)
                if len(row) < 2 or len(row) != cells:
                    raise _wrong(column, f"{path}, line {number}: every line needs the same two or more cells")
                yield [row[0] or None, *row[1:]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _wrong(column, f"{path} cannot be read as CSV in UTF-8 ({type(error).__name__})") from None


def _paths(tree: Any, above: tuple[str, ...], column: Column) -> Iterator[tuple[str | None, ...]]:
    if isinstance(tree, dict):
        for name, members in tree.items():
            yield from _paths(members, (str(name), *above), column)
    elif isinstance(tree, list):
        for member in tree:
            if isinstance(member, (dict, list)):
                yield from _paths(member, above, column)
            else:
                yield (None if member is None else _text(member), *above)
    else:
        raise _wrong(column, "every name of its tree needs a list of members or further names")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_leaves(session: Session, column: Column, declared: Name) -> None:
    (twice,) = session.row(Statement("hierarchy/leaves_twice", {"declared": declared}))
    if not twice:
        return
    holes = {"below": Name("level_0"), "above": Name("level_1"), "declared": declared}
    (split,) = session.row(Statement("hierarchy/two_parents", holes))
    problem = f"{split} leaves have two parents" if split else f"{twice} leaves are declared twice"
    raise _wrong(column, f"{problem}: declare each leaf once")


def _check_levels(session: Session, column: Column, lines: Name, height: int) -> None:
    for level in range(height):
        below, above = Name(f"level_{level}"), Name(f"level_{level + 1}")
        (split,) = session.row(Statement("hierarchy/two_parents", {"below": below, "above": above, "declared": lines}))
        if split:
            raise _wrong(
                column,
                f"{split} values of level {level} have two parents: give each one value at level {level + 1}",
            )
    (tops,) = session.row(Statement("hierarchy/tops", {"top": Name(f"level_{height}"), "declared": lines}))
    if tops > 1:
        raise _wrong(column, f"its last level has {tops} values: end every line in the same one, such as {TOP}")


def _check_coverage(session: Session, hierarchy: Hierarchy, column: Column, *, domain: Name, into: Name) -> None:
    values, missing = session.row(Statement("hierarchy/without_leaf", {"domain": domain, "members": into}))
    if not values:
        return
    if values == 1 and missing:
        raise _wrong(
            column,
            "the source has missing values and no leaf is declared for them: "
            "add a line with an empty leaf (csv, table) or null (tree)",
        )
    match hierarchy:
        case Intervals() | "numeric":
            remedy = "they are not numbers of at most 20 digits and 18 decimals"
        case Digits(digits=digits):
            remedy = f"they do not have {digits} characters"
        case Dates():
            remedy = "they are not dates of the form 2001-12-31 after the year 0"
        case _:
            remedy = "declare a leaf for each"
    raise _wrong(column, f"{values} values of the source have no leaf: {remedy}")


def _too_high(column: Column) -> HierarchyError:
    return _wrong(column, f"more than {extent.MOST_LEVELS} levels above its leaves: leave some out")


def _wrong(column: Column, problem: str) -> HierarchyError:
    return HierarchyError(f"hierarchy of {column.name!r}: {problem}")
