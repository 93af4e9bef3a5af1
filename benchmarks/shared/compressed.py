"""The compress step of starcloak alone, to hold against the bare GROUP BY.

``python -m benchmarks.shared.compressed JOB MEMORY_LIMIT THREADS`` prints seconds as JSON; JOB is a job without an
output.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from starcloak.job import load
from starcloak.sources.file_formats import databases_of, files_of
from starcloak.sources.open_source import open_source
from starcloak.star import frequency_sets
from starcloak.store.session import Session


def compress(path: Path, *, memory_limit: str, threads: int) -> dict[str, float]:
    """Compress a job's source. Only the compress step is timed; the source is open, as it is in a run."""
    job = load(path)
    files, databases = files_of(job.source), databases_of(job.source)
    with Session(files=files, databases=databases, memory_limit=memory_limit, threads=threads) as session:
        opened = open_source(session, job.source, job.roles)
        session.lock_down()
        started = time.perf_counter()
        frequency_sets.compress(session, opened)
        return {"seconds": time.perf_counter() - started}


if __name__ == "__main__":
    path, memory_limit, threads = sys.argv[1:]
    print(json.dumps(compress(Path(path), memory_limit=memory_limit, threads=int(threads))))
