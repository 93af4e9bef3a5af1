"""The databases that tests run on, and which of them are not here: `python -m tests.databases` ends with 1 then."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence

from tests import servers, sparks

LEFT_OUT = "database LEFT OUT"
_INSTALL = "not installed: apt-get install "


def _postgresql() -> str | None:
    return None if servers.postgresql_programs() else f"{_INSTALL}postgresql"


def _mariadb() -> str | None:
    return None if servers.mariadb_program() and shutil.which("mariadb") else f"{_INSTALL}mariadb-server"


def _client() -> str | None:
    return None if shutil.which("sqlite3") else f"{_INSTALL}sqlite3"


#: Why each is left out; None where it is there. DuckDB and SQLite itself come with Python.
DATABASES: Mapping[str, Callable[[], str | None]] = {
    "PostgreSQL": _postgresql,
    "MariaDB": _mariadb,
    "SQLite's client": _client,
    "Spark": sparks.lacking,
}


def lacking(names: Sequence[str] = tuple(DATABASES)) -> dict[str, str]:
    """Those that are not here, and why."""
    found = {name: DATABASES[name]() for name in names}
    return {name: why for name, why in found.items() if why is not None}


def summary() -> list[str]:
    """Which databases were tested, and a line for each that was left out."""
    missing = lacking()
    tested = ", ".join(["DuckDB", "SQLite", *(name for name in DATABASES if name not in missing)])
    return [f"databases tested: {tested}", *(f"{LEFT_OUT}: {name}: {why}" for name, why in missing.items())]


if __name__ == "__main__":
    print("\n".join(summary()))
    sys.exit(1 if lacking(sys.argv[1:] or tuple(DATABASES)) else 0)
