"""Lineage: a run writes its OpenLineage events to a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.job import Job
from starcloak.job.result import Result
from starcloak.releases.companion import register
from starcloak.releases.run import Companion

if TYPE_CHECKING:
    from starcloak.companions.lineage.openlineage import Events
    from starcloak.releases.run import Run
    from starcloak.store.staging import Written


@register
class LineageCompanion(Companion):
    """Writes OpenLineage events to the file given by the option ``lineage``."""

    name = "lineage"
    order = 5

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        super().__init__(job, options)
        self._path = Path(options["lineage"])
        self._events: Events | None = None

    def places(self, job: Job) -> Sequence[Written]:
        from starcloak.companions.lineage import openlineage

        return [openlineage.file_to_write(self._path)]

    @contextmanager
    def around(self, run: Run) -> Iterator[None]:
        """Write the event START at once, and FAIL or ABORT if the run ends without a result."""
        from starcloak.companions.lineage.openlineage import Events

        self._events = Events(self._path, run.id)
        with self._events.told(run.job):
            yield

    def after_publish(self, run: Run, result: Result) -> None:
        """Write the event COMPLETE.

        Raises :class:`~starcloak.base.errors.OutputError` if the event cannot be written.
        """
        assert self._events is not None
        with run.ending.publishing():
            self._events.complete(run.job, result)
