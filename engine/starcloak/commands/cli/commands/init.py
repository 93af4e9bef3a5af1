"""A first job for a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, OfSource, resources_of, source_of, with_resources, with_source


@click.command("init", cls=OfSource)
@click.argument("source")
@click.option("--into", type=FileOption(), default="job.yaml", show_default=True, help="The job's file.")
@click.option("--ask", is_flag=True, help="Ask for the role of each column; Enter accepts the proposal.")
@with_source
@with_resources
def command(source: str, into: Path, ask: bool, table: str | None, query: str | None, **options: Any) -> None:
    """Profile SOURCE, a file or a URL, and write a first job for it. The job runs without changes."""
    from starcloak.base.column_names import ROLES, Role
    from starcloak.commands.profile import init as profiling
    from starcloak.commands.profile.roles import Decided

    def role_of(decided: Decided) -> Role:
        answer: Role = click.prompt(
            f"{decided.profile.name} ({decided.evidence})", default=decided.role, type=click.Choice(ROLES)
        )
        return answer

    profiling.refuse(into)
    place = source_of(source, table, query, options)
    with resources_of(options) as resources:
        more: dict[str, Any] = {"ask": role_of} if ask else {}
        drafted = profiling.draft(place, into=into, resources=resources, **more)
        files = profiling.write(drafted, into)
    for file in files:
        say(f"wrote       {file}")
    for role in ROLES:
        say(f"{role.replace('_', '-'):<18}{', '.join(column.profile.name for column in drafted.of(role)) or '-'}")
    for what, text in drafted.summary.items():
        say(f"{what:<18}{text}")
    say(f"next        read {into}, then: starcloak run {into}")
