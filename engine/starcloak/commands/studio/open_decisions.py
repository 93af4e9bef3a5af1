"""Decisions that a draft leaves to the user: a list in the comments of the job's file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

#: The beginning of the list's first line, and of its others: as a draft writes them.
_TITLE, _ITEM = "# To decide", "#   "
_BETWEEN = "; "
#: The beginning of the doubt whether a comma stands between thousands or before decimals.
_COMMA = "1,234 may be"


def open_decisions(text: str) -> dict[str, str]:
    """The open decisions in the text of a job: the doubt in words, by column."""
    return dict(_parts(line) for _, line in _items(text.split("\n")))


def is_of_comma(doubt: str) -> bool:
    """True if a part of a doubt is about the meaning of commas in numbers."""
    return any(part.startswith(_COMMA) for part in doubt.split(_BETWEEN))


def without_decision(text: str, column: str, *, comma: bool = False) -> str:
    """The text of a job without the open decision on a column.

    With ``comma``, only the doubt about commas in numbers is removed.
    """
    lines = text.split("\n")
    for at, line in [*_items(lines)]:
        name, doubt = _parts(line)
        if name == column:
            left = [part for part in doubt.split(_BETWEEN) if comma and not part.startswith(_COMMA)]
            lines[at : at + 1] = [line.removesuffix(doubt) + _BETWEEN.join(left)] if left else []
    if not [*_items(lines)]:
        lines = [line for line in lines if not line.startswith(_TITLE)]
    return "\n".join(lines)


def _items(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines of the list of open decisions, each with its index in ``lines``."""
    begun = False
    for at, line in enumerate(lines):
        if begun and not line.startswith(_ITEM):
            return
        if begun:
            yield at, line
        begun = begun or line.startswith(_TITLE)


def _parts(line: str) -> tuple[str, str]:
    """The column of an item of the list, and the doubt; a name of other characters than letters stands in quotes."""
    item = line.removeprefix(_ITEM)
    with suppress(ValueError):
        name, end = json.JSONDecoder().raw_decode(item)
        if isinstance(name, str) and item[end : end + 2] == ": ":
            return name, item[end + 2 :]
    name, _, doubt = item.partition(": ")
    return name, doubt
