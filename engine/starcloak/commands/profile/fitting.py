"""Choice of a hierarchy that has all values of a quasi-identifier, so that a drafted job runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from math import floor, log10
from typing import Any

from starcloak.base.column_names import words
from starcloak.commands.profile import dotted_codes, postcodes, ranges
from starcloak.commands.profile.classifications import chapter, diagnosis, height, range_of, ready
from starcloak.commands.profile.columns import MOSTLY, Profile
from starcloak.commands.profile.proposed_classification import propose
from starcloak.hierarchy.members import as_csv

_FEW = 8  # values that one step to the top is enough for
_MOST_LEAVES = 50_000  # of a file
#: Ready-made hierarchies of places, with words of names that columns of them go by.
_READY = {
    "us-states": {"state", "states", "usstate", "statecode"},
    "countries": {"country", "countries", "nation", "nationality", "citizenship", "origin", "birthplace"},
}
_PLACES = {"place", "location", "region", "residence", "home", "from", "to", "market", "geo"}
_CHAPTERS, _ZIP = "icd-10", "us-zip"
_ZIP_CODE = re.compile(r"[0-9]{5}(-[0-9]{4})?")
_OLDEST = 120  # years


@dataclass(frozen=True)
class Fitted:
    """A chosen hierarchy: its settings in a job (``given``), the reason in words (``why``), its height.

    ``file`` is the content of its CSV file, None for a hierarchy without a file.
    """

    given: str | dict[str, Any]
    why: str
    height: int
    file: str | None = None


def fit(profile: Profile, values: Sequence[tuple[str | None, int]]) -> Fitted:
    """Choose the hierarchy of a column.

    ``values`` are all values of the column with their rows, or empty if there are too many for a file.
    """
    if profile.is_date:
        return _dates(profile)
    if proposed := propose(profile, values):
        return Fitted(*proposed)
    if goes_by_zip(profile) and values and (lines := _zips(values)):
        return Fitted(_ZIP, "ZIP codes: digits, in the ranges of states", len(lines[0]) - 1, as_csv(lines))
    present = [text for text, _ in values if text is not None]
    if profile.column.is_text and not profile.is_number and (banded := ranges.levels([text for text, _ in values])):
        return Fitted("ranges", "ranges, wider at each level", len(banded[0]) - 1, as_csv(banded))
    if profile.column.is_text and (postal := postcodes.levels([text for text, _ in values])):
        country, lines = postal
        return Fitted("postcodes", f"postcodes of {country}: sector, district and area", 4, as_csv(lines))
    is_code = not profile.have_short_years  # 31.12.45 cut at its stops would be a day of all months
    if (
        is_code
        and _is_text_beside_diagnoses(profile, present)
        and (cut := dotted_codes.levels([text for text, _ in values]))
    ):
        return Fitted("stops", "codes with full stops, cut at these", len(cut[0]) - 1, as_csv(cut))
    if is_code and _is_code(profile):
        return Fitted({"digits": profile.longest}, f"codes of {profile.longest} characters", profile.longest)
    if profile.is_number and profile.are_whole and "age" in words(profile.name) and (profile.high or 0) <= _OLDEST:
        return Fitted({"intervals": [5, 10, 20], **_strange(profile)}, "bands of ages", 4)
    if profile.is_number and profile.distinct > _FEW and profile.low is not None and profile.high is not None:
        widths = _widths(profile)
        settings = {"intervals": widths, **_strange(profile)}
        return Fitted(settings, "from the spread of the numbers", len(widths) + 1)
    if profile.distinct <= _FEW or not values:
        return Fitted("suppress", f"{profile.distinct:,} values", 1)
    if profile.diagnoses >= MOSTLY and all(chapter(text) for text in present):
        lines = [[text or "", *(diagnosis(text) if text else ("*",) * 3), "*"] for text, _ in values]
        return Fitted(_CHAPTERS, "diagnoses: category, block and chapter of ICD-10", 4, as_csv(lines))
    if name := _place(profile, present):
        classification = ready(name)
        lines = [
            [text or "", *(classification[text.strip().casefold()] if text else ["*"] * height(name))]
            for text, _ in values
        ]
        return Fitted(name, f"a ready-made hierarchy: {name}", height(name), as_csv(lines))
    lines = [[text or "", band, "*"] for text, band in _bands(values, profile.rows)]
    return Fitted("bands", "the frequent values, and one group of all other values", 2, as_csv(lines))


def _is_text_beside_diagnoses(profile: Profile, present: Sequence[str]) -> bool:
    """True if the column's ``present`` values are texts, and neither numbers nor ICD-10 diagnoses."""
    return profile.column.is_text and not profile.is_number and not all(chapter(text) for text in present)


def goes_by_zip(profile: Profile) -> bool:
    """True if the column's name and the length of its values suggest ZIP codes."""
    return bool({"zip", "zipcode", "zips"} & set(words(profile.name))) and profile.shortest >= 5


def may_be_code(profile: Profile) -> bool:
    """True if a column's numbers may be codes: ZIP codes, or numbers with leading zeros and different lengths."""
    return goes_by_zip(profile) or (profile.are_padded and profile.shortest < profile.longest)


def _dates(profile: Profile) -> Fitted:
    years = profile.years or 0
    units = ["day", "month"] if years < 2 else ["month", "year", "decade"] if years >= 10 else ["month", "year"]
    has_times = (
        any(":" in form for form in profile.formats[0]) if profile.formats else profile.longest > len("2001-12-31")
    )
    if has_times and units[0] != "day":
        units = ["day", *units]
    settings: dict[str, Any] = {"dates": units}
    why = "dates"
    if profile.formats:
        taken, *more = (" or ".join(forms) for forms in profile.formats)
        settings["formats"] = [*profile.formats[0]]
        further_units = ", or ".join(more)
        why = f"dates as {taken}" + (f"; all values are dates as {further_units} as well" if further_units else "")
    return Fitted({**settings, **_strange(profile)}, why, len(units) + 1)


def _strange(profile: Profile) -> dict[str, str]:
    """The setting of a hierarchy for a few values that are no numbers or dates: they count as missing."""
    return {"nonconforming": "missing"} if profile.strange else {}


def _zips(values: Sequence[tuple[str | None, int]]) -> list[list[str]]:
    """The lines of a hierarchy of ZIP codes: first digits, then ranges of a state; empty if a value is no ZIP code."""
    plus = any(text and "-" in text for text, _ in values)
    lines = []
    for text, _ in values:
        code = (text or "").strip()
        state = range_of(_ZIP, code[:3]) if _ZIP_CODE.fullmatch(code) else None
        if text is not None and state is None:
            return []
        digits = [code[:5], *(code[:length] + "*" * (5 - length) for length in (4, 3))][0 if plus else 1 :]
        levels = [*digits, state or "*", f"{code[:1]}****"] if text else ["*"] * (5 if plus else 4)
        lines.append([text or "", *levels, "*"])
    return lines


def _place(profile: Profile, present: Sequence[str]) -> str | None:
    """The ready-made hierarchy of places with all values, preferring one named by the column's name."""
    named = set(words(profile.name))
    places = [name for name, its in _READY.items() if its & named]
    for name in places or _READY:
        # Two letters are as well a language, or a currency.
        plain = places or named & _PLACES or any(len(text.strip()) > 3 for text in present)
        if plain and all(text.strip().casefold() in ready(name) for text in present):
            return name
    return None


def _is_code(profile: Profile) -> bool:
    """True if values are texts of one length with the most information in their first characters, such as ZIP
    codes.
    """
    if profile.shortest != profile.longest or not 3 <= profile.longest <= 10 or profile.distinct <= _FEW:
        return False
    if profile.column.is_whole or profile.column.is_text:
        named = {"zip", "zipcode", "postcode", "postal", "plz", "code"} & set(words(profile.name))
        return bool(named) or profile.are_padded
    return False


def _widths(profile: Profile) -> list[Decimal]:
    """Three widths of intervals: a round number of about a twentieth of the spread, its double, and its fourfold."""
    with localcontext(Context()):  # the caller may round to fewer digits
        return [width.normalize() for width in _widths_of(profile)]


def _widths_of(profile: Profile) -> list[Decimal]:
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
    """The values with their level-1 text: a value of a hundredth of the rows or more itself, others *other*."""
    taken = {text for text, _ in values}
    remainder = "other"
    while remainder in taken:
        remainder += "_"
    return [
        (text, text if text and text != "*" and count >= max(rows / 100, 5) else remainder) for text, count in values
    ]


def flow(value: Any) -> str:
    """A value as YAML on one line; every JSON is YAML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, str) and value.isascii() and value.replace("_", "a").replace("-", "a").isalnum():
        plain = value.casefold() not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf")
        if plain and value[0].isalpha():
            return value
    return json.dumps(value, ensure_ascii=False) if _is_plain(value) else json.dumps(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()
