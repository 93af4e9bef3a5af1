"""Masking of new rows by a published release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, source_of, with_job, with_source


@click.command("apply")
@with_job
@click.argument("source")
@click.option("--into", type=FileOption(), required=True, help="A new .csv, .parquet or .xlsx file.")
@click.option(
    "--k", type=click.IntRange(min=1), help=("In place of the job's k; 1 for rows that stay with the custodian.")
)
@with_source
def command(
    job: Path, changes: tuple[str, ...], source: str, into: Path, k: int | None, table: str | None, query: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Mask the rows of SOURCE, such as next month's, by the published release of JOB (YAML).

    The release must still be in its place. A combination present in the release goes to its class, another one to the
    covering class that loses least; rows covered by no class are suppressed. Masked rows are a release: below k, alone
    or together with the release of JOB and other known releases (joint k), nothing is written (exit code 1). With --k 1
    nothing is counted or kept. Without --null, a CSV file is read with the null of JOB's CSV file.
    """
    from starcloak.commands.kept_release import masked
    from starcloak.releases.targets import rows_file

    rows_file.refuse(into)
    rows = masked(job, changes, source_of(source, table, query, options), into=into, k=k)
    say(f"wrote       {into}, of {rows.num_rows:,} rows")
