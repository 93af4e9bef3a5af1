"""What a source is called. One source may go by several names, and releases of each are known by that name alone.

A name decides what is looked for: a link that leads to another file every night is one source. Where two names may be
those of one source, that is said.
"""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address

from pydantic import BaseModel, ConfigDict

from starcloak.job import Place
from starcloak.job.url import Url
from starcloak.releases import state

_HERE = "this machine"


class SourceName(BaseModel):
    """A file by its ``path``, and by where that ``led``; or a database by the ``servers`` that its host leads to.

    ``asked`` is the table of a database, its schema after it, or a hash of the query, which nobody else can try out.
    """

    model_config = ConfigDict(frozen=True)

    path: str = ""
    led: str = ""
    servers: tuple[str, ...] = ()
    port: str = ""
    database: str = ""
    asked: tuple[str, ...] = ()

    def may_be(self, other: SourceName) -> bool:
        """Whether another name may be that of the same rows, as far as names tell."""
        if not all(one == another for one, another in zip(self.asked, other.asked, strict=False)):
            return False
        if self.path and other.path:
            return self.led == other.led or _is_same_file(self.path, other.path)
        here = bool(set(self.servers) & set(other.servers)) and self.database == other.database
        return here and (self.port == other.port or not self.port or not other.port)


def name_of(place: Place | None) -> SourceName:
    """What a source is called; nothing of a data frame, and of a query where none can be hashed."""
    if place is None or (place.path is None and (place.url is None or place.url.in_memory)):
        return SourceName()
    if place.url is None:
        return _file(str(place.path))
    query, table = str(place.query).strip(), place.table
    asked = (state.keyed(query),) if table is None else tuple(reversed(place.url.kind.parts(table)))
    if not all(asked):
        return SourceName()
    found = _server(place.url) if place.url.file is None else _file(str(place.url.file.expanduser()))
    return found.model_copy(update={"asked": asked})


def _file(path: str) -> SourceName:
    return SourceName(path=os.path.abspath(path), led=os.path.realpath(path))


def _server(url: Url) -> SourceName:
    parts = url.parts
    host, port = str(parts.host or parts.query.get("host", "")), str(parts.port or parts.query.get("port", ""))
    kind, database = parts.get_backend_name(), parts.database or ""
    return SourceName(servers=tuple(f"{kind} {each}" for each in _addresses(host)), port=port, database=database)


def _addresses(host: str) -> list[str]:
    """The addresses of a host, the loopback ones as one."""
    if not host or host.startswith("/"):
        return [_HERE]
    try:
        addresses = {str(found[4][0]).partition("%")[0] for found in socket.getaddrinfo(host.strip("[]"), None)}
    except (OSError, UnicodeError):  # it was reached by a way that this machine does not know
        return [host.lower()]
    return sorted({_HERE if ip_address(each).is_loopback else each for each in addresses})


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is gone, or is a pattern
        return False
