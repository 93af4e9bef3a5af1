"""The kinds of databases, by what their URLs begin with."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from starcloak import hosts
from starcloak.errors import SourceError, hint
from starcloak.hosts.url import parse

if TYPE_CHECKING:
    from starcloak.hosts.database import Database
    from starcloak.hosts.tables import Tables
    from starcloak.session import Session

_KINDS: dict[str, type[Tables]] = {}
_T = TypeVar("_T", bound="type[Tables]")


def register(kind: _T) -> _T:
    """Have URLs know a kind of database by its names."""
    _KINDS.update(dict.fromkeys(kind.names, kind))
    return kind


def kinds() -> dict[str, type[Tables]]:
    """All kinds of databases by the first of their names."""
    for module in pkgutil.iter_modules(hosts.__path__):
        import_module(f"{hosts.__name__}.{module.name}")
    return {kind.names[0]: kind for kind in _KINDS.values()}


def examples() -> list[str]:
    """A URL of each kind of database."""
    return [kind.example for kind in kinds().values()]


def kind_of(url: str) -> type[Tables]:
    """The kind of the database of a URL. Raises :class:`SourceError`, which does not repeat the URL."""
    name = parse(url).get_backend_name()
    if name not in _KINDS:
        kinds()
    if name not in _KINDS:
        raise SourceError(
            f"a url of {name} cannot be opened: use one such as {' or '.join(examples())}.{hint(name, _KINDS)}"
        )
    return _KINDS[name]


def file_of(url: str) -> Path | None:
    """The file of a database that is one."""
    return kind_of(url).file(parse(url))


def embedded_file(url: str | None) -> Path | None:
    """The file of a database that the working store itself opens; None for other databases."""
    return file_of(url) if url is not None and kind_of(url).embedded else None


def connect(url: str, session: Session) -> Database:
    """Connect to the database of a URL, for the life of the session; not to an embedded one.

    Raises :class:`SourceError`: a database that starcloak does not know or cannot reach. No message has the password.
    """
    return cast("type[Database]", kind_of(url))(parse(url), session, getattr(url, "engine", None))
