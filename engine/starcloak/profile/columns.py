"""What the values of a column are: one statement each, over the rows in the working store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starcloak.column import Column
from starcloak.session import Session
from starcloak.statement import Hole, Name, Statement


@dataclass(frozen=True)
class Profile:
    """A column: ``rows`` of the table, of which ``present`` have a value; ``found`` different ones.

    ``patterns`` are the shares (0 … 1) of values that look like something; ``words`` is the mean count of words.
    ``low`` and ``high`` are between what nearly all numbers are; ``years`` is how many the dates span.
    """

    column: Column
    rows: int
    present: int
    found: int
    most: int
    shortest: int
    longest: int
    are_numbers: bool
    are_whole: bool
    are_padded: bool
    low: float | None
    high: float | None
    are_dates: bool
    years: int | None
    patterns: Mapping[str, float | None]
    diagnoses: float
    words: float

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def is_missing(self) -> bool:
        return self.present < self.rows

    @property
    def distinction(self) -> float:
        """Different values by rows that have one."""
        return self.found / self.present if self.present else 0.0

    @property
    def is_nearly_unique(self) -> bool:
        return self.found >= 10 and self.distinction >= 0.9

    @property
    def is_number(self) -> bool:
        return self.present > 0 and self.are_numbers

    @property
    def is_date(self) -> bool:
        return self.present > 0 and self.are_dates and not self.is_number


def profile(session: Session, rows: Name, column: Column, *, count: int) -> Profile:
    """The profile of a column of a table of the working store with so many rows."""
    name = Name(column.name)
    holes: dict[str, Hole] = {"column": name, "text": Statement("source/text", {"column": name}), "rows": rows}
    told = session.row(Statement("profile/column", holes))
    present, found, most, shortest, longest, numbers, whole, padded, low, high, dates, years, patterns, *rest = told
    diagnoses, words = rest
    return Profile(
        column, count, present, found, most, shortest, longest, numbers, whole, padded, low, high, dates, years,
        patterns or {}, diagnoses or 0.0, words or 0.0,
    )  # fmt: skip
