"""The map of recoding models."""

from __future__ import annotations

import json

import click

from starcloak.cli.options import with_json


@click.command("algorithms")
@with_json
def command(as_json: bool) -> None:
    """The map of recoding models: model, algorithm, source, guarantee, options."""
    from starcloak.algorithms import algorithms

    known = algorithms()
    if as_json:
        click.echo(json.dumps([algorithm.model_dump(mode="json") for algorithm in known], indent=2))
        return
    for algorithm in known:
        click.echo(f"{algorithm.name}  ({algorithm.model})")
        click.echo(f"    when       {algorithm.when}")
        click.echo(f"    source     {algorithm.source}")
        click.echo(f"    guarantee  {algorithm.guarantee}")
        click.echo(f"    QIDs       {'several, each with its own k' if algorithm.several_qids else 'one'}")
        click.echo(f"    persons    {'also with all rows as one set' if algorithm.person_sets else 'in classes'}")
        options = [f"{name}: {value}" for name, value in algorithm.options.items()] or ["none"]
        click.echo("    options    " + ("\n" + " " * 15).join(options))
