"""The hierarchies of a job."""

from __future__ import annotations

import click

from starcloak.commands.cli import say


@click.command("hierarchies")
def command() -> None:
    """List the hierarchies of a job: their form, and the texts of a value from level to level."""
    from starcloak.hierarchy.builder import builders

    for builder in builders().values():
        form, read = (text.replace("`", "").replace("\\*", "*") for text in (builder.form, builder.levels_read))
        say(f"{form}\n    {read}")
