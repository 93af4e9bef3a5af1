"""The insight of a release, from its star, its recoding and the verifier's reading."""

from __future__ import annotations

from starcloak.insight.release_summary import finely_shown, insight_of, lost_columns, otherwise, risk_before
from starcloak.job import Job
from starcloak.job.result import ColumnSeen, Insight, RiskBefore
from starcloak.releases import nonconforming_cells
from starcloak.releases.proposal import Proposal
from starcloak.releases.run import Run
from starcloak.store.relations import sensitive_columns
from starcloak.verify.recount import Reading


def insight(run: Run, reading: Reading) -> Insight:
    """Insight of a verified release: its columns and classes, its risk, remarks on it."""
    store, job, proposal, sizes = run.store, run.job, run.proposal, run.sizes
    k, used = job.required.largest_k, proposal.recoding.levels_in_use
    heights = {dimension.attribute: dimension.height for dimension in proposal.star.dimensions}
    exposure = sizes.exposure if reading.persons is None else reading.persons.exposure
    summary = insight_of(proposal.star, sizes, exposure, k=k)
    cells_at = {column.attribute: _without_missing(column, used[column.attribute]) for column in summary.columns}
    lost = [n for n, height in heights.items() if cells_at[n] == (height,) and job.quasi_identifiers[n].to is None]
    lost += [n for n in nonconforming_cells.all_top(job, proposal.star.dimensions, used) if n not in lost]
    alternatives, larger = otherwise(
        proposal.star, proposal.recoding, proposal.search, sizes, allowed=proposal.allowed, job=job
    )
    summary = summary.model_copy(
        update={
            "average_risk": reading.average_risk,
            "before": _risk_before(job, proposal, k) if sizes.counted else None,
            "remarks": _finely_shown(job, summary),
            "otherwise": [*(lost_columns(lost) if sizes.counted else []), *alternatives],
            "larger_k": larger,
        }
    )
    if not reading.claim.source.kept:
        return summary
    from starcloak.insight import kept_columns  # which runs with k alone do not need

    changed = [d.attribute for d in proposal.star.dimensions if not d.keeps(used[d.attribute])]
    remark = kept_columns.look_at(store, reading, generalized=changed, k=k)
    more = {"remarks": [*remark.remarks, *summary.remarks], "otherwise": [*remark.of_source, *summary.otherwise]}
    return summary.model_copy(update={"alone": remark.alone, "left_out": remark.left_out, **more})


def _without_missing(column: ColumnSeen, levels: tuple[int, ...]) -> tuple[int, ...]:
    """The levels of a column's cells, but for level 0 if only missing values are there beside others above."""
    return tuple(level for level in levels if level or column.values_at_lowest or len(levels) == 1)


def _risk_before(job: Job, proposal: Proposal, k: int) -> RiskBefore:
    persons = sensitive_columns(job.required.reads, job.persons)
    alone = job.class_column is None and not job.required.reads
    return risk_before(proposal.star, k=k, whole=not proposal.recoding.suppressed, persons=persons, of_values=alone)


def _finely_shown(job: Job, summary: Insight) -> list[str]:
    """Remarks on columns with whole dates or codes in the release, if the job sets no lowest level for them."""
    kinds = ((column, job.quasi_identifiers[column.attribute]) for column in summary.columns)
    return finely_shown(
        (column.attribute, kind.finds_people_by, column.values_at_lowest or 0)
        for column, kind in kinds
        if kind.finds_people_by is not None and kind.from_ is None
    )
