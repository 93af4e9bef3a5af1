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
from starcloak.statement import Constants, Hole, Joined, Name, Number, Statement, Type

# Of the script's own names, which stand beside those of the user's database.
_PREFIX = "starcloak_"


def write(session: Session, job: Job, source: Source, recoding: FullDomain, target: Target) -> str:
    """The script of a release: source, dimension tables, suppressed value groups, release, recount, publication.

    It is one transaction. The recount ends it with an error where the source is no longer the one that was searched. It
    holds the values of the quasi-identifiers, as the dimension tables do: it is for the custodian of the source.
    """
    # Names of their own, lest a table of the database be meant or shadowed.
    table, outliers, release = (Name(f"{_PREFIX}{name}") for name in ("source", "outliers", "release"))
    dimensions = tuple(replace(dimension, prefix=_PREFIX) for dimension in recoding.star.dimensions)
    renamed = replace(recoding, star=replace(recoding.star, dimensions=dimensions), outliers=outliers)

    statements: list[Statement] = [Statement("release/kept_rows", {"name": table, "rows": source.portable})]
    types = {column.name: column.type for column in source.quasi_identifiers}
    for here, there in zip(recoding.star.dimensions, dimensions, strict=True):
        level = recoding.levels[here.attribute]
        shared: dict[str, Hole] = {"level": Name(f"level_{level}"), "ancestor": Name(f"ancestor_{level}")}
        leaves = session.run(Statement("release/leaves", {"table": here.table, **shared}))
        shared |= {"table": there.table, "type": Type(types[here.attribute]), "members": _values(leaves)}
        statements.append(Statement("release/dimension", shared))
    if recoding.suppressed:
        levels = tuple(there.column(level) for there, level in zip(dimensions, recoding.node.levels, strict=True))
        groups = _values(session.run(Statement("source/relation", {"relation": recoding.outliers})))
        holes: dict[str, Hole] = {"outliers": outliers, "columns": Joined(levels, ", "), "groups": groups}
        statements.append(Statement("release/outliers", holes))
    rows = renamed.release(replace(source, relation=table))
    statements.append(Statement("release/kept_rows", {"name": release, "rows": rows}))
    names = tuple(Name(dimension.attribute) for dimension in dimensions)
    counts: dict[str, Hole] = {
        "k": Number(job.requirement.k),
        "released": Number(recoding.star.rows - recoding.suppressed),
        "quasi_identifiers": Joined(names, ", "),
        "release": release,
    }
    statements.append(Statement("release/recount", counts))
    statements += target.script(Statement("source/relation", {"relation": release}))
    described = ", ".join(f"{_line(name)} at level {level}" for name, level in recoding.levels.items())
    heading = [
        f"-- A release of {_line(source.label)}: {described}.",
        f"-- It is recounted for k = {job.requirement.k} before it is published.",
        "-- It holds values of the source: keep it as safe as the source itself.",
    ]
    texts = [*(statement.sql() for statement in target.opening()), "begin transaction"]
    texts += [*(statement.sql() for statement in statements), "commit"]
    return "\n".join(heading) + "\n\n" + "\n\n".join(f"{text};" for text in texts) + "\n"


def _values(rows: Sequence[tuple[Any, ...]]) -> Joined:
    return Joined(tuple(Constants(row) for row in rows), ",\n    ")


def _line(text: str) -> str:
    """A text on one line, so that it cannot leave a comment."""
    return " ".join(text.split())
