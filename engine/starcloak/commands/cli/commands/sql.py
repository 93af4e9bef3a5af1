"""The statements, to be read."""

from __future__ import annotations

import click

from starcloak.commands.cli import say


@click.command("sql")
@click.argument("name", required=False)
@click.option(
    "--dialect", default="", metavar="DIALECT", help=("Show the statement's text for postgresql, mariadb or sqlite.")
)
def command(name: str | None, dialect: str) -> None:
    """Print the statement NAME with its holes filled; without it, list all statements and their headlines."""
    from starcloak.statements import statement_examples
    from starcloak.store.databases import registry

    registry.kinds()  # each registers its dialect
    say(statement_examples.listing() if name is None else statement_examples.text(name, dialect), nl=False, exact=True)
