"""The values of a source that have no leaf: how many rows they have and, if the job asks, a private file of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from starcloak.errors import OutputError
from starcloak.session import Row, Session
from starcloak.statement import Name, Statement
from starcloak.targets import staging
from starcloak.targets.footprint import Written

_HEADER = "attribute,value,rows"


def written(path: Path) -> Written:
    """The file of such values, which takes the place of no other file than one of them."""
    return Written(path, "the file of values without a leaf", "without_leaf", is_own=_is_own)


class Misfits:
    """Values without a leaf, of one attribute after the other."""

    def __init__(self, session: Session, into: Path | None) -> None:
        self._session, self._into = session, into
        self._rows: list[Row] = []
        self._count = 0

    def add(self, attribute: str, value: Name, *, members: Name, base: Name) -> int:
        """Note those of an attribute, whose members are built; returns how many rows have one."""
        found = Statement("hierarchy/misfits", {"value": value, "members": members, "base": base})
        (count,) = self._session.row(Statement("hierarchy/misfits#count", {"misfits": found}))
        if self._into is not None:
            self._rows += [(attribute, *row) for row in self._session.run(found)]
        self._count += count
        return int(count)

    def told(self) -> str:
        """Where they can be seen, once all are known; empty where there are none. Raises :class:`OutputError`."""
        if not self._count:
            return ""
        if self._into is None:
            return "; --set without_leaf=FILE puts these values into a file for you alone"
        lines = io.StringIO(newline="")
        csv.writer(lines, lineterminator="\n").writerows([_HEADER.split(","), *self._rows])
        try:
            staging.write(self._into.resolve(), lines.getvalue(), self._session.run_id, private=True)
        except OSError as error:
            raise OutputError(f"{self._into} cannot be written ({type(error).__name__}): check without_leaf") from None
        return f"; these values are in {self._into}, for you alone"


def _is_own(path: Path) -> bool:
    with open(path, "rb") as content:
        return content.read(len(_HEADER) + 1) == f"{_HEADER}\n".encode()
