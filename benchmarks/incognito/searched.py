"""The seconds of the stages up to the search, nothing published.

``python -m benchmarks.incognito.searched JOB`` prints them as JSON. A search that has a stage of its own, such as to
build a cube, tells of it as of the others, on the logger.
"""

from __future__ import annotations

import json
import logging
import signal
import sys

import starcloak


class _Stages(logging.Handler):
    """Hears how long each stage took."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg == "%s: %.3f s" and isinstance(record.args, tuple):
            name, seconds = record.args
            self.seconds[str(name)] = float(str(seconds))


def search(job: str) -> dict[str, float]:
    """Search as a job says, as far as the script of its release."""
    stages = _Stages()
    logger = logging.getLogger("starcloak")
    logger.setLevel(logging.INFO)
    logger.addHandler(stages)
    starcloak.compile(job)
    return stages.seconds


if __name__ == "__main__":
    (path,) = sys.argv[1:]
    # Where it takes too long it is asked to end, and cleans up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(json.dumps(search(path)))
