"""What a process has of its own that others read: a run is to leave it as it was."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas


def state() -> dict[str, Any]:
    """The process as it stands, by the names of what may differ."""
    return {
        **_logging(),
        **_duckdb(),
        **_numbers(),
        **_hooks(),
        "warnings filters": list(warnings.filters),
        "showwarning": warnings.showwarning,
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "wakeup": _wakeup(),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "umask": _umask(),
        "locale": {name: locale.setlocale(getattr(locale, name)) for name in vars(locale) if name.startswith("LC_")},
        "time zone": time.tzname,
        "path": (list(sys.path), sys.meta_path[:], sys.path_hooks[:]),
        "socket timeout": socket.getdefaulttimeout(),
        "temporary folder": tempfile.tempdir,
        "descriptors": _descriptors(),
        "threads": {thread.name for thread in _threads()},
        "temporary files": _temporary(),
    }


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What differs, with what it was and what it is."""
    return {name: (told, after[name]) for name, told in before.items() if not _same(told, after[name])}


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


def _logging() -> dict[str, Any]:
    loggers = {
        name: (logger.level, logger.handlers[:], logger.filters[:], logger.propagate, logger.disabled)
        for name, logger in [("root", logging.root), *logging.root.manager.loggerDict.items()]
        if isinstance(logger, logging.Logger)
    }
    other = {name: told for name, told in loggers.items() if told != (0, [], [], True, False)}
    return {
        "loggers": other,
        "logging disabled": logging.root.manager.disable,
        "logging's class": logging.getLoggerClass(),
        "logging's records": logging.getLogRecordFactory(),
        "warnings to logging": getattr(logging, "_warnings_showwarning", None),
    }


def _numbers() -> dict[str, Any]:
    return {
        "decimal": decimal.getcontext().copy(),
        "random": random.getstate(),
        "numpy.random": numpy.random.get_state(),
        "numpy's errors": (numpy.geterr(), numpy.geterrcall()),
        "numpy's printing": numpy.get_printoptions(),
        "pandas options": _options(),
        "garbage": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.callbacks[:], gc.get_debug()),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()),
    }


def _options() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some are deprecated
        return {name: pandas.get_option(name) for name in pandas._config.config._registered_options}


def _hooks() -> dict[str, Any]:
    return {
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.displayhook, sys.breakpointhook),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "tracing": (sys.gettrace(), sys.getprofile()),
        "matplotlib": sys.modules["matplotlib"].get_backend() if "matplotlib" in sys.modules else None,
        "pyplot": "matplotlib.pyplot" in sys.modules,
    }


def _duckdb() -> dict[str, Any]:
    default = duckdb.default_connection()
    return {
        name: default.execute(asked).fetchall()
        for name, asked in {
            "tables": "select database_name, schema_name, table_name from duckdb_tables() order by all",
            "views": "select database_name, schema_name, view_name from duckdb_views() order by all",
            "settings": "select name, value from duckdb_settings() order by all",
            "databases": "select database_name, path, readonly from duckdb_databases() order by all",
            "functions": "select count(*) from duckdb_functions() where not internal",
            "secrets": "select name from duckdb_secrets()",
            "extensions": "select extension_name from duckdb_extensions() where loaded order by all",
        }.items()
    }


def _wakeup() -> int:
    if threading.current_thread() is not threading.main_thread():
        return -1
    told = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(told)
    return told


def _umask() -> int:
    told = os.umask(0o077)
    os.umask(told)
    return told


def _descriptors() -> list[str]:
    """What is open, of files and sockets."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            found.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
        except FileNotFoundError:  # that of the listing itself
            continue
    return sorted(found)


def _threads() -> list[threading.Thread]:
    return threading.enumerate()


def _temporary() -> list[str]:
    """What lies in the temporary folder, and in that of this user's runs, but for the locks of targets."""
    folder = Path(tempfile.gettempdir())
    own = folder / f"starcloak-{os.getuid()}"
    return sorted(str(path) for path in [*folder.iterdir(), *own.glob("*")] if not path.name.startswith("lock-"))
