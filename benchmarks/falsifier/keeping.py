"""What places keep of columns and their values, and what of them nothing can be counted by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.falsifier.case import Column
from benchmarks.falsifier.trees import Refusal
from benchmarks.falsifier.values import UNGROUPED

# Kinds that do not go from DuckDB, a file or a frame to a database.
HOME = (
    "uint64", "int128", "float32", "seconds", "millis", "nanos", "instant", "time", "ztime", "uuid", "bytes", "list",
    "interval", "bits", "struct", "map",
)  # fmt: skip
# Kinds that a place without a database does not keep, by its name in messages.
NOT_KEPT = {
    "parquet": ("Parquet", ("int128", "interval", "bits", "ztime")),
    "memory": ("a data frame", ("bits", "ztime")),
}
# Numbers that a database does not keep, as they read; of an infinity without its sign.
LACKS = {"sqlite": ("nan", "-0.0"), "mariadb": ("nan", "inf", "nf", "-0.0")}
DATABASES = ("sqlite", "postgresql", "mariadb")


def kind_of(column: Column, place: str | None, cells: Sequence[Any]) -> str:
    """The kind of a column in a place; some know no types but those of values, and that of none is text."""
    return "text" if place in ("sqlite", "jsonl") and all(cell is None for cell in cells) else column.kind


def uncounted(column: Column, host: str | None, cells: Sequence[Any]) -> list[Refusal]:
    """The refusal of a sensitive column whose values are not the same everywhere, or may have several texts."""
    if any(isinstance(cell, float) and cell != cell for cell in cells):
        return [Refusal("SourceError", " NaN values, which some programs read as a number and ")]
    zeros = {str(cell) for cell in cells if isinstance(cell, float) and cell == 0}
    if len(zeros) > 1 and host != "sqlite":  # which has no negative zero
        return [Refusal("SourceError", " has equal values with different texts, such as 0.0 and -0.0")]
    if host not in DATABASES or kind_of(column, host, cells) not in UNGROUPED:
        return []
    return [Refusal("SourceError", "whose values cannot be counted for the requirement: cast the column in a query")]
