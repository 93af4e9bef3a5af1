"""The script of a release: SQL that makes it again in the database's own client, for reading, keeping and running."""

from __future__ import annotations

from dataclasses import replace

from starcloak.job import Job
from starcloak.recoding import Recoding
from starcloak.release import Target
from starcloak.source import Source
from starcloak.statement import Hole, Joined, Name, Number, Statement

# Of the script's own names, which stand beside those of the user's database.
_PREFIX = "starcloak_"


def write(job: Job, source: Source, recoding: Recoding, target: Target) -> str:
    """The script of a release: source, dimension tables, what is suppressed or mapped, release, recount, publication.

    It is one transaction. The recount ends it with an error where the source is no longer the one that was searched. It
    holds the values of the quasi-identifiers, as the dimension tables do: it is for the custodian of the source.
    """
    # Names of their own, lest a table of the database be meant or shadowed.
    table, release = (Name(f"{_PREFIX}{name}") for name in ("source", "release"))
    tables, renamed = recoding.script(source, prefix=_PREFIX)
    rows = renamed.release(replace(source, relation=table))
    statements: list[Statement] = [Statement("release/kept_rows", {"name": table, "rows": source.portable}), *tables]
    statements.append(Statement("release/kept_rows", {"name": release, "rows": rows}))
    for qid in job.qids:
        counts: dict[str, Hole] = {
            "k": Number(qid.k),
            "released": Number(recoding.star.rows - recoding.suppressed),
            "quasi_identifiers": Joined(tuple(map(Name, qid.attributes)), ", "),
            "release": release,
        }
        statements.append(Statement("release/recount", counts))
    statements += target.script(Statement("source/relation", {"relation": release}))
    heading = [
        f"-- A release of {_line(source.label)}: {_line(recoding.described)}.",
        *(
            f"-- It is recounted for k = {qid.k} over {_line(', '.join(qid.attributes))} before it is published."
            for qid in job.qids
        ),
        "-- It holds values of the source: keep it as safe as the source itself.",
    ]
    texts = [*(statement.sql() for statement in target.opening()), "begin transaction"]
    texts += [*(statement.sql() for statement in statements), "commit"]
    return "\n".join(heading) + "\n\n" + "\n\n".join(f"{text};" for text in texts) + "\n"


def _line(text: str) -> str:
    """A text on one line, so that it cannot leave a comment."""
    return " ".join(text.split())
