"""The members of a dimension table, leaf to top: built, and checked in SQL whatever built them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from starcloak.hierarchy.builder import TOP, Builder, BuildPlace
from starcloak.statements.statement import As, Name, Statement, columns

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.store.hosts.host import Host
    from starcloak.store.session import Session
    from starcloak.store.source import Source

_BETWEEN = Name("members_between")


def members_of(
    session: Session,
    hierarchy: Builder,
    column: Column,
    *,
    host: Host,
    domain: Name,
    into: Name,
    rows: Source | None = None,
) -> int:
    """Create the members of a column's hierarchy, of the source's ``rows`` if it is one of them; return its height.

    ``domain`` has the column's distinct values, as ``value``. ``into`` becomes a table with one row per leaf:
    ``present`` (the source has it), ``value`` (as the source has it), ``level_0`` … ``level_<height>`` (texts).

    Raises :class:`HierarchyError` unless every value of the source has a leaf, every level is a function of the one
    below it and there is one top value: the value generalization functions of LeFevre, DeWitt, Ramakrishnan 2005,
    section 2. The message tells how many values are wrong, never which.
    """
    place = BuildPlace(session, host, column, domain, into, rows)
    height = hierarchy.members(place)
    add_strangers(place, hierarchy, height)
    check_coverage(place, hierarchy)
    return keep_between(place, hierarchy, height)


def keep_between(place: BuildPlace, hierarchy: Builder, height: int) -> int:
    """Leave the members the levels that a release may have, the lowest one as level 0; return what is left in height.

    Raises :class:`HierarchyError` for levels that there are not.
    """
    try:
        first, last = hierarchy.between(height)
    except ValueError as problem:
        raise place.wrong(str(problem)) from None
    if (first, last) == (0, height):
        return height
    levels = columns(As(Name(f"level_{level}"), Name(f"level_{level - first}")) for level in range(first, last + 1))
    place.session.create(_BETWEEN, Statement("hierarchy/between", levels=levels, members=place.into))
    place.session.create(place.into, Statement("store/relation", relation=_BETWEEN))
    place.session.drop(_BETWEEN)
    return last - first


def check_levels(place: BuildPlace, lines: Name, height: int) -> None:
    """Refuse lines of which a level is no function of the one below, or which have several tops."""
    names = [Name(f"level_{level}") for level in range(height + 1)]
    counted = [
        Statement("hierarchy/problems#two_parents", below=below, above=above, declared=lines)
        for below, above in pairwise(names)
    ]
    counted.append(Statement("hierarchy/problems#tops", top=names[-1], declared=lines))
    counts = (
        As(Statement("hierarchy/levels#count", counted=member), name)
        for member, name in zip(counted, names, strict=True)
    )
    *splits, tops = place.session.row(Statement("hierarchy/levels", counts=columns(counts)))
    for level, split in enumerate(splits):
        if split:
            raise place.wrong(
                f"{split} values of level {level} have two parents: give each one value at level {level + 1}"
            )
    if tops > 1:
        raise place.wrong(f"its last level has {tops} values: end every line in the same one, such as {TOP}")


def add_strangers(place: BuildPlace, hierarchy: Builder, height: int) -> None:
    """Give a leaf to every value without one, where the hierarchy says what becomes of it."""
    if hierarchy.nonconforming != "refuse":
        if place.column.is_text and (near := hierarchy.near(place)):
            place.host.warnings.append(
                f"hierarchy of {place.column.name!r}: of the values without a leaf, {near}: they become what "
                "nonconforming says, too"
            )
        _add_nonconforming(place, height, like_missing=hierarchy.nonconforming == "missing")


def _add_nonconforming(place: BuildPlace, height: int, *, like_missing: bool) -> None:
    """Give a leaf to every value without one: above it are the levels of the missing value, or nothing but the top."""
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
            "the source has missing values and no leaf is declared for them: "
            "add a line with an empty leaf (csv, table) or null (tree, levels), or let nonconforming be missing or "
            "suppress"
        )
    else:
        near = hierarchy.near(place)
        problem = (
            f"{values} values of the source have no leaf: {hierarchy.remedy}{f' ({near})' if near else ''}; "
            "or let nonconforming be missing or suppress"
        )
    error = place.wrong(problem)
    error.without_leaf = True
    raise error
