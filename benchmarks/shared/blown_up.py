"""Adult blown up to more rows, as Fung, Wang, Yu 2007, section 5.3, do: a Parquet file.

``python -m benchmarks.shared.blown_up ROWS SEED FILE ATTRIBUTE… [-- COLUMN…]`` writes it and prints its size in bytes
as JSON; the last columns are never varied. Fewer rows than Adult's are a sample of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb

from benchmarks.shared import adult
from benchmarks.shared.statement import statement
from starcloak.sources import dataset
from starcloak.statements.statement import As, Literal, Name, Number, Statement, columns


def write(
    file: Path, *, rows: int, seed: int, attributes: Sequence[str], kept_columns: Sequence[str] = ()
) -> dict[str, int]:
    """Write the file. The same rows and seed give the same table, in some order."""
    data, test = (Literal(str(path)) for path in dataset.files("adult"))
    nine = set(adult.ATTRIBUTES).issuperset([*attributes, *kept_columns])
    known = adult.ATTRIBUTES if nine else (*adult.ATTRIBUTES, *adult.FURTHER)
    numbered = statement("numbered", columns=columns(map(Name, known)), census=Name("adult"))
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute("set preserve_insertion_order = false")
        kept = {"adult": Statement("sources/dataset/adult", data=data, test=test), "numbered": numbered}
        lists = columns(
            As(statement("domain", column=Name(attribute)), Name(f"values_{place}"))
            for place, attribute in enumerate(attributes, 1)
        )
        kept["domains"] = statement("domains", lists=lists, numbered=Name("numbered"))
        for name, each in kept.items():
            connection.execute(f"create temporary table {Name(name).sql()} as\n{each.sql()}")
        persons = connection.table("numbered").shape[0]
        blown_up = statement(
            "blown_up",
            tickets=columns(statement("ticket", position=Number(place)) for place in range(1, len(attributes) + 1)),
            cells=columns(
                [
                    As(
                        statement(
                            "replaced",
                            column=Name(attribute),
                            values=Name(f"values_{place}"),
                            position=Number(place),
                        ),
                        Name(attribute),
                    )
                    for place, attribute in enumerate(attributes, 1)
                ]
                + [As(Name(column), Name(column)) for column in kept_columns]
            ),
            domains=Name("domains"),
            numbered=Name("numbered"),
        )
        binds = {"seed": seed, "rows": rows, "persons": persons, "file": str(file)}
        connection.execute(f"copy (\n{blown_up.sql()}\n) to $file (format parquet)", binds)
    return {"bytes": file.stat().st_size}


if __name__ == "__main__":
    rows, seed, path, *names = sys.argv[1:]
    end = names.index("--") if "--" in names else len(names)
    done = write(Path(path), rows=int(rows), seed=int(seed), attributes=names[:end], kept_columns=names[end + 1 :])
    print(json.dumps(done))
