"""Dates with less precision at every level."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from starcloak.base.errors import StatementError
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Rule
from starcloak.statements.statement import Hole, Joined, Literal, Name, Statement

Unit = typing.Literal["day", "week", "month", "quarter", "year", "decade", "century"]

#: Coarser units with every unit inside one of them on any date: a week may lie in two months, or two years.
_COARSER: dict[Unit, tuple[Unit, ...]] = {
    "day": ("week", "month", "quarter", "year", "decade", "century"),
    "week": (),
    "month": ("quarter", "year", "decade", "century"),
    "quarter": ("year", "decade", "century"),
    "year": ("decade", "century"),
    "decade": ("century",),
    "century": (),
}


def _with_a_year(form: str) -> str:
    if "%y" not in form.casefold():
        raise PydanticCustomError("format", "a format has no year: write the year, too, as in %d.%m.%Y")
    return form


@register
class Dates(Rule):
    """Dates with less precision at every level, then ``*``.

    Texts have the form 2001-12-31 or, with ``formats``, one of these forms in the notation of strptime. A text has no
    leaf if two formats read different dates from the text.
    """

    key: ClassVar[str] = "dates"
    form: ClassVar[str] = "`{dates: [month, year, decade]}`"
    also_called: ClassVar[tuple[str, ...]] = (
        "year",
        "years",
        "month",
        "months",
        "day",
        "decade",
        "birthdate",
        "timestamp",
    )
    levels_read: ClassVar[str] = (
        "1976-01-21 → 1976-01 → 1976 → 1970s → \\*; also day, week, quarter, century; of texts in other forms "
        'by `formats: ["%d.%m.%Y", "%m/%d/%y"]`, where one that two of them read differently has no leaf; two '
        "spellings of a date are two values at level 0 and one from level 1 on"
    )

    finds_people_by: ClassVar[str | None] = "whole dates"

    dates: Annotated[
        list[Unit],
        Field(min_length=1, max_length=7),
    ]

    @field_validator("dates")
    @classmethod
    def _nest(cls, units: list[Unit]) -> list[Unit]:
        for below, above in pairwise(units):
            if above not in _COARSER[below]:
                raise PydanticCustomError(
                    "dates",
                    "a {below} may lie in two of the unit {above}: name finer units first, and a week only as the "
                    "last unit: write dates: [{nested}]",
                    {"below": below, "above": above, "nested": ", ".join(_nested(units))},
                )
        return units

    formats: (
        Annotated[
            list[Annotated[str, Field(min_length=2, max_length=100), AfterValidator(_with_a_year)]],
            Field(min_length=1, max_length=20),
        ]
        | None
    ) = None

    @property
    def level_labels(self) -> list[str]:
        return list(self.dates)

    @property
    def unifies_spellings(self) -> bool:
        return self.formats is not None and self.dates[0] == "day"

    def levels(self, place: BuildPlace) -> list[Hole]:
        return [Name(unit) for unit in self.dates]

    def statement(self, place: BuildPlace, levels: Hole) -> Statement:
        return Statement("hierarchy/dates", domain=place.domain, levels=levels, instant=self._instant(place))

    def _instant(self, place: BuildPlace) -> Statement:
        if self.formats is None:
            return Statement("hierarchy/dates#iso")
        if not place.column.is_text:
            raise place.wrong(
                f"formats are for dates in texts, and the column is of type {place.column.kind}: leave formats out"
            )
        read = [Statement("hierarchy/dates#read", format=Literal(form)) for form in self.formats]
        return Statement("hierarchy/dates#formats", read=Joined(tuple(read), ", "))

    def members(self, place: BuildPlace) -> int:
        try:
            height = super().members(place)
        except StatementError:
            if self.formats is None:
                raise
            raise place.wrong("its formats are not valid for strptime: write formats such as %d.%m.%Y") from None
        if self.formats is not None and self.from_ is None:
            self._warn_of_spellings(place, self.formats)
        return height

    def _warn_of_spellings(self, place: BuildPlace, formats: Sequence[str]) -> None:
        """Warn of dates in several spellings: level 0 keeps the texts, so one date may be in several classes."""
        read = [Statement("hierarchy/dates#moment", format=Literal(form)) for form in formats]
        spelled = Statement("hierarchy/dates#spelled", read=Joined(tuple(read), ", "), domain=place.domain)
        (dates,) = place.session.row(spelled)
        if dates:
            place.host.warnings.append(
                f"hierarchy of {place.column.name!r}: {dates:,} {'dates have' if dates > 1 else 'date has'} several "
                "spellings, which are different values at level 0: write day as the first unit, and from: 1, to "
                "release one spelling per date"
            )

    @property
    def remedy(self) -> str:
        if self.formats is None:
            return 'they are not dates of the form 2001-12-31: give formats, such as formats: ["%d.%m.%Y"]'
        return "no format fits them, or two formats read them as different dates: correct the formats"


def _nested(units: list[Unit]) -> list[Unit]:
    """The distinct units without weeks, finer ones first; with no other unit, the week alone."""
    return sorted(set(units) - {"week"}, key=lambda unit: -len(_COARSER[unit])) or ["week"]


def dates(*units: Unit, formats: Sequence[str] | None = None) -> Dates:
    """Dates with less precision at every level, then ``*``: ``dates("month", "year", formats=["%d.%m.%Y"])``.

    Args:
        units: Units of the levels, from level 1 upward: day, week, month, quarter, year, decade or century. Each unit
            nests in the next one.
        formats: Forms of the dates in a column of texts, in the notation of strptime; None for 2001-12-31.

    Raises:
        JobError: A unit is unknown, or the units do not nest. A run raises
            :class:`~starcloak.base.errors.HierarchyError` for values other than dates.

    >>> import pandas, starcloak as sc
    >>> frame = pandas.DataFrame({"day": ["2024-03-01", "2024-03-09", "2024-07-02", "2024-07-03"]})
    >>> release = sc.anonymize(frame, quasi_identifiers={"day": sc.dates("month", "year")}, k=2)
    >>> sorted(release.to_pandas()["day"])
    ['2024-03', '2024-03', '2024-07', '2024-07']
    """
    return build(Dates, dates=list(units), formats=formats)
