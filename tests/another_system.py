"""A process with no more than Windows has: ``python -m tests.another_system COMMANDS`` runs commands in it.

Modules and functions of POSIX systems are gone, files have no modes, and no file is moved or removed while this process
has it open. Libraries are imported before: they know their systems by themselves. COMMANDS is a JSON list of lists of
arguments, among which ``copy`` copies a file; what they print goes to standard output, and the exit codes come last.
"""

from __future__ import annotations

import _signal
import asyncio
import builtins
import errno
import fcntl
import json
import multiprocessing
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import uuid
import webbrowser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import duckdb
import filelock
import jinja2
import numpy
import pandas
import pyarrow
import pydantic
import sqlalchemy
import yaml

LIBRARIES = (
    asyncio, click, duckdb, filelock, jinja2, multiprocessing, numpy, pandas, pyarrow, pydantic, sqlalchemy, subprocess,
    tempfile, uuid, webbrowser, yaml,
)  # fmt: skip
#: Modules that Windows lacks.
MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "spwd", "crypt"}
#: Names of os and signal that Windows lacks, some of them in older versions of Python only.
NAMES = {
    "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE",
    "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "chown", "confstr", "ctermid", "fchdir", "fchmod", "fchown", "fork",
    "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getitimer", "getloadavg", "getpgid", "getpgrp",
    "getsid", "getuid", "initgroups", "killpg", "lchown", "link", "lockf", "major", "mkfifo", "mknod", "nice",
    "openpty", "pause", "pread", "pthread_kill", "pthread_sigmask", "pwrite", "register_at_fork",
    "sched_getaffinity", "sendfile", "setegid", "seteuid", "setgid", "setitimer", "setpgid", "setsid", "setuid",
    "sigpending", "sigwait", "sigwaitinfo", "statvfs", "sync", "sysconf", "uname", "wait3", "wait4",
}  # fmt: skip


def leave_posix() -> None:
    """Take away from this process what Windows does not have, and let starcloak take it for Windows."""
    platform, sys.platform = sys.platform, "win32"
    import_module("starcloak.base.operating_system")
    sys.platform = platform
    for module in (os, signal, _signal):
        for name in NAMES:
            if hasattr(module, name):
                delattr(module, name)
    builtins.__import__ = _importing(builtins.__import__)
    shutil._use_fd_functions = shutil._USE_CP_SENDFILE = False  # type: ignore[attr-defined]
    os.umask(0)
    os.open = _opening(os.open)
    os.mkdir = _without_mode(os.mkdir)
    os.chmod = lambda *_, **__: None
    os.symlink = _refused
    os.fsync = _flushing(os.fsync)
    for name in ("remove", "rename", "replace", "unlink"):
        setattr(os, name, _unless_open(getattr(os, name)))


def _importing(original: Callable[..., Any]) -> Callable[..., Any]:
    def take(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:
        if name in MODULES and (globals or {}).get("__name__", "").startswith("starcloak"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(name, globals, *more, **named)

    return take


def _opening(original: Callable[..., int]) -> Callable[..., int]:
    def take(path: Any, flags: int, mode: int = 0o777, **named: Any) -> int:
        if os.path.isdir(path) and not flags & os.O_TMPFILE:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return original(path, flags, mode | 0o666, **named)

    return take


def _without_mode(original: Callable[..., None]) -> Callable[..., None]:
    return lambda path, mode=0o777, **named: original(path, 0o777, **named)


def _refused(*_: Any, **__: Any) -> None:
    raise OSError(errno.EPERM, "A required privilege is not held by the client")


def _flushing(original: Callable[[int], None]) -> Callable[[int], None]:
    def take(descriptor: int) -> None:
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        original(descriptor)

    return take


def _unless_open(original: Callable[..., None]) -> Callable[..., None]:
    """Refuse to move or remove a file, or a folder of files, that this process has open, or to replace one."""

    def take(*paths: Any, **named: Any) -> None:
        opened = list(_opened())
        for path in paths:
            whole = os.path.realpath(path)
            if any(file == whole or file.startswith(f"{whole}/") for file in opened):
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))
        original(*paths, **named)

    return take


def _opened() -> Iterator[str]:
    for number in os.listdir("/proc/self/fd"):
        try:
            file = os.readlink(f"/proc/self/fd/{number}")
            if stat.S_ISREG(os.stat(f"/proc/self/fd/{number}").st_mode):
                yield file
        except OSError:  # that of the listing itself
            continue


def main(commands: list[list[str]]) -> None:
    """Run the commands, one after the other, and print their exit codes."""
    leave_posix()
    from starcloak.commands.cli import main as starcloak

    codes = []
    for command in commands:
        if command[0] == "copy":
            shutil.copyfile(*command[1:])
            continue
        sys.argv = ["starcloak", *command]
        try:
            starcloak()
            codes.append(0)
        except SystemExit as done:
            codes.append(int(done.code or 0))
    left = [path.name for path in Path(tempfile.gettempdir()).glob("starcloak/*")]
    print(json.dumps({"codes": codes, "left": left}))


if __name__ == "__main__":
    if sys.argv[1] == "main":  # a process of the command line, with its signals
        sys.argv = ["starcloak", *sys.argv[2:]]
        leave_posix()
        import_module("starcloak.__main__").main()
    main(json.loads(sys.argv[1]))
