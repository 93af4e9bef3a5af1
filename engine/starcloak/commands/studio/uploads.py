"""Files that a studio can begin with: those of the working folder, and those that a browser uploads to it."""

from __future__ import annotations

import os
import secrets
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import unquote

from filelock import lock_descriptor

from starcloak.base.errors import OutputError, SourceError
from starcloak.base.operating_system import make_private, move_new, refusal_of_name, remove_and_close
from starcloak.sources.file_formats import PACKED, TABLE_SUFFIXES, is_table
from starcloak.store.staging import take_lock

if TYPE_CHECKING:
    from starcloak.base.workbooks.sheet import FilledSheet
    from starcloak.job import Place

#: The suffixes for the browser's list of files.
SUFFIXES = (*TABLE_SUFFIXES, *PACKED)
LARGEST = 4_000_000_000  # bytes of an upload; a larger file is named on the command line
_LONGEST = 120  # characters of a name
_MOST = 200  # files in a list
_HEAD = 65_536  # bytes of a YAML file read to recognize a job
_MOST_NAMES = 1_000  # files of one name
_NUMBER = 8  # bytes of the random number in the name of an upload in progress
_PLAIN = frozenset(" ._-()+,")


@dataclass(frozen=True)
class ListedFile:
    """A file of the working folder: its name and its size in bytes."""

    name: str
    size: int


def listed(folder: Path) -> tuple[list[ListedFile], list[ListedFile]]:
    """The tables and the jobs in a folder, by name; without hidden files and links to elsewhere."""
    tables, jobs = [], []
    with suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: path.name.casefold()):
            with suppress(OSError):
                if path.name.startswith(".") or not path.is_file():
                    continue
                file = ListedFile(path.name, path.stat().st_size)
                if is_table(path) and not set(path.name) & set("*?["):
                    tables.append(file)
                elif path.suffix.lower() in (".yaml", ".yml") and _is_job(path):
                    jobs.append(file)
    return tables[:_MOST], jobs[:_MOST]


def _is_job(path: Path) -> bool:
    with path.open("rb") as file:
        return any(line.startswith(b"quasi_identifiers:") for line in file.read(_HEAD).splitlines())


def sheets_to_choose(place: Place) -> list[FilledSheet]:
    """The sheets with cells of a workbook, if it has several and ``place`` names none. Raises :class:`SourceError`."""
    path = place.path
    if path is None or place.sheet is not None or path.suffix.lower() != ".xlsx" or not path.is_file():
        return []
    from starcloak.base.workbooks.sheet import filled_sheets

    sheets = filled_sheets(path, str(path))
    return sheets if len(sheets) > 1 else []


def sweep(folder: Path) -> None:
    """Remove the files of uploads that killed studios left in a folder. An upload in progress has its file locked."""
    for path in folder.glob(f".{'[0-9a-f]' * 2 * _NUMBER}.upload"):
        with suppress(OSError):
            remove_and_close(path, take_lock(path))


class Upload:
    """Context of an upload to a folder: at its end the file is complete under a new name, or removed.

    The name is the last part of the given path, with ``_`` for unusual characters. No other user can read the file.
    Raises :class:`SourceError` for a name of no table and a file that is too large, and :class:`OutputError` for a file
    that cannot be written.
    """

    def __init__(self, folder: Path, given_name: str) -> None:
        self._folder, self._name = folder, _clean_name(given_name)
        self._path = folder / f".{secrets.token_hex(_NUMBER)}.upload"
        self._size = 0
        try:
            self._file = os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
            lock_descriptor(self._file.fileno(), blocking=False)
            make_private(self._path)
        except OSError as error:
            raise self._unwritten(error) from None

    def __enter__(self) -> Upload:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)

    def write(self, block: bytes) -> None:
        """Append a block of bytes to the file. Raises :class:`SourceError` if the file becomes too large."""
        self._size += len(block)
        if self._size > LARGEST:
            raise SourceError(
                f"the file has more than {LARGEST // 10**9} GB, too much for an upload: open it from the command "
                "line with starcloak studio FILE"
            )
        try:
            self._file.write(block)
        except OSError as error:
            raise self._unwritten(error) from None

    def finish(self) -> str:
        """Give the complete file its name, or a similar one that is free. Returns this name."""
        if not self._size:
            raise SourceError("the file is empty: choose another file")
        stem, dot, suffixes = self._name.partition(".")
        try:
            self._file.close()
            for at in range(1, _MOST_NAMES):
                name = self._name if at == 1 else f"{stem}-{at}{dot}{suffixes}"
                with suppress(FileExistsError):
                    move_new(self._path, self._folder / name)
                    return name
        except OSError as error:
            raise self._unwritten(error) from None
        raise OutputError(
            f"the working folder has {_MOST_NAMES} files with the name {self._name} already: rename the file"
        )

    def _unwritten(self, error: OSError) -> OutputError:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        return OutputError(
            f"{self._name} cannot be written to the working folder ({reason}): check its space and permissions"
        )


def _clean_name(given: str) -> str:
    """A file name for an upload, without folders. Raises :class:`SourceError` for an unknown ending (not .csv, …)."""
    last = unicodedata.normalize("NFC", unquote(given)).replace("\\", "/").rpartition("/")[2]
    name = "".join(letter if letter.isalnum() or letter in _PLAIN else "_" for letter in last).strip(" .")
    stem, dot, suffixes = name.partition(".")
    name = f"{stem[: _LONGEST - len(suffixes)].strip().lstrip('-')}{dot}{suffixes}"
    if not stem or len(suffixes) > _LONGEST // 2 or not is_table(Path(name)) or refusal_of_name(Path(name)):
        raise SourceError(f"choose a table: a file whose name ends in {', '.join(TABLE_SUFFIXES)}")
    return name
