"""Leaves that are declared in another spelling than the column's: 23 for 23.0, True for true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.statements.statement import Name, Statement, columns

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.hierarchy.builder import BuildPlace

#: How a value of a type reads, for who declares leaves.
_EXAMPLES = {
    "BOOLEAN": "true",
    "DATE": "2019-01-31",
    "TIMESTAMP": "2019-01-31 00:00:00",
    "TIMESTAMP WITH TIME ZONE": "2019-01-31 00:00:00+00",
    "TIME": "08:30:00",
}


def respell(place: BuildPlace, declared: Name, height: int) -> None:
    """Give leaves of the lines ``declared`` the texts of the values that they are, where no leaf reads as the value.

    Numbers, truth values, dates and times without a zone are compared by value, where that is exact; texts never.
    """
    key = _key(place.column)
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


def near(place: BuildPlace) -> str:
    """What tells values without a leaf from leaves that come near them."""
    if place.column.is_text:
        (values,) = place.session.row(Statement("hierarchy/spelling#near", domain=place.domain, members=place.into))
        return f"{values:,} would match a leaf but for case, blanks or dots" if values else ""
    example = _example(place.column)
    return f"its type is {place.column.kind}, whose values read as {example}" if example else ""


def _key(column: Column) -> str | None:
    """The section that tells which spellings are of one value."""
    if column.is_number:
        return "hierarchy/spelling#number"
    if column.type == "BOOLEAN":
        return "hierarchy/spelling#truth"
    if column.type in ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"):
        return "hierarchy/spelling#moment"
    return None


def _example(column: Column) -> str | None:
    if column.is_float:
        return "23.0"
    if column.is_whole:
        return "23"
    if column.kind == "DECIMAL":
        decimals = int(column.type.rpartition(",")[2].strip(" )") or 0)
        return f"{23:.{decimals}f}"
    return _EXAMPLES.get(column.type)
