"""A comparison for the terminal, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from starcloak.commands.comparison.result import NAMES, Comparison

# The columns of the terminal are the first ones of all.
_COLUMNS = NAMES[:10]
#: The first line of the CSV.
HEAD = ",".join(NAMES)


def of(comparison: Comparison) -> str:
    """A comparison as a table, each column as wide as its longest cell.

    Notes and reasons for missing releases stand below it.
    """
    table = [[name.replace("_", " ") for name in _COLUMNS]]
    table += [[_short(point.cells[name]) for name in _COLUMNS] for point in comparison.points]
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in table]
    return "\n".join([*lines, *comparison.notes, *_problems(comparison)])


def as_csv(comparison: Comparison) -> str:
    """A comparison as CSV: one line per point."""
    text = io.StringIO()
    writer = csv.DictWriter(text, NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(point.cells for point in comparison.points)
    return text.getvalue()


def _short(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _problems(comparison: Comparison) -> Iterator[str]:
    for point in comparison.points:
        if point.problem is not None:
            yield f"{point.algorithm}, k = {point.k}, suppression {_short(point.suppression)}: {point.problem}"
