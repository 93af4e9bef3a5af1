"""List of the algorithms with their recoding models."""

from __future__ import annotations

import json

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import with_json


@click.command("algorithms")
@with_json
def command(as_json: bool) -> None:
    """The map of recoding models: model, algorithm, source, guarantee, options."""
    from starcloak.commands.algorithm_table import algorithms

    settings_by_name = algorithms()
    if as_json:
        say(json.dumps([algorithm.model_dump(mode="json") for algorithm in settings_by_name], indent=2))
        return
    for algorithm in settings_by_name:
        say(f"{algorithm.name}  ({algorithm.model})")
        say(f"    when       {algorithm.when}")
        say(f"    source     {algorithm.source}")
        say(f"    guarantee  {algorithm.guarantee}")
        say(f"    QIDs       {'several, each with its own k' if algorithm.several_qids else 'one'}")
        say(f"    persons    {'also with all rows as one set' if algorithm.person_sets else 'in classes'}")
        say(f"    importance {'of columns is supported' if algorithm.importance else 'of columns is refused'}")
        options = [f"{name}: {value}" for name, value in algorithm.options.items()] or ["none"]
        say("    options    " + ("\n" + " " * 15).join(options))
