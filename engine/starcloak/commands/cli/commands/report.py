"""A release as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, resources_of, source_of, with_resources


@click.command("report")
@click.argument("release")
@click.option("--into", type=FileOption(), required=True, help="The HTML file.")
@click.option("--table", help="The table, if RELEASE is a URL.")
@click.option(
    "--profile", help=("Add the questions of a rule or standard, by its headings: hipaa, article-29 or iso-27559.")
)
@with_resources
def command(release: str, into: Path, table: str | None, profile: str | None, **options: Any) -> None:
    """Write the report on RELEASE as one HTML file: a released file, a URL with --table, or the job (YAML).

    For a job without a release here, it reports the release of a run. With --profile article-29, a job's source is
    read: attacks are tried on a release of half of its rows.
    """
    from starcloak.commands import find_result
    from starcloak.exports.report import profiles, write

    write.refuse(into)
    chosen_profile, attacks = None if profile is None else profiles.profile(profile), None
    if release.lower().endswith((".yaml", ".yml")):
        with resources_of(options) as resources:
            result, published = find_result.of_job(Path(release), into, resources=resources)
            if chosen_profile is not None and chosen_profile.attacked:
                from starcloak.commands.attacks.attack import attack

                attacks = attack(Path(release), resources=resources)
    else:
        result, published = find_result.of_place(source_of(release, table, None, {})), True
    write.write(result, into, published=published, profile=profile, attacks=attacks)
    say(f"wrote       {into}")
