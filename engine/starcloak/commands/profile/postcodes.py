"""Postcodes with letters, by their own parts: those of the United Kingdom and of Canada."""

from __future__ import annotations

import re
from collections.abc import Sequence

_KINGDOM = re.compile(r"([A-Z]{1,2})([0-9][0-9A-Z]?)\s*([0-9])[A-Z]{2}")
_CANADA = re.compile(r"([ABCEGHJ-NPRSTVXY])([0-9])([A-Z])[ -]?([0-9])[A-Z][0-9]")


def levels(values: Sequence[str | None]) -> tuple[str, list[list[str]]] | None:
    """The country of postcodes, and the lines of their hierarchy; None if a value is no postcode of that country.

    In the United Kingdom SW1A 2AA is in sector SW1A 2, district SW1A, area SW. In Canada K1A 0B1 is in K1A 0,
    in the forward sortation area K1A, and in the postal district K.
    """
    for country, parts in (("United Kingdom", _of_kingdom), ("Canada", _of_canada)):
        lines = [[text or "", *found, "*"] for text in values if (found := parts(text)) is not None]
        if len(lines) == len(values) and any(text is not None for text in values):
            return country, lines
    return None


def _of_kingdom(text: str | None) -> tuple[str, str, str] | None:
    """Sector, district and area of a postcode of the United Kingdom; None for other texts."""
    if text is None:
        return ("*", "*", "*")
    found = _KINGDOM.fullmatch(text.strip().upper())
    if found is None:
        return None
    area, district, sector = found.groups()
    return f"{area}{district} {sector}", f"{area}{district}", area


def _of_canada(text: str | None) -> tuple[str, str, str] | None:
    """The first four characters, the forward sortation area and the postal district of a Canadian postcode, or None."""
    if text is None:
        return ("*", "*", "*")
    found = _CANADA.fullmatch(text.strip().upper())
    if found is None:
        return None
    district, *rest = found.groups()
    return f"{district}{rest[0]}{rest[1]} {rest[2]}", f"{district}{rest[0]}{rest[1]}", district
