"""A look-alike of the Lands End orders of the Incognito paper, drawn in SQL: a Parquet file.

``python -m benchmarks.incognito.lands_end ROWS SEED FILE`` writes it and prints its size in bytes as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.shared.statement import statement

# LeFevre, DeWitt, Ramakrishnan 2005, Figure 9: the attributes in its order, their distinct values, the rows.
DISTINCT = {
    "zipcode": 31_953,
    "order_date": 320,
    "gender": 2,
    "style": 1_509,
    "price": 346,
    "quantity": 1,
    "cost": 1_412,
    "shipment": 2,
}
ATTRIBUTES = tuple(DISTINCT)
ROWS = 4_591_581
QUICK_ROWS = 5_000
SCHEMA = Path(__file__).resolve().parent / "schemas" / "lands-end.yaml"


def write(file: Path, *, rows: int, seed: int) -> dict[str, int]:
    """Write the orders. The same rows and seed give the same orders, in some order."""
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute("set temp_directory = $folder", {"folder": str(file.parent / "spill")})
        # Rows leave as they come: nothing is held back.
        connection.execute("set preserve_insertion_order = false")
        drawn = statement("orders").sql()
        binds = {"seed": seed, "rows": rows, "file": str(file)}
        connection.execute(f"copy (\n{drawn}\n) to $file (format parquet)", binds)
    return {"bytes": file.stat().st_size}


def job(file: Path, size: int, *, k: int) -> dict[str, Any]:
    """Anonymize the orders with respect to their first so many attributes."""
    return {
        "source": {"path": str(file)},
        "schema": str(SCHEMA),
        "quasi_identifiers": list(ATTRIBUTES[:size]),
        "requirement": {"k": k},
    }


if __name__ == "__main__":
    rows, seed, path = sys.argv[1:]
    print(json.dumps(write(Path(path), rows=int(rows), seed=int(seed))))
