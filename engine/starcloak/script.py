"""The script of a release: SQL that makes it again in the database's own client, for reading, keeping and running."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from starcloak.host import Host
from starcloak.job import Job
from starcloak.recoding import Recoding, Table
from starcloak.release import Target
from starcloak.session import Session
from starcloak.source import Source
from starcloak.statement import Hole, Joined, Name, Number, Statement, columns, constants

# Of the script's own names, which stand beside those of the user's database.
_PREFIX = "starcloak_"
_TOGETHER = 10_000  # rows of constants in a statement


def write(job: Job, source: Source, recoding: Recoding, target: Target) -> str:
    """The script of a release: source, dimension tables, what is suppressed or mapped, release, recount, publication.

    The recount ends it with an error where the source is no longer the one that was searched; then nothing is
    published, even where the client goes on. It holds the values of the quasi-identifiers, as the dimension tables do:
    it is for the custodian of the source.
    """
    # Names of their own, lest a table of the database be meant or shadowed.
    table, release = (Name(f"{_PREFIX}{name}") for name in ("source", "release"))
    tables = recoding.tables(source)
    names = {needed.name: Name(f"{_PREFIX}{needed.name.parts[0]}") for needed in tables}
    rows = recoding.elsewhere(names).release(replace(source, relation=table))
    statements: list[Statement] = [Statement("release/kept_rows", {"name": table, "rows": source.portable})]
    for needed in tables:
        statements += _filled(needed, names[needed.name], recoding.star.session, source.host)
    statements.append(Statement("release/kept_rows", {"name": release, "rows": rows}))
    if source.host.dialect == "sqlite":
        statements.append(Statement("release/recounted"))
    statements += recounts(job, recoding, release, source=table)
    statements += target.script(Statement("source/relation", {"relation": release}))
    dialect = source.host.dialect
    texts = [statement.sql(dialect) for statement in statements]
    if dialect != "mariadb":  # where nothing that makes tables is undone: each statement is whole by itself
        texts = ["begin transaction", *texts, "commit"]
    opening = [*source.host.settings, *(statement.sql(dialect) for statement in target.opening())]
    parts = ["\n".join(heading(job, source, recoding)), *map(_ended, [*opening, *texts])]
    return "\n\n".join(parts) + "\n"


def _ended(text: str) -> str:
    """A statement with its end; a block of MariaDB's, which has semicolons in it, with an end of its own."""
    return f"delimiter //\n{text}\n//\ndelimiter ;" if text.startswith("begin not atomic") else f"{text};"


def heading(job: Job, source: Source, recoding: Recoding) -> list[str]:
    """What a script is, as comments."""
    return [
        f"-- A release of {_line(source.label)}: {_line(recoding.described)}.",
        *(
            f"-- It is recounted for k = {qid.k} over {_line(', '.join(qid.attributes))} before it is published."
            for qid in job.qids
        ),
        "-- It holds values of the source: keep it as safe as the source itself.",
    ]


def recounts(job: Job, recoding: Recoding, release: Name, *, source: Name) -> list[Statement]:
    """The statements that count a script's release again, one per quasi-identifier of the requirement."""
    counts: dict[str, Hole] = {
        "released": Number(recoding.star.rows - recoding.suppressed),
        "rows": Number(recoding.star.rows),
        "source": source,
        "release": release,
    }
    return [
        Statement(
            "release/recount",
            {**counts, "k": Number(qid.k), "quasi_identifiers": Joined(tuple(map(Name, qid.attributes)), ", ")},
        )
        for qid in job.qids
    ]


def _filled(table: Table, name: Name, session: Session, host: Host) -> Iterator[Statement]:
    """The statements that make a table with its rows."""
    shape = (
        Statement("release/column", {"column": Name(column), "type": host.type(kind.text)})
        for column, kind in table.columns
    )
    yield Statement("release/create", {"table": name, "columns": columns(shape)})
    rows = session.run(table.rows)
    for start in range(0, len(rows), _TOGETHER):
        yield Statement("release/fill", {"table": name, "rows": constants(rows[start : start + _TOGETHER])})


def _line(text: str) -> str:
    """A text on one line, so that it cannot leave a comment."""
    return " ".join(text.split())
