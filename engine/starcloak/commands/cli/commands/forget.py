"""Erasure of data kept of earlier releases."""

from __future__ import annotations

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import source_of


@click.command("forget")
@click.argument("release", required=False)
@click.option("--table", help="The table, where RELEASE is a URL.")
@click.option("--all", "everything", is_flag=True, help="Of all releases.")
@click.option(
    "--never-given", is_flag=True, help="Nobody received RELEASE, nor what it replaced: count them no longer."
)
def command(release: str | None, table: str | None, everything: bool, never_given: bool) -> None:
    """Erase the recodings kept of RELEASE, a file or a URL; they contain raw quasi-identifiers.

    Without RELEASE, list them. After that, joint k of later releases with a forgotten one is unknown. If RELEASE was a
    trial that nobody received, --never-given also keeps it out of joint k of later releases.
    """
    from starcloak.releases.recodings import saved_recodings
    from starcloak.releases.recodings.registration import erase, erase_all
    from starcloak.releases.targets.registry import place

    if everything and release is not None:
        raise click.UsageError("give RELEASE or --all")
    if never_given and release is None:
        raise click.UsageError("--never-given is said of a RELEASE: name it")
    recodings = saved_recodings.every(notes=never_given)
    if release is not None:
        where = saved_recodings.place_of(place(source_of(release, table, None, {})))
        recodings = [recoding for recoding in recodings if recoding.place == where]
    why = saved_recodings.NEVER_GIVEN if never_given else saved_recodings.FORGOTTEN
    for recoding in recodings:
        if everything or release is not None:
            erase(recoding, why)
        done = "kept   " if release is None and not everything else "erased "
        say(f"{done} {recoding.released_at[:19]}  {recoding.release}")
    if everything:
        erase_all()
    if not recodings:
        say("nothing is kept" + ("" if release is None else f" of {release}"))
    elif never_given:
        say("later releases count without them; if somebody received one after all, run its job with --force")
