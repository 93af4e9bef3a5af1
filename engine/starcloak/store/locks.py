"""Locks between runs: on the place of a release (a second run fails) and on a source (a second run waits).

The locks belong to the operating system and end with the process, even with a killed one. Lock files of places lie
beside the releases, since containers, users or machines with a common folder may have separate temporary folders. Lock
files of sources lie in the folder of data kept between runs. Locks within a database depend on its kind: ``lock`` and
``PATIENCE`` of :mod:`starcloak.store.databases.database`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import open_itself, remove_and_close, share_with_folder

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
            release(handle, file)


def wait(file: Path) -> int:
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


def remove_all() -> None:
    """Remove the lock files of this process at its end."""
    for handle in tuple(_LOCKS):
        if (file := _LOCKS.pop(handle, None)) is not None:
            release(handle, file)


def release(held: int, file: Path) -> None:
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
