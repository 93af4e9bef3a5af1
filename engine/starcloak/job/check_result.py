"""The verdict of ``starcloak check`` as data: ``schemas/verdict.json`` is its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from starcloak.base import small_counts
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.result_part import Part


class ModelVerdict(Part):
    """Verdict of ``starcloak check`` on one privacy model other than k-anonymity."""

    model: str = Field(description="key of the model in a job's requirement")
    required: dict[str, Any] = Field(description="the model as in a job")
    described: str = Field(description="condition on every class")
    holds: bool
    achieved: float | None = Field(description="figure of the worst class; null if the model does not hold")
    violating_classes: int | None = Field(description="classes in violation of the model; null if from 1 to k - 1")
    violating_rows: int | None = Field(
        description="rows in these classes, including rows without a value; null if from 1 to k - 1"
    )


class QidVerdict(Part):
    """Verdict of ``starcloak check`` on one quasi-identifier (QID), without any count between 1 and required_k - 1."""

    attributes: list[str]
    required_k: int
    of: Literal["rows", "persons"] = Field(default="rows", description="unit of every k")
    as_set: bool = Field(
        default=False,
        description="true if k persons must have the same multiset of rows; a class is then a group of such persons",
    )
    holds: bool
    k: int | None = Field(description="size of the smallest equivalence class; null if smaller than required")
    classes: int | None = Field(description="equivalence classes; null if the table has fewer than required_k rows")
    violating_classes: int | None = Field(description="classes of fewer than required_k rows; null if from 1 to k - 1")
    violating_rows: int | None = Field(description="rows in these classes; null if from 1 to k - 1")
    violating_persons: int | None = Field(
        default=None,
        description="persons with rows in these classes, once per class, if persons are declared; null if from 1 to "
        "k - 1",
    )
    models: list[ModelVerdict] = Field(default=[], description="further models, in the order of the request")
    holds_without: list[str] = Field(
        default=[],
        description="attributes with a sufficient effect: without one of them the requirement holds; empty if it holds",
    )


class Verdict(Summarized, Part):
    """The result of ``starcloak check``. ``holds`` is true if every one of the ``qids`` holds."""

    source: str
    holds: bool
    rows: int | None = Field(description="rows of the table; null if fewer than a required_k")
    qids: list[QidVerdict] = Field(min_length=1, description="quasi-identifiers in the order of the request")
    notes: list[str] = Field(default=[], description="values counted as different with possibly one meaning")

    @property
    def summary(self) -> Summary:
        """Requirement and counts of each quasi-identifier."""
        asked, rows = self.qids[0], "rows" if self.rows is None else f"{self.rows:,} rows"
        shown = []
        for qid in self.qids:
            found = small_counts.words(qid.k, qid.required_k)
            classes = small_counts.words(qid.violating_classes, qid.required_k)
            shown.append(
                [", ".join(qid.attributes), f"k = {qid.required_k} {qid.of}", found, classes, _held(qid.holds)]
            )
            for model in qid.models:
                classes = small_counts.words(model.violating_classes, qid.required_k)
                achieved = "-" if model.achieved is None else f"{model.achieved:g}"
                shown.append(["", model.described, achieved, classes, _held(model.holds)])
        return Summary(
            lines=[
                f"Verdict on {rows} of {self.source}: {_held(self.holds)}",
                f"k = {small_counts.words(asked.k, asked.required_k)} over {', '.join(asked.attributes)}",
                f"required {asked.required_k}",
            ],
            head=["quasi-identifier", "asked", "counted", "classes that violate it", "verdict"],
            rows=shown,
            notes=self.notes,
        )


def _held(holds: bool) -> str:
    return "it holds" if holds else "it does not hold"
