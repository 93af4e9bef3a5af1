"""Files as a source: CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.source import records
from starcloak.statement import Joined, Literal, Statement

if TYPE_CHECKING:
    pass


# What DuckDB calls encodings that it has by itself.
_ENCODINGS = {"iso8859-1": "latin-1"}


def file_rows(path: Path) -> Statement:
    """The statement that reads a CSV or Parquet file."""
    return parquet_rows(path) if is_parquet(path) else csv_rows(path)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def parquet_rows(path: Path) -> Statement:
    """The statement that reads a Parquet file."""
    return Statement("source/parquet", {"path": Literal(str(path.absolute()))})


def csv_rows(path: Path) -> Statement:
    """The statement that reads a CSV file with a header; every column is text."""
    return delimited_rows(path, records.examine(path, ","))


def delimited_rows(
    path: Path, found: records.Records, delimiter: str = ",", missing: str = "", encoding: str = "utf-8"
) -> Statement:
    """The statement that reads a CSV file as it was examined."""
    text = Literal("VARCHAR")
    return Statement(
        "source/csv",
        {
            "path": Literal(str(path.absolute())),
            "columns": Joined(tuple(Joined((Literal(name), text), ": ") for name in found.header), ", "),
            "delimiter": Literal(delimiter),
            "missing": Literal(missing),
            "encoding": Literal(_ENCODINGS.get(encoding, encoding)),
            # Where it begins to read amid quotes, DuckDB guesses, and may lose rows.
            "parallel": Literal("false" if found.quoted else "true"),
        },
    )
