"""Registry of database kinds, by the first part of their URLs (such as ``postgresql``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from starcloak.base.errors import SourceError, hint
from starcloak.base.installation import load

if TYPE_CHECKING:
    from starcloak.store.databases.tables import Tables

_KINDS: dict[str, type[Tables]] = {}
_T = TypeVar("_T", bound="type[Tables]")


def register(kind: _T) -> _T:
    """Register a database class for URLs that begin with one of its names; usable as a decorator."""
    _KINDS.update(dict.fromkeys(kind.names, kind))
    return kind


def kinds() -> dict[str, type[Tables]]:
    """All registered database classes by their first name, in the order of these names."""
    load("starcloak.store.databases", kind="databases", part="database")
    return {kind.names[0]: kind for kind in sorted(_KINDS.values(), key=lambda kind: kind.names)}


def examples() -> list[str]:
    """A URL of each kind of database."""
    return [kind.example for kind in kinds().values()]


def kind_named(name: str) -> type[Tables]:
    """The kind of database for URLs with this first part. Raises :class:`SourceError` for an unknown kind."""
    if name not in _KINDS:
        kinds()
    if name not in _KINDS:
        raise SourceError(
            f"urls of {name} are not supported: give a url such as {' or '.join(examples())}.{hint(name, _KINDS)}"
        )
    return _KINDS[name]
