"""Type and cleaning of a column: they decide which values its cells become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from starcloak.base.column import Column
from starcloak.job import Job
from starcloak.star import fingerprint


class ColumnReading(BaseModel):
    """The type of a column, and the hash of its cleaning, which is empty if cells stay as they are."""

    model_config = ConfigDict(frozen=True)

    type: str
    cleaning: str


def of(job: Job, columns: Sequence[Column]) -> dict[str, ColumnReading]:
    """The readings of columns. Types whose values are the same texts are one type."""
    return {
        column.name: ColumnReading(type=_texts_of(column), cleaning=cleaning(job, column.name)) for column in columns
    }


def cleaning(job: Job, column: str) -> str:
    """The hash of the rules by which a job cleans a column, with the texts that stand for missing cells of its file."""
    rules, nulls = job.clean.get(column), [""] if job.source is None else sorted(job.source.nulls)
    if rules is None and nulls == [""]:
        return ""
    given = {} if rules is None else rules.model_dump(mode="json")
    return fingerprint.content([sorted((rule, _sorted(value)) for rule, value in given.items()), nulls])


def _sorted(value: Any) -> Any:
    """The value of a rule without the order of its parts, but for that of bounds, of which none is a text."""
    if isinstance(value, dict):
        return sorted(value.items())
    return sorted(value) if isinstance(value, list) and None not in value else value


def cleaned_otherwise(
    one: Mapping[str, ColumnReading], other: Mapping[str, ColumnReading], columns: Sequence[str]
) -> str | None:
    """The first of some columns that two jobs clean differently; None if there is none."""
    return next((name for name in columns if one[name].cleaning != other[name].cleaning), None)


def same_types(
    one: Mapping[str, ColumnReading], other: Mapping[str, ColumnReading], columns: Sequence[str]
) -> bool:  # fmt: skip
    """Say whether some columns have types whose equal values are the same texts; not if a type is not known."""
    return all(name in one and name in other and one[name].type == other[name].type for name in columns)


def _texts_of(column: Column) -> str:
    """Name of the types whose values have the same texts as those of the column."""
    if column.is_whole:
        return "whole number"
    return "text" if column.is_text or column.is_enumeration else column.type
