"""Tables saved beyond a run, as Parquet, and private files with a description and several tables."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from starcloak.base.operating_system import IS_WINDOWS, open_at_once
from starcloak.statements.statement import Literal, Name, Number, Rows, Statement
from starcloak.store import staging
from starcloak.store.session import Session

if TYPE_CHECKING:
    import pyarrow

# A table of more bytes is no part of the process's own memory while its run goes on.
_SMALL = 1 << 20
# The beginning of a Parquet file, and the rows read of it at a time.
_PARQUET, _BATCH = b"PAR1", 122_880
# A file begins with a line: the description of its tables, their sizes and hashes; before it stands the line's hash.
_LINE = b"\n"
_HASHED = 65  # a hash and the end of its line


@dataclass(frozen=True)
class SavedTable:
    """A table as the bytes of a Parquet file; Parquet stores a repeated text once.

    A table without columns, or one saved by an older version, is an Arrow stream instead.
    """

    content: bytes | mmap.mmap

    @classmethod
    def of(cls, store: Session, rows: Rows) -> SavedTable:
        """The rows of a statement as a saved table. A large table is a memory-mapped, already unlinked file."""
        path = store.copies / "saved.parquet"
        place = Literal(str(path))
        try:
            store.run(Statement("releases/copy#parquet", release=rows, path=place, aside=Number(0)))
            with path.open("rb") as file:
                if IS_WINDOWS or path.stat().st_size <= _SMALL:  # Windows removes no file in use
                    return cls(file.read())
                return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        finally:
            path.unlink(missing_ok=True)

    @classmethod
    def empty(cls) -> SavedTable:
        """A table without rows and columns."""
        import pyarrow

        sink = pyarrow.BufferOutputStream()
        pyarrow.ipc.new_stream(sink, pyarrow.schema([])).close()
        return cls(sink.getvalue().to_pybytes())

    def reader(self) -> pyarrow.RecordBatchReader:
        """A reader of the table's rows, batch by batch."""
        import pyarrow
        from pyarrow import parquet

        content = pyarrow.py_buffer(self.content)
        if self.content[: len(_PARQUET)] != _PARQUET:
            return pyarrow.ipc.open_stream(content)
        file = parquet.ParquetFile(content)
        # Without rows there is no row group, and pyarrow 18 cannot read batches of none.
        batches = file.iter_batches(_BATCH) if file.num_row_groups else ()
        return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, batches)

    def into(self, store: Session, table: Name) -> None:
        """Load the rows into a new table of a working store."""
        incoming = Name("incoming")
        store.receive(table, incoming, self.reader(), Statement("store/relation", relation=incoming))


def write(place: Path, about: str, tables: Sequence[SavedTable], run: str) -> None:
    """Write a description (``about``) and tables to a private file, atomically. Raises :class:`OSError`."""
    streams = [(len(table.content), _hash(table.content)) for table in tables]
    beginning = json.dumps({"about": about, "streams": streams}).encode() + _LINE
    with staging.writing(place, run, private=True) as file:
        file.write(_hash(beginning).encode() + _LINE + beginning)
        for table in tables:
            for part in _parts(table.content):
                file.write(part)


def read(place: Path, count: int) -> tuple[str, list[SavedTable]]:
    """The description and the ``count`` tables of a file written by :func:`write`.

    Raises :class:`OSError`, or :class:`ValueError` if the file is damaged or has another number of tables.
    """
    with _opened(place) as file:
        of, streams = _beginning(file)
        tables = [file.read(size) for size, _ in streams]
        more = file.read(1)
    read = zip(tables, streams, strict=True)
    if more or len(tables) != count or any(_hash(table) != hashed for table, (_, hashed) in read):
        raise ValueError(f"{place} is damaged")
    return of, [SavedTable(table) for table in tables]


def about(place: Path) -> str:
    """The description at the beginning of a file written by :func:`write`. Raises as :func:`read`."""
    with _opened(place) as file:
        return _beginning(file)[0]


def _opened(place: Path) -> BinaryIO:
    """Open a regular file for reading. Raises :class:`ValueError` for anything else, such as a pipe, at once."""
    file = os.fdopen(open_at_once(place), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{place} is no file")
    return file


def _beginning(file: BinaryIO) -> tuple[str, list[tuple[int, str]]]:
    """The description in a file, and the size in bytes and the hash of each table in it.

    Afterwards the file position is at the first table. The description is parsed only after it matches the hash stored
    before it. Raises :class:`ValueError` if it does not.
    """
    hashed, beginning = file.readline(_HASHED), file.readline()
    if hashed != _hash(beginning).encode() + _LINE:
        raise ValueError("it has no beginning")
    header = json.loads(beginning)
    return header["about"], [(size, hashed) for size, hashed in header["streams"]]


def _hash(stream: bytes | mmap.mmap) -> str:
    digest = hashlib.sha256()
    for part in _parts(stream):
        digest.update(part)
    return digest.hexdigest()


def _parts(stream: bytes | mmap.mmap) -> Iterator[memoryview]:
    """The bytes of ``stream`` in parts of at most 1 MiB. Parts of a memory-mapped file leave the memory once read."""
    whole = memoryview(stream)
    for start in range(0, len(whole), _SMALL):
        yield whole[start : start + _SMALL]
        if isinstance(stream, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            stream.madvise(mmap.MADV_DONTNEED, start, min(_SMALL, len(whole) - start))
