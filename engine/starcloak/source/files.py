"""Files as a source: CSV and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starcloak.errors import SourceError
from starcloak.source import records
from starcloak.statement import Hole, Joined, Literal, Statement

# What DuckDB calls encodings that it has by itself.
_ENCODINGS = {"iso8859-1": "latin-1"}


# What is told of files of other kinds, by their suffixes: as CSV they would be anything.
_SPREADSHEET = "is a spreadsheet: give a data frame, as by pandas.read_excel(…, dtype=str), or save it as CSV"
_JSON = "is JSON: give a data frame, as by polars.read_ndjson(…), or a table that DuckDB made of it"
_OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsb", ".ods"), _SPREADSHEET),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _JSON),
}
_PACKED = (".gz", ".zst")


def refuse_others(files: Sequence[Path]) -> None:
    """Refuse files that are neither CSV nor Parquet by their names. Raises :class:`SourceError`."""
    for file in files:
        *_, kind = ["", *(suffix for suffix in file.suffixes if suffix.lower() not in _PACKED)]
        if told := _OTHERS.get(kind.lower()):
            raise SourceError(f"{file.name} {told}")


def file_rows(path: Path) -> Statement:
    """The statement that reads a CSV or Parquet file."""
    return parquet_rows(path) if is_parquet(path) else csv_rows(path)


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, by its name."""
    return path.suffix.lower() in (".parquet", ".pq")


def parquet_rows(*files: Path) -> Statement:
    """The statement that reads Parquet files of one schema."""
    return Statement("source/parquet", {"path": _paths(files)})


def csv_rows(path: Path) -> Statement:
    """The statement that reads a CSV file with a header; every column is text."""
    return delimited_rows([path], records.examine(path, ","))


def delimited_rows(
    files: Sequence[Path],
    found: records.Records,
    delimiter: str = ",",
    missing: str = "",
    encoding: str = "utf-8",
    quote: str = '"',
) -> Statement:
    """The statement that reads CSV files of one header as they were examined."""
    text = Literal("VARCHAR")
    return Statement(
        "source/csv",
        {
            "path": _paths(files),
            "columns": Joined(tuple(Joined((Literal(name), text), ": ") for name in found.header), ", "),
            "delimiter": Literal(delimiter),
            "quote": Literal(quote),
            "missing": Literal(missing),
            "encoding": Literal(_ENCODINGS.get(encoding, encoding)),
            # Where it begins to read amid quotes, DuckDB guesses, and may lose rows.
            "parallel": Literal("false" if found.quoted else "true"),
        },
    )


def _paths(files: Sequence[Path]) -> Hole:
    """What DuckDB's readers take: a path, or a list of them."""
    read = tuple(Literal(str(path.absolute())) for path in files)
    return read[0] if len(read) == 1 else Statement("source/files", {"paths": Joined(read, ", ")})
