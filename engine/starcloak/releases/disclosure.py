"""Disclosure of a release: the result for the custodian of the source, and the reduced result for other readers.

The report, the event, the ledger and the notebook's display are all made from the reduced result. This result has
no count of rows from 1 to k - 1, and no two counts with a difference of one. It also has nothing derived from
suppressed rows, because a reader who knows all other rows could try out values: no hash of the source, of its
hierarchies, or of a job or statements with their values, and no search among generalizations of all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from starcloak.base import small_counts
from starcloak.job.changed_cells import CellsCleaned, CellsNonconforming
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.job.result import (
    ColumnSeen,
    Hashes,
    Insight,
    Joint,
    JointTogether,
    Measures,
    ModelReleased,
    RequirementReleased,
    Result,
    RiskBefore,
    RowsAlone,
    Search,
    SizesSeen,
    ThresholdSeen,
)
from starcloak.measures.measure import every
from starcloak.releases import companion

#: Fields of a result shown unchanged, those shown in part, and those not shown.
AS_THEY_ARE = (
    "version", "run", "unchanged", "source", "output", "released_rows", "algorithm", "objective", "domain",
    "importance", "seed", "recoding", "seconds", "memory_limit", "versions", "kept_by_patterns", "roles",
    "decided", "never_given",
)  # fmt: skip
IN_PART = (
    "rows", "suppressed_rows", "k", "persons", "requirement", "measures", "search", "class_sizes", "insight", "cleaned",
    "nonconforming", "joint", "joint_together", "hashes", "warnings", "by_identifier", "joined_rows",
    "companions",
)  # fmt: skip
WITHHELD = ("population", "refresh")
_ROUNDING = 1e-9
_STEPS = 40  # of a bar of raw values, with rows shown in steps
_WARNED = "the run has warnings: the custodian of the source finds them in its result"


@dataclass(frozen=True)
class Disclosure:
    """Facts about a release that its readers may see.

    ``k`` is the largest required k. ``rows`` is the number of rows of the source, or None if the number of suppressed
    rows, or persons, is from 1 to k - 1. ``left_out`` is the number of suppressed rows in words, ``smallest`` the size
    of the smallest class over all quasi-identifiers together. ``whole`` is True if
    no row is suppressed. Otherwise ``loss`` (0 … 1) is None, because it is computed from all rows of the source, and
    ``measures`` names only measures of the released rows. It never names a measure of single values of the source.
    ``result`` is the run's result, reduced to these facts.
    """

    k: int
    whole: bool
    rows: int | None
    left_out: str
    smallest: str
    loss: float | None
    attribute_loss: Mapping[str, float]
    measures: tuple[str, ...]
    result: Result


def disclosure_of(result: Result) -> Disclosure:
    """The facts about a release that its readers may see, from its full result."""
    k = max(qid.k for qid in result.requirement.qids)
    persons = None if result.persons is None else result.persons.persons - result.persons.released
    told, smallest = smallest_shown(result.k, k, of_persons=persons is not None), "none"
    if result.k is not None:
        smallest = f"{small_counts.words(told, k)} {result.counted}"
    left_out = rows_left_out(result.suppressed_rows, k, persons=persons)
    whole = not result.suppressed_rows
    measures = tuple(
        measure.name for measure in every() if (measure.of_released or whole) and not measure.of_source_values
    )
    return Disclosure(
        k=k,
        whole=whole,
        rows=None if left_out is None else result.rows,
        left_out="not shown" if persons is not None and left_out is None else small_counts.words(left_out, k),
        smallest=smallest,
        loss=result.measures.loss if whole else None,
        attribute_loss=result.measures.attribute_loss if whole else {},
        measures=measures,
        result=_told(result, k, measures, is_few=left_out is None),
    )


def rows_left_out(rows: int, k: int, *, persons: int | None = None) -> int | None:
    """The number of suppressed ``rows``, or None if this number is from 1 to k - 1.

    ``persons`` is the number of persons without a released row, if persons are counted. The result is then None if this
    number is below k: the rows may be those of one person, who may have released rows, too.
    """
    return None if rows and persons is not None and persons < k else small_counts.mask(rows, k)


def smallest_shown(smallest: int | None, k: int, *, of_persons: bool) -> int | None:
    """The size of the smallest class over all quasi-identifiers together, or None if this is not shown.

    With several quasi-identifiers, it may be from 1 to k - 1. A reader counts the rows of such a class, but not its
    persons. It is None, too, for a release without rows.
    """
    return small_counts.mask(smallest, k) if of_persons and smallest is not None else smallest


def parts(counts: Sequence[int], k: int, *, whole: int | None = None) -> list[int | None]:
    """The counts to show, None for each hidden count: those from 1 to k - 1, and more if a reader could subtract.

    ``counts`` are parts of ``whole``, by default of their sum. The total of all that is not shown is 0 or at least k.

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
    """A copy of a result with the content for readers alone; ``measures`` are the names of the measures to keep.

    ``is_few`` is True if the number of suppressed rows or persons has to be hidden.
    """
    whole, persons = not result.suppressed_rows, result.persons
    if persons is not None and is_few:
        persons = persons.model_copy(update={"persons": persons.released})
    measured = result.measures.model_dump()
    return Result.model_construct(
        **{name: getattr(result, name) for name in AS_THEY_ARE},
        rows=result.released_rows if is_few else result.rows,
        suppressed_rows=0 if is_few else result.suppressed_rows,
        k=smallest_shown(result.k, k, of_persons=persons is not None),
        persons=persons,
        requirement=_requirement(result),
        measures=Measures.model_construct(**{name: measured[name] for name in measures if name in measured}),
        search=result.search if whole else Search(lattice_nodes=result.search.lattice_nodes),
        class_sizes=_sizes(result.class_sizes, k),
        insight=None if result.insight is None else _insight(result, result.insight, k),
        # One by which every class has k may repeat in rows that were left out alone.
        by_identifier=[qid for qid in result.by_identifier if whole or not qid.holds],
        joined_rows=[_joined(joined) for joined in result.joined_rows],
        cleaned=[_cleaned(rule, result) for rule in result.cleaned],
        nonconforming=[_cleaned(column, result) for column in result.nonconforming],
        joint=[_joint(pair, result, k) for pair in result.joint],
        joint_together=[_joint(together, result, k) for together in result.joint_together],
        companions=companion.disclosed(result.companions, k),
        hashes=Hashes(
            job="", program=result.hashes.program, release=result.hashes.release,
            hierarchies={}, statements="", source=None,
        ),
        warnings=[_WARNED] if result.warnings and whole else [],  # they may be about a suppressed row
    )  # fmt: skip


def _requirement(result: Result) -> RequirementReleased:
    """The requirement with the figures of its models, if readers may see these.

    If any row is suppressed, it has no data values, and no achieved values of models that compare with the source. If
    persons are counted, it has no achieved value: the value may be a share of fewer than k persons, and a reader counts
    rows only.
    """
    whole, persons = not result.suppressed_rows, result.persons is not None

    def told(model: ModelReleased) -> ModelReleased:
        hides = persons or (model.of_source and not whole)
        return model.model_copy(
            update={
                "required": model.required if whole else model.told,
                "achieved": None if hides else model.achieved,
            }
        )

    qids = [qid.model_copy(update={"models": [told(model) for model in qid.models]}) for qid in result.requirement.qids]
    return result.requirement.model_copy(update={"qids": qids})


def _sizes(sizes: Sequence[SizesSeen], k: int) -> list[SizesSeen]:
    """Numbers of classes per range of sizes, with small numbers hidden (None).

    The reader also knows the number of all classes, so the hidden numbers add up to 0 or at least k.
    """
    counts = [size.classes if size.classes is not None else 1 for size in sizes]
    masked = parts(counts, k)
    return [size.model_copy(update={"classes": count}) for size, count in zip(sizes, masked, strict=True)]


def _insight(result: Result, insight: Insight, k: int) -> Insight:
    columns = [_column(column, result, k) for column in insight.columns]
    before = None if insight.before is None else _before(insight.before, result, k)
    had: dict[str, Any] = {"otherwise": [], "larger_k": None} if result.suppressed_rows else {}
    if result.persons is not None:
        thresholds = _thresholds_of_persons(insight.thresholds, result.persons.released, k)
        had |= {"thresholds": thresholds, "average_risk": None}
    return insight.model_copy(update={"columns": columns, "before": before, **had})


def _thresholds_of_persons(thresholds: Sequence[ThresholdSeen], persons: int, k: int) -> list[ThresholdSeen]:
    """The thresholds with their shares of ``persons``, None for each share that reveals a small number of persons.

    A reader counts the rows of a class, and not its persons. Persons above a threshold are among those above a higher
    threshold. So neither a number of persons nor the difference of two such numbers is from 1 to k - 1.
    """
    shown, last = [], 0
    for threshold in sorted(thresholds, key=lambda threshold: threshold.k):
        counted = round((threshold.records_at_risk or 0) * persons)
        hides = small_counts.mask_part(counted, persons, k) is None or small_counts.mask(counted - last, k) is None
        last = last if hides else counted
        shown.append(threshold.model_copy(update={"records_at_risk": None}) if hides else threshold)
    return shown


def _before(before: RiskBefore, result: Result, k: int) -> RiskBefore | None:
    """The re-identification risk of the source's records, with counts rounded down (see :func:`_in_steps`).

    If the smallest class of the source has fewer than k records, its size is not shown: the highest risk is None, and
    so is a rounded count of 0 of records in classes of fewer than k, or of unique records. Then a reader learns only
    that the highest risk is above 1/k; otherwise it is 1/k, as an upper bound. An average that reveals 1 to k - 1
    classes, or records beside one per class, is None.
    If persons are counted, the risk is over all persons, also suppressed ones; so it is None if any row is suppressed.
    It then has no average: the average over few persons reveals the number of persons in each class.
    """
    if result.persons is not None and result.suppressed_rows:
        return None
    records = max(1, result.released_rows if result.persons is None else result.persons.released)
    is_above = before.highest is None or before.highest * k > 1 + _ROUNDING

    def stepped(threshold: ThresholdSeen) -> ThresholdSeen:
        share = _in_steps(round((threshold.records_at_risk or 0) * records), records, k) / records
        if is_above and threshold.k < k and not share:
            return threshold.model_copy(update={"holds": False, "records_at_risk": None})
        return threshold.model_copy(update={"records_at_risk": share})

    alone, classes = _in_steps(before.alone or 0, records, k), round((before.average or 0) * records)
    hides_average = result.persons is not None or small_counts.mask_part(classes, records, k) is None

    return before.model_copy(
        update={
            "alone": None if is_above and not alone else alone,
            "highest": None if is_above else 1 / k,
            "average": None if hides_average else round(before.average or 0, 2),
            "thresholds": [stepped(threshold) for threshold in before.thresholds],
        }
    )


def _column(column: ColumnSeen, result: Result, k: int) -> ColumnSeen:
    """Row counts of a column's most frequent values, as bars of a chart, before and after generalization.

    Counts of source values are rounded down (see :func:`_in_steps`). The release has the exact count of the
    generalized value above them; by subtraction, exact counts would reveal the count of the remaining values beneath
    it. If persons are counted, no count of source values is shown, because fewer than k persons may have these rows.
    """
    rows = result.released_rows
    before = [] if result.persons else [count for count in parts(column.frequent, k, whole=rows) if count]
    after = [count for count in parts(column.released_frequent, k, whole=rows) if count]
    steps = [stepped for count in before if (stepped := _in_steps(count, rows, k))]
    return column.model_copy(update={"frequent": steps, "released_frequent": after})


def _in_steps(count: int, whole: int, k: int) -> int:
    """A count, rounded down to a multiple of a step: a 40th of ``whole`` rounded up, but at least k."""
    step = max(k, -(-whole // _STEPS))
    return count // step * step


_Cells = TypeVar("_Cells", CellsCleaned, CellsNonconforming)


def _cleaned(counted: _Cells, result: Result) -> _Cells:
    """Changed cells without their number: 0 if there are none, else None; None, too, if any row is suppressed.

    A reader could subtract a number of changed cells from cells of the release, and so find a small number of other
    cells with the same label, or of changed cells beneath a coarser label. The number is over all rows of the source,
    including suppressed rows.
    """
    cells = 0 if counted.cells == 0 and not result.suppressed_rows else None
    return counted.model_copy(update={"cells": cells, "missing": None})


_Figures = TypeVar("_Figures", Joint, JointTogether)


def _joint(joint: _Figures, result: Result, k: int) -> _Figures:
    """Joint k of this release with earlier ones (see the result), with counts masked for readers.

    A reader with two releases knows the number of rows of each. Then one count, of rows in one release only or in both,
    reveals the other counts. Differences between the counts of several pairs of releases reveal more. So counts are
    shown only for all releases together, and only if the requirement has one quasi-identifier. A figure is exact if no
    row changed, suppressed rows included: with these, every figure is an estimate for a reader.

    If persons are counted, k rows or more may be those of one person. So no count of rows is shown if a group has
    fewer than k persons.
    """
    together = result.joint_together[0] if len(result.requirement.qids) == 1 and result.joint_together else None
    alone = joint is together or (together is not None and len(together.runs) == 1 and len(result.joint) == 1)
    counts = [joint.rows_gone or 0, joint.rows_new or 0, result.released_rows - (joint.rows_new or 0)]
    below = [joint.rows_below or 0, (joint.rows or 0) - (joint.rows_below or 0)]
    alone = alone and (result.persons is None or (joint.k or 0) >= k)
    is_known = alone and not few_of(counts, k)
    masked = {
        "exact": joint.exact and not result.suppressed_rows,
        "k": None if joint.k is None else small_counts.mask(joint.k, k),
        "groups": None,
        "rows": None,
        "rows_below": None if not alone or few_of(below, k) else joint.rows_below,
        "rows_gone": joint.rows_gone if is_known else None,
        "rows_new": joint.rows_new if is_known else None,
    }
    return joint.model_copy(update=masked)


def _joined(joined: JoinedRows) -> JoinedRows:
    """K of joined rows for readers: without the counts of persons per key (a set of columns that joins rows).

    The difference of two such counts would reveal a third count. A k from 1 to the required k - 1 is masked (None).
    """

    def masked(k: int | None) -> int | None:
        return None if k is None else small_counts.mask(k, joined.required_k)

    keys = [
        key.model_copy(update={"k": masked(key.k), "persons_alone": None, "persons_below": None}) for key in joined.keys
    ]
    return joined.model_copy(update={"k": masked(joined.k), "keys": keys})


def few_of(counts: Sequence[int], k: int) -> bool:
    """True if any count is from 1 to k - 1."""
    return any(small_counts.mask(count, k) is None for count in counts)


#: The k of EMA Policy 0070, for public data.
PUBLIC = 11


#: The reason for a decision on unchanged columns.
MOST_ALONE = "most rows are unique by the quasi-identifiers and these unchanged columns together"

#: The beginning of the decision on proposed roles.
CONFIRM = "Read the role of each column and confirm it in the job"


def verdict(result: Result, *, published: bool = True, joint_below: bool = False) -> str:
    """The verdict on a verified release in words: the achieved k, and the limits of this guarantee.

    If ``published`` is False, the text is about a release that a run would make. ``joint_below`` is True if joint k
    with the earlier releases of the source is below k.
    """
    qids = result.requirement.qids
    subject = "The release" if published else "The release that a run would make"
    if not result.released_rows:
        return f"{subject} has no rows, as no row could be released."
    but = [f"But {identifier.sentence(several=len(result.by_identifier) > 1)}." for identifier in _repeating(result)]
    but += [
        f"But {joined.sentence(several=len(qids) > 1)}."
        for joined in result.joined_rows
        if joined.is_below or joined.not_counted
    ]
    if joint_below:
        but.append("But a reader who also has earlier releases of the source finds smaller groups: joint k is below k.")
    if len(qids) == 1:
        unit, others = result.counted.removesuffix("s"), (qids[0].achieved_k or 1) - 1
        sentence = (
            f"{subject} is {qids[0].achieved_k}-anonymous: every {unit} agrees with at least {others} "
            f"other{'' if others == 1 else 's'} in all {len(qids[0].attributes)} quasi-identifiers, the columns that "
            f"others may know of a person. The job requires k = {qids[0].k}."
        )
    else:
        kinds = (f"{qid.achieved_k}-anonymous over {', '.join(qid.attributes)} (required k = {qid.k})" for qid in qids)
        sentence = f"{subject} is {'; '.join(kinds)}."
    return " ".join([sentence, *but])


def next_step(result: Result, *, joint_below: bool = False) -> str:
    """The most important next step, in words, for the person responsible for a release.

    ``joint_below`` is True if joint k with the earlier releases of the source is below k.
    """
    if not result.released_rows:
        return "Weaken the requirement, or read the reason with starcloak explain."
    if joint_below:
        return f"Do not give this release to anyone who may have the earlier ones.{_for_the_same_readers(result)}"
    if repeating := _repeating(result):
        named = repeating[0].identifier
        return (
            f"Find out if {named!r} identifies persons. If it or another column does, such as the number of a patient, "
            "put that column under person and run again."
        )
    if joined := next((joined for joined in result.joined_rows if joined.is_warned), None):
        named = ", ".join(repr(name) for name in _joining(joined))
        return (
            f"Put columns that join rows of one person under identifiers or quasi_identifiers, and run again: {named}."
        )
    insight = result.insight
    if insight is not None and insight.alone is not None and insight.alone.most:
        columns = _exposing(result, insight.alone)
        return (
            f"Decide if a reader may know {columns} of a person: {MOST_ALONE}. If so, put these columns under "
            "quasi_identifiers or identifiers, and run again."
        )
    if result.decided and set(result.decided.values()) == {"proposed"}:
        unchanged = ", ".join([name for role in ("keep", "sensitive") for name in result.roles.get(role, [])][:3])
        start = f" Begin with the columns that are released unchanged: {unchanged}." if unchanged else ""
        return (
            f"{CONFIRM}, by removing its line under drafted: the program proposed every role, and nobody has changed "
            f"one.{start}"
        )
    if insight is not None and (first := [*insight.remarks, *insight.left_out, *insight.otherwise][:1]):
        return f"Decide on this remark: {first[0]}."
    if (result.k or 0) < PUBLIC:
        sentence = (
            "Give the release only to recipients who are bound by an agreement. For data that everybody may read, k "
            f"= {PUBLIC} or more is customary."
        )
        larger = None if insight is None else insight.larger_k
        return sentence if larger is None else f"{sentence} Here {larger}."
    return "Check that the quasi-identifiers are all columns that others may know of a person. Then sign."


def _for_the_same_readers(result: Result) -> str:
    """Advice, by the job of a release, on further releases for readers of the earlier ones."""
    sentences = []
    if not any(joint.required for joint in result.joint):
        sentences.append(" A run refuses such a release if the job names the earlier ones under against.")
    if result.refresh is None:
        persons = [] if result.persons is None else result.persons.told_by
        columns = persons[0] if len(persons) == 1 else f"[{', '.join(persons)}]"
        as_set = f", person: {{column: {columns}, as: set}}" if persons else ""
        sentences.append(
            " Releases that protect each other begin with refresh: first, and go on with refresh: true; their job has "
            f"algorithm: sweep{as_set} and k as the only requirement."
        )
    return "".join(sentences)


def _exposing(result: Result, alone: RowsAlone) -> str:
    """Up to three columns released unchanged that make rows unique together with the quasi-identifiers, as a text.

    Columns of the smallest such sets come first, if these sets are known.
    """
    generalized = {name for qid in result.requirement.qids for name in qid.attributes}
    named = dict.fromkeys(name for names in alone.sets or [alone.columns] for name in names)
    return ", ".join([name for name in named if name not in generalized][:3])


def is_joint_below(result: Result) -> bool:
    """True if joint k with earlier releases of the source is below k."""
    return any(joint.is_below for joint in (*result.joint_together, *result.joint))


def _joining(joined: JoinedRows) -> list[str]:
    """Columns by which a reader can join several rows of a person, with k of joined rows below k.

    These are the columns that suffice alone; if there is none, all columns used together.
    """
    singly = [key.columns[0] for key in joined.keys if len(key.columns) == 1]
    return singly or joined.columns


def _repeating(result: Result) -> list[ByIdentifier]:
    return [identifier for identifier in result.by_identifier if not identifier.holds]


def worst(together: JointTogether, pairs: list[Joint], most: int = 2) -> list[Joint]:
    """Up to ``most`` earlier releases that have the most rows below k together with the new release.

    ``pairs`` has joint k of the new release with one earlier release each. Only releases counted in ``together`` are
    returned, in descending order of rows below k.
    """
    below = [
        pair for pair in pairs if pair.run in together.runs and pair.attributes == together.attributes and pair.is_below
    ]
    return sorted(below, key=lambda pair: (-(pair.rows_below or 0), pair.k or 0))[:most]
