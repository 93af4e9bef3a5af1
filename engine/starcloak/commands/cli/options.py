"""The options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

READ_AS = ("delimiter", "quote", "null", "encoding")


class FileOption(click.Path):
    """A path: no URL, which would be told with its password wherever the path is told."""

    def __init__(self, **options: bool) -> None:
        super().__init__(path_type=Path, **options)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in str(value):
            self.fail("a URL is no path: name a file", param, ctx)
        return super().convert(value, param, ctx)


with_json = click.option("--json", "as_json", is_flag=True, help="Print the machine-readable result.")


def with_resources(command: Callable[..., None]) -> Callable[..., None]:
    """What a command may use, and what it says of its work."""
    for option in (
        click.option("--memory-limit", metavar="SIZE", help="Memory that the working store may use, such as 4GB."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads that the working store may use."),
        click.option("--trace", is_flag=True, help="Show every SQL statement on standard error."),
        click.option("--verbose", "-v", is_flag=True, help="Show what each stage took on standard error."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but warnings, errors and what --json prints."),
        click.option(
            "--timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), help="End the run after that."
        ),
    ):
        command = option(command)
    return command


def with_job(command: Callable[..., None]) -> Callable[..., None]:
    """The argument JOB, and what changes it."""
    changes = click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Such as requirement.k=10.")
    return click.argument("job", type=FileOption(allow_dash=True))(changes(command))


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Where in SOURCE the rows are; how a CSV file is read, where that is not to be found."""
    for option in (
        click.option("--encoding", help="That of a CSV file, such as windows-1252."),
        click.option("--null", multiple=True, help="The text of a missing value in a CSV file; also several."),
        click.option("--quote", help="What cells of a CSV file are quoted by: \" or '."),
        click.option("--delimiter", help="That of a CSV file."),
        click.option("--query", help="A query, where SOURCE is a URL."),
        click.option("--table", help="The table, where SOURCE is a URL."),
    ):
        command = option(command)
    return command


def with_population(command: Callable[..., None]) -> Callable[..., None]:
    """The population that the rows are of, where it is at hand."""
    for option in (
        click.option("--population-count", help="Its column that says how many people a row stands for."),
        click.option("--population-table", help="The table, where the population is a URL."),
        click.option(
            "--population", help="The population, a file or a URL, with the quasi-identifier as SOURCE tells it."
        ),
    ):
        command = option(command)
    return command


class OfSource(click.Command):
    """A command on a file or a URL: its help tells the URLs, of which only it imports the kinds."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from starcloak.store.hosts.registry import examples

        self.epilog = f"A URL is one such as {', '.join(examples())}."
        super().format_epilog(ctx, formatter)
