"""Algorithms and parameters side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, resources_of, with_json, with_resources


@click.command("compare")
@click.argument("job", type=FileOption())
@click.option("--k", "ks", default="2,5,10,20,50", show_default=True, metavar="K,K,…", help="The ks.")
@click.option(
    "--algorithm", "algorithms", multiple=True, metavar="NAME", help=("The algorithms; by default the job's own.")
)
@click.option(
    "--suppression",
    "suppressions",
    metavar="S,S,…",
    help=("Largest shares of suppressed rows; by default the job's own."),
)
@click.option("--csv", "table", type=FileOption(), help="Write the points as CSV.")
@click.option("--plot", type=FileOption(), help="Draw loss against risk into a new .svg or .png file.")
@with_json
@with_resources
def command(
    job: Path,
    ks: str,
    algorithms: tuple[str, ...],
    suppressions: str | None,
    table: Path | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Put algorithms, k and suppression of JOB side by side: each verified like a release, none published."""
    from starcloak.commands.comparison import compare as comparing
    from starcloak.commands.comparison import text, write

    request = comparing.parse_points(ks, algorithms, suppressions)
    files = write.files(table, plot)
    with resources_of(options) as resources:
        comparison = comparing.compare(job, request, resources=resources, beside=files)
    write.write(comparison, table, plot)
    say(comparison.model_dump_json(indent=2) if as_json else text.of(comparison))
    if not any(point.released for point in comparison.points):
        sys.exit(1)
