"""The hierarchies that a job may give."""

from __future__ import annotations

import click

from starcloak.commands.cli import say


@click.command("hierarchies")
def command() -> None:
    """The hierarchies of a job: what it says, and what a value reads from level to level."""
    from starcloak.hierarchy.builder import builders

    for builder in builders().values():
        form, read = (text.replace("`", "").replace("\\*", "*") for text in (builder.form, builder.levels_read))
        say(f"{form}\n    {read}")
