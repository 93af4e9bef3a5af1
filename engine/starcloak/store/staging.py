"""What a run has beside the files that it writes: a staging of its own, while it has their place locked.

Whoever holds the lock of a place may remove every staging of that place: those of runs that live have it locked.
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
from starcloak.store import locks

_MARK = "starcloak-staging"
RUN = 12  # characters of a run's name that are enough to tell it from others


def of(place: Path, run: str) -> Path:
    """Where a run stages what goes to a place: beside it, with the same suffix, under a name of its own."""
    return place.with_name(f".{place.name}.{run[:RUN]}.{_MARK}{place.suffix}")


def within(place: Path, run: str) -> Path:
    """The same in a folder that nobody else may enter, which is there once it is :func:`opened`.

    Whatever a database writes there has the permissions that any of its files has, as has what it writes beside.
    """
    return of(place, run) / place.name


def opened(staged: Path) -> Path:
    """The staging, its folder made. Raises :class:`OSError` where that is there already: it may be another's."""
    staged.parent.mkdir(mode=0o700)
    return staged


def sweep(place: Path) -> None:
    """Remove the stagings of a place, whichever run left them, with what DuckDB has beside them.

    The place is locked.
    """
    _remove(_leftovers(place))


def abandon(places: Sequence[Path], run: str) -> None:
    """Remove the stagings of a run, whatever writes them, and then the files of locks: the process ends."""
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
    """Remove what killed runs left, if anything, unless a run has the place locked."""
    if any(_leftovers(place)):
        with suppress(OutputError), locks.lock(place, label, ""):  # whoever has the place locked sweeps it
            sweep(place)


def _leftovers(place: Path, runs: str = "[0-9a-f]" * RUN) -> Iterator[Path]:
    name, suffix = glob.escape(place.name), glob.escape(place.suffix)
    return place.parent.glob(f".{name}.{runs}.{_MARK}{suffix}*")


@contextmanager
def writing(place: Path, run: str, *, private: bool) -> Iterator[BinaryIO]:
    """A file that comes to its place whole or not at all; a ``private`` one is its owner's alone.

    It is never staged in another's file or link: whoever sees the run's other stagings knows its name beforehand.
    Raises :class:`OSError`.
    """
    staged = of(place, run)
    try:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        flush(staged)
        os.replace(staged, place)
    except BaseException:
        with suppress(OSError):  # what broke is raised
            staged.unlink()
        raise


def write(place: Path, text: str, run: str, *, private: bool = False) -> None:
    """Write a text so. Raises :class:`OSError`."""
    with writing(place, run, private=private) as file:
        file.write(text.encode())


def flush(path: Path) -> None:
    """Have the system write a file, or a folder's entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def lock_place(place: Path, label: str, advice: str) -> Iterator[frozenset[str]]:
    """Lock a place by :func:`starcloak.store.locks.lock`, without a staging in it before and after.

    What was open there is closed.

    Yields how the numbers of killed runs begin whose stagings were there still: they were not moved to the place.
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
    """A staged file as it is when the verifier begins to read it: held open, its bytes known by their SHA-256.

    A file that came in its place meanwhile, or that was written to, is not published.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")  # noqa: SIM115 - held until the release is out
        self.digest = self._hash()

    def _hash(self) -> str:
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()

    def refuse_changed(self) -> None:
        """Raise :class:`OutputError` unless its path leads to it still, with the bytes that were verified."""
        if not self.is_at(self.path) or self._hash() != self.digest:
            raise OutputError(
                f"{self.path} was changed by another program after it was verified: nothing was published; run again"
            )

    def publish(self, place: Path, move: Callable[[Path, Path], None]) -> None:
        """Move it to its place. Raises :class:`OutputError` where another file got there."""
        move(self.path, place)
        if not self.is_at(place):
            raise OutputError(f"{place} was replaced by another program while it was published: run again")

    def is_at(self, path: Path) -> bool:
        """Whether it is at a path."""
        return locks.is_at(self._file.fileno(), path)

    def allow(self, mode: int) -> None:
        """Give it the permissions of another file."""
        os.fchmod(self._file.fileno(), mode & 0o777)

    def close(self) -> None:
        """Hold it no longer."""
        self._file.close()


@dataclass(frozen=True)
class Written:
    """A file that a run writes.

    ``name`` is what it is, such as ``"the event"``, and ``key`` where its path is given. With ``is_own``, one that is
    there already is refused unless it is of that kind; without, somebody else looks. ``may_be_source`` is for a
    database that holds source and release, ``makes_folder`` for a file whose folder is made with it.
    """

    path: Path
    name: str
    key: str
    is_own: Callable[[Path], bool] | None = None
    may_be_source: bool = False
    makes_folder: bool = False
