"""Print the SQL of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, job_with_output, resources_of, with_job, with_resources

if TYPE_CHECKING:
    from starcloak.exports.translation import Dialect


@click.command("compile")
@with_job
@click.option("--format", "kind", type=click.Choice(["sql", "dbt"]), default="sql", help="A script, or a dbt model.")
@click.option("--into", type=FileOption(), help="The folder of the dbt project, for --format dbt.")
@click.option("--upstream", metavar="NAME", help="The source in the dbt project: a model, or SOURCE.TABLE.")
@click.option(
    "--dialect",
    type=click.Choice(["snowflake", "bigquery", "trino", "databricks"]),
    help="Translate the script to this dialect by sqlglot: a preview, not tested there.",
)
@with_resources
def command(
    job: Path,
    changes: tuple[str, ...],
    kind: str,
    into: Path | None,
    upstream: str | None,
    dialect: Dialect | None,
    **options: Any,
) -> None:
    """Print the SQL of the release that JOB would publish. Only the files of a dbt model are written."""
    from starcloak.commands import pipeline

    if kind == "dbt" and into is None:
        raise click.UsageError("--format dbt writes into a dbt project: give its folder by --into")
    if kind != "dbt" and into is not None:
        raise click.UsageError(f"--into is for --format dbt only: for a script, write starcloak compile {job} > {into}")
    if upstream is not None and kind != "dbt":
        raise click.UsageError("--upstream is for --format dbt only: leave it out, or add --format dbt")
    if dialect is not None and kind == "dbt":
        raise click.UsageError("--dialect is for --format sql only: leave it out, or write --format sql")
    with resources_of(options) as resources:
        if into is None:
            text = pipeline.compile(job_with_output(job, changes), dialect=dialect, resources=resources)
        else:
            files = pipeline.compile_dbt(job_with_output(job, changes), into, upstream=upstream, resources=resources)
            text = "".join(f"{path}\n" for path in files)
            if not options["quiet"] and any(path.name == ".gitignore" for path in files):
                warning = (
                    "the folder starcloak_values has values of the source; its .gitignore keeps these files out of git"
                )
                say(f"starcloak: {warning}", err=True)
    say(text, nl=False, exact=True)
