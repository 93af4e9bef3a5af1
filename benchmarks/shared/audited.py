"""An audit, timed as the bare GROUP BY beside it: without the start of the process.

``python -m benchmarks.shared.audited FILE MEMORY_LIMIT THREADS COLUMN…`` prints seconds and CPU seconds as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from starcloak.commands.audit.audit import AuditRequest, audit
from starcloak.job import load_source
from starcloak.store.resources import Resources

if __name__ == "__main__":
    file, memory_limit, threads, *names = sys.argv[1:]
    place = load_source({"path": str(Path(file).absolute())})
    resources = Resources(memory_limit=memory_limit, threads=int(threads))
    started, cpu = time.perf_counter(), time.process_time()
    found = audit(place, AuditRequest(tuple(names)), resources=resources)
    taken = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**taken, "classes": found.classes}))
