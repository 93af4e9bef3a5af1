"""Insight: comparison of a release with its source, with remarks on points to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starcloak.companions.insight.alternatives import otherwise
from starcloak.job import Job
from starcloak.job.result import ColumnSeen, Insight, RiskBefore
from starcloak.releases import release_measures
from starcloak.releases.companion import register
from starcloak.releases.proposal import Proposal
from starcloak.releases.release_measures import risk_before, rows_that_stay, thresholds
from starcloak.releases.run import Addition, Claims, Companion, Run
from starcloak.star.recoding.recoding import RECODING, Recoding
from starcloak.star.star import Star
from starcloak.star.working_tables import sensitive_columns
from starcloak.statements.statement import Hole, Joined, Name, Number, Statement, lines, union_all
from starcloak.store.source import Source
from starcloak.verify.classes import SIZE, STAGED, ExposedRecords, Sizes, value
from starcloak.verify.recount import Reading

_MANY = 100  # values of a column of dates or codes, which are then those of persons
_TOGETHER = 32  # columns that one statement counts
_MOST = 24  # values of a column with shown rows


@register
class InsightCompanion(Companion):
    """Adds remarks on the release to the result of a run. The job's key ``insight: off`` disables this companion."""

    name = "insight"
    order = 30
    keys = ("insight",)

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return job.insight == "auto"

    def claims(self, run: Run, source: Source) -> Claims:
        """Sensitive columns to count per class: the verifier then finds classes with a single value in its
        one reading.
        """
        if not run.job.sensitive or source.combinations is not None:
            return Claims()
        from starcloak.companions.insight import kept_columns

        rows = run.proposal.star.rows - run.proposal.recoding.suppressed
        return Claims(looked_at=kept_columns.looked_at(source, run.job.sensitive, rows))

    def examine(self, run: Run, reading: Reading) -> Addition:
        if run.proposal.source.combinations is not None:
            return Addition()
        return Addition(fields={"insight": insight(run, reading)})


def insight(run: Run, reading: Reading) -> Insight:
    """Return the insight of a verified release: figures per column, risk, and remarks on points to review."""
    store, job, proposal, sizes = run.store, run.job, run.proposal, run.sizes
    k, used = job.required.largest_k, proposal.recoding.levels_in_use
    heights = {dimension.attribute: dimension.height for dimension in proposal.star.dimensions}
    exposure = sizes.exposure if reading.persons is None else reading.persons.exposure
    summary = _columns_seen(proposal.recoding, sizes, exposure, k=k)
    cells_at = {column.attribute: _without_missing(column, used[column.attribute]) for column in summary.columns}
    lost = [n for n, height in heights.items() if cells_at[n] == (height,) and job.quasi_identifiers[n].to is None]
    lost += [n for n in release_measures.columns_at_top(job, proposal.star.dimensions, used) if n not in lost]
    alternatives, larger = otherwise(
        proposal.star, proposal.recoding, proposal.search, sizes, allowed=proposal.allowed, job=job
    )
    summary = summary.model_copy(
        update={
            "average_risk": reading.average_risk,
            "before": _risk_before(job, proposal, k) if sizes.counted else None,
            "remarks": _finely_shown(job, summary),
            "otherwise": [*(_lost_columns(lost) if sizes.counted else []), *alternatives],
            "larger_k": larger,
        }
    )
    if not reading.claim.source.kept:
        return summary
    from starcloak.companions.insight import kept_columns  # which runs with k alone do not need

    changed = [d.attribute for d in proposal.star.dimensions if not d.keeps(used[d.attribute])]
    remark = kept_columns.look_at(store, reading, generalized=changed, k=k)
    more = {"remarks": [*remark.remarks, *summary.remarks], "otherwise": [*remark.of_source, *summary.otherwise]}
    return summary.model_copy(update={"alone": remark.alone, "left_out": remark.left_out, **more})


def _without_missing(column: ColumnSeen, levels: tuple[int, ...]) -> tuple[int, ...]:
    """Levels of a column's cells.

    Level 0 is omitted if its only cells are missing values and other cells are generalized.
    """
    return tuple(level for level in levels if level or column.values_at_lowest or len(levels) == 1)


def _risk_before(job: Job, proposal: Proposal, k: int) -> RiskBefore:
    persons = sensitive_columns(job.required.reads, job.persons)
    alone = job.class_column is None and not job.required.reads
    released = proposal.recoding if proposal.recoding.suppressed else None
    return risk_before(proposal.star, k=k, released=released, persons=persons, of_values=alone)


def _columns_seen(recoding: Recoding, sizes: Sizes, exposure: ExposedRecords, *, k: int) -> Insight:
    """Figures of each quasi-identifier before and after generalization, and numbers of records at risk thresholds.

    ``sizes`` are the class sizes in rows; ``exposure`` counts records (rows, or persons if k counts persons) by class
    size. No figure is a count from 1 to k - 1.
    """
    # Of the rows that stay: beside those of the release, all rows of the source would reveal the suppressed ones.
    star = recoding.star
    count = len(star.dimensions)
    values_before, stayed = rows_that_stay(recoding)
    statement = [_grouped(values_before, stayed, Name("frequency"))]
    as_they_are = _values_at_lowest(star)
    if sizes.counted:  # of a release without rows nothing is at hand
        statement.append(_grouped([value(at) for at in range(count)], STAGED, SIZE, first=count))
    frequent = Statement("companions/insight/frequent", values=union_all(statement))
    frequencies = star.session.run(frequent, {"most": _MOST, "least": k})
    figures = {at: (values, list(rows)) for at, values, rows in frequencies}
    seen = []
    for at, dimension in enumerate(star.dimensions):
        values, most_rows = figures.get(at, (0, []))
        released, most_released = figures.get(count + at, (0, []))
        seen.append(
            ColumnSeen(
                attribute=dimension.attribute,
                values=values,
                released_values=released,
                values_at_lowest=as_they_are[at],
                frequent=most_rows,
                released_frequent=most_released,
            )
        )
    return Insight(columns=seen, thresholds=thresholds(exposure))


def _values_at_lowest(star: Star) -> list[int]:
    """Number of distinct values of each attribute with cells at the lowest allowed level.

    Missing values do not count.
    """
    counted = [
        Statement(
            "companions/insight/unchanged_values",
            position=Number(dimension.position),
            code=Name(f"code_{dimension.position}"),
            level=Name(f"level_{dimension.position}"),
            recoding=RECODING,
            key=Name(dimension.key),
            table=dimension.table,
        )
        for dimension in star.dimensions
    ]
    unchanged: dict[int, int] = {}
    for begin in range(0, len(counted), _TOGETHER):  # each needs memory of its own
        unchanged |= dict(star.session.run(union_all(counted[begin : begin + _TOGETHER])))
    return [unchanged[dimension.position] for dimension in star.dimensions]


def _grouped(values: Sequence[Name], groups: Hole, rows: Name, *, first: int = 0) -> Statement:
    """Statement for the values of columns with their numbers of rows.

    ``groups`` are grouped rows, ``rows`` is the column with a group's number of rows, and ``first`` is the number given
    to the first column.
    """
    places = (
        Statement("companions/insight/frequent#place", value=column, place=Number(place))
        for place, column in enumerate(values, first)
    )
    sets = (Statement("companions/insight/frequent#value", value=column) for column in values)
    holes: dict[str, Hole] = {"places": lines(places), "values": Joined(tuple(sets), ", ")}
    return Statement("companions/insight/frequent#grouped", groups=groups, rows=rows, **holes)


def _lost_columns(names: Sequence[str]) -> list[str]:
    """Remark on quasi-identifiers generalized to ``*`` in every row. ``names`` may be empty: then no remark."""
    if not names:
        return []
    word, them = ("columns", "them") if len(names) > 1 else ("column", "it")
    named = ", ".join(map(repr, names))
    return [
        f"{word} {named} became * in every row: leave {them} out, or give {them} an importance of 2 or more so that "
        f"the search spares {them}"
    ]


def _finely_shown(job: Job, summary: Insight) -> list[str]:
    """Remarks on quasi-identifiers with many full dates or codes in the release, unless the job sets a
    lowest level.
    """
    kinds = ((column, job.quasi_identifiers[column.attribute]) for column in summary.columns)
    return [
        f"column {column.attribute!r} shows {kind.finds_people_by}, with {column.values_at_lowest:,} values: exact "
        "values such as a day of birth or a full postcode help to find people in other registers, whatever k is; to "
        "remove them, write from: 1 or higher in its hierarchy"
        for column, kind in kinds
        if kind.finds_people_by is not None and kind.from_ is None and (column.values_at_lowest or 0) >= _MANY
    ]
