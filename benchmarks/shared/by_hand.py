"""A full-domain release of a Parquet file by hand in DuckDB's client: one statement in each process.

``python -m benchmarks.shared.by_hand STEP FILE MEMORY_LIMIT THREADS COLUMN…`` runs a step in the folder of the file:
``group`` counts the combinations, and leaves them as combinations.parquet; ``release`` joins the labels in
labels.duckdb, and writes by-hand.parquet in random order; ``recount`` reads it back. It prints its counts as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from benchmarks.shared.statement import statement
from starcloak.statements.statement import As, Literal, Name, Statement, columns, lines

LABELS, COMBINATIONS, RELEASE = "labels.duckdb", "combinations.parquet", "by-hand.parquet"
_OPTIONS = {"group": "", "release": ", compression zstd"}


def perform(step: str, file: Path, quasi_identifiers: Sequence[str], settings: Mapping[str, str]) -> dict[str, int]:
    """Run a step; returns the figures that it counts, by name."""
    folder, names = file.parent, [Name(name) for name in quasi_identifiers]
    with duckdb.connect() as connection:
        for name, value in settings.items():
            connection.execute(f"set {name} = $value", {"value": value})
        if step == "recount":
            counted = statement("bare", quasi_identifiers=columns(names), source=_rows(folder / RELEASE))
            asked = statement("smallest", frequency=counted).sql()
            classes, smallest = connection.execute(asked).fetchall()[0]
            return {"classes": classes, "smallest": smallest}
        if step == "group":
            made = statement("bare", quasi_identifiers=columns(names), source=_rows(file))
        else:
            connection.execute("attach $file as labels (read_only)", {"file": str(folder / LABELS)})
            tables = [Name("labels", *name.parts) for name in names]
            joins = [
                statement("labelled#join", labels=table, value=Name("source", *name.parts))
                for table, name in zip(tables, names, strict=True)
            ]
            labels = columns(As(Name(*name.parts, "label"), name) for name in names)
            made = statement(
                "labelled", columns=labels, source=_rows(file), joins=lines(joins), order=statement("order")
            )
        target = folder / (COMBINATIONS if step == "group" else RELEASE)
        copied = f"copy (\n{made.sql()}\n) to $file (format parquet{_OPTIONS[step]})"
        ((rows,),) = connection.execute(copied, {"file": str(target)}).fetchall()
    return {"rows": int(rows)}


def _rows(file: Path) -> Statement:
    return statement("parquet", path=Literal(str(file)))


if __name__ == "__main__":
    step, path, memory_limit, threads, *given = sys.argv[1:]
    spill = str(Path(path).parent / "spill")
    told = {"enable_progress_bar": "false", "temp_directory": spill, "memory_limit": memory_limit, "threads": threads}
    print(json.dumps(perform(step, Path(path), given, told)))
