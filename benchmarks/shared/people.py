"""A large census-like table, drawn in SQL from the generated census: a Parquet, CSV or DuckDB file.

``python -m benchmarks.shared.people KIND ROWS SEED FILE`` writes it and prints its size in bytes as JSON. KIND is
``mixed``, whose combinations go on growing with the rows, ``whole``, whose combinations stop at 29,567, or ``large``,
drawn from a million mixed ones, whose combinations stop at 319,075.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from benchmarks.shared import adult
from benchmarks.shared.statement import statement
from starcloak.sources import dataset
from starcloak.statements.statement import Name, Number, Statement, columns

TABLE = Name("people")
KINDS = {"whole": "drawn", "mixed": "resampled", "large": "drawn"}
_MIXED = 1_000_000  # people that large tables are drawn from

_FILE, _NUMBERED = Name("file"), Name("numbered")
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
        census = Statement("sources/dataset/census", marginals=Name("marginals"), seed=Number(seed))
        _keep(connection, Name("census"), census)
        persons = _number(connection, Name("census"))
        if kind == "large":
            mixed = statement(KINDS["mixed"], numbered=_NUMBERED)
            _keep(connection, Name("mixed"), mixed, {"seed": seed, "rows": _MIXED, "persons": persons})
            persons = _number(connection, Name("mixed"))
        drawn = statement(KINDS[kind], numbered=_NUMBERED).sql()
        binds = {"seed": seed, "rows": rows, "persons": persons}
        if file.suffix in (".parquet", ".csv"):
            copied = f"copy (\n{drawn}\n) to $file (format {file.suffix[1:]})"
            connection.execute(copied, {**binds, "file": str(file)})
        else:
            connection.execute(f"attach $file as {_FILE.sql()}", {"file": str(file)})
            connection.execute(f"create table {Name(*_FILE.parts, *TABLE.parts).sql()} as\n{drawn}", binds)
            connection.execute(f"detach {_FILE.sql()}")
    return {"bytes": file.stat().st_size}


def _number(connection: duckdb.DuckDBPyConnection, people: Name) -> int:
    """Number the people to draw from; returns how many they are."""
    _keep(connection, _NUMBERED, statement("numbered", columns=columns(map(Name, adult.ATTRIBUTES)), census=people))
    return int(connection.table(_NUMBERED.parts[0]).shape[0])


def _keep(
    connection: duckdb.DuckDBPyConnection, name: Name, kept: Statement, binds: dict[str, int] | None = None
) -> None:
    """Keep a statement's rows while the connection lasts."""
    connection.execute(f"create or replace temporary table {name.sql()} as\n{kept.sql()}", binds)


if __name__ == "__main__":
    kind, rows, seed, path = sys.argv[1:]
    print(json.dumps(write(Path(path), kind=kind, rows=int(rows), seed=int(seed))))
