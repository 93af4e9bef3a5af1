"""Staged files of a run: written beside their targets, and moved to the targets at publication.

A place is the path of a target. A run with staged files holds the lock on the place, so the holder of the lock may
remove the staged files of all other runs: these runs have ended.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import (
    close_before_move,
    flush,
    make_private,
    make_private_folder,
    open_itself,
    share_as,
)
from starcloak.store import locks

_MARK = "starcloak-staging"
RUN = 12  # digits of a run's number, enough to identify it


def of(place: Path, run: str) -> Path:
    """Path of a run's staged file for a place (the target's path): same folder, same suffix, unique name."""
    return place.with_name(f".{place.name}.{run[:RUN]}.{_MARK}{place.suffix}")


def within(place: Path, run: str) -> Path:
    """Path of a staged file in a private folder beside the place; :func:`opened` makes the folder.

    For files written by a database: the database sets their permissions, so the folder keeps other users out.
    """
    return of(place, run) / place.name


def opened(staged: Path) -> Path:
    """Make the private folder of a staged file; returns the file's path.

    Raises :class:`OSError` if the folder exists: it may belong to another user.
    """
    make_private_folder(staged.parent)
    return staged


def sweep(place: Path) -> None:
    """Remove the staged files of all runs for a place, with DuckDB's auxiliary files.

    The caller holds the lock on the place.
    """
    _remove(_leftovers(place))


def abandon(places: Sequence[Path], run: str) -> None:
    """Remove a run's staged files for some places, and then all lock files of the process, at the process's end."""
    for place in places:
        _remove(_leftovers(place, run[:RUN]))
    locks.remove_all()


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file, ignore_errors=True)
        else:
            with suppress(OSError):  # the next run on the place sweeps again
                file.unlink()


def tidy(place: Path, label: str) -> None:
    """Remove the staged files of killed runs for a place, unless a run holds the lock on the place.

    ``label`` names the place in messages.
    """
    if any(_leftovers(place)):
        with suppress(OutputError), locks.lock(place, label, ""):  # the holder of the lock sweeps the place
            sweep(place)


def _leftovers(place: Path, runs: str = "[0-9a-f]" * RUN) -> Iterator[Path]:
    name, suffix = glob.escape(place.name), glob.escape(place.suffix)
    return place.parent.glob(f".{name}.{runs}.{_MARK}{suffix}*")


@contextmanager
def writing(place: Path, run: str, *, private: bool) -> Iterator[BinaryIO]:
    """Context with a staged file, moved to ``place`` at the end; after an error, the place is unchanged.

    A ``private`` file is accessible to its owner alone. An existing file or link with the name of the staged file is
    an error: other users can predict the name from the run's other staged files. Raises :class:`OSError`.
    """
    staged = of(place, run)
    try:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(descriptor, "wb") as file:
            if private:
                make_private(staged)
            yield file
        flush(staged)
        os.replace(staged, place)
    except BaseException:
        with suppress(OSError):  # the original error is raised
            staged.unlink()
        raise


def write(place: Path, text: str, run: str, *, private: bool = False) -> None:
    """Write a text to a file completely or, after an error, not at all. Raises :class:`OSError`."""
    with writing(place, run, private=private) as file:
        file.write(text.encode())


@contextmanager
def lock_place(place: Path, label: str, advice: str) -> Iterator[frozenset[str]]:
    """Lock a place by :func:`starcloak.store.locks.lock`; remove its staged files at the start and at the end.

    All staged files must be closed at the end. Yields the first digits of the run numbers of killed runs with a staged
    file at the start: these runs have not published their file.
    """
    with locks.lock(place, label, advice):
        left = frozenset(
            folder.name[len(f".{place.name}.") :][:RUN]
            for folder in _leftovers(place)
            if (folder / place.name).exists()
        )
        sweep(place)
        try:
            yield left
        finally:
            sweep(place)


class Sealed:
    """A staged file at the start of its verification: held open, with the SHA-256 of its bytes.

    A file replaced or modified afterwards is not published.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(open_itself(path, os.O_RDONLY), "rb")  # noqa: SIM115 - held until the release is out
        self._status = os.fstat(self._file.fileno())
        self.digest = self._hash()

    def _hash(self) -> str:
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()

    def refuse_changed(self) -> None:
        """Raise :class:`OutputError` unless the path still leads to the file with the verified bytes."""
        if not self.is_at(self.path) or self._hash() != self.digest:
            raise OutputError(
                f"{self.path} was changed by another program after it was verified: nothing was published; run again"
            )

    def publish(self, place: Path, move: Callable[[Path, Path], None]) -> None:
        """Move the file to its place by the function ``move``.

        Raises :class:`OutputError` if another file is at the place afterwards.
        """
        close_before_move(self._file)
        move(self.path, place)
        if not self.is_at(place):
            raise OutputError(f"{place} was replaced by another program while it was published: run again")

    def is_at(self, path: Path) -> bool:
        """True if the path leads to this very file (same device and inode), not through a link."""
        return locks.is_file_of(self._status, path)

    def allow_as(self, other: Path) -> None:
        """Give the file the permissions of another file."""
        share_as(self._file.fileno(), other)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True)
class Written:
    """A file written by a run.

    ``name`` is a description of the file for messages, such as ``"the event"``, and ``key`` the job's key with the
    file's path. ``is_own`` returns true for an existing file written by starcloak; any other existing file is refused.
    Without ``is_own``, other code checks an existing file. ``may_be_source`` is true for a database file that may
    contain the source as well, ``makes_folder`` for a file whose folder may be missing.
    """

    path: Path
    name: str
    key: str
    is_own: Callable[[Path], bool] | None = None
    may_be_source: bool = False
    makes_folder: bool = False
