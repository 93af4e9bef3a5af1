"""What a command is given: a source, or a job with an output."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.commands.cli.options import READ_AS

if TYPE_CHECKING:
    from starcloak.job import Job, Place


def source_of(source: str, table: str | None, query: str | None, options: Mapping[str, Any]) -> Place:
    """The place that SOURCE names: a file, or a table or query of the database of a URL."""
    from starcloak.job import load_source

    where = {"url": source} if "://" in source else {"path": source}
    named = {"table": table, "query": query, **{key: options.get(key) for key in READ_AS}}
    named["null"] = [*options.get("null", ())] or None
    return load_source(where | {key: value for key, value in named.items() if value is not None})


def job_with_output(path: Path, changes: Sequence[str]) -> Job:
    """The job of a file, or of standard input for ``-``, with its changes. Raises :class:`JobError` without output."""
    from starcloak.base.errors import JobError
    from starcloak.job import document, load

    if str(path) == "-":
        where = "standard input"
        job = load(document.parse(_standard_input(), where=where), changes=changes, where=where)
    else:
        where, job = str(path), load(path, changes=changes)
    if job.output is None:
        raise JobError(f"{where}: the job has no output: give output.path or output.table")
    return job


def _standard_input() -> str:
    from starcloak.base.errors import JobError

    try:
        return sys.stdin.buffer.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise JobError(f"standard input cannot be read ({type(error).__name__}): write the job in UTF-8") from None
