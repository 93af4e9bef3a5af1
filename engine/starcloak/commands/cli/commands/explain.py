"""Explanation of a release: failing lower nodes, the most expensive columns, and the effect of weaker requirements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, resources_of, with_json, with_resources


@click.command("explain")
@click.argument("job", type=FileOption())
@with_json
@with_resources
def command(job: Path, as_json: bool, **options: Any) -> None:
    """Explain the release of JOB: the attribute that blocks a lower level, and the costliest column. Nothing is
    written.
    """
    from starcloak.commands.explanation import explain as explaining
    from starcloak.commands.explanation import text
    from starcloak.job import load

    with resources_of(options) as resources:
        loaded = load(job)
        if not options["quiet"]:
            count = explaining.searches(loaded)
            searches, each = ("one search", "") if count == 1 else (f"{count} searches", "each ")
            say(
                f"starcloak: {searches} by {loaded.algorithm.name}, {each}about as long as the search of a run",
                err=True,
            )
        explanation = explaining.explain(loaded, resources=resources)
    say(explanation.model_dump_json(indent=2) if as_json else text.of(explanation))
