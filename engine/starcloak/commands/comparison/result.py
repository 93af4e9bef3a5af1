"""The result of a comparison as data: ``schemas/comparison.json`` is its JSON Schema. Rows never appear in it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.algorithms import LeafDomain


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


class Comparison(Summarized, _Part):
    """The result of ``starcloak compare``. It is for the custodian of the source, as that of ``run`` is."""

    source: str
    rows: int
    domain: LeafDomain = Field(default="declared", description="the leaves that loss counts")
    points: list[Point]

    @property
    def summary(self) -> Summary:
        """What each algorithm would lose for each k."""
        named = [(f"{point.algorithm}, k = {point.k}", point) for point in self.points]
        released = [(name, point.released) for name, point in named if point.released is not None]
        least = min(released, key=lambda each: each[1].loss, default=None)
        return Summary(
            lines=[
                f"Comparison of {len(self.points)} releases of {self.source}, of {self.rows:,} rows",
                f"not to be had: {len(named) - len(released)}",
                "" if least is None else f"least loss {least[1].loss:.4f}: {least[0]}",
            ],
            head=["release", "rows left out", "k", "classes", "loss", "highest risk", "seconds"],
            rows=[[name, *_figures(point.released), f"{point.seconds:.2f}"] for name, point in named],
            notes=[f"{name}: {point.problem}" for name, point in named if point.problem is not None],
            drawn="loss",
            bars=[(name, found.loss) for name, found in released],
        )


def _figures(released: Released | None) -> list[str]:
    if released is None:
        return ["-"] * 5
    k, risk = (
        "-" if one is None else f"{one:{form}}" for one, form in ((released.k, ",d"), (released.highest_risk, ".1%"))
    )
    return [f"{released.suppressed_rows:,}", k, f"{released.classes:,}", f"{released.loss:.4f}", risk]
