"""The verdict of ``starcloak check`` as data: ``schemas/verdict.json`` is its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from starcloak.base import small_counts
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.result_part import Part


class ModelVerdict(Part):
    """Verdict of ``starcloak check`` on one privacy model other than k-anonymity."""

    model: str = Field(description="its key in a job's requirement")
    required: dict[str, Any] = Field(description="as a job gives it")
    described: str = Field(description="what it asks of every class")
    holds: bool
    achieved: float | None = Field(description="of the worst class; null where it does not hold")
    violating_classes: int | None = Field(description="classes that violate it; null where 1 to k - 1")
    violating_rows: int | None = Field(description="rows in them, also those without a value; null where 1 to k - 1")


class QidVerdict(Part):
    """Verdict of ``starcloak check`` on one quasi-identifier (QID), without any count between 1 and required_k - 1."""

    attributes: list[str]
    required_k: int
    of: Literal["rows", "persons"] = Field(default="rows", description="what every k counts")
    as_set: bool = Field(
        default=False, description="whether it is of persons with the same rows, each as often: these are classes then"
    )
    holds: bool
    k: int | None = Field(description="the smallest equivalence class; null where it is smaller than required")
    classes: int | None = Field(description="equivalence classes; null where the table has fewer than required_k rows")
    violating_classes: int | None = Field(description="classes of fewer than required_k rows; null where 1 to k - 1")
    violating_rows: int | None = Field(description="rows in them; null where 1 to k - 1 of them")
    violating_persons: int | None = Field(
        default=None,
        description="where persons are told apart: those with rows in them, once for each class; null where 1 to k - 1",
    )
    models: list[ModelVerdict] = Field(default=[], description="further models, in the order of the question")
    holds_without: list[str] = Field(
        default=[], description="where it does not hold: attributes of which leaving out one is enough"
    )


class Verdict(Summarized, Part):
    """The result of ``starcloak check``. ``holds`` is true if every one of the ``qids`` holds."""

    source: str
    holds: bool
    rows: int | None = Field(description="rows of the table; null where they are fewer than a required_k")
    qids: list[QidVerdict] = Field(min_length=1, description="in the order of the question")
    notes: list[str] = Field(default=[], description="what the verdict takes for different that may be one")

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
