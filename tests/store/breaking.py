"""Ways to break off a run at a statement, and what it leaves in the database."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pandas
import pymysql

from starcloak.base.errors import InputError, OutputError
from starcloak.commands.algorithm_table import algorithms
from tests.people import Server, run

ALGORITHMS: list[dict[str, Any]] = [{"name": "witness"}, {"name": "kaca"}, {"name": "mondrian"}]


EVERY_ALGORITHM: list[dict[str, Any]] = [
    {"name": each.name, **({"class": "kept"} if "class" in each.options else {})} for each in algorithms()
]


def cut_connections(server: Server) -> None:
    """End the connections of runs, on the side of the server."""
    others, end = {
        "postgresql": (
            "select pid from pg_stat_activity where application_name = 'starcloak'",
            "select pg_terminate_backend({})",
        ),
        "mariadb": (
            "select id from information_schema.processlist where user = 'owner' and id <> connection_id()",
            "kill {}",
        ),
    }[server.name]
    for connection in server.rows(others):
        with suppress(pymysql.err.OperationalError):  # it has just ended by itself
            server.execute(end.format(*connection))


def at(point: int, fault: Callable[[], None], *, after: bool = False) -> Callable[[str], None]:
    """A trace that faults before a numbered statement to the database; or after it, before any other statement."""
    seen = itertools.count()
    due = False

    def trace(sql: str) -> None:
        nonlocal due
        if due:
            due = False
            fault()
        if "/* starcloak" in sql and next(seen) == point:
            due = after
            if not after:
                fault()

    return trace


def fail() -> None:
    raise RuntimeError("a fault")


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def comes_to_its_end(server: Server, described: dict[str, Any], fault: str, point: int) -> bool:
    """Whether a run with a fault at a numbered statement comes to its end."""
    if fault == "kill":
        process = multiprocessing.get_context("fork").Process(target=run, args=(described, at(point, kill)))
        process.start()
        process.join(120)
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode == 0
    cut = partial(cut_connections, server) if fault == "lost connection" else fail
    try:
        run(described, at(point, cut, after=fault == "error after"))
    except (RuntimeError, InputError):
        return False
    return True


def run_after_kill(described: dict[str, Any], *, force: bool = True) -> None:
    """Run, as soon as the database has noticed that a run before was killed."""
    for _ in range(600):
        try:
            run(described, force=force)
            return
        except OutputError as error:
            assert "another run" in str(error)
            time.sleep(0.1)
    raise AssertionError("the database still waits for a run that was killed")


def as_texts(frame: pandas.DataFrame) -> Counter[tuple[str, ...]]:
    rows = frame.astype(object)
    return Counter(tuple(map(str, row)) for row in rows.where(rows.notna(), None).itertuples(index=False))
