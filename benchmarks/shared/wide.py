"""A wide table as a CSV file, of columns as tables have them: numbers, codes, dates, texts, flags, few and many values.

``python -m benchmarks.shared.wide ROWS COLUMNS SEED FILE`` writes it and prints its size in bytes as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from benchmarks.shared.statement import statement
from starcloak.statements.statement import As, Hole, Name, Number, columns

KINDS = ("age", "occupation", "score", "zip", "day", "color", "items", "seen", "label", "flag")


def write(file: Path, *, rows: int, wide: int, seed: int) -> dict[str, int]:
    """Write so many columns of the kinds in turn. The same rows, columns and seed give the same file."""
    cells: list[Hole] = [
        As(
            statement(f"wide#{KINDS[number % len(KINDS)]}", seed=Number(seed), column=Number(number)),
            Name(f"{KINDS[number % len(KINDS)]}_{number}"),
        )
        for number in range(wide)
    ]
    drawn = statement("wide", cells=columns(cells), rows=Number(rows))
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(f"copy (\n{drawn.sql()}\n) to $file (header)", {"file": str(file)})
    return {"bytes": file.stat().st_size}


if __name__ == "__main__":
    rows, wide, seed, file = sys.argv[1:]
    print(json.dumps(write(Path(file), rows=int(rows), wide=int(wide), seed=int(seed))))
