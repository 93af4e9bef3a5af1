"""Errors: one line, of a right kind, without a value of the table."""

from __future__ import annotations

from collections.abc import Sequence

import starcloak as sc
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.trees import Refusal


def judged(case: Case, error: sc.StarcloakError, right: Sequence[Refusal]) -> list[str]:
    """What is wrong with an error: not one of those that are right, several lines, or a value in it."""
    told, found = str(error), []
    # A line break in a name is escaped.
    parts = {(each.error, text) for each in right for text in (each.part, str(sc.StarcloakError(each.part)))}
    short = case.memory and "(OutOfMemoryException): give the run more memory" in told
    if not short and not any(type(error).__name__ == kind and part in told for kind, part in parts):
        found.append(f"error {type(error).__name__}: {told!r}; right: {list(right)}")
    if "\n" in told:
        found.append(f"lines: {told!r}")
    # What a message may have: names of columns, and the dates that it shows the forms of dates and instants by.
    named = repr(case.names) + "2001-12-31" + "2019-01-31 00:00:00+00"
    for row in case.rows:
        for cell in row:
            if isinstance(cell, str) and len(cell) > 4 and cell in told and cell not in named:
                found.append(f"leak: {told!r} has {cell!r}")
    return found
