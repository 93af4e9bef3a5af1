"""The values of a source that have no leaf: how many rows they have, and where their custodian sees them.

That is a statement for the database's own client, or a private file if the job asks for one; never a message.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import HierarchyError, OutputError
from starcloak.statements.statement import As, Joined, Name, Number, Row, Statement
from starcloak.store import staging
from starcloak.store.session import Session
from starcloak.store.staging import Written

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.store.source import Source

_HEADER = "attribute,value,rows"
_MOST_RUNS = 20  # of neighbours that a statement names: who sees so many values knows what is wrong with them


def file_of_values(path: Path) -> Written:
    """The file of such values, which takes the place of no other file than one of them."""
    return Written(path, "the file of values without a leaf", "without_leaf", is_own=_is_own)


class Misfits:
    """Values without a leaf, of one attribute after the other."""

    def __init__(self, session: Session, source: Source, into: Path | None) -> None:
        self._session, self._source, self._into = session, source, into
        self._rows: list[Row] = []
        self._shown: list[str] = []
        self._count = 0

    def add(self, column: Column, *, domain: Name, members: Name, value: Name, base: Name) -> int:
        """Note those of an attribute, whose members are built; returns how many rows have one."""
        misfits = Statement("hierarchy/misfits", value=value, members=members, base=base)
        (count,) = self._session.row(Statement("hierarchy/misfits#count", misfits=misfits))
        if self._into is not None:
            self._rows += [(column.name, *row) for row in self._session.run(misfits)]
        elif self._source.frame is None:
            self._shown.append(self._statement(column, domain, members))
        self._count += count
        return int(count)

    def refusal(self, problems: list[str]) -> HierarchyError:
        """What is wrong with hierarchies, once all is known, and where the values are seen. Raises OutputError."""
        if self._count and self._into is not None:
            self._write(self._into)
            problems = [*problems, f"these values are in {self._into}, for you alone"]
        elif self._count:
            problems = [*problems, "without_leaf: FILE in the job puts these values into a file for you alone"]
            if self._shown:
                problems[-1] += ", and the SQL of this error shows them in the database's own client (--json has it)"
        needed = [f"{need};\n" for need in self._source.host.client_needs] if self._shown else []
        return HierarchyError("; ".join(problems), sql="\n".join([*needed, *self._shown]) or None)

    def _statement(self, column: Column, domain: Name, members: Name) -> str:
        """The statement that shows those of an attribute in the client of the source's database.

        By their places in order: it holds no value.
        """
        runs = self._session.run(Statement("hierarchy/misfits#places", domain=domain, members=members))
        places = [
            Statement("hierarchy/misfits#run", first=Number(first), last=Number(last))
            if first < last
            else Statement("hierarchy/misfits#alone", first=Number(first))
            for first, last in runs[:_MOST_RUNS]
        ]
        portable = self._source.portable.holes
        assert isinstance(portable["columns"], Joined)
        piece = portable["columns"].pieces[self._source.released.index(column)]
        shown, dialect = (
            Statement(
                "hierarchy/misfits#shown",
                column=piece.piece if isinstance(piece, As) else piece,
                origin=portable["origin"],
                places=Joined(tuple(places), " or "),
            ),
            self._source.host.dialect,
        )
        more = "" if len(runs) <= _MOST_RUNS else ", the first of them"
        named = " ".join(f"-- Values of {column.name} that have no leaf{more}:".split())
        return f"{named}\n{shown.sql(dialect)};\n"

    def _write(self, into: Path) -> None:
        from starcloak.hierarchy.csv import as_csv

        lines = f"{_HEADER}\n{as_csv(self._rows, delimiter=',')}"
        try:
            staging.write(into.resolve(), lines, self._session.run_id, private=True)
        except OSError as error:
            raise OutputError(f"{into} cannot be written ({type(error).__name__}): check without_leaf") from None


def _is_own(path: Path) -> bool:
    with open(path, "rb") as content:
        return content.read(len(_HEADER) + 1) == f"{_HEADER}\n".encode()
