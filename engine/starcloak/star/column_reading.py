"""Reading of a column: the type and the cleaning rules that determine the values of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from starcloak.base.column import Column
from starcloak.job import Job
from starcloak.star import fingerprint


class ColumnReading(BaseModel):
    """The type of a column, and the hash of its cleaning rules; an empty hash means cells without cleaning."""

    model_config = ConfigDict(frozen=True)

    type: str
    cleaning: str


def of(job: Job, columns: Sequence[Column]) -> dict[str, ColumnReading]:
    """The reading (type and hash of cleaning rules) of each column, by name.

    Types with the same texts for equal values count as one type, such as all types of whole numbers.
    """
    return {
        column.name: ColumnReading(type=_texts_of(column), cleaning=cleaning(job, column.name)) for column in columns
    }


def cleaning(job: Job, column: str) -> str:
    """The hash of a job's cleaning rules for a column and of the texts read as missing cells in the source file.

    An empty text without rules and without such texts.
    """
    rules, nulls = job.clean.get(column), [""] if job.source is None else sorted(job.source.nulls)
    if rules is None and nulls == [""]:
        return ""
    rules_given = {} if rules is None else rules.model_dump(mode="json")
    ordered = sorted((rule, value if rule == "join" else _sorted(value)) for rule, value in rules_given.items())
    parts = [cleaning(job, part) for part in rules_given.get("join") or ()]
    return fingerprint.content([ordered, nulls, *parts])


def _sorted(value: Any) -> Any:
    """A cleaning rule's value in sorted order, since the order of its parts has no effect.

    A list with None is a pair of bounds and keeps its order.
    """
    if isinstance(value, dict):
        return sorted(value.items())
    return sorted(value) if isinstance(value, list) and None not in value else value


def cleaned_otherwise(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> str | None:
    """Name of the first of ``columns`` with different cleaning rules in two jobs; None without such a column."""
    return next((name for name in columns if first[name].cleaning != second[name].cleaning), None)


def same_types(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> bool:  # fmt: skip
    """True if all ``columns`` have types with the same texts for equal values in two jobs.

    False if a column is absent from ``first`` or ``second``.
    """
    return all(name in first and name in second and first[name].type == second[name].type for name in columns)


def _texts_of(column: Column) -> str:
    """A common name of all types with the same texts for equal values as the column's type."""
    if column.is_whole:
        return "whole number"
    return "text" if column.is_text or column.is_enumeration else column.type
