"""The job as text: every column with its role, and why. It holds no value of any row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starcloak.base.column_names import Role
from starcloak.commands.profile.fitting import Fitted
from starcloak.commands.profile.roles import Decided

_ROLES: dict[Role, str] = {
    "identifiers": "never released",
    "quasi_identifiers": "generalized until nobody stands out",
    "sensitive": "released as they are; learned by whoever finds the class",
    "keep": "released as they are: nobody should know them of somebody else",
}
_SETS = 8  # that are told, at most
_MARK = "# A first job for "


def is_as_drafted(text: str) -> bool:
    """Whether a job is one that was drafted, and that nobody changed since."""
    about, _, job = text.partition("\n")
    return about.startswith(_MARK) and about.endswith(f"({_sum(job)})")


def _sum(job: str) -> str:
    return hashlib.sha256(job.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Tellings:
    """How quasi-identifiers tell rows apart, all shares from 0 to 1.

    ``singles`` are the shares of the pairs of rows that a column tells apart by itself; ``lost`` are those of the rows
    that are alone by all columns, and are not without this one; ``sets`` tell nearly all rows apart, and no part does.
    """

    singles: Mapping[str, float]
    lost: Mapping[str, float]
    sets: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Draft:
    """A job and what led to it.

    ``source`` and ``output`` are as a job has them; ``fitted`` are the hierarchies of the quasi-identifiers, those in a
    file by its name in ``files``; ``tellings`` is how they tell rows apart. ``person`` is the identifier that tells
    whose a row is, where several rows are one's.
    """

    label: str
    rows: int
    source: Mapping[str, Any]
    output: Mapping[str, Any]
    decided: Sequence[Decided]
    fitted: Mapping[str, Fitted]
    files: Mapping[str, str]
    tellings: Tellings
    k: int
    algorithm: str | None
    notes: Sequence[str]
    person: Decided | None = None

    @property
    def text(self) -> str:
        """The job as YAML, with remarks. Its first line tells whether the others are as they were drafted."""
        about = f"{_MARK}{_plain(self.label)}, of {self.rows:,} rows: read every role before you run it."
        job = "\n".join(self._lines()) + "\n"
        return f"{about} ({_sum(job)})\n{job}"

    def of(self, role: Role) -> list[Decided]:
        """The columns of a role; what tells persons apart has one of its own."""
        return [column for column in self.decided if column.role == role and column is not self.person]

    def _lines(self) -> Iterator[str]:
        for note in self.notes:
            yield f"# {_plain(note)}"
        yield f"source: {_flow(self.source)}"
        yield ""
        yield from self._list("identifiers")
        if self.person is not None:
            its = self.person.profile
            counted = f"{its.distinct:,} values in {its.rows:,} rows: k counts these"
            yield f"person: {_flow(its.name)}  # never released; {counted}"
        yield ""
        yield f"quasi_identifiers:  # {_ROLES['quasi_identifiers']}"
        for column in self.of("quasi_identifiers"):
            name, fitted = column.profile.name, self.fitted[column.profile.name]
            by_itself, lost = self.tellings.singles.get(name), self.tellings.lost.get(name)
            share = "" if by_itself is None else f"; by itself tells {by_itself:.0%} of the pairs of rows apart"
            share += "" if lost is None else f"; {lost:.0%} of the unique rows are unique only by it"
            missing = "; some are missing" if column.profile.is_missing else ""
            missing += f"; values of another kind: {column.profile.strange}" if column.profile.strange else ""
            given = f"{{csv: {_flow(self.files[name])}}}" if name in self.files else fitted.given
            yield f"  {_flow(name)}: {given}  # {_plain(column.evidence)}; {fitted.why}{share}{missing}"
        if self.tellings.sets:
            yield "  # Sets that tell nearly all rows apart, of which no smaller part does:"
            for names in self.tellings.sets[:_SETS]:
                yield f"  #   {_plain(', '.join(names))}"
        yield ""
        yield from self._list("sensitive")
        yield from self._list("keep")
        yield ""
        yield f"requirement: {{k: {self.k}, suppression: 0.05}}  # at most this share of the rows is left out"
        yield "objective: {minimize: loss}"
        if self.algorithm:
            yield f"algorithm: {{name: {self.algorithm}}}  # so many columns have a lattice too large for the default"
        yield f"output: {_flow(self.output)}"

    def _list(self, role: Role) -> Iterator[str]:
        columns = self.of(role)
        if not columns:
            yield f"{role}: []  # {_ROLES[role]}"
            return
        yield f"{role}:  # {_ROLES[role]}"
        for column in columns:
            yield f"  - {_flow(column.profile.name)}  # {_plain(column.evidence)}"


def _flow(value: Any) -> str:
    """A value as YAML on one line; every JSON is YAML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str) and value.isascii() and value.replace("_", "a").replace("-", "a").isalnum():
        plain = value.casefold() not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf")
        if plain and value[0].isalpha():
            return value
    return json.dumps(value, ensure_ascii=False) if _is_plain(value) else json.dumps(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _plain(text: str) -> str:
    """A remark that stays on its line."""
    return "".join(character if character.isprintable() else "?" for character in text)
