"""CPU seconds of a run by what they are for: ``python -m benchmarks.shared.traced JOB`` prints them as JSON.

The process imports first what any such program needs, then the engine, then runs the job. Threads of DuckDB count.
"""

from __future__ import annotations

import gc
import os
import sys
import time

_START = time.process_time()
gc.disable()  # as the command does while it imports
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
for _name in ("duckdb", "numpy", "pydantic", "yaml", "click"):
    __import__(_name)
_LIBRARIES = time.process_time()

import json  # noqa: E402 - timed in this order
from collections import defaultdict  # noqa: E402
from typing import Any  # noqa: E402

from starcloak.commands import pipeline  # noqa: E402
from starcloak.commands.cli.commands import run  # noqa: E402, F401 - as the command imports it
from starcloak.store.session import Session  # noqa: E402

gc.freeze()
gc.enable()
_ENGINE = time.process_time()


def main(job: str) -> None:
    """Run a job and print the parts, and each statement's calls and seconds by its path."""
    statements: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
    execute = Session._execute

    def timed(session: Session, path: str, *given: Any, **more: Any) -> Any:
        began = time.process_time()
        try:
            return execute(session, path, *given, **more)
        finally:
            statements[path][0] += 1
            statements[path][1] += time.process_time() - began

    Session._execute = timed  # type: ignore[method-assign, assignment]
    began = time.process_time()
    pipeline.run(job)
    seconds = time.process_time() - began
    within = sum(spent for _, spent in statements.values())
    parts = {
        "the interpreter": _START,
        "imports of duckdb, numpy, pydantic, yaml and click": _LIBRARIES - _START,
        "imports of the engine": _ENGINE - _LIBRARIES,
        "statements": within,
        "the rest: search on arrays, files, checks": seconds - within,
    }
    print(json.dumps({"parts": parts, "statements": statements}))


if __name__ == "__main__":
    main(sys.argv[1])
