"""A connection of the caller's: found without disturbing its pool, used as it is, and left as it was."""

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
    """What was changed of a connection that is the caller's, and how that is undone.

    With ``within``, a transaction of the caller's is under way, which a run may only read in. Raises
    :class:`SourceError` for a connection that another run, or this one, has already.
    """

    def __init__(self, connection: Any, name: str) -> None:
        if id(connection) in _IN_USE:
            raise SourceError(
                f"the connection to {name} is in use by a run, or named twice by this one: give its engine, or wait"
            )
        self.within = False
        self._connection = connection
        self._undo: list[Callable[[], object]] = []
        _IN_USE.add(id(connection))

    def undone_by(self, undo: Callable[[], object]) -> None:
        """Have something undone when the connection is given back: what was done last comes first."""
        self._undo.append(undo)

    def change(self, **attributes: Any) -> None:
        """Set attributes of the connection, until it is given back."""
        for name, value in attributes.items():
            self.undone_by(partial(setattr, self._connection, name, getattr(self._connection, name)))
            setattr(self._connection, name, value)

    def give_back(self, of_driver: type[Exception]) -> None:
        """Undo what was done, as far as the connection still is there."""
        for undo in reversed(self._undo):
            try:
                undo()
            except (of_driver, StarcloakError):
                log.debug("the connection was lost before it was as it had been")
        self._undo.clear()
        _IN_USE.discard(id(self._connection))


def borrowed(given: Any, *, in_memory: bool) -> tuple[Any, Callable[[], object] | None] | None:
    """The driver's connection that the caller goes on with, and what gives it back; None where the pool makes one.

    A pool that has one connection, for all or for each thread, has no other for a run; nor has a database in memory,
    which may end with a connection.
    """
    from sqlalchemy.engine import Connection
    from sqlalchemy.pool import SingletonThreadPool, StaticPool

    if isinstance(given, Connection):
        if given.closed:
            raise SourceError("the connection that was given is closed: open it, or give its engine")
        return given.connection.driver_connection, None
    if isinstance(given.pool, StaticPool):  # to check it out and in again would roll back what is under way
        record = given.pool.connection
        record.get_connection()
        return record.driver_connection, None
    if in_memory or isinstance(given.pool, SingletonThreadPool):
        pooled = given.raw_connection()
        return pooled.driver_connection, pooled.close
    return None


def detached(engine: Any) -> Any:
    """A connection that an engine's pool makes or has, and nobody else: it does not go back there."""
    pooled = engine.raw_connection()
    connection = pooled.driver_connection
    pooled.detach()
    assert connection is not None
    with suppress(AttributeError):
        connection.rollback()
    return connection
