"""The hierarchies of a job counted over its source: values and rows of every level, and errors of a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from starcloak.base import frames
from starcloak.base.column import Column
from starcloak.base.errors import HierarchyError
from starcloak.commands.comparison.compare import Variants
from starcloak.hierarchy.builder import Builder, BuildPlace
from starcloak.hierarchy.members import add_strangers, check_coverage
from starcloak.hierarchy.suppress import suppress
from starcloak.job import Job, load
from starcloak.releases.proposal import resolve
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.resources import Resources

_DOMAIN, _MEMBERS, _LINES = Name("domain"), Name("members"), Name("hierarchy_lines")


@dataclass(frozen=True)
class CountedLevel:
    """A level of a hierarchy: its label, its number of ``values``, and the ``first`` of them with their rows."""

    label: str
    values: int
    first: Sequence[tuple[str | None, int]]


@dataclass(frozen=True)
class CountedHierarchy:
    """The hierarchy of a quasi-identifier over the source, with all its levels, whatever levels the job releases.

    ``lines`` are the first values of the source: the value's texts from the leaf to the top, and its number of rows.
    ``without_leaf`` are values of the source that are no leaves, the most frequent first. ``is_whole`` is true if both
    lists are complete. ``problem`` describes an error of the hierarchy, empty without one. If the hierarchy cannot be
    built, ``levels`` and ``lines`` have level 0 alone.
    """

    attribute: str
    levels: Sequence[CountedLevel]
    lines: Sequence[tuple[Sequence[str | None], int]]
    without_leaf: Sequence[tuple[str | None, int]]
    is_whole: bool
    problem: str = ""


def hierarchies(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    most: int = 200,
    resources: Resources = Resources(),
) -> list[CountedHierarchy]:
    """Count the hierarchies of a job. Reads the source, writes nothing.

    Raises an :class:`~starcloak.base.errors.InputError` for a job that cannot be used.
    """
    loaded = resolve(load(job)).unpublished()
    with Variants(loaded, frame, resources) as variants:
        return [
            _count(variants, loaded.quasi_identifiers[column.name], column, Name(f"value_{position}"), most)
            for position, column in enumerate(variants.opened.quasi_identifiers, 1)
        ]


def _count(variants: Variants, declared: Builder, column: Column, value: Name, most: int) -> CountedHierarchy:
    session, source = variants.store, variants.opened
    session.report(f"hierarchies: {column.name}")
    session.create(_DOMAIN, Statement("hierarchy/domain", value=value, base=BASE))
    place = BuildPlace(session, source.host, column, _DOMAIN, _MEMBERS, source)
    labels, strange, problem = ["as it is"], list[tuple[str | None, int]](), ""
    try:
        height = declared.members(place)
        add_strangers(place, declared, height)
        labels = declared.labels(height)
        misfits = session.run(Statement("hierarchy/misfits", value=value, members=_MEMBERS, base=BASE))
        strange = list(islice(misfits, most + 1))
        check_coverage(place, declared)
        declared.between(height)
    except ValueError as error:
        problem = str(place.wrong(str(error)))
    except HierarchyError as error:
        problem = str(error)
        if len(labels) == 1:  # there are no members
            suppress().members(place)
    names = [Name(f"level_{level}") for level in range(len(labels))]
    lines = Statement("commands/hierarchies", levels=columns(names), members=_MEMBERS, base=BASE, value=value)
    session.create(_LINES, lines)
    first = session.run(Statement("commands/hierarchies#first", levels=columns(names), lines=_LINES), {"most": most})
    levels = [_level(variants, label, name, most) for label, name in zip(labels, names, strict=True)]
    return CountedHierarchy(
        column.name,
        levels,
        [(line[:-1], line[-1]) for line in first],
        strange[:most],
        max(levels[0].values, len(strange)) <= most,
        problem,
    )


def _level(variants: Variants, label: str, name: Name, most: int) -> CountedLevel:
    rows = list(variants.store.run(Statement("commands/hierarchies#level", level=name, lines=_LINES), {"most": most}))
    return CountedLevel(label, rows[0][2] if rows else 0, [(text, count) for text, count, _ in rows])
