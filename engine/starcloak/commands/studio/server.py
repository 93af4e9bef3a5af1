"""The web server of a studio: on the loopback address, for one browser, until its process ends."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError
from starcloak.base.installation import package_needed
from starcloak.base.operating_system import own_port
from starcloak.commands.profile import init as profiling
from starcloak.commands.profile.draft import Draft
from starcloak.job import Place
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def job_of(place: Place, into: Path, resources: Resources) -> tuple[Path, Draft]:
    """The file of a first job for a table, written as :func:`starcloak.init` does, and the draft in it."""
    profiling.refuse(into)
    draft = profiling.draft(place, into=into, resources=resources)
    return profiling.write(draft, into)[0], draft


@dataclass(frozen=True)
class TableChoice:
    """Settings of a studio in which the user first chooses a table or a job of the working folder.

    ``into`` is the file of a first job. ``place_of`` returns the source for the name of a file, and the name of a sheet
    or None. ``chosen`` is called with the file of the chosen job. ``workbook`` is a workbook with a sheet to choose.
    """

    into: Path
    place_of: Callable[[str, str | None], Place]
    chosen: Callable[[Path], None]
    workbook: str | None = None


def serve(job: Path | TableChoice, *, port: int, opened: Callable[[str], None], draft: Draft | None = None) -> None:
    """Serve the studio of a job until the process ends; ``opened`` is called with the address, once it answers.

    With the ``draft`` of a job just written, the table is not profiled again. A ``port`` of 0 is a free one. Raises
    :class:`~starcloak.base.errors.JobError` without the extra ``studio``, for a file without a valid job, and for a
    port in use.
    """
    try:
        import uvicorn

        from starcloak.commands.studio.screens import application
    except ImportError:
        raise JobError(package_needed("studio", "Starlette and more", extra="studio")) from None
    from starcloak.commands.studio.beginning import Beginning
    from starcloak.commands.studio.guard import ENTRANCE, Guard
    from starcloak.commands.studio.shared_state import SharedState

    if isinstance(job, TableChoice):
        pages: ASGIApp = Beginning(Path.cwd(), job.into, job.place_of, job_of, job.chosen, job.workbook)
    else:
        pages = application(SharedState(job, draft))
    with socket.socket() as listener:
        own_port(listener)
        try:
            listener.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            raise JobError(f"port {port} is in use or not allowed: give another --port, or leave --port out") from None
        port = listener.getsockname()[1]
        guard = Guard(pages, port)
        listener.listen()
        opened(f"http://127.0.0.1:{port}{ENTRANCE}{guard.token}")
        # Neither requests nor answers are written anywhere.
        settings = uvicorn.Config(guard, access_log=False, log_level="critical", lifespan="off", server_header=False)
        uvicorn.Server(settings).run(sockets=[listener])
