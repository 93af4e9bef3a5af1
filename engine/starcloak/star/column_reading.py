"""Type and cleaning of a column: they decide the values of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from starcloak.base.column import Column
from starcloak.job import Job
from starcloak.star import fingerprint


class ColumnReading(BaseModel):
    """The type of a column, and the hash of its cleaning. The hash is empty if cells stay unchanged."""

    model_config = ConfigDict(frozen=True)

    type: str
    cleaning: str


def of(job: Job, columns: Sequence[Column]) -> dict[str, ColumnReading]:
    """The readings of columns. Types with the same texts for their values count as one type."""
    return {
        column.name: ColumnReading(type=_texts_of(column), cleaning=cleaning(job, column.name)) for column in columns
    }


def cleaning(job: Job, column: str) -> str:
    """The hash of a job's rules for cleaning a column, with the texts that mean missing cells in its file."""
    rules, nulls = job.clean.get(column), [""] if job.source is None else sorted(job.source.nulls)
    if rules is None and nulls == [""]:
        return ""
    rules_given = {} if rules is None else rules.model_dump(mode="json")
    ordered = sorted((rule, value if rule == "join" else _sorted(value)) for rule, value in rules_given.items())
    parts = [cleaning(job, part) for part in rules_given.get("join") or ()]
    return fingerprint.content([ordered, nulls, *parts])


def _sorted(value: Any) -> Any:
    """The value of a rule without the order of its parts. Bounds keep their order; none of them is a text."""
    if isinstance(value, dict):
        return sorted(value.items())
    return sorted(value) if isinstance(value, list) and None not in value else value


def cleaned_otherwise(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> str | None:
    """The first of some columns with different cleaning in two jobs; None if there is none."""
    return next((name for name in columns if first[name].cleaning != second[name].cleaning), None)


def same_types(
    first: Mapping[str, ColumnReading], second: Mapping[str, ColumnReading], columns: Sequence[str]
) -> bool:  # fmt: skip
    """True if columns have types with the same texts for equal values. False for an unknown type."""
    return all(name in first and name in second and first[name].type == second[name].type for name in columns)


def _texts_of(column: Column) -> str:
    """Name of the types with the same texts for their values as the column."""
    if column.is_whole:
        return "whole number"
    return "text" if column.is_text or column.is_enumeration else column.type
