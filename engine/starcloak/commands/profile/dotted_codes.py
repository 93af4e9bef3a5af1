"""Codes with full stops between their parts, such as 12.3.4 or J45.9: each part is a level of the code."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE = re.compile(r"[^\W_]+(\.[^\W_]+){0,5}")
_DIGIT = re.compile(r"[0-9]")
_WITH_STOP = 0.5  # share of the values, at least
_SHARED = 0.5  # first parts by values, at most: codes share their first parts


def levels(values: Sequence[str | None]) -> list[list[str]] | None:
    """The lines of a hierarchy that cuts codes at their full stops, the last part first; None for other values.

    >>> levels(["12.3.4", "12.3.5", "12.4", None])
    [['12.3.4', '12.3', '12', '*'], ['12.3.5', '12.3', '12', '*'], ['12.4', '12.4', '12', '*'], ['', '*', '*', '*']]
    """
    codes = [text for text in values if text is not None]
    stops = [text.count(".") for text in codes]
    if not codes or not all(_CODE.fullmatch(text) and _DIGIT.search(text) for text in codes):
        return None
    first_parts = {text.partition(".")[0] for text in codes}
    if sum(map(bool, stops)) < _WITH_STOP * len(codes) or len(first_parts) > _SHARED * len(codes):
        return None
    cuts = range(max(stops), 0, -1)
    return [
        [text or "", *(".".join(text.split(".")[:parts]) if text else "*" for parts in cuts), "*"] for text in values
    ]
