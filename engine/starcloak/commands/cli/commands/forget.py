"""Erasure of data kept of earlier releases."""

from __future__ import annotations

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import source_of


@click.command("forget")
@click.argument("release", required=False)
@click.option("--table", help="The table, if RELEASE is a URL.")
@click.option("--all", "everything", is_flag=True, help="Erase the recodings of all releases.")
@click.option(
    "--never-given",
    is_flag=True,
    help=("Nobody received RELEASE or a release that it replaced: leave them out of joint k."),
)
def command(release: str | None, table: str | None, everything: bool, never_given: bool) -> None:
    """Erase the recodings kept of RELEASE, a file or a URL; they contain raw quasi-identifiers.

    Without RELEASE, list them with their sizes. After that, joint k of later releases with a forgotten one is unknown.
    If RELEASE was a trial that nobody received, --never-given also keeps it out of joint k of later releases.
    Of each source the last 100 recodings stay, up to 2 GB (STARCLOAK_KEPT_GB sets another number); the oldest go first.
    """
    from starcloak.releases.recodings import saved_recodings
    from starcloak.releases.recodings.registration import erase, erase_all
    from starcloak.releases.targets.registry import place

    if everything and release is not None:
        raise click.UsageError("give RELEASE or --all")
    if never_given and release is None:
        raise click.UsageError("--never-given is about one release: give RELEASE, too")
    recodings = saved_recodings.every(notes=never_given)
    if release is not None:
        where = saved_recodings.place_of(place(source_of(release, table, None, {})))
        recodings = [recoding for recoding in recodings if recoding.place == where]
    erases = everything or release is not None
    why = saved_recodings.NEVER_GIVEN if never_given else saved_recodings.FORGOTTEN
    sizes = [saved_recodings.size(recoding) for recoding in recodings]
    for recoding, size in zip(recodings, sizes, strict=True):
        if erases:
            erase(recoding, why)
        done = "erased " if erases else "kept   "
        say(f"{done} {recoding.released_at[:19]}  {size / 1e6:8,.1f} MB  {recoding.release}")
    if recodings and not erases:
        say(
            f"in all  {sum(sizes) / 1e6:,.1f} MB; the last {saved_recodings.MOST} recodings of each source stay, up "
            f"to {saved_recodings.space() / 1e9:g} GB (STARCLOAK_KEPT_GB)"
        )
    if everything:
        erase_all()
    if not recodings:
        say("no recoding is kept" + ("" if release is None else f" of {release}"))
    elif never_given:
        say(
            "joint k of later releases does not count these releases; if somebody received one after all, run its "
            "job with --force"
        )
