"""Statements of a run as a trace has them."""

from __future__ import annotations

import re

_OPENING = re.compile(r"(/\* starcloak [0-9a-f]+ \*/ )?(--[^\n]*\n)*")


def bare(sql: str) -> str:
    """A statement without the comments that it opens with: the run's number, its name."""
    return sql[_OPENING.match(sql).end() :]  # type: ignore[union-attr]  # which matches always
