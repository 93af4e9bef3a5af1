"""Connections of the caller, used by a run: taken without side effects on their pool, and restored afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from starcloak.base.errors import SourceError, StarcloakError

log = logging.getLogger("starcloak")

_IN_USE: set[int] = set()


class Loan:
    """The use of a caller's connection by a run: changes to the connection, and the actions to undo them.

    ``within`` is true if the caller has a transaction under way; a run may then only read. ``name`` is the database's
    name for messages. Raises :class:`SourceError` for a connection already used by a run, including the same run.
    """

    def __init__(self, connection: Any, name: str) -> None:
        if id(connection) in _IN_USE:
            raise SourceError(
                f"the connection to {name} is used by another run, or the job names it twice: give the engine in "
                "place of the connection, or wait"
            )
        self.within = False
        self._connection = connection
        self._undo: list[Callable[[], object]] = []
        _IN_USE.add(id(connection))

    def undone_by(self, undo: Callable[[], object]) -> None:
        """Add an action for the return of the connection to the caller; actions run in reverse order."""
        self._undo.append(undo)

    def change(self, **attributes: Any) -> None:
        """Set attributes of the connection until its return."""
        for name, value in attributes.items():
            self.undone_by(partial(setattr, self._connection, name, getattr(self._connection, name)))
            setattr(self._connection, name, value)

    def give_back(self, of_driver: type[Exception]) -> None:
        """Undo all changes and return the connection; errors of a broken connection (``of_driver``) are only logged."""
        for undo in reversed(self._undo):
            try:
                undo()
            except (of_driver, StarcloakError):
                log.debug("the connection was lost before its settings were restored")
        self._undo.clear()
        _IN_USE.discard(id(self._connection))


def borrowed(connection: Any, *, in_memory: bool) -> tuple[Any, Callable[[], object] | None] | None:
    """The driver's connection shared with the caller, and the function to return it; None for a new connection.

    A pool with a single connection, for all threads or per thread, has no second one for a run. A database in memory
    has none either, as it may end with its connection.
    """
    from sqlalchemy.engine import Connection
    from sqlalchemy.pool import SingletonThreadPool, StaticPool

    if isinstance(connection, Connection):
        if connection.closed:
            raise SourceError("the given connection is closed: open it, or give its engine")
        return connection.connection.driver_connection, None
    if isinstance(connection.pool, StaticPool):  # a checkout and return would roll back the current transaction
        record = connection.pool.connection
        record.get_connection()
        return record.driver_connection, None
    if in_memory or isinstance(connection.pool, SingletonThreadPool):
        pooled = connection.raw_connection()
        return pooled.driver_connection, pooled.close
    return None


def detached(engine: Any) -> Any:
    """A connection from an engine's pool for exclusive use; it never returns to the pool."""
    pooled = engine.raw_connection()
    connection = pooled.driver_connection
    pooled.detach()
    assert connection is not None
    with suppress(AttributeError):
        connection.rollback()
    return connection
