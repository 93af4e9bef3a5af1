"""Files as a source: CSV, Parquet and JSON lines."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from starcloak.base.errors import SourceError, no_space
from starcloak.sources import records
from starcloak.statements.statement import Hole, Joined, Literal, Statement

# What DuckDB calls encodings that it has by itself.
_ENCODINGS = {"iso8859-1": "latin-1"}


# What is told of files of other kinds, by their suffixes: as CSV they would be anything.
_SPREADSHEET = "is a spreadsheet: give a data frame, as by pandas.read_excel(…, dtype=str), or save it as CSV"
_JSON = "is JSON: write an object on each line, in a file whose name ends in .jsonl, or give a data frame"
_OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsb", ".ods"), _SPREADSHEET),
    ".json": _JSON,
}
PACKED = {".gz": "gzip", ".zst": "zstd"}
_KINDS = {".parquet": "Parquet", ".pq": "Parquet", ".jsonl": "JSON lines", ".ndjson": "JSON lines"}
_BLOCK = 1 << 20  # bytes that are unpacked together


def refuse_others(files: Sequence[Path]) -> None:
    """Refuse files that are of no kind that is read, by their names. Raises :class:`SourceError`."""
    for file in files:
        if problem := _OTHERS.get(_suffix(file)):
            raise SourceError(f"{file.name} {problem}")


def format_of(path: Path) -> str:
    """What a file is by its name: ``Parquet``, ``JSON lines``, else ``CSV``."""
    return _KINDS.get(_suffix(path), "CSV")


def _suffix(path: Path) -> str:
    """What a name ends in, but for how the file is packed."""
    return next((suffix.lower() for suffix in reversed(path.suffixes) if suffix.lower() not in PACKED), "")


@contextmanager
def keeping(copy: Path) -> Iterator[None]:
    """While a copy of a file is written, in a folder of a run's own. Raises :class:`OutputError` on a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise no_space(copy.parents[2]) from None
        raise


def unpack(file: Path, copy: Path, label: str) -> Path:
    """The file, or a copy of one that is packed. Raises :class:`SourceError` where it cannot be unpacked."""
    packing = PACKED.get(file.suffix.lower())
    if packing is None:
        return file
    import pyarrow

    try:
        with (
            keeping(copy),
            pyarrow.input_stream(str(file), compression=packing) as content,
            open(copy, "wb") as into,
        ):
            shutil.copyfileobj(content, into, _BLOCK)
    except (OSError, pyarrow.ArrowException) as error:
        raise SourceError(f"{label} cannot be unpacked as {packing} ({type(error).__name__}): check the file") from None
    return copy


def file_rows(path: Path, delimiter: str = ",") -> Statement:
    """The statement that reads a CSV or Parquet file."""
    return parquet_rows(path) if format_of(path) == "Parquet" else csv_rows(path, delimiter)


def parquet_rows(*files: Path) -> Statement:
    """The statement that reads Parquet files of one schema."""
    return Statement("sources/parquet", path=paths_hole(files))


def csv_rows(path: Path, delimiter: str = ",") -> Statement:
    """The statement that reads a CSV file with a header; every column is text."""
    return delimited_rows([path], records.examine(path, delimiter), delimiter)


def delimited_rows(
    files: Sequence[Path],
    header: records.HeaderRecords,
    delimiter: str = ",",
    missing: Sequence[str] = ("",),
    encoding: str = "utf-8",
    quote: str = '"',
) -> Statement:
    """The statement that reads CSV files of one header as they were examined."""
    text = Literal("VARCHAR")
    return Statement(
        "sources/csv",
        **{
            "path": paths_hole(files),
            "columns": Joined(tuple(Joined((Literal(name), text), ": ") for name in header.header), ", "),
            "delimiter": Literal(delimiter),
            "quote": Literal(quote),
            "missing": Joined(tuple(Literal(text) for text in missing), ", "),
            "encoding": Literal(_ENCODINGS.get(encoding, encoding)),
            # Where it begins to read amid quotes, DuckDB guesses, and may lose rows.
            "parallel": Literal("false" if header.quoted else "true"),
        },
    )


def paths_hole(files: Sequence[Path]) -> Hole:
    """What DuckDB's readers take: a path, or a list of them."""
    read = tuple(Literal(str(path.absolute())) for path in files)
    return read[0] if len(read) == 1 else Statement("sources/files", paths=Joined(read, ", "))
