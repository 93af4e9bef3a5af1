"""Locks between runs: of the place of a release, which a second run fails at, and of a source, which it waits for.

They are of the operating system and end with the run, however that ends. Those of places lie beside their targets,
since two containers, users or machines that share a folder need not share a temporary one; those of sources lie where
things are kept between runs. Locks within a database are of its kind: ``lock`` and ``PATIENCE`` of
:mod:`starcloak.store.databases.database`.
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

#: Seconds that a run waits for another one of its source, which measures and publishes, and seconds between two looks.
PATIENCE, _AGAIN = 600.0, 0.05

_LOCKS: dict[int, Path] = {}  # of this process: their files, by what holds them


@contextmanager
def lock(place: Path, label: str, advice: str) -> Iterator[None]:
    """Lock a place, links followed, for one run: a second run on it fails at once, wherever it runs.

    The lock is of the operating system and ends with the run, however that ends; its file is removed while it is held.
    Raises :class:`OutputError` where another run has it or there can be none; ``advice`` says what to do then.
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
    """The locked file of that name, once nobody else has it, until it is closed.

    Raises :class:`OutputError` after :data:`PATIENCE` seconds, :class:`OSError` where there can be no lock.
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
    """Remove the files of this process's locks: it ends."""
    for held, file in tuple(_LOCKS.items()):
        _unlock(held, file)


def _unlock(held: int, file: Path) -> None:
    with suppress(OSError):  # it is another one by now, or the next run takes it
        if is_at(held, file):
            file.unlink()


def take_lock(file: Path) -> int:
    """The locked file of that name, until it is closed. Raises :class:`BlockingIOError` where it is locked already."""
    while True:
        opened = _open_lock(file)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_at(opened, file):
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)  # whoever had it removed it meanwhile: a lock on it excludes nobody


def _open_lock(file: Path) -> int:
    """The file of a lock, for writing, which locks over a network need; made where it is not there.

    Whoever may write in the folder may lock.
    """
    while True:
        flags = os.O_RDWR | os.O_NOFOLLOW
        # Made or opened, never both in one call: in a folder like /tmp, a system may refuse that for another's file.
        with suppress(FileNotFoundError):  # then it is made
            return os.open(file, flags)
        with suppress(FileExistsError):  # then it is opened
            folder = file.parent.stat()
            opened = os.open(file, flags | os.O_CREAT | os.O_EXCL, 0o600)
            with suppress(OSError):  # a lock of this user alone, which others are told of
                os.chown(opened, -1, folder.st_gid)
            shared = stat.S_IMODE(folder.st_mode) & 0o022
            with suppress(OSError):  # as above
                os.chmod(opened, 0o600 | shared | shared << 1)
            return opened


def is_at(opened: int, path: Path) -> bool:
    """Whether an open file is at a path itself: a link there that leads to it is another's to change."""
    try:
        return os.path.samestat(os.fstat(opened), os.lstat(path))
    except FileNotFoundError:
        return False
