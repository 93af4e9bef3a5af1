"""A process from which runs of tests fork: what no mutant changes is imported once, before any of them.

A line of its input asks for a run, as JSON: ``arguments`` of pytest, ``environment``, and the file of the ``output``. A
line of its output has the run's process, the next one how that ended. It stands alone, beside sitecustomize.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module

_IMPORTED = (
    "pytest", "hypothesis", "numpy", "pandas", "duckdb", "pyarrow.parquet", "pyarrow.compute", "sqlalchemy", "psycopg",
    "pymysql", "yaml", "pydantic", "click.testing", "jsonschema", "sqlglot",
)  # fmt: skip


def _run(asked: dict[str, object]) -> None:
    """Run the tests, in a group of processes of their own."""
    os.setsid()
    output = os.open(str(asked["output"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for here, there in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(here, there)
    os.environ.clear()
    os.environ.update(asked["environment"])  # type: ignore[call-overload]
    import pytest

    code = 70
    try:
        code = int(pytest.main(asked["arguments"]))  # type: ignore[arg-type]
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _main() -> None:
    for name in _IMPORTED:
        with suppress(ImportError):
            import_module(name)
    told = os.dup(1)
    while line := sys.stdin.readline():
        process = os.fork()
        if not process:
            os.close(told)
            _run(json.loads(line))
        os.write(told, f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    _main()
