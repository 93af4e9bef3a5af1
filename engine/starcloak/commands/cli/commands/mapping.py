"""The recoding of a release, for its custodian."""

from __future__ import annotations

from pathlib import Path

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, source_of


@click.command("mapping")
@click.argument("release")
@click.option(
    "--into", type=FileOption(), required=True, help="A new .csv, .parquet or .xlsx file, readable by its owner only."
)
@click.option("--table", help="The table, if RELEASE is a URL.")
def command(release: str, into: Path, table: str | None) -> None:
    """Write the recoding of RELEASE, a file or a URL. It contains raw quasi-identifiers, so keep it to yourself.

    One row per released combination of the quasi-identifiers: its raw values, its released values, and its rows.
    """
    from starcloak.commands.kept_release import recoding_of
    from starcloak.commands.masking import apply_recoding
    from starcloak.releases.targets import rows_file

    rows_file.refuse(into)
    rows = apply_recoding.mapping(recoding_of(source_of(release, table, None, {})))
    rows_file.write(rows, into, private=True)
    say(f"wrote       {into}, {rows.num_rows:,} combinations: the file contains raw values")
