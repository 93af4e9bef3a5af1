"""Folder of the custodian for data kept between runs: manifests, recodings, files of tables, locks of their sources.

It is ``$XDG_STATE_HOME/starcloak``, by default ``~/.local/state/starcloak`` or, on Windows,
``%LOCALAPPDATA%/starcloak``, and accessible to its owner alone. If it cannot be used, that is an error with the
reason: earlier releases may exist although none is known.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import mmap
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import (
    IS_WINDOWS,
    is_private_folder,
    make_private_folder,
    move_new,
    open_at_once,
    state_home,
)
from starcloak.sources.file_formats import keeping, parquet_rows
from starcloak.statements.statement import Literal, Name, Number, Rows, Statement
from starcloak.store import staging
from starcloak.store.session import Session, new_run_id

if TYPE_CHECKING:
    import pyarrow

KEYED_BY = 8  # digits of a keyed hash that identify the secret
_ORIGIN = 32  # characters of an origin in a file's name
# A table of more bytes is no part of the process's own memory while its run goes on.
_SMALL = 1 << 20
# The beginning of a Parquet file, and the rows read of it at a time.
_PARQUET, _BATCH = b"PAR1", 122_880
# A file begins with a line: the description of its tables, their sizes and hashes; before it stands the line's hash.
_LINE = b"\n"
_HASHED = 65  # a hash and the end of its line


class Unusable(OutputError):
    """The custodian's folder cannot be created, read or written, so nothing can be kept between runs."""


def folder() -> Path:
    """Path of the custodian's folder, created if missing.

    Raises :class:`Unusable` with the reason if it cannot be created or is accessible to other users.
    """
    home = _home()
    own = home / "starcloak"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # whatever it is, it is looked at below
            make_private_folder(own)
        is_folder, is_private = own.is_dir() and not own.is_symlink(), is_private_folder(own)
    except OSError as error:
        raise unusable(own, f"the folder cannot be made ({reason(error)})") from None
    if not is_folder:
        raise unusable(own, "it is not a folder")
    if not is_private:
        raise unusable(own, "other users have access to it (write chmod 700)")
    return own


def unusable(own: Path, why: str) -> Unusable:
    """The error for a folder in which nothing can be read or kept."""
    return Unusable(
        f"{own}, the folder with what is known of earlier releases, cannot be used: {why}; correct this, or set "
        "XDG_STATE_HOME to another folder"
    )


def reason(error: OSError) -> str:
    """The operating system's message for an error, without the path of the file."""
    return os.strerror(error.errno) if error.errno else type(error).__name__


def named(origin: str) -> str:
    """The common beginning of the names of all files kept for a source; ``origin`` is the hash of the source."""
    return origin[:_ORIGIN]


def keyed(text: str) -> str:
    """A keyed hash (HMAC) of a text: digits that identify the secret, a hyphen, and 49 hexadecimal digits.

    Without the custodian's secret, nobody can find the text by hashing guesses. Empty if no secret can be kept; a run
    warns of that when it publishes.
    """
    try:
        secret = _secret()
    except Unusable:
        return ""
    digest = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return f"{hashlib.sha256(secret).hexdigest()[:KEYED_BY]}-{digest[:49]}"


def _secret() -> bytes:
    """The custodian's secret key for hashes (32 bytes), created if missing; the same for two concurrent runs."""
    file = folder() / "secret"
    try:
        with suppress(FileNotFoundError):
            return file.read_bytes()
        new_file = file.with_name(f".secret-{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as content:
                content.write(secrets.token_bytes(32))
            with suppress(FileExistsError):
                move_new(new_file, file)
        finally:
            new_file.unlink(missing_ok=True)
        return file.read_bytes()
    except OSError as error:
        raise unusable(file.parent, f"the secret cannot be saved ({reason(error)})") from None


@contextmanager
def lock(origin: str) -> Iterator[None]:
    """Context with an exclusive lock on the kept data of one source, identified by the hash ``origin``.

    Another run of the source waits until this one has published, and then knows of the new release.
    The operating system's lock ends with the run, however the run ends. Raises :class:`OutputError` if no lock can be
    made, or if another run has it for too long.
    """
    file = folder() / f"{named(origin)}.lock"
    try:
        opened = staging.wait_for_lock(file)
    except OSError as error:
        raise unusable(file.parent, f"it cannot be locked ({reason(error)})") from None
    try:
        yield
    finally:
        os.close(opened)


def _home() -> Path:
    folder = os.environ.get("XDG_STATE_HOME")
    if folder:
        if not os.path.isabs(folder):
            raise unusable(
                Path(folder), "XDG_STATE_HOME is a relative path, which is a different folder in each working directory"
            )
        return Path(folder)
    try:
        return state_home()
    except RuntimeError:
        raise unusable(Path("~/.local/state"), "there is no home folder") from None


@dataclass(frozen=True)
class SavedTable:
    """A table as the bytes of a Parquet file; Parquet stores a repeated text once.

    A table without columns is an Arrow stream instead.
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
        """Load the rows into a new table of a working store. Raises :class:`OutputError` on a full disk."""
        if self.content[: len(_PARQUET)] != _PARQUET:
            incoming = Name("incoming")
            store.receive(table, incoming, self.reader(), Statement("store/relation", relation=incoming))
            return
        # DuckDB's own reader: pyarrow takes longer to import than a small table to read. The name is new, as DuckDB
        # keeps parts of files in memory by their names.
        path = store.copies / f"{new_run_id()}.parquet"
        try:
            with keeping(path):
                path.write_bytes(self.content)
            store.create(table, parquet_rows(path))
        finally:
            path.unlink(missing_ok=True)


def write_tables(place: Path, description: str, tables: Sequence[SavedTable], run: str) -> None:
    """Write a description (``about``) and tables to a private file, atomically. Raises :class:`OSError`."""
    streams = [(len(table.content), _hash_of(table.content)) for table in tables]
    beginning = json.dumps({"about": description, "streams": streams}).encode() + _LINE
    with staging.writing(place, run, private=True) as file:
        file.write(_hash_of(beginning).encode() + _LINE + beginning)
        for table in tables:
            for part in _parts(table.content):
                file.write(part)


def read_tables(place: Path, count: int) -> tuple[str, list[SavedTable]]:
    """The description and the ``count`` tables of a file written by :func:`write_tables`.

    Raises :class:`OSError`, or :class:`ValueError` if the file is damaged or has another number of tables.
    """
    with _opened(place) as file:
        of, streams = _beginning(file)
        tables = [file.read(size) for size, _ in streams]
        more = file.read(1)
    read_tables = zip(tables, streams, strict=True)
    if more or len(tables) != count or any(_hash_of(table) != hashed for table, (_, hashed) in read_tables):
        raise ValueError(f"{place} is damaged")
    return of, [SavedTable(table) for table in tables]


def description(place: Path) -> str:
    """The description at the beginning of a file written by :func:`write_tables`. Raises as :func:`read_tables`."""
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
    if hashed != _hash_of(beginning).encode() + _LINE:
        raise ValueError("it has no beginning")
    header = json.loads(beginning)
    return header["about"], [(size, hashed) for size, hashed in header["streams"]]


def _hash_of(stream: bytes | mmap.mmap) -> str:
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
