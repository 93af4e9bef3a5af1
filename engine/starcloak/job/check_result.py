"""The verdict of ``starcloak check`` as data: ``schemas/verdict.json`` is its JSON Schema.

A verdict on a release, by :meth:`Verdict.disclosed`, has no count from 1 to k - 1: such a count could identify rows.
"""

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
    achieved: float | None = Field(
        description=(
            "figure of the worst class; null if the model does not hold; of a release, null if some classes are "
            "smaller than k"
        )
    )
    violating_classes: int | None = Field(
        description=(
            "classes in violation of the model; of a release, null if this number reveals a small count, or if some "
            "classes are smaller than k"
        )
    )
    violating_rows: int | None = Field(
        description=(
            "rows in these classes, including rows without a value; of a release, null if this number reveals a small "
            "count, or if some classes are smaller than k"
        )
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
    k: int | None = Field(
        description="size of the smallest equivalence class; null if smaller than required, or than release_k"
    )
    classes: int | None = Field(description="classes; of a release, null if this number reveals a small count")
    violating_classes: int | None = Field(
        description="classes of fewer than required_k rows; of a release, null if this number reveals a small count"
    )
    violating_rows: int | None = Field(
        description="rows in these classes; of a release, null if this number reveals a small count"
    )
    violating_persons: int | None = Field(
        default=None,
        description="persons with rows in these classes, once per class, if persons are declared; of a release, null "
        "if this number reveals a small count",
    )
    models: list[ModelVerdict] = Field(default=[], description="further models, in the order of the request")
    holds_without: list[str] = Field(
        default=[],
        description="attributes with a sufficient effect: without one of them the requirement holds; empty if it holds",
    )

    def has_small_classes(self, release_k: int) -> bool:
        """True if a class is smaller than required, or than the k of the release."""
        return self.k is None or self.k < release_k

    def disclosed(self, rows: int, release_k: int = 0) -> QidVerdict:
        """The verdict on a release of ``rows`` rows, without counts from 1 to k - 1.

        k is the larger of the required one and ``release_k``, the k of the release. If a smaller k is required, no
        count of classes smaller than ``release_k`` is shown: the differences of verdicts could reveal a class. Figures
        of models are shown only if all classes have k rows: otherwise they could reveal the rows of a small class.
        """
        hides_all = self.required_k < release_k and (self.k or 0) < release_k
        k = max(self.required_k, release_k)
        has_small_classes = self.has_small_classes(release_k)
        models = [
            model.model_copy(
                update={
                    **_masked(model, k, hides_all=has_small_classes),
                    "achieved": None if has_small_classes else model.achieved,
                }
            )
            for model in self.models
        ]
        hidden = _masked(self, k, hides_all=hides_all)
        shows_classes = rows >= k and not hides_all and hidden["violating_classes"] is not None
        hidden |= {"classes": self.classes if shows_classes else None, "k": None if hides_all else self.k}
        return self.model_copy(update={**hidden, "models": models})


class Verdict(Summarized, Part):
    """The result of ``starcloak check``. ``holds`` is true if the requirement holds for every one of the ``qids``."""

    source: str
    holds: bool
    release_k: int | None = Field(default=None, description="k of the release in the table, if there is one")
    rows: int | None = Field(description="rows of the table; null for a release of fewer than a required_k")
    qids: list[QidVerdict] = Field(min_length=1, description="quasi-identifiers in the order of the request")
    notes: list[str] = Field(
        default=[],
        description="values counted as different with possibly one meaning, and values named in the requirement "
        "without a row; none of a release with classes smaller than k",
    )

    def disclosed(self, release_k: int = 0) -> Verdict:
        """The verdict for readers of a release: without counts from 1 to k - 1.

        ``release_k`` is the k of the release, 0 if it is unknown.
        """
        is_known = self.rows is not None and self.rows >= max(release_k, *(qid.required_k for qid in self.qids))
        qids = [qid.disclosed(self.rows or 0, release_k) for qid in self.qids]
        return self.model_copy(
            update={
                "qids": _without_small_differences(qids, release_k),
                "rows": self.rows if is_known else None,
                "release_k": release_k or None,
            }
        )

    @property
    def summary(self) -> Summary:
        """Text and table with the requirement, the counts and the verdict of each quasi-identifier and model."""
        first_qid, rows = self.qids[0], "rows" if self.rows is None else f"{self.rows:,} rows"
        rows_shown = []
        for qid in self.qids:
            k_in_words = self._k_in_words(qid)
            classes = _in_words(qid.violating_classes)
            rows_shown.append(
                [", ".join(qid.attributes), f"k = {qid.required_k} {qid.of}", k_in_words, classes, _held(qid.holds)]
            )
            for model in qid.models:
                classes = _in_words(model.violating_classes)
                achieved = "-" if model.achieved is None else f"{model.achieved:g}"
                rows_shown.append(["", model.described, achieved, classes, _held(model.holds)])
        return Summary(
            lines=[
                f"Verdict on {rows} of {self.source}: {_held(self.holds)}",
                f"k = {self._k_in_words(first_qid)} over {', '.join(first_qid.attributes)}",
                f"required {first_qid.required_k}",
            ],
            head=["quasi-identifier", "asked", "counted", "classes that violate it", "verdict"],
            rows=rows_shown,
            notes=self.notes,
        )

    def _k_in_words(self, qid: QidVerdict) -> str:
        return small_counts.words(qid.k, max(qid.required_k, self.release_k or 0))


def _masked(part: QidVerdict | ModelVerdict, k: int, *, hides_all: bool) -> dict[str, int | None]:
    """The counts of violations, None for a hidden one.

    Fewer than k rows (or persons) more than classes reveal a class: with one row more, it is a single class of two.
    """
    counts = {name: getattr(part, name) for name in _violations(part) if getattr(part, name) is not None}
    if hides_all:
        return {name: None if count else 0 for name, count in counts.items()}
    masked = {name: small_counts.mask(count, k) for name, count in counts.items()}
    more = [count - counts["violating_classes"] for name, count in counts.items() if name != "violating_classes"]
    if any(small_counts.mask(count, k) is None for count in more):
        masked["violating_classes"] = None
    return masked


def _without_small_differences(qids: list[QidVerdict], release_k: int) -> list[QidVerdict]:
    """The verdicts without a number of violations if a reader could subtract it from that of a contained QID.

    A class over some attributes is a union of classes over these and further attributes. So rows that violate k over
    the former violate it over the latter, and the difference is a number of further rows.
    """
    shown: list[QidVerdict] = []
    hidden: dict[int, QidVerdict] = {}
    for place, qid in sorted(enumerate(qids), key=lambda item: (len({*item[1].attributes}), item[1].required_k)):
        if any(_differs_little(qid, other, release_k) for other in shown if {*other.attributes} <= {*qid.attributes}):
            hidden[place] = qid.model_copy(update={**_masked(qid, 0, hides_all=True), "classes": None})
        else:
            shown.append(qid)
    return [hidden.get(place, qid) for place, qid in enumerate(qids)]


def _differs_little(qid: QidVerdict, other: QidVerdict, release_k: int) -> bool:
    """True if a number of violations differs by 1 to k - 1 from that of the ``other`` QID."""
    k = max(qid.required_k, other.required_k, release_k)
    counts = [(getattr(qid, name), getattr(other, name)) for name in _violations(qid)]
    return any(
        small_counts.mask(abs(one - another), k) is None
        for one, another in counts
        if one is not None and another is not None
    )


def _violations(part: QidVerdict | ModelVerdict) -> list[str]:
    """The names of the numbers of violations."""
    return [name for name in type(part).model_fields if name.startswith("violating_")]


def _in_words(count: int | None) -> str:
    return "not shown" if count is None else f"{count:,}"


def _held(holds: bool) -> str:
    return "it holds" if holds else "it does not hold"
