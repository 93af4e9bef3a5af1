"""A hierarchy for a column with ranges as values, such as 20-30, (20, 30], 18 to 24, 65+, or 1-9 beside numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

_NUMBER = r"(-?[0-9]{1,12}(?:\.[0-9]{1,9})?)"
_BETWEEN = re.compile(rf"([(\[]?)\s*{_NUMBER}\s*(?:[-\u2013\u2014,;]|to|bis|\.\.)\s*{_NUMBER}\s*([)\]]?)")
_FROM = re.compile(rf"(?:>=?|≥|over|from|ab|über)?\s*{_NUMBER}\s*(?:\+|and over|and older|or more|or older|u\. ?ä\.)?")
_UP_TO = re.compile(rf"(?:<=?|≤|under|below|up to|bis|unter)\s*{_NUMBER}|{_NUMBER}\s*(?:or less|and under)")
_FEWEST = 3  # ranges, at least
_MOST = 16  # groups of the first level, at most
_ENDLESS = Decimal(10) ** 13


@dataclass(frozen=True)
class _Range:
    """A value of a column, read as a range: its ``text``, its bounds, and the texts of the bounds (``ends``).

    A number is a range with equal bounds. An open bound is a very large number with an empty text.
    """

    text: str
    low: Decimal
    high: Decimal
    ends: tuple[str, str]

    @property
    def is_number(self) -> bool:
        return self.text == self.ends[0] == self.ends[1]


def levels(values: Sequence[str | None]) -> list[list[str]] | None:
    """The lines of a hierarchy over ranges: each value, its joined ranges, twice as many at each level, and `*`.

    None if a value is neither a range nor a number, if there are too few ranges, or if ranges overlap.

    A number beside ranges is in the range that contains it.

    >>> levels(["20-30", "30-40", "40-50", None])
    [['20-30', '20-40', '*'], ['30-40', '20-40', '*'], ['40-50', '40-50', '*'], ['', '*', '*']]
    """
    read = [_read(text) for text in values if text is not None]
    found = sorted((one for one in read if one is not None), key=lambda one: (one.low, one.high))
    ranges = [one for one in found if not one.is_number]
    if len(found) < len(read) or len(found) < _FEWEST or len(ranges) < (1 if len(ranges) < len(found) else _FEWEST):
        return None
    if any(one.high > other.low and not _is_point(one, other) for one, other in pairwise(ranges)):
        return None  # overlapping ones have no order
    groups = _within(found, ranges)
    steps = []
    if len(groups) < len(found):
        steps.append(groups)
    while len(groups) > _MOST:
        groups = _in_pairs(groups)
    steps += [groups] if steps and groups is not steps[-1] else []
    while len(groups) > 2:
        groups = _in_pairs(groups)
        steps.append(groups)
    named = [{one.text: _name(group) for group in step for one in group} for step in steps]
    lines = [[text, *(names[text] for names in named), "*"] for text in (one.text for one in found)]
    return lines + [["", *("*" for _ in named), "*"] for text in values if text is None]


def _read(text: str) -> _Range | None:
    """A value read as a range; None for other texts."""
    plain = text.strip()
    if both := _BETWEEN.fullmatch(plain):
        opening, low, high, closing = both.groups()
        if Decimal(low) <= Decimal(high):
            return _Range(text, Decimal(low), Decimal(high), (f"{opening}{low}", f"{high}{closing}"))
        return None
    if re.fullmatch(_NUMBER, plain):
        return _Range(text, Decimal(plain), Decimal(plain), (text, text))
    if most := _UP_TO.fullmatch(plain.casefold()):
        bound = most[1] or most[2]
        return _Range(text, -_ENDLESS, Decimal(bound), ("", bound))
    if least := _FROM.fullmatch(plain.casefold()):
        return _Range(text, Decimal(least[1]), _ENDLESS, (least[1], ""))
    return None


def _is_point(one: _Range, other: _Range) -> bool:
    """True if two ranges touch: 20-30 and 30-40."""
    return one.high == other.low


def _within(found: Sequence[_Range], ranges: Sequence[_Range]) -> list[list[_Range]]:
    """Groups in ascending order: each range with the numbers inside it; a number outside all ranges is a group of its
    own.
    """
    groups: dict[str, list[_Range]] = {}
    for one in found:
        around = next((wide for wide in ranges if one.is_number and wide.low <= one.low <= wide.high), one)
        groups.setdefault(around.text, []).append(one)
    return sorted(groups.values(), key=lambda group: (min(one.low for one in group), max(one.high for one in group)))


def _in_pairs(groups: Sequence[list[_Range]]) -> list[list[_Range]]:
    return [[one for group in groups[at : at + 2] for one in group] for at in range(0, len(groups), 2)]


def _name(group: Sequence[_Range]) -> str:
    """The text for a group of ranges: from its lowest bound to its highest."""
    widest = next(
        (one for one in group if all(one.low <= other.low and other.high <= one.high for other in group)), None
    )
    if widest is not None:
        return widest.text
    first, last = min(group, key=lambda one: one.low), max(group, key=lambda one: one.high)
    low, high = first.ends[0], last.ends[1]
    if not low:
        return f"up to {high}"
    if not high:
        return f"{low} or more"
    return f"{low}, {high}" if low[:1] in "([" else f"{low}-{high}"
