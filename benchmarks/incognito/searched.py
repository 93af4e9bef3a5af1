"""The seconds of the stages up to the search, and what it counted; nothing published.

``python -m benchmarks.incognito.searched JOB`` prints them as JSON. A search that has a stage of its own, such as to
build a cube, tells of it as of the others, on the logger. One that is asked to end, or fills the disk, tells what it
had counted by then.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
import time
from typing import Any
from unittest import mock

import starcloak
from starcloak.base.errors import OutputError
from starcloak.search.lattice.lattice import Tally
from starcloak.store.session import Session

_FULL = "has no space"


class _Stages(logging.Handler):
    """Hears how long each stage took."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg == "%s: %.3f s" and isinstance(record.args, tuple):
            name, seconds = record.args
            self.seconds[str(name)] = float(str(seconds))


def search(job: str) -> dict[str, Any]:
    """Search as a job says, as far as the script of its release, or until it is asked to end."""
    stages = _Stages()
    logger = logging.getLogger("starcloak")
    logger.setLevel(logging.INFO)
    logger.addHandler(stages)
    tallies: list[Tally] = []
    begin = Tally.__init__

    def begun(tally: Tally, session: Session) -> None:
        begin(tally, session)
        tallies.append(tally)

    ended, full = True, False
    with mock.patch.object(Tally, "__init__", begun):
        try:
            starcloak.compile(job)
        except KeyboardInterrupt:
            ended = False
        except OutputError as error:
            if _FULL not in str(error):
                raise
            ended, full = False, True
    counts = {name: sum(int(getattr(tally, name)) for tally in tallies) for name in ("checked", "scans", "rows")}
    cpu_seconds = round(time.process_time(), 3)
    return {"stages": stages.seconds, "counts": counts, "cpu_seconds": cpu_seconds, "ended": ended, "full": full}


if __name__ == "__main__":
    (path,) = sys.argv[1:]
    # Where it takes too long it is asked to end, and cleans up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(json.dumps(search(path)))
