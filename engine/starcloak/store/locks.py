"""Locks between runs: on the place of a release (a second run fails) and on a source (a second run waits).

The locks belong to the operating system and end with the run in all cases. Lock files of places lie beside their
targets, since two containers, users or machines with a common folder may have separate temporary folders. Lock files of
sources lie in the folder of data kept between runs. Locks within a database depend on its kind: ``lock`` and
``PATIENCE`` of :mod:`starcloak.store.databases.database`.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from starcloak.base.errors import OutputError

#: Seconds of a run's wait for another one of its source during its publishing, and seconds between two checks.
PATIENCE, _AGAIN = 600.0, 0.05

_LOCKS: dict[int, Path] = {}  # of this process: their files, by descriptor


@contextmanager
def lock(place: Path, label: str, advice: str) -> Iterator[None]:
    """Lock a place, after resolution of links, for one run: a second run on it fails at once on any machine.

    The lock belongs to the operating system and ends with the run in all cases; the holder of the lock removes its
    file. Raises :class:`OutputError` if another run holds the lock or no lock is possible; ``advice`` is the remedy in
    the message.
    """
    file = place.with_name(f".{place.name}.starcloak-lock")
    try:
        held = take_lock(file)
    except BlockingIOError:
        raise OutputError(f"another run is writing {label}: wait until it is done") from None
    except PermissionError:
        if os.path.lexists(file):
            raise OutputError(
                f"a run of another user is writing {label}, or was killed: wait until it is done, or remove {file}"
            ) from None
        raise OutputError(f"{place.parent} is not a folder that can be written: {advice}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise OutputError(f"{place.parent} is not a folder that can be written: {advice}") from None
    except OSError as error:
        raise OutputError(f"{label} cannot be locked ({os.strerror(error.errno or 0)}): {advice}") from None
    _LOCKS[held] = file
    try:
        yield
    finally:
        del _LOCKS[held]
        _unlock(held, file)
        os.close(held)


def wait(file: Path) -> int:
    """Wait for the lock on a file and return the open file, locked until it is closed.

    Raises :class:`OutputError` after :data:`PATIENCE` seconds, :class:`OSError` if no lock is possible.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return take_lock(file)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise OutputError(
                    f"another run of this source has been publishing for {PATIENCE:.0f} seconds and more: wait until "
                    f"it is done, or see who has {file} locked"
                ) from None
            time.sleep(_AGAIN)


def remove_all() -> None:
    """Remove the lock files of this process at its end."""
    for held, file in tuple(_LOCKS.items()):
        _unlock(held, file)


def _unlock(held: int, file: Path) -> None:
    with suppress(OSError):  # it is another one by now, or the next run takes it
        if is_at(held, file):
            file.unlink()


def take_lock(file: Path) -> int:
    """Lock a file until it is closed, and return it. Raises :class:`BlockingIOError` for a locked file."""
    while True:
        opened = _open_lock(file)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(opened, file):
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)  # the previous holder removed it meanwhile: a lock on it excludes nobody


def _open_lock(file: Path) -> int:
    """Open the file of a lock, and make it if it is missing. Locks over a network need a file opened for writing.

    Every user with write access to the folder may lock.
    """
    while True:
        flags = os.O_RDWR | os.O_NOFOLLOW
        # Made or opened, never both in one call: in a folder like /tmp, a system may refuse this for another user's
        # file.
        with suppress(FileNotFoundError):  # then it is made
            return os.open(file, flags)
        with suppress(FileExistsError):  # then it is opened
            folder = file.parent.stat()
            opened = os.open(file, flags | os.O_CREAT | os.O_EXCL, 0o600)
            with suppress(OSError):  # a lock of this user alone; others get a message
                os.chown(opened, -1, folder.st_gid)
            shared = stat.S_IMODE(folder.st_mode) & 0o022
            with suppress(OSError):  # as above
                os.chmod(opened, 0o600 | shared | shared << 1)
            return opened


def is_at(opened: int, path: Path) -> bool:
    """True if an open file is at the path itself; a link at the path does not count, as another user may change it."""
    try:
        return os.path.samestat(os.fstat(opened), os.lstat(path))
    except FileNotFoundError:
        return False
