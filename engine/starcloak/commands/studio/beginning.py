"""The first page of a studio without a job, to choose a table or a job of the working folder, or to upload a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from starcloak.base.errors import JobError, OutputError, StarcloakError, without_passwords
from starcloak.commands.profile import init as profiling
from starcloak.commands.profile.draft import Draft
from starcloak.commands.studio import uploads
from starcloak.commands.studio.screens import application, asset_routes, rendered
from starcloak.commands.studio.shared_state import SharedState
from starcloak.commands.studio.work import Work, WorkContext

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from starcloak.base.workbooks.sheet import FilledSheet
    from starcloak.job import Place
    from starcloak.store.resources import Resources

#: Name of the only piece of work here: the first job for a table.
_WORK = "begin"
_MOST_NAMES = 100  # jobs of one table


class Beginning:
    """The web application of a studio without a job: its first page, and after the choice the pages of the job.

    Args:
        folder: The working folder; uploaded files are written to it.
        into: The file of a first job. If another job is there, the file is named after the table.
        place_of: Returns the source for the name of a file in the folder, and the name of a sheet or None.
        draft: Writes the first job for a source; returns its file and the draft.
        chosen: Called with the file of the chosen job.
        workbook: A workbook whose sheets the first page shows; it may be in another folder.
    """

    def __init__(
        self,
        folder: Path,
        into: Path,
        place_of: Callable[[str, str | None], Place],
        draft: Callable[[Place, Path, Resources], tuple[Path, Draft]],
        chosen: Callable[[Path], None],
        workbook: str | None = None,
    ) -> None:
        uploads.sweep(folder)
        self._folder, self._into = folder, into
        self._place_of, self._draft, self._chosen = place_of, draft, chosen
        self._work: Work | None = None
        self._problem = ""
        self._workbook = workbook
        self._sheets: list[FilledSheet] = [] if workbook is None else uploads.sheets_to_choose(place_of(workbook, None))
        self._studio: ASGIApp | None = None
        self._pages = Starlette(
            routes=[
                Route("/", self._page),
                Route("/work", self._progress),
                Route("/upload", self._upload, methods=["POST"]),
                Route("/choose", self._choose, methods=["POST"]),
                Route("/cancel", self._cancel, methods=["POST"]),
                *asset_routes(),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._studio is None and self._work is not None and self._work.state == "done":
            await run_in_threadpool(self._open, *self._work.result)
        await (self._studio or self._pages)(scope, receive, send)

    def _open(self, job: Path, draft: Draft | None = None) -> None:
        """Open the pages of a job. Raises :class:`~starcloak.base.errors.JobError` for a file without a valid job."""
        if self._studio is None:
            self._studio = application(SharedState(job, draft))
            self._chosen(job)

    async def _page(self, request: Request) -> Response:
        return await run_in_threadpool(self._shown)

    def _shown(self, status: int = 200) -> Response:
        problem, self._problem = self._problem, ""
        tables, jobs = uploads.listed(self._folder)
        shown: dict[str, object] = {"tables": tables, "jobs": jobs, "suffixes": uploads.SUFFIXES}
        shown |= {"work": self._shown_work(), "workbook": self._workbook, "sheets": self._sheets}
        page = {"screen": _WORK, "name": _WORK, "file": None, "problem": problem, "failed": False}
        return HTMLResponse(rendered("begin.html", **page, **shown), status)

    def _shown_work(self) -> dict[str, object] | None:
        work = self._work
        if work is None:
            return None
        shown = {"state": work.state, "progress": work.progress, "problem": work.problem, "parts": work.parts}
        return shown | {"stale": False, "usual": None}

    async def _progress(self, request: Request) -> Response:
        return HTMLResponse(rendered("work.html", name=_WORK, work=self._shown_work()))

    async def _upload(self, request: Request) -> Response:
        """Write the body of the request to a new file, and begin with it; the name stands in a header."""
        if self._is_busy:
            return PlainTextResponse("The studio is writing a first job: wait, or cancel it.", 409)
        try:
            with uploads.Upload(self._folder, request.headers.get("x-file-name", "")) as upload:
                async for block in request.stream():
                    await run_in_threadpool(upload.write, block)
                name = await run_in_threadpool(upload.finish)
            await run_in_threadpool(self._begin, name)
        except ClientDisconnect:
            return Response(status_code=400)
        except StarcloakError as error:
            return PlainTextResponse(without_passwords(str(error)), 422)
        return PlainTextResponse(name, 201)

    async def _choose(self, request: Request) -> Response:
        async with request.form() as form:
            name, sheet = str(form.get("name", "")), str(form.get("sheet", "")) or None
        try:
            await run_in_threadpool(self._take, name, sheet)
        except StarcloakError as error:
            self._problem = without_passwords(str(error))
            return await run_in_threadpool(self._shown, 422)
        return RedirectResponse("/", 303)

    def _take(self, name: str, sheet: str | None) -> None:
        """Draft a job for a table of the folder, or open a job of the folder, by the file's name.

        ``sheet`` names the sheet of a workbook, or is None.
        """
        tables, jobs = uploads.listed(self._folder)
        if name in {job.name for job in jobs}:
            self._open(self._folder / name)
        elif name in {self._workbook, *(table.name for table in tables)}:
            self._begin(name, sheet)
        else:
            raise JobError("the chosen file is no longer in the folder: choose another file")

    async def _cancel(self, request: Request) -> Response:
        if self._work is not None:
            self._work.cancel()
        return RedirectResponse("/", 303)

    @property
    def _is_busy(self) -> bool:
        return self._work is not None and self._work.state == "running"

    def _begin(self, name: str, sheet: str | None = None) -> None:
        """Start writing a first job for a table of the folder, in a thread.

        If the table is a workbook of several sheets with cells, and none is named, the next page shows these sheets.
        """
        if self._is_busy:
            raise JobError("the studio is writing a first job: wait, or cancel it")
        place, into = self._place_of(name, sheet), self._free(name)
        self._work, self._workbook, self._sheets = None, name, uploads.sheets_to_choose(place)
        if self._sheets:
            return

        def draft(context: WorkContext) -> tuple[Path, Draft]:
            return self._draft(place, into, context.resources)

        self._work = Work(name, draft)

    def _free(self, table: str) -> Path:
        """An unused path for the first job of a table."""
        stem = Path(table).name.partition(".")[0]
        more = (self._into.with_name(f"{stem}{'' if at == 1 else f'-{at}'}.yaml") for at in range(1, _MOST_NAMES))
        for path in (self._into, *more):
            if not path.is_file():
                profiling.refuse(path)
                return path
        raise OutputError(
            f"the folder has {_MOST_NAMES} jobs for {table} already: write the job with starcloak init and another "
            "name by --into"
        )
