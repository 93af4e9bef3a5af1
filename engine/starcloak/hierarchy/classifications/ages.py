"""Ages in the bands of official statistics."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import ClassVar

from starcloak.hierarchy.classifications.registry import Classification, CodeEntry, register

_AGE = re.compile(r"([0-9]{1,3})(?:\.[0-9]*)?")
_OPEN = re.compile(r"90 ?(\+|and over|years and over)")
_OLDEST = 130
#: The first age of each band, from the finest bands on; a band of one level lies within one of the next level.
_BANDS = (tuple(range(0, 95, 5)), (0, 15, 25, 50, 65, 80), (0, 15, 65))


@register
class Ages(Classification):
    """Ages in years: bands of five years to *90 and over*, six groups, three groups."""

    key: ClassVar[str] = "ages"
    title: ClassVar[str] = "ages in years"
    source: ClassVar[str] = (
        "bands of the United Nations and of Eurostat (facts): five years; 0-14, 15-24, 25-49, 50-64, 65-79, 80 and "
        "over; 0-14, 15-64, 65 and over"
    )
    licence: ClassVar[str] = "part of starcloak"
    levels: ClassVar[tuple[str, ...]] = ("five years", "six groups", "three groups")

    @property
    def edition(self) -> str:
        return "starcloak's bands of ages, edition 1"

    def find(self, value: str) -> CodeEntry | None:
        text = value.strip().casefold()
        if _OPEN.fullmatch(text):
            return CodeEntry(value, tuple(_band(90, firsts) for firsts in _BANDS))
        written = _AGE.fullmatch(text)
        if written is None or int(written[1]) > _OLDEST:
            return None
        return CodeEntry(value, tuple(_band(int(written[1]), firsts) for firsts in _BANDS))


def _band(age: int, firsts: tuple[int, ...]) -> str:
    at = bisect_right(firsts, age)
    return f"{firsts[at - 1]}-{firsts[at] - 1}" if at < len(firsts) else f"{firsts[-1]} and over"
