"""Codes of digits that lost their leading zeros in some rows: 1074 beside 01074."""

from __future__ import annotations

from collections.abc import Sequence

_SHARE = 0.05  # of the codes with a zero in front, at least, that are there without it
_WIDEST = 10


def width(values: Sequence[str]) -> int | None:
    """The number of digits of codes that lost leading zeros in some rows; None for other values.

    Codes lost zeros if the longest codes begin with a zero, and some shorter codes equal them without it.

    >>> width(["01074", "1074", "10115", "01067"]), width(["7", "12", "105"])
    (5, None)
    """
    wide = max(map(len, values), default=0)
    if not 2 <= wide <= _WIDEST or not all(text.isascii() and text.isdigit() for text in values):
        return None
    padded = {text.lstrip("0") for text in values if len(text) == wide and text.startswith("0")}
    short = {text for text in values if len(text) < wide}
    if not padded or not short or any(text.startswith("0") for text in short):
        return None
    return wide if len(short & padded) >= max(1, _SHARE * len(padded)) else None
