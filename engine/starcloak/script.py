"""The script of a release: SQL that makes it again in the database's own client, for reading, keeping and running."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starcloak.job import Job
from starcloak.recoding import FullDomain
from starcloak.release import Target
from starcloak.session import Session
from starcloak.source import Source
from starcloak.statement import Constants, Hole, Joined, Name, Statement, Type

# Of the script's own names, which stand beside those of the user's database.
_PREFIX = "starcloak_"


def write(session: Session, job: Job, source: Source, recoding: FullDomain, target: Target) -> str:
    """The script of a release: source, dimension tables, suppressed value groups, release, recount.

    It holds the values of the quasi-identifiers, as the dimension tables do: it is for the custodian of the source.
    """
    # Names of their own, lest a table of the database be meant or shadowed.
    view, outliers = Name(f"{_PREFIX}source"), Name(f"{_PREFIX}outliers")
    dimensions = tuple(replace(dimension, prefix=_PREFIX) for dimension in recoding.star.dimensions)
    renamed = replace(recoding, star=replace(recoding.star, dimensions=dimensions), outliers=outliers)

    statements: list[Statement] = [Statement("release/source", {"name": view, "source": source.portable})]
    types = {column.name: column.type for column in source.quasi_identifiers}
    for here, there in zip(recoding.star.dimensions, dimensions, strict=True):
        level = recoding.levels[here.attribute]
        shared: dict[str, Hole] = {"level": Name(f"level_{level}"), "ancestor": Name(f"ancestor_{level}")}
        rows = session.run(Statement("release/leaves", {"table": here.table, **shared}))
        shared |= {"table": there.table, "type": Type(types[here.attribute]), "members": _values(rows)}
        statements.append(Statement("release/dimension", shared))
    if recoding.suppressed:
        names = tuple(there.column(level) for there, level in zip(dimensions, recoding.node.levels, strict=True))
        groups = _values(session.run(Statement("source/relation", {"relation": recoding.outliers})))
        holes: dict[str, Hole] = {"outliers": outliers, "columns": Joined(names, ", "), "groups": groups}
        statements.append(Statement("release/outliers", holes))
    statements += target.script(renamed.release(replace(source, relation=view)))
    levels = ", ".join(f"{_line(name)} at level {level}" for name, level in recoding.levels.items())
    heading = [
        f"-- A release of {_line(source.label)}, {job.requirement.k}-anonymous with respect to its quasi-identifiers:",
        f"-- {levels}.",
        "-- It holds values of the source: keep it as safe as the source itself.",
    ]
    return "\n".join(heading) + "\n\n" + "\n\n".join(f"{statement.sql()};" for statement in statements) + "\n"


def _values(rows: Sequence[tuple[Any, ...]]) -> Joined:
    return Joined(tuple(Constants(row) for row in rows), ",\n    ")


def _line(text: str) -> str:
    """A text on one line, so that it cannot leave a comment."""
    return " ".join(text.split())
