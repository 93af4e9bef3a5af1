"""The script of a release: SQL that makes it again in the database's own client, for reading, keeping and running."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starcloak.job import Job
from starcloak.recoding import OUTLIERS, FullDomain
from starcloak.release import Target
from starcloak.session import Session
from starcloak.source import Source
from starcloak.statement import Constants, Hole, Joined, Name, Statement, Type


def write(session: Session, job: Job, source: Source, recoding: FullDomain, target: Target) -> str:
    """The script of a release: source, dimension tables, suppressed value groups, release, recount.

    It holds the values of the quasi-identifiers, as the dimension tables do: it is for the custodian of the source.
    """
    star = recoding.star
    statements: list[Statement] = [Statement("release/source", {"source": source.portable})]
    types = {column.name: column.type for column in source.quasi_identifiers}
    for dimension in star.dimensions:
        level = recoding.levels[dimension.attribute]
        shared: dict[str, Hole] = {
            "table": dimension.table,
            "level": Name(f"level_{level}"),
            "ancestor": Name(f"ancestor_{level}"),
        }
        rows = session.run(Statement("release/leaves", shared))
        shared |= {"type": Type(types[dimension.attribute]), "members": _values(rows)}
        statements.append(Statement("release/dimension", shared))
    if recoding.suppressed:
        names = [
            dimension.column(level) for dimension, level in zip(star.dimensions, recoding.node.levels, strict=True)
        ]
        rows = session.run(Statement("source/relation", {"relation": OUTLIERS}))
        holes: dict[str, Hole] = {"outliers": OUTLIERS, "columns": Joined(tuple(names), ", "), "groups": _values(rows)}
        statements.append(Statement("release/outliers", holes))
    statements += target.script(recoding.release(source))
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
