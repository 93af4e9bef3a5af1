"""Demonstration on built-in data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, resources_of, with_resources


@click.command("demo")
@click.option("--data", type=FileOption(), help="Folder with adult.data and adult.test.")
@click.option("--into", type=FileOption(), help="Folder for releases, reports and SQL; by default a temporary one.")
@with_resources
def command(data: Path | None, into: Path | None, **options: Any) -> None:
    """The whole story on embedded data: the Patients table of the Incognito paper, then a census."""
    from starcloak.commands import demo as story

    with resources_of(options) as resources:
        story.run_demo(say, data=data, into=into, resources=resources)
