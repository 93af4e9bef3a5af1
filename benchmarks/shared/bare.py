"""The bare GROUP BY in plain DuckDB, to hold compress against.

``python -m benchmarks.shared.bare FILE MEMORY_LIMIT THREADS COLUMN…`` prints seconds, CPU seconds, rows and
combinations as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchmarks.shared.people import TABLE
from benchmarks.shared.statement import statement
from starcloak.statements.statement import Hole, Literal, Name, columns

_BASE = Name("base")


def count(file: Path, quasi_identifiers: Sequence[str], *, memory_limit: str, threads: int) -> dict[str, float]:
    """Count the combinations of a Parquet file or of a DuckDB file's table, into a table in memory.

    Only the statement is timed; the database is open, as it is when starcloak compresses.
    """
    with tempfile.TemporaryDirectory() as spill, duckdb.connect() as connection:
        connection.execute("set temp_directory = $folder", {"folder": spill})
        connection.execute("set memory_limit = $limit", {"limit": memory_limit})
        connection.execute("set threads = $threads", {"threads": threads})
        connection.execute("set enable_progress_bar = false")
        source: Hole
        if file.suffix == ".parquet":
            source = statement("parquet", path=Literal(str(file)))
        else:
            connection.execute("attach $file as file (read_only)", {"file": str(file)})
            source = Name("file", *TABLE.parts)
        grouped = statement("bare", quasi_identifiers=columns(map(Name, quasi_identifiers)), source=source)
        create = f"create table {_BASE.sql()} as\n{grouped.sql()}"
        started, cpu = time.perf_counter(), time.process_time()
        connection.execute(create)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
        rows, combinations = connection.execute(statement("size", frequency=_BASE).sql()).fetchall()[0]
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "rows": rows, "combinations": combinations}


if __name__ == "__main__":
    file, memory_limit, threads, *names = sys.argv[1:]
    print(json.dumps(count(Path(file), names, memory_limit=memory_limit, threads=int(threads))))
