"""A hierarchy that fits the values of a quasi-identifier, whatever they are: the job that has it runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import floor, log10

from starcloak import paths
from starcloak.profile.columns import Profile
from starcloak.risk.safe_harbor import words

_FEW = 8  # values that one step to the top is enough for
_MOST_LEAVES = 50_000  # of a file
_READY = ("us-states", "countries")
_CHAPTERS = "icd-10"
_DIAGNOSIS = re.compile(r"[A-Z][0-9][0-9AB](\.?[0-9A-Z]{1,4})?")
_MOSTLY = 0.8  # of a sample's values that look like diagnoses


@dataclass(frozen=True)
class Fitted:
    """What a job says of a hierarchy, why, and how high it is; ``file`` has the lines of one that is a file."""

    given: str
    why: str
    height: int
    file: str | None = None


def fit(profile: Profile, values: Sequence[tuple[str | None, int]]) -> Fitted:
    """The hierarchy of a column; ``values`` are all of them with their rows, where they are few enough for a file."""
    if profile.is_date:
        units = ["month", "year", "decade"] if (profile.years or 0) >= 10 else ["month", "year"]
        if (profile.years or 0) < 2:
            units = ["day", "month"]
        return Fitted(f"{{dates: [{', '.join(units)}]}}", "dates", len(units) + 1)
    if _is_code(profile):
        return Fitted(f"{{digits: {profile.longest}}}", f"codes of {profile.longest} characters", profile.longest)
    if profile.is_number and profile.found > _FEW and profile.low is not None and profile.high is not None:
        widths = _widths(profile)
        listed = ", ".join(format(width.normalize(), "f") for width in widths)
        return Fitted(f"{{intervals: [{listed}]}}", "from the spread of the numbers", len(widths) + 1)
    if profile.found <= _FEW or not values:
        return Fitted("suppress", f"{profile.found:,} values", 1)
    present = [text for text, _ in values if text is not None]
    if profile.diagnoses >= _MOSTLY and all(_chapter(text) for text in present):
        lines = [[text or "", *(_diagnosis(text) if text else ("*", "*")), "*"] for text, _ in values]
        return Fitted(_CHAPTERS, "diagnoses: category and chapter of ICD-10", 3, _file(lines))
    for name in _READY:
        known = ready(name)
        if all(text.strip().casefold() in known for text in present):
            lines = [
                [text or "", *(known[text.strip().casefold()] if text else ["*"] * _levels(name))] for text, _ in values
            ]
            return Fitted(name, f"a ready-made one: {name}", _levels(name), _file(lines))
    lines = [[text or "", band, "*"] for text, band in _bands(values, profile.rows)]
    return Fitted("bands", "the frequent values, and one for the others", 2, _file(lines))


def _is_code(profile: Profile) -> bool:
    """Whether values are texts of one length of which the first characters tell most, such as ZIP codes."""
    if profile.shortest != profile.longest or not 3 <= profile.longest <= 10 or profile.found <= _FEW:
        return False
    if profile.column.is_whole or profile.column.is_text:
        named = {"zip", "zipcode", "postcode", "postal", "plz", "code"} & set(words(profile.name))
        return bool(named) or profile.are_padded
    return False


def _widths(profile: Profile) -> list[Decimal]:
    """Three widths from a twentieth of the spread on: 5, 10 and 20 for ages."""
    spread = max((profile.high or 0) - (profile.low or 0), 1e-6)
    power = Decimal(10) ** floor(log10(spread / 16))
    base = next(
        step * power for step in (Decimal(1), Decimal(2), Decimal(5), Decimal(10)) if float(step * power) >= spread / 20
    )
    if profile.are_whole:
        base = max(base, Decimal(1))
    base = max(base, Decimal("0.000001"))
    return [base, base * 2, base * 4]


def _bands(values: Sequence[tuple[str | None, int]], rows: int) -> list[tuple[str | None, str]]:
    """The values with what each becomes: itself where a hundredth of the rows has it, or else *other*."""
    taken = {text for text, _ in values}
    other = "other"
    while other in taken:
        other += "_"
    return [(text, text if text and text != "*" and count >= max(rows / 100, 5) else other) for text, count in values]


def _file(lines: Sequence[Sequence[str]]) -> str:
    content = io.StringIO()
    csv.writer(content, delimiter=";", lineterminator="\n").writerows(lines)
    return content.getvalue()


def _diagnosis(text: str) -> tuple[str, str]:
    """The category and the chapter of a diagnosis."""
    return text.strip().upper()[:3], _chapter(text) or "*"


def _chapter(text: str) -> str | None:
    """The chapter of ICD-10 that a diagnosis is in, by its category."""
    category = text.strip().upper()[:3] if _DIAGNOSIS.fullmatch(text.strip().upper()) else ""
    return next((chapter for first, last, chapter in _lines(_CHAPTERS) if first <= category <= last), None)


@cache
def _lines(name: str) -> list[list[str]]:
    """The lines of a ready-made file."""
    with open(paths.schemas() / "ready" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return [line for line in csv.reader(file, delimiter=";") if line and not line[0].startswith("#")]


@cache
def ready(name: str) -> dict[str, list[str]]:
    """A ready-made hierarchy: what each leaf, in lower case, becomes, level by level."""
    return {alias.casefold(): line[1:] for line in _lines(name) for alias in line[0].split("|")}


def _levels(name: str) -> int:
    return len(next(iter(ready(name).values())))
