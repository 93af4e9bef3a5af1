"""What may be read of a release's result by whoever is not the custodian of its source.

All that leaves the custodian's hands is made of it: the report, the event, the ledger, what a notebook shows. It has
no count of rows from 1 to k - 1, nor two of which the difference is one; and nothing that is derived of rows that were
left out, which whoever knows all others could try out: no hash of the source, of its hierarchies, or of a job or
statements with their values, no search among generalizations of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from starcloak.base import small_counts
from starcloak.job.release_insight import ColumnSeen, Insight, RiskBefore, SizesSeen, ThresholdSeen
from starcloak.job.result import (
    CellsCleaned,
    Hashes,
    Joint,
    JointTogether,
    Measures,
    RequirementReleased,
    Result,
    Search,
)
from starcloak.measures.measure import every

#: Fields of a result that are told as they are, those of which only a part is told, and those that are not.
AS_THEY_ARE = (
    "run", "unchanged", "source", "output", "released_rows", "k", "algorithm", "objective", "seed", "recoding",
    "seconds", "memory_limit", "versions", "kept_by_patterns", "roles",
)  # fmt: skip
IN_PART = (
    "rows", "suppressed_rows", "persons", "requirement", "measures", "search", "class_sizes", "insight", "cleaned",
    "joint", "joint_together", "hashes", "warnings", "by_identifier",
)  # fmt: skip
WITHHELD = ("population", "refresh")
_STEPS = 40  # of a bar of raw values, whose rows are told in steps
_WARNED = "there are warnings, which its result has for the custodian of the source"


@dataclass(frozen=True)
class Disclosure:
    """What is told: ``k`` is the largest that was required, ``rows`` are those of the source, ``left_out`` in words.

    ``rows`` is None where from 1 to k - 1 rows, or persons, were left out. Where any were, it is not ``whole``: there
    is no ``loss`` (0 … 1), as it goes by the values of all rows, and ``measures`` are those of the released rows alone.
    ``result`` is the run's with nothing else in it.
    """

    k: int
    whole: bool
    rows: int | None
    left_out: str
    loss: float | None
    attribute_loss: Mapping[str, float]
    measures: tuple[str, ...]
    result: Result


def disclosure_of(result: Result) -> Disclosure:
    """What may be told of a release."""
    k = max(qid.k for qid in result.requirement.qids)
    persons = 0 if result.persons is None else result.persons.persons - result.persons.released
    left_out = rows_left_out(result.suppressed_rows, k, persons=persons)
    whole = not result.suppressed_rows
    measures = tuple(measure.name for measure in every() if measure.of_released or whole)
    return Disclosure(
        k=k,
        whole=whole,
        rows=None if left_out is None else result.rows,
        left_out=small_counts.words(left_out, k),
        loss=result.measures.loss if whole else None,
        attribute_loss=result.measures.attribute_loss if whole else {},
        measures=measures,
        result=_told(result, k, measures, is_few=left_out is None),
    )


def rows_left_out(rows: int, k: int, *, persons: int = 0) -> int | None:
    """How many rows were left out, of so many persons where these are told apart; None where they are few."""
    return None if small_counts.mask(persons, k) is None else small_counts.mask(rows, k)


def parts(counts: Sequence[int], k: int, *, whole: int | None = None) -> list[int | None]:
    """The parts of a whole that are told: those hidden, with what is no part of them, are none or k or more together.

    >>> parts([30, 8, 3], 5), parts([30, 8, 3, 4], 5), parts([40], 5, whole=43)
    ([30, None, None], [30, 8, None, None], [None])
    """
    masked = [small_counts.mask(count, k) for count in counts]
    hidden = (sum(counts) if whole is None else whole) - sum(count or 0 for count in masked)
    for at in sorted(range(len(counts)), key=lambda at: counts[at]):
        if 0 < hidden < k and masked[at]:
            hidden, masked[at] = hidden + counts[at], None
    return masked


def _told(result: Result, k: int, measures: Sequence[str], *, is_few: bool) -> Result:
    """A result with nothing in it that is not told; of a measure that is not, not even its name."""
    whole, persons = not result.suppressed_rows, result.persons
    if persons is not None and is_few:
        persons = persons.model_copy(update={"persons": persons.released})
    measured = result.measures.model_dump()
    return Result.model_construct(
        **{name: getattr(result, name) for name in AS_THEY_ARE},
        rows=result.released_rows if is_few else result.rows,
        suppressed_rows=0 if is_few else result.suppressed_rows,
        persons=persons,
        requirement=result.requirement if whole else _requirement(result.requirement),
        measures=Measures.model_construct(**{name: measured[name] for name in measures if name in measured}),
        search=result.search if whole else Search(lattice_nodes=result.search.lattice_nodes),
        class_sizes=_sizes(result.class_sizes, k),
        insight=None if result.insight is None else _insight(result, result.insight, k),
        # One by which every class has k may repeat in rows that were left out alone.
        by_identifier=[each for each in result.by_identifier if whole or not each.holds],
        cleaned=[_cleaned(rule, result, k) for rule in result.cleaned],
        joint=[_joint(pair, result, k) for pair in result.joint],
        joint_together=[_joint(together, result, k) for together in result.joint_together],
        hashes=Hashes(
            job="", program=result.hashes.program, release=result.hashes.release,
            hierarchies={}, statements="", source=None,
        ),
        warnings=[_WARNED] if result.warnings and whole else [],  # a row that was left out may be what they are of
    )  # fmt: skip


def _requirement(required: RequirementReleased) -> RequirementReleased:
    """What was required, without what a class has of a model that compares it with all rows of the source."""
    qids = [
        qid.model_copy(
            update={
                "models": [
                    model.model_copy(update={"achieved": None}) if model.of_source else model for model in qid.models
                ]
            }
        )
        for qid in required.qids
    ]
    return required.model_copy(update={"qids": qids})


def _sizes(sizes: Sequence[SizesSeen], k: int) -> list[SizesSeen]:
    """How many classes there are of which sizes: the number of all is told, too."""
    known = [size.classes if size.classes is not None else 1 for size in sizes]
    masked = parts(known, k)
    return [size.model_copy(update={"classes": count}) for size, count in zip(sizes, masked, strict=True)]


def _insight(result: Result, insight: Insight, k: int) -> Insight:
    columns = [_column(column, result, k) for column in insight.columns]
    before = None if insight.before is None else _before(insight.before, result, k)
    had: dict[str, Any] = {"otherwise": [], "larger_k": None} if result.suppressed_rows else {}
    return insight.model_copy(update={"columns": columns, "before": before, **had})


def _before(before: RiskBefore, result: Result, k: int) -> RiskBefore | None:
    """The risk of the source, its records in steps. That of persons is of all: it is told where no row was left out."""
    if result.persons is not None and result.suppressed_rows:
        return None
    records = max(1, result.released_rows if result.persons is None else result.persons.released)

    def stepped(threshold: ThresholdSeen) -> ThresholdSeen:
        share = _in_steps(round(threshold.records_at_risk * records), records, k) / records
        return threshold.model_copy(update={"records_at_risk": share})

    return before.model_copy(
        update={
            "alone": _in_steps(before.alone or 0, records, k),
            "average": round(before.average, 2),
            "thresholds": [stepped(threshold) for threshold in before.thresholds],
        }
    )


def _column(column: ColumnSeen, result: Result, k: int) -> ColumnSeen:
    """The bars of a column. The rows of a raw value are told in steps: beside those of the generalized value above it,
    which the release has, they would tell how many have the others under it. Nor are they told of persons, of whom
    fewer may have them.
    """
    rows = result.released_rows
    before = [] if result.persons else [count for count in parts(column.frequent, k, whole=rows) if count]
    after = [count for count in parts(column.released_frequent, k, whole=rows) if count]
    steps = [stepped for count in before if (stepped := _in_steps(count, rows, k))]
    return column.model_copy(update={"frequent": steps, "released_frequent": after})


def _in_steps(count: int, whole: int, k: int) -> int:
    """A count of a whole, less what is beyond the last full step of k at least."""
    step = max(k, -(-whole // _STEPS))
    return count // step * step


def _cleaned(rule: CellsCleaned, result: Result, k: int) -> CellsCleaned:
    """How many cells a rule changed: of all rows, so that where some were left out, nothing is told."""
    (cells,) = [None] if result.suppressed_rows else parts([rule.cells or 0], k, whole=result.rows)
    return rule.model_copy(update={"cells": cells})


_Figures = TypeVar("_Figures", Joint, JointTogether)


def _joint(joint: _Figures, result: Result, k: int) -> _Figures:
    """What earlier releases tell together with this one. The rows of either are known to whoever has both, so that
    those in one alone tell each other, and those in both. Counts of several releases would tell others by difference:
    they are told of all together, over one quasi-identifier.
    """
    together = result.joint_together[0] if len(result.requirement.qids) == 1 and result.joint_together else None
    alone = joint is together or (together is not None and len(together.runs) == 1 and len(result.joint) == 1)
    apart = [joint.rows_gone or 0, joint.rows_new or 0, result.released_rows - (joint.rows_new or 0)]
    below = [joint.rows_below or 0, (joint.rows or 0) - (joint.rows_below or 0)]
    known = alone and not few_of(apart, k)
    masked = {
        "k": None if joint.k is None else small_counts.mask(joint.k, k),
        "groups": None,
        "rows": None,
        "rows_below": None if not alone or few_of(below, k) else joint.rows_below,
        "rows_gone": joint.rows_gone if known else None,
        "rows_new": joint.rows_new if known else None,
    }
    return joint.model_copy(update=masked)


def few_of(counts: Sequence[int], k: int) -> bool:
    """Whether a count is from 1 to k - 1."""
    return any(small_counts.mask(count, k) is None for count in counts)
