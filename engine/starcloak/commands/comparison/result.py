"""The result of a comparison as data: ``schemas/comparison.json`` is its JSON Schema. Rows never appear in it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class Released(_Part):
    """What a release would have, counted by the verifier; it was not published."""

    k: int | None = Field(description="the smallest class; null without rows")
    released_rows: int
    suppressed_rows: int
    classes: int
    highest_risk: float | None = Field(description="1 / k: of the prosecutor, for the record most at risk")
    average_risk: float | None = Field(
        description="classes by released rows or, where these are told apart, by their persons"
    )
    loss: float
    precision: float
    discernibility: int
    levels: dict[str, int]


class Point(_Part):
    """One algorithm with one k and one share of rows that may be left out."""

    algorithm: str
    k: int
    suppression: float
    released: Released | None = Field(description="null where there is a problem")
    problem: str | None = Field(description="why there is no release")
    seconds: float


class Comparison(_Part):
    """The result of ``starcloak compare``. It is for the custodian of the source, as that of ``run`` is."""

    source: str
    rows: int
    points: list[Point]
