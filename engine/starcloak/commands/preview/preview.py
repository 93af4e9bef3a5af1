"""Preview of a job's release: searched and verified, beside the source, and not published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from starcloak.base import frames
from starcloak.commands.comparison.compare import Variants
from starcloak.commands.preview.result import ColumnPreview, Correlation, Distribution, Preview, TuplePreview
from starcloak.commands.preview.source_recoding import by_source
from starcloak.job import Job
from starcloak.releases import release_measures
from starcloak.releases.proposal import Clock, Proposal
from starcloak.releases.stage import prove
from starcloak.star.recoding.recoding import cell
from starcloak.star.star import Dimension
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.verify.classes import STAGED, class_sizes

_TUPLES = Name("previewed")
_CORRELATED = 10  # quasi-identifiers: of a million tuples a pair takes a tenth of a second


def preview(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    sample: int = 50,
    values: int = 12,
    resources: Resources = Resources(),
) -> Preview:
    """Preview the release of a job beside its source. Reads the source, publishes nothing.

    ``sample`` is the largest number of tuples listed, ``values`` of frequent values per quasi-identifier.

    Raises as :func:`~starcloak.commands.pipeline.run` does.
    """
    with Variants.of_run(job, frame, resources) as variants:
        loaded = variants.job
        proposal = variants.propose()
        measured = release_measures.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
        variants.store.create(_TUPLES, _tuples(variants.store, proposal))
        reading = prove(variants.store, loaded, proposal, Clock(), variants.goal)
        classes, suppressed = reading.counts.classes, proposal.recoding.suppressed
        measures = release_measures.complete_measures(
            measured, classes, k=loaded.k, rows=proposal.star.rows, suppressed=suppressed
        )
        dimensions = proposal.star.dimensions
        return Preview(
            source=variants.opened.label,
            algorithm=loaded.algorithm.name,
            rows=proposal.star.rows,
            released_rows=classes.rows,
            suppressed_rows=suppressed,
            k=reading.smallest,
            loss=measures["loss"],
            levels=proposal.recoding.hierarchy_levels,
            changes=_sampled(variants.store, dimensions, sample),
            left_out=_sampled(variants.store, dimensions, sample, left_out=True),
            columns=[_column(variants.store, dimension, values) for dimension in dimensions],
            correlations=[_correlation(variants.store, pair) for pair in _pairs(proposal)],
            class_sizes=class_sizes(variants.store, STAGED).counted,
        )


def _tuples(store: Session, proposal: Proposal) -> Statement:
    star, ranged = proposal.star, proposal.recoding.ranged
    recoding, before = by_source(store, proposal.recoding)
    joins = (
        Statement("star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}"))
        for d in star.dimensions
    )
    moved = (
        Statement(
            "commands/preview/tuples#moved",
            level=Name("recoding", f"level_{d.position}"),
            beneath=Number(d.beneath),
            height=Number(max(1, d.hierarchy_height)),
        )
        for d in star.dimensions
    )
    return Statement(
        "commands/preview/tuples",
        before=columns(
            As(value, Name(f"before_{d.position}")) for d, value in zip(star.dimensions, before, strict=True)
        ),
        after=columns(As(cell(d, "recoding", ranged), Name(f"after_{d.position}")) for d in star.dimensions),
        moved=Joined(tuple(moved), " + "),
        recoding=recoding,
        members=lines(joins),
    )


def _sampled(store: Session, dimensions: Sequence[Dimension], most: int, left_out: bool = False) -> list[TuplePreview]:
    names = [dimension.attribute for dimension in dimensions]
    cells = Joined(tuple(Name(f"{side}_{d.position}") for side in ("before", "after") for d in dimensions), ", ")
    holes: dict[str, Hole] = {"cells": cells, "tuples": _TUPLES}
    largest = Statement("commands/preview/tuples#largest", **holes)
    rows = store.run(Statement("commands/preview/tuples#left_out", **holes) if left_out else largest, {"most": most})
    return [
        TuplePreview(
            before=dict(zip(names, row, strict=False)),
            after=None if left_out else dict(zip(names, row[len(names) :], strict=False)),
            rows=row[-1],
        )
        for row in rows
    ]


def _column(store: Session, dimension: Dimension, most: int) -> ColumnPreview:
    before, after = (
        _distribution(store, Name(f"{side}_{dimension.position}"), most, everything=side == "before")
        for side in ("before", "after")
    )
    return ColumnPreview(dimension.attribute, before, after)


def _distribution(store: Session, value: Name, most: int, *, everything: bool) -> Distribution:
    statement = Statement("commands/preview/tuples#distribution", value=value, tuples=_TUPLES)
    rows = list(store.run(statement, {"most": most, "all": everything}))
    return Distribution(rows[0][2] if rows else 0, [(read, count) for read, count, _ in rows])


def _pairs(proposal: Proposal) -> Iterable[tuple[Dimension, Dimension]]:
    """Pairs of the first ten quasi-identifiers, for correlations; empty if a value may be recoded to several values."""
    dimensions = proposal.star.dimensions
    global_model = proposal.recoding.model in ("full-domain", "single-dimension")
    one_each = global_model or not any(dimension.height for dimension in dimensions)
    return combinations(dimensions[:_CORRELATED], 2) if one_each else ()


def _correlation(store: Session, pair: tuple[Dimension, Dimension]) -> Correlation:
    first, second = pair

    def of(side: str) -> float | None:
        statement = Statement(
            "commands/preview/tuples#correlation",
            one=Name(f"{side}_{first.position}"),
            other=Name(f"{side}_{second.position}"),
            tuples=_TUPLES,
        )
        correlation: float | None = store.row(statement, {"all": side == "before"})[0]
        return correlation

    return Correlation((first.attribute, second.attribute), of("before"), of("after"))
