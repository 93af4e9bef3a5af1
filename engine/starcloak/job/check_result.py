"""The verdict of ``starcloak check`` as data: ``schemas/verdict.json`` is its JSON Schema.

A verdict on a release, by :attr:`Verdict.disclosed`, has no count from 1 to k - 1: such a count could identify rows.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    violating_classes: int | None = Field(
        description="classes in violation of the model; of a release, null if from 1 to k - 1"
    )
    violating_rows: int | None = Field(
        description="rows in these classes, including rows without a value; of a release, null if from 1 to k - 1"
    )


class QidVerdict(Part):
    """Verdict of ``starcloak check`` on one quasi-identifier (QID)."""

    attributes: list[str]
    required_k: int
    of: Literal["rows", "persons"] = Field(default="rows", description="unit of every k")
    as_set: bool = Field(
        default=False,
        description="true if k persons must have the same multiset of rows; a class is then a group of such persons",
    )
    holds: bool
    k: int | None = Field(description="size of the smallest equivalence class; null if smaller than required")
    classes: int | None = Field(description="classes; null for a release of fewer than required_k rows")
    violating_classes: int | None = Field(
        description="classes of fewer than required_k rows; of a release, null if from 1 to k - 1"
    )
    violating_rows: int | None = Field(description="rows in these classes; of a release, null if from 1 to k - 1")
    violating_persons: int | None = Field(
        default=None,
        description="persons with rows in these classes, once per class, if persons are declared; of a release, null "
        "if from 1 to k - 1",
    )
    models: list[ModelVerdict] = Field(default=[], description="further models, in the order of the request")
    holds_without: list[str] = Field(
        default=[],
        description="attributes with a sufficient effect: without one of them the requirement holds; empty if it holds",
    )

    def disclosed(self, rows: int) -> QidVerdict:
        """The verdict on a release of ``rows`` rows, without counts from 1 to k - 1."""
        hidden = _masked(self, self.required_k, ("violating_classes", "violating_rows", "violating_persons"))
        models = [
            model.model_copy(update=_masked(model, self.required_k, ("violating_classes", "violating_rows")))
            for model in self.models
        ]
        classes = self.classes if rows >= self.required_k else None
        return self.model_copy(update={**hidden, "classes": classes, "models": models})


class Verdict(Summarized, Part):
    """The result of ``starcloak check``. ``holds`` is true if the requirement holds for every one of the ``qids``."""

    source: str
    holds: bool
    rows: int | None = Field(description="rows of the table; null for a release of fewer than a required_k")
    qids: list[QidVerdict] = Field(min_length=1, description="quasi-identifiers in the order of the request")
    notes: list[str] = Field(default=[], description="values counted as different with possibly one meaning")

    @property
    def disclosed(self) -> Verdict:
        """The verdict for readers of a release: without counts from 1 to k - 1."""
        is_known = self.rows is not None and self.rows >= max(qid.required_k for qid in self.qids)
        qids = [qid.disclosed(self.rows or 0) for qid in self.qids]
        return self.model_copy(update={"qids": qids, "rows": self.rows if is_known else None})

    @property
    def summary(self) -> Summary:
        """Text and table with the requirement, the counts and the verdict of each quasi-identifier and model."""
        first_qid, rows = self.qids[0], "rows" if self.rows is None else f"{self.rows:,} rows"
        rows_shown = []
        for qid in self.qids:
            k_in_words = small_counts.words(qid.k, qid.required_k)
            classes = small_counts.words(qid.violating_classes, qid.required_k)
            rows_shown.append(
                [", ".join(qid.attributes), f"k = {qid.required_k} {qid.of}", k_in_words, classes, _held(qid.holds)]
            )
            for model in qid.models:
                classes = small_counts.words(model.violating_classes, qid.required_k)
                achieved = "-" if model.achieved is None else f"{model.achieved:g}"
                rows_shown.append(["", model.described, achieved, classes, _held(model.holds)])
        return Summary(
            lines=[
                f"Verdict on {rows} of {self.source}: {_held(self.holds)}",
                f"k = {small_counts.words(first_qid.k, first_qid.required_k)} over {', '.join(first_qid.attributes)}",
                f"required {first_qid.required_k}",
            ],
            head=["quasi-identifier", "asked", "counted", "classes that violate it", "verdict"],
            rows=rows_shown,
            notes=self.notes,
        )


def _masked(part: Part, k: int, names: Sequence[str]) -> dict[str, int | None]:
    counts = {name: getattr(part, name) for name in names}
    return {name: None if count is None else small_counts.mask(count, k) for name, count in counts.items()}


def _held(holds: bool) -> str:
    return "it holds" if holds else "it does not hold"
