"""Staged files of a run, written beside their targets and moved to them at publication; and locks between runs.

A place is the path of a target. A run with staged files holds the lock on the place, so the holder of the lock may
remove the staged files of all other runs: these runs have ended.

A second run on a place fails, a second run on a source waits. The locks belong to the operating system and end with the
process, even with a killed one. Lock files of places lie beside the releases, since containers, users or machines with
a common folder may have separate temporary folders. Lock files of sources lie in the folder of data kept between runs.
Locks within a database depend on its kind: ``lock`` and ``PATIENCE`` of :mod:`starcloak.store.databases.database`.
"""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from filelock import lock_descriptor

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import (
    close_before_move,
    flush,
    make_private,
    make_private_folder,
    open_itself,
    remove_and_close,
    share_as,
    share_with_folder,
)

_MARK = "starcloak-staging"
RUN = 12  # digits of a run's number, enough to identify it
#: Longest wait in seconds for another run's publication from the same source; seconds between two attempts.
PATIENCE, _AGAIN = 600.0, 0.05

_LOCKS: dict[int, Path] = {}  # of this process: their files, by descriptor


@contextmanager
def lock(place: Path, label: str, advice: str) -> Iterator[None]:
    """Hold the lock on a place (a path without links) during the context.

    A second run on the place fails at once, on any machine with access to the folder.

    The lock belongs to the operating system and ends with the process, even with a killed one. The lock file is removed
    at the end of the context. ``label`` names the place in messages. Raises :class:`OutputError` if another run holds
    the lock or no lock is possible; ``advice`` is the remedy in the message.
    """
    file = place.with_name(f".{place.name}.starcloak-lock")
    try:
        handle = take_lock(file)
    except BlockingIOError:
        raise OutputError(f"another run is writing {label}: wait until it is done") from None
    except PermissionError:
        if os.path.lexists(file):
            raise OutputError(
                f"a run of another user is writing {label}, or was killed: wait until it is done, or remove {file}"
            ) from None
        raise OutputError(f"{place.parent} is not a writable folder: {advice}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise OutputError(f"{place.parent} is not a writable folder: {advice}") from None
    except OSError as error:
        raise OutputError(f"{label} cannot be locked ({os.strerror(error.errno or 0)}): {advice}") from None
    _LOCKS[handle] = file
    try:
        yield
    finally:
        if _LOCKS.pop(handle, None) is not None:
            release_lock(handle, file)


def wait_for_lock(file: Path) -> int:
    """Wait for the lock on a file; returns the descriptor of the open file, locked until it is closed.

    Raises :class:`OutputError` after :data:`PATIENCE` seconds, :class:`OSError` if no lock is possible.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return take_lock(file)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise OutputError(
                    f"another run of this source has been publishing for more than {PATIENCE:.0f} seconds: wait "
                    f"until it is done, or find the process that has locked {file}"
                ) from None
            time.sleep(_AGAIN)


def remove_lock_files() -> None:
    """Remove the lock files of this process at its end."""
    for handle in tuple(_LOCKS):
        if (file := _LOCKS.pop(handle, None)) is not None:
            release_lock(handle, file)


def release_lock(held: int, file: Path) -> None:
    """Free a lock and remove its lock file; a newer file at the same path is not removed.

    ``held`` is the descriptor of the locked file.
    """
    is_own = False
    with suppress(OSError):
        is_own = is_at(held, file)
    if is_own:
        remove_and_close(file, held)
    else:
        os.close(held)


def take_lock(file: Path) -> int:
    """Lock a file until it is closed; returns the descriptor. Raises :class:`BlockingIOError` for a locked file."""
    while True:
        opened = _open_lock(file)
        try:
            if not lock_descriptor(opened, blocking=False):
                raise BlockingIOError
            if is_at(opened, file):
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)  # the previous holder removed it meanwhile: a lock on it excludes nobody


def _open_lock(file: Path) -> int:
    """Open a lock file for writing, or create it; returns the descriptor. Network file systems lock only such files.

    A new file is writable for every user with write access to the folder.
    """
    while True:
        # Made or opened, never both in one call: in a folder like /tmp, a system may refuse this for another user's
        # file.
        with suppress(FileNotFoundError):  # then it is made
            return open_itself(file, os.O_RDWR)
        with suppress(FileExistsError):  # then it is opened
            opened = open_itself(file, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            share_with_folder(opened, file.parent)
            return opened


def is_at(opened: int, path: Path) -> bool:
    """True if the open file (descriptor ``opened``) is at the path; false for a link, as other users may change it."""
    return is_file_of(os.fstat(opened), path)


def is_file_of(status: os.stat_result, path: Path) -> bool:
    """True if the file with this status is at the path; false for a link or a missing file."""
    try:
        return os.path.samestat(status, os.lstat(path))
    except FileNotFoundError:
        return False


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
    remove_lock_files()


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
        with suppress(OutputError), lock(place, label, ""):  # the holder of the lock sweeps the place
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
    """Lock a place by :func:`lock`; remove its staged files at the start and at the end.

    All staged files must be closed at the end. Yields the first digits of the run numbers of killed runs with a staged
    file at the start: these runs have not published their file.
    """
    with lock(place, label, advice):
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
        return is_file_of(self._status, path)

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
