"""A large census-like table, drawn in SQL from the generated census: a Parquet, CSV or DuckDB file.

``python -m benchmarks.shared.people KIND ROWS SEED FILE`` writes it and prints its size in bytes as JSON. KIND is
``mixed``, whose combinations go on growing with the rows, or ``whole``, whose combinations stop.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from benchmarks.shared import adult
from benchmarks.shared.statement import statement
from starcloak.sources import dataset
from starcloak.statements.statement import Name, Statement, columns

TABLE = Name("people")
KINDS = {"whole": "drawn", "mixed": "resampled"}

_FILE = Name("file")
_TYPES = {"column": "VARCHAR", "value": "VARCHAR", "frequency": "BIGINT"}


def write(file: Path, *, kind: str, rows: int, seed: int) -> dict[str, int]:
    """Write a .parquet, a .csv or a .duckdb file. The same kind, rows and seed give the same people, in some order.

    Rows leave as they come, so that memory does not grow with them.
    """
    (marginals,) = dataset.files("census")
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute("set temp_directory = $folder", {"folder": str(file.parent / "spill")})
        connection.execute("set preserve_insertion_order = false")
        connection.read_csv(str(marginals), header=True, columns=_TYPES).create_view("marginals")
        census = Statement("sources/dataset/census", marginals=Name("marginals"))
        _keep(connection, Name("census"), census, {"seed": seed})
        _keep(
            connection,
            Name("numbered"),
            statement("numbered", columns=columns(map(Name, adult.ATTRIBUTES)), census=Name("census")),
        )
        persons = connection.table("numbered").shape[0]
        drawn = statement(KINDS[kind], numbered=Name("numbered")).sql()
        binds = {"seed": seed, "rows": rows, "persons": persons}
        if file.suffix in (".parquet", ".csv"):
            copied = f"copy (\n{drawn}\n) to $file (format {file.suffix[1:]})"
            connection.execute(copied, {**binds, "file": str(file)})
        else:
            connection.execute(f"attach $file as {_FILE.sql()}", {"file": str(file)})
            connection.execute(f"create table {Name(*_FILE.parts, *TABLE.parts).sql()} as\n{drawn}", binds)
            connection.execute(f"detach {_FILE.sql()}")
    return {"bytes": file.stat().st_size}


def _keep(
    connection: duckdb.DuckDBPyConnection, name: Name, kept: Statement, binds: dict[str, int] | None = None
) -> None:
    """Keep a statement's rows while the connection lasts."""
    connection.execute(f"create temporary table {name.sql()} as\n{kept.sql()}", binds)


if __name__ == "__main__":
    kind, rows, seed, path = sys.argv[1:]
    print(json.dumps(write(Path(path), kind=kind, rows=int(rows), seed=int(seed))))
