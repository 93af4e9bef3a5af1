"""A large table of whole numbers as a Parquet file: as many combinations as can be, or few that are frequent.

``python -m benchmarks.shared.spread ROWS COLUMNS VALUES POWER SEED FILE`` writes it and prints its size in bytes as
JSON. POWER is 1 where all values of a column are as frequent as each other; the higher, the more the small ones are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from benchmarks.shared.statement import statement
from starcloak.statements.statement import As, Hole, Name, Number, columns


def write(file: Path, *, rows: int, wide: int, values: int, power: int, seed: int) -> dict[str, int]:
    """Write columns c0, c1, …, drawn independently. Rows leave as they come, so that memory does not grow with them."""
    drawn = {"seed": Number(seed), "power": Number(power), "values": Number(values)}
    cells: list[Hole] = [
        As(statement("spread#cell", column=Number(number), **drawn), Name(f"c{number}")) for number in range(wide)
    ]
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute("set preserve_insertion_order = false")
        copied = statement("spread", cells=columns(cells), rows=Number(rows)).sql()
        connection.execute(f"copy (\n{copied}\n) to $file (format parquet)", {"file": str(file)})
    return {"bytes": file.stat().st_size}


if __name__ == "__main__":
    *numbers, path = sys.argv[1:]
    rows, wide, values, power, seed = map(int, numbers)
    print(json.dumps(write(Path(path), rows=rows, wide=wide, values=values, power=power, seed=seed)))
