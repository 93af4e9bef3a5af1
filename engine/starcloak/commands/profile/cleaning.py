"""Proposals for cleaning a table's columns, as rules of a job: no value is silently changed into another one.

The only values it names are from the lists here, or texts that mean missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starcloak.base.column import Column
from starcloak.base.column_names import words
from starcloak.base.settings import check
from starcloak.commands.profile.classifications import ready
from starcloak.commands.profile.columns import SEXES
from starcloak.commands.profile.units import unit_of
from starcloak.job.cleaning import SPACES, Cleaning
from starcloak.sources.spelling import UNKNOWN
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session

#: Numbers that mean a missing value if no other number of the column is near: 96 to 99, 88, 77, 66; -1, -2, …
_NONE = [
    sign + text
    for count in range(2, 8)
    for last in ("96", "97", "98", "99", "88", "77", "66")
    for text in [last[:1] * (count - 2) + last]
    for sign in ("", "-")
] + [f"-{number}" for number in range(1, 10)]
_INFINITE = ("inf", "-inf")  # of float columns, which no hierarchy takes
#: Words with the same meaning, in several languages and in lower case: the first word replaces the others.
_SYNONYMS = (
    SEXES,
    ("yes y ja j oui sí si true", "no n nein non false"),
)
_MARKS = ({"thousands": ".", "decimal": ","}, {"thousands": ","}, {"decimal": ","}, {"thousands": " "})
_CODES = {"zip", "zipcode", "postcode", "postal", "postalcode", "plz"}
_COUNTRIES = {"country", "countries", "nation", "nationality", "citizenship"}


@dataclass(frozen=True)
class CleaningProposal:
    """Cleaning proposal for a column: ``rules`` as in ``clean`` of a job, and their reason ``why``.

    ``open`` describes decisions that only the user can take, None without any.
    """

    rules: Mapping[str, Any]
    why: str
    open: str | None = None

    @property
    def settings(self) -> Cleaning | None:
        """The rules as validated settings of a job; None without rules."""
        return check(Cleaning, self.rules, where="clean") if self.rules else None


@dataclass(frozen=True)
class _Signs:
    """Figures on a column's values for cleaning: the row of the statement ``commands/profile/signs``."""

    are_loose: bool
    cased: int
    accented: int
    are_upper: bool
    unknown: list[str]
    words: list[str]
    present: int
    sure: list[int]
    fitting: list[int]
    unsure: int
    plain: int
    nones: list[str]
    last: list[str]
    digits: int | None


def propose(store: Session, rows: Name, column: Column) -> CleaningProposal | None:
    """The proposed cleaning of a column; None if its cells are clean."""
    if not (column.is_text or column.is_number):
        return None
    text = Statement("store/text", column=Name(column.name))
    statement = Statement(
        "commands/profile/signs", text=text, folded=Statement("store/text#folded", column=Name("text")), rows=rows
    )
    unknown = [*UNKNOWN, *(_INFINITE if column.is_float else ())]
    signs = _Signs(*store.row(statement, {"unknown": unknown, "none": _NONE, "spaces": SPACES}))
    rules: dict[str, Any] = {}
    reasons = []
    for suggestion, why in _proposed(column, signs):
        both = (
            {"missing": [*rules["missing"], *suggestion["missing"]]}
            if "missing" in rules and "missing" in suggestion
            else {}
        )
        rules |= {**suggestion, **both}
        reasons.append(why)
    may_have_unit = column.is_text and not {"map", "decimal", "thousands"} & {*rules} and signs.plain != signs.present
    if may_have_unit and (unit := unit_of(store, rows, column, rules.get("missing", []))):
        rules = {rule: suggestion for rule, suggestion in rules.items() if rule != "case"} | {**unit}
        reasons.append(f"numbers with the unit {unit['unit']} behind them")
    left = "; ".join(_open(signs, rules))
    return CleaningProposal(rules, ", ".join(reasons), left or None) if rules or left else None


def _proposed(column: Column, signs: _Signs) -> Iterator[tuple[dict[str, Any], str]]:
    """Proposed rules for a column, each with its reason in words."""
    is_text, named = column.is_text, {*words(column.name)}
    places = ready("countries") if named & _COUNTRIES else {}  # NA is Namibia
    unknown = [text for text in signs.unknown if text.casefold() not in places]
    if is_text and signs.are_loose:
        yield {"trim": True}, "spaces at the ends"
    if unknown:
        yield {"missing": unknown}, "texts that mean missing" if is_text else f"{' and '.join(unknown)} are not numbers"
    kinds = zip(_MARKS, signs.sure, signs.fitting, strict=True)
    marks = next((marks for marks, sure, fitting in kinds if sure and fitting == signs.present), {})
    if is_text and " " in marks.values() and named & _CODES:
        yield marks, "codes with and without a space"
    elif is_text and marks and " " not in marks.values():
        yield marks, ", ".join(f"{what} by {mark!r}" for what, mark in marks.items())
    elif is_text and signs.digits is not None:
        yield {"pad": signs.digits}, f"codes of {signs.digits} digits, some without their leading zeros"
    elif is_text:
        yield from _of_words(signs, {*unknown})
    if signs.nones and "age" in named and signs.plain == signs.present:
        yield {"valid": [0, 120]}, f"{' and '.join(signs.nones)} are not ages"
    elif signs.nones:
        yield {"missing": signs.nones}, f"{' and '.join(signs.nones)} far from all other numbers"


def _of_words(signs: _Signs, unknown: set[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Rules that unify the case of texts, and words with the same meaning, each with its reason."""
    present = {word for word in signs.words or () if word not in {text.lower() for text in unknown}}
    for kinds in _SYNONYMS:
        listed = [kind.split() for kind in kinds]
        if present <= {word for kind in listed for word in kind} and any(len(present & {*kind}) > 1 for kind in listed):
            pairs = {word: kind[0] for kind in listed for word in kind[1:] if word in present}
            yield {**({"case": "lower"} if signs.cased else {}), "map": pairs}, "words that mean the same"
            return
    if signs.cased:
        yield {"case": "upper" if signs.are_upper else "lower"}, "values that differ in case alone"


def _open(signs: _Signs, rules: Mapping[str, Any]) -> Iterator[str]:
    """Decisions for the user, in words: cases in which the program could only guess."""
    if signs.last:
        codes = " and ".join(signs.last)
        yield f"{codes} at the end may be codes of a missing answer: if so, list them under clean as missing"
    if {"thousands", "decimal", "unit"} & {*rules}:
        return
    if signs.unsure and signs.fitting[1] == signs.present:
        yield "1,234 may be 1234 or 1.234: give thousands or decimal under clean"
    elif any(sure and fitting > signs.present / 2 for sure, fitting in zip(signs.sure, signs.fitting, strict=True)):
        yield (
            "some values are not numbers, and most are numbers with marks for thousands or decimals: correct the "
            "other values, or list them under missing"
        )
    if signs.accented:
        yield "some values differ only in accents: make equal values alike by map under clean"
