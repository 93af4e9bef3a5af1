"""Cleaning of a column's cells before any other step, as declared in a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import MOST_LEVELS, Column, Exact, Settings

#: Characters removed by ``trim`` at the ends of a text: spaces, tabs, line ends, no-break spaces, byte order mark.
SPACES = " \t\n\r\v\f\u00a0\u2007\u202f\u3000\ufeff"
#: The letters changed by ``case``: Latin, Greek and Cyrillic ones with one partner of the other case.
LARGE = "".join(
    chr(code)
    for first, last in ((0x41, 0x5A), (0xC0, 0x17F), (0x386, 0x3AB), (0x400, 0x42F))
    for code in range(first, last + 1)
    if len(chr(code).lower()) == 1 and chr(code).lower() != chr(code) and chr(code).lower().upper() == chr(code)
)
SMALL = LARGE.lower()
#: The rules, in the order of their application, independent of the order in the job.
RULES = ("trim", "missing", "case", "map", "pad", "unit", "number", "valid")


def _text(value: Any) -> Any:
    """The text of a cell: a whole number read by YAML becomes its text; other values are unchanged."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _texts(items: Any) -> Any:
    if isinstance(items, Mapping):
        _refuse_words(items)
        return {_text(key): _text(value) for key, value in items.items()}
    return [_text(item) for item in items] if isinstance(items, (list, tuple)) else [_text(items)]


def _refuse_words(mapping: Mapping[Any, Any]) -> None:
    """Refuse a replacement that YAML reads as a truth value or as None, not as a text."""
    for cell, becomes in mapping.items():
        if becomes is None or isinstance(becomes, bool):
            read = "nothing" if becomes is None else str(becomes).lower()
            raise PydanticCustomError(
                "map",
                "map replaces {cell} by {read}, as YAML reads the unquoted word: write the replacement in quotes, "
                "such as 'no', or list {cell} under missing to make it a missing value",
                {"cell": repr(cell), "read": read},
            )


class Cleaning(Settings):
    """Cleaning steps of a column's cells, in this order: trimmed, missing, case, mapped, padded, unit, numbers, valid.

    A cell without a matching rule stays as it is, and a missing cell stays missing. ``join`` makes a column of texts
    from other columns, with commas between their clean cells; these columns then have no other use.
    """

    trim: StrictBool = Field(default=False, description="remove spaces, tabs and line ends at both ends")
    missing: Annotated[list[str], BeforeValidator(_texts)] = Field(
        default=[], description='cells to read as a missing value, such as ["NA", "-1"]'
    )
    case: Literal["lower", "upper"] | None = Field(
        default=None, description="change Latin, Greek and Cyrillic letters to small or capital letters"
    )
    map: Annotated[dict[str, str], BeforeValidator(_texts)] = Field(
        default={}, description="replacement for a cell, by its text after trim and case"
    )
    pad: Annotated[StrictInt, Field(ge=2, le=MOST_LEVELS)] | None = Field(
        default=None, description="number of digits of a code: shorter codes get their leading zeros, 1067 → 01067"
    )
    unit: Annotated[str, Field(min_length=1, max_length=20)] | None = Field(
        default=None, description="unit behind a number, to remove: 165 cm becomes 165, with or without a space"
    )
    thousands: Literal[".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "_"] | None = Field(
        default=None, description="mark between groups of three digits, to remove"
    )
    decimal: Literal[",", "."] | None = Field(
        default=None,
        description="mark before the decimals, to replace by a point; default: a point, or a comma if thousands is a "
        "point",
    )
    valid: tuple[Exact | None, Exact | None] | None = Field(
        default=None, description="smallest and largest valid number, null for no bound; other numbers become missing"
    )

    join: Annotated[list[Column], Field(min_length=2, max_length=4)] | None = Field(
        default=None, description="columns to make this column of, such as [lat, lon]: a text 52.52,13.405"
    )

    @property
    def rules(self) -> tuple[str, ...]:
        """The declared rules, in the order of their application."""
        rules_given = {**dict(self), "number": self.thousands or self.decimal}
        return tuple(rule for rule in RULES if rules_given[rule] not in (None, False, [], {}))

    @property
    def marks(self) -> tuple[str, str]:
        """The mark between thousands, empty for none, and the mark before decimals."""
        return self.thousands or "", self.decimal or ("," if self.thousands == "." else ".")

    @property
    def of_texts(self) -> bool:
        """True if a rule applies to texts only."""
        return any(rule not in ("missing", "valid") for rule in self.rules)

    @model_validator(mode="after")
    def _consistent(self) -> Cleaning:
        for problem in self._problems():
            raise PydanticCustomError("clean", "{problem}", {"problem": problem})
        return self

    def _problems(self) -> Iterator[str]:
        if self.join is not None:
            if self.rules:
                yield (
                    f"join and {self.rules[0]} are for different columns: move {self.rules[0]} to the columns that "
                    "join names"
                )
            if len(set(self.join)) < len(self.join):
                yield "join names a column twice: name each column once"
        elif not self.rules:
            yield (
                "clean has no rule for this column: give trim, missing, case, map, pad, unit, thousands, decimal, "
                "valid or join"
            )
        if any("\0" in text for text in (*self.missing, *self.map, *self.map.values(), self.unit or "")):
            yield "a text of this rule contains the character NUL: remove it"
        if self.marks[0] == self.marks[1]:
            yield f"thousands and decimal are both {self.marks[0]!r}: give two different marks"
        if self.unit is not None and (self.unit != self.unit.strip(SPACES) or re.search("[0-9]", self.unit)):
            yield f"unit is {self.unit!r}: write only the text behind the number, without spaces and digits, such as cm"
        yield from self._unmet()
        yield from _upside_down(self.valid)

    def _unmet(self) -> Iterator[str]:
        """Descriptions of rules without any matching cell, because an earlier rule changes all such cells."""
        for rule, texts in (("missing", self.missing), ("map", [*self.map])):
            for text in texts:
                if self.trim and text != text.strip(SPACES):
                    yield (
                        f"{rule} has {text!r}, but trim removes these spaces from every cell first: write the text "
                        "without spaces at its ends"
                    )
        if self.unit and self.case and self.unit != (folded := _folded(self.unit, self.case)):
            yield (
                f"unit is {self.unit!r}, but case: {self.case} changes these letters in every cell first: write "
                f"{folded!r}"
            )
        for text in self.map:
            if self.case and text != (folded := _folded(text, self.case)):
                yield (
                    f"map has {text!r}, but case: {self.case} changes these letters in every cell first: write "
                    f"{folded!r}"
                )
            if text in self.missing:
                yield f"map and missing both have {text!r}: remove it from one of the two rules"


def _folded(text: str, case: str) -> str:
    first, second = (LARGE, SMALL) if case == "lower" else (SMALL, LARGE)
    return text.translate(str.maketrans(first, second))


def _upside_down(valid: tuple[Decimal | None, Decimal | None] | None) -> Iterator[str]:
    if valid is None:
        return
    least, most = valid
    if least is None and most is None:
        yield "valid has no bound: give a smallest or a largest number, or leave valid out"
    elif least is not None and most is not None and least > most:
        yield f"valid goes from {least} down to {most}: write the smaller number first"
