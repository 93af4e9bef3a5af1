"""A large census-like table, drawn in SQL from the generated census: a Parquet file, and a table of a DuckDB file.

``python -m benchmarks.people ROWS SEED FOLDER`` writes both and prints their sizes in bytes as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from starcloak import dataset
from starcloak.statement import Hole, Name, Statement

PARQUET = "people.parquet"
DATABASE = "people.duckdb"
TABLE = Name("people")

_SQL = Path(__file__).resolve().parent / "sql"
_TYPES = {"column": "VARCHAR", "value": "VARCHAR", "frequency": "BIGINT"}


def statement(name: str, **holes: Hole) -> Statement:
    """A statement file of the benchmarks, its holes filled."""
    return Statement(str(_SQL / name), holes)


def write(folder: Path, *, rows: int, seed: int) -> dict[str, int]:
    """Write both files. The same rows and seed give the same people."""
    (marginals,) = dataset.files("census")
    database, parquet = folder / DATABASE, folder / PARQUET
    with duckdb.connect(str(database)) as connection:
        connection.execute("set enable_progress_bar = false")
        connection.read_csv(str(marginals), header=True, columns=_TYPES).create_view("marginals")
        census = Statement("dataset/census", {"marginals": Name("marginals")})
        _keep(connection, Name("census"), census, {"seed": seed})
        _keep(connection, Name("numbered"), statement("numbered", census=Name("census")))
        persons = connection.table("numbered").shape[0]
        drawn = statement("resampled", numbered=Name("numbered"))
        binds = {"seed": seed, "rows": rows, "persons": persons}
        connection.execute(f"create table {TABLE.sql()} as\n{drawn.sql()}", binds)
        connection.execute("drop view marginals")
        connection.execute(f"copy {TABLE.sql()} to $parquet (format parquet)", {"parquet": str(parquet)})
    return {"parquet_bytes": parquet.stat().st_size, "duckdb_bytes": database.stat().st_size}


def _keep(
    connection: duckdb.DuckDBPyConnection, name: Name, kept: Statement, binds: dict[str, int] | None = None
) -> None:
    """Keep a statement's rows while the connection lasts."""
    connection.execute(f"create temporary table {name.sql()} as\n{kept.sql()}", binds)


if __name__ == "__main__":
    rows, seed, folder = sys.argv[1:]
    print(json.dumps(write(Path(folder), rows=int(rows), seed=int(seed))))
