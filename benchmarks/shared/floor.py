"""A release by DuckDB's client alone, to hold whole runs against: no run can cost less.

``python -m benchmarks.shared.floor SOURCE TARGET K COLUMNS COLUMN…`` takes the first so many columns for
quasi-identifiers, and releases all.
"""

from __future__ import annotations

import sys

import duckdb

from benchmarks.shared.statement import statement
from starcloak.statements.statement import Literal, Name, columns


def release(source: str, target: str, k: int, quasi_identifiers: list[str], released: list[str]) -> None:
    """Write the rows of a CSV file whose quasi-identifiers at least k have alike, as they are."""
    copied = statement(
        "floor",
        source=Literal(source),
        target=Literal(target),
        k=Literal(str(k)),
        quasi_identifiers=columns(map(Name, quasi_identifiers)),
        columns=columns(map(Name, released)),
    )
    with duckdb.connect() as connection:
        connection.execute(copied.sql())


if __name__ == "__main__":
    source, target, k, size, *names = sys.argv[1:]
    release(source, target, int(k), names[: int(size)], names)
