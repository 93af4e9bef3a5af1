"""Differences between operating systems: files, permissions, processes, and the memory still available.

Other modules call this one and never ask for the name of the system. Signals have a module of their own,
:mod:`starcloak.base.signals`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TYPE_CHECKING = False  # not typing's own, as its import takes time
if TYPE_CHECKING:
    import subprocess
    from socket import socket
    from typing import Any, BinaryIO

IS_WINDOWS = sys.platform == "win32"

#: Action for a file that cannot be written. Windows refuses to replace a file that is open anywhere.
WRITE_ADVICE = "check space and permissions" + (", and close the file in other programs" if IS_WINDOWS else "")

_NO_LINK, _NO_WAIT = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK"))
# Names of devices in every folder of Windows, with any suffix; and characters that no name may have there. A colon
# would write to a hidden stream of another file.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")]
)
_REFUSED = frozenset('<>:"|?*') | frozenset(map(chr, range(32)))
# Windows' identifiers of the system, its administrators, and the owner of the file.
_ADMITTED = ("*S-1-5-18", "*S-1-5-32-544", "*S-1-3-4")

# ---------------------------------------------------------------------------------------------------------------- files


def open_itself(path: Path, flags: int, mode: int = 0o600) -> int:
    """Open a file; return its descriptor. Raises :class:`OSError`, also for a symbolic link."""
    if not _NO_LINK and path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return os.open(path, flags | _NO_LINK, mode)


def open_at_once(path: Path) -> int:
    """Open a file for reading, without waiting if it is a pipe; return its descriptor. Raises :class:`OSError`."""
    return os.open(path, os.O_RDONLY | _NO_WAIT)


def flush(file: Path) -> None:
    """Flush a file to the disk. Raises :class:`OSError`."""
    _flush(file, os.O_RDWR if IS_WINDOWS else os.O_RDONLY)


def flush_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk; Windows does this by itself. Raises :class:`OSError`."""
    if not IS_WINDOWS:
        _flush(folder, os.O_RDONLY)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_and_close(file: Path, descriptor: int) -> None:
    """Remove a file that is open as a descriptor, if possible, and close it.

    Windows removes no open file. There the file is closed first, and stays if another program has opened it meanwhile.
    """
    if IS_WINDOWS:
        os.close(descriptor)
    with suppress(OSError):
        file.unlink()
    if not IS_WINDOWS:
        os.close(descriptor)


def close_before_move(file: BinaryIO) -> None:
    """Close a file that is about to get another name: Windows moves no open file."""
    if IS_WINDOWS:
        file.close()


def move_new(file: Path, place: Path) -> None:
    """Rename a file to ``place`` without replacing a file there. Raises :class:`FileExistsError` if one exists.

    On POSIX systems the file keeps its old name as well, since only a link never replaces a file. A file system without
    links gets an empty file first, which reserves the name.
    """
    if IS_WINDOWS:
        file.rename(place)  # refused for a name in use
        return
    try:
        os.link(file, place)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        file.replace(place)


def refusal_of_name(path: Path) -> str | None:
    """Reason why this system has no file with a path's name, such as ``con.csv`` on Windows; None for a usable name."""
    if not IS_WINDOWS:
        return None
    name = path.name
    if name.partition(".")[0].rstrip(" ").lower() in _DEVICES:
        return f"{name!r} is the name of a device in Windows"
    if name != name.rstrip(". "):
        return f"{name!r} ends in a point or a blank, which Windows removes"
    refused = sorted(_REFUSED.intersection(name))
    return f"{name!r} has {refused[0]!r}, which Windows allows in no name" if refused else None


def relative(path: Path, folder: Path) -> str:
    """A path as seen from a folder; the absolute path if they are on different drives."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return str(path)


# ---------------------------------------------------------------------------------------------------------- permissions


def temporary_name() -> str:
    """Name of this user's folder in the temporary folder, which POSIX systems share among all users."""
    return "starcloak" if IS_WINDOWS else f"starcloak-{os.getuid()}"


def state_home() -> Path:
    """Folder of this user for persistent data of programs. Raises :class:`RuntimeError` without a home folder."""
    if IS_WINDOWS and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    return Path.home() / ".local" / "state"


def make_private_folder(folder: Path) -> None:
    """Make a folder with access for its owner alone. Raises :class:`OSError`, also for a folder that exists."""
    folder.mkdir(mode=0o700)
    if IS_WINDOWS:
        _close(folder, ":(OI)(CI)F")


def is_private_folder(folder: Path) -> bool:
    """True if a path is a folder of this user, not a link, and other users have no access.

    On Windows, access depends on the list set by :func:`make_private_folder`, and no longer on the folder's mode.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    return IS_WINDOWS or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)


def make_private(file: Path) -> None:
    """Withdraw the access of other users to a file. Raises :class:`OSError` on POSIX systems."""
    if IS_WINDOWS:
        _close(file, ":F")
    else:
        file.chmod(0o600)


def is_private(file: Path) -> bool:
    """True if other users have no access to a file. Always true on Windows, so a file is replaced by a private one."""
    return IS_WINDOWS or not file.stat().st_mode & 0o077


def _close(path: Path, access: str) -> None:
    """Limit the access list of a path on Windows to its owner, the administrators and the system.

    A failure is a warning: a file in the user's own folders is private anyway.
    """
    import subprocess

    granted = [option for name in _ADMITTED for option in ("/grant:r", f"{name}{access}")]
    try:
        done = subprocess.run(["icacls", str(path), "/inheritance:r", *granted], capture_output=True, check=False)
        failed = done.returncode != 0
    except OSError:
        failed = True
    if failed:
        import logging

        logging.getLogger("starcloak").warning(
            f"{path} has the permissions of its folder, as icacls failed: other users who can read the folder can "
            "read it"
        )


def share_as(descriptor: int, file: Path) -> None:
    """Give an open file the permissions of another file. On Windows, a file keeps the permissions of its folder."""
    if not IS_WINDOWS:
        os.fchmod(descriptor, file.stat().st_mode & 0o777)


def share_with_folder(descriptor: int, folder: Path) -> None:
    """Let everybody with write access to a folder write to an open file in it, as far as this user may grant that."""
    if IS_WINDOWS:
        return  # by its access list, which the file has inherited
    with suppress(OSError):
        status = folder.stat()
        with suppress(OSError):
            os.chown(descriptor, -1, status.st_gid)
        shared = status.st_mode & 0o022
        os.chmod(descriptor, 0o600 | shared | shared << 1)


# ------------------------------------------------------------------------------------------------------------ processes


def separate() -> dict[str, Any]:
    """Options of :class:`subprocess.Popen` for a process that no key of the terminal ends."""
    import subprocess

    if IS_WINDOWS:
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def interruptible() -> dict[str, Any]:
    """Options of :class:`subprocess.Popen` for a process that :func:`interrupt` ends."""
    return separate() if IS_WINDOWS else {}


def interrupt(process: subprocess.Popen[Any]) -> None:
    """Interrupt an :func:`interruptible` process as Ctrl-C does. Raises :class:`OSError`."""
    import signal

    process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT) if IS_WINDOWS else signal.SIGINT)


def parent_to_watch() -> int:
    """Id of this process, for a child process that has to end with it; 0 on Windows.

    On Windows, a virtual environment starts Python by a launcher: a child sees the launcher's id as its parent, also
    after the end of this process. There the child ends when its standard input is closed.
    """
    return 0 if IS_WINDOWS else os.getpid()


def own_port(listener: socket) -> None:
    """Let a socket bind a port in use a moment ago, but no port still in use by another program."""
    import socket

    exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)  # of Windows, where the other option shares a port
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR if exclusive is None else exclusive, 1)


_ROOT_FOLDER = Path("/")


def available_memory(root: Path = _ROOT_FOLDER) -> int | None:
    """Bytes of memory still available to this process, at least 1: the least known bound; None if no bound is known.

    ``root`` is the folder of ``proc`` and ``sys``; only tests set it.
    """
    bounds = [*_of_address_space(root), *_of_control_groups(root), *_of_machine(root)]
    return max(1, min(bounds)) if bounds else None


def _of_address_space(root: Path) -> Iterator[int]:
    """Yield half of the unused address space if limited (``ulimit -v``): allocators reserve more than they use."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    taken = 0
    with suppress(OSError, ValueError):
        taken = int((root / "proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    yield (limit - taken) // 2


def _of_machine(root: Path) -> Iterator[int]:
    """Yield the bytes of free memory of the machine, including caches that the system can release at once."""
    with suppress(OSError, ValueError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024


def _of_control_groups(root: Path) -> Iterator[int]:
    """Yield the unused bytes of the process's control groups (versions 1 and 2) and of all groups above them."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:
                yield from _unused_of_groups(
                    root / "sys/fs/cgroup", group, "memory.max", "memory.current", "inactive_file"
                )
            elif "memory" in controllers.split(","):
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
                yield from _unused_of_groups(root / "sys/fs/cgroup/memory", group, *names)


def _unused_of_groups(top: Path, group: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    """Yield the unused bytes of a control group and of each group above it.

    ``limit`` and ``usage`` are file names in a group's folder, ``cache`` is the entry of ``memory.stat`` for releasable
    memory. In a container, the folder ``top`` is the container's own group.
    """
    inside = Path(group.lstrip("/"))
    for folder in {top / inside, *(top / parent for parent in inside.parents), top}:
        with suppress(OSError, ValueError):  # the root has no limit, and "max" is no number
            left = int((folder / limit).read_text()) - int((folder / usage).read_text())
            given_back = [line.split()[1] for line in (folder / "memory.stat").read_text().splitlines()
                          if line.split()[0] == cache]  # fmt: skip
            yield left + sum(map(int, given_back))
