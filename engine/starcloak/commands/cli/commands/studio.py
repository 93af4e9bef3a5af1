"""A window in the browser."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starcloak.base.interrupts import Ending
from starcloak.commands.cli import say
from starcloak.commands.cli.options import FileOption, OfSource, resources_of, source_of, with_resources, with_source

if TYPE_CHECKING:
    from starcloak.job import Place


@click.command("studio", cls=OfSource)
@click.argument("source", metavar="[JOB | TABLE | URL]", required=False)
@click.option(
    "--into", type=FileOption(), default="job.yaml", show_default=True, help=("The file of the job, for a table.")
)
@click.option("--no-browser", is_flag=True, help="Print the address; do not open a browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help=("The port on this machine; by default a free port.")
)
@with_source
@with_resources
def command(
    source: str | None, into: Path, no_browser: bool, port: int, table: str | None, query: str | None, **options: Any
) -> None:
    """See the trade-off of a job and decide it, in a browser on this machine. Of a table a first job is written.

    Without an argument, choose or upload a table there. Of a workbook with several sheets, choose one there.
    """
    from starcloak.commands.studio import entrance, server, uploads

    draft, began = None, time.monotonic()
    ending = click.get_current_context().ensure_object(Ending)

    def chosen(path: Path) -> None:
        ending.written = f"the studio has ended; saved changes are in {path.name}"

    def place_of(name: str, sheet: str | None = None) -> Place:
        return source_of(name, table, query, options if sheet is None else {**options, "sheet": sheet})

    is_job = source is not None and Path(source).suffix.lower() in (".yaml", ".yml")
    if source is None or (not is_job and uploads.sheets_to_choose(place_of(source))):
        job: Path | server.TableChoice = server.TableChoice(into, place_of, chosen, source)
        ending.written = "the studio has ended; no job was chosen"
    elif is_job:
        job = Path(source)
        chosen(job)
    else:
        with resources_of(options) as resources:
            job, draft = server.job_of(place_of(source), into, resources)
        say(f"wrote       {job}")
        chosen(job)
    with ExitStack() as stack:

        def opened(address: str) -> None:
            say(f"studio      {address}")
            say("            for one browser on this machine, until Ctrl-C")
            if not no_browser:
                stack.enter_context(entrance.page_to(address, ending)).browse()

        seconds = options["timeout"]
        if seconds is not None:  # less what the draft has taken
            stack.enter_context(ending.limited(max(seconds - (time.monotonic() - began), 0.001)))
        server.serve(job, port=port, opened=opened, draft=draft)
