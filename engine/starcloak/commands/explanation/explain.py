"""Explanation of a job's release: its lower neighbours in the lattice are counted, weaker requirements tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

from starcloak.base import frames, small_counts
from starcloak.base.errors import RefusedRelease
from starcloak.commands.comparison.compare import Variants
from starcloak.commands.explanation.result import Cost, Explanation, Lower, Violation, Weaker
from starcloak.job import Job
from starcloak.privacy.requirement import Requirement
from starcloak.releases import release_measures
from starcloak.releases.proposal import Clock, Proposal
from starcloak.releases.stage import prove
from starcloak.search.lattice import full_domain, lattice
from starcloak.search.lattice.full_domain import Projection
from starcloak.star import frequency_sets
from starcloak.star.recoding.full_domain import leave_out, recode
from starcloak.star.recoding.recoding import OUTLIERS, RECODING
from starcloak.star.star import Node
from starcloak.statements.statement import Name, Statement, columns
from starcloak.store.resources import Resources

_COUNTED, _WITHOUT = Name("explained"), Name("explained_without")
_MORE = Decimal("0.01")  # of the rows


def explain(
    job: Job | Mapping[str, Any] | str | Path,
    *,
    frame: frames.Frame | None = None,
    resources: Resources = Resources(),
) -> Explanation:
    """Explain the levels and the loss of a job's release. Reads the source, writes nothing.

    With ``refresh``, this is the release that continues the last one in the output place, and no weaker requirement is
    tried: it would not change the cells of rows that were released before.

    Raises as :func:`~starcloak.commands.pipeline.run` does.
    """
    with Variants.of_run(job, frame, resources) as variants:
        with variants.undone():
            explanation = _explanation(variants, variants.job)
        if variants.job.refresh:
            return explanation
        return explanation.model_copy(update={"weaker": _weaker(variants, variants.job)})


def _explanation(variants: Variants, job: Job) -> Explanation:
    proposal = variants.propose()
    measured = release_measures.measure_recoding(proposal.star, ranged=proposal.recoding.ranged)
    with variants.undone():
        classes = prove(variants.store, job, proposal, Clock(), variants.goal).counts.classes
    suppressed = proposal.recoding.suppressed
    measures = release_measures.complete_measures(
        measured, classes, k=job.k, rows=proposal.star.rows, suppressed=suppressed
    )
    required = job.required.over(proposal.star.domains)
    heights = proposal.star.hierarchy_heights
    is_full_domain = proposal.recoding.model == "full-domain" and not job.as_set
    lower = _lower(variants, job, proposal, required) if is_full_domain else []
    return Explanation(
        source=variants.opened.label,
        algorithm=job.algorithm.name,
        model=proposal.recoding.model,
        k=_k(job.required),
        levels=proposal.recoding.hierarchy_levels,
        heights=heights,
        labels=job.labels(heights),
        loss=measures["loss"],
        suppressed_rows=suppressed,
        allowed_rows=proposal.allowed,
        lower=[neighbour for neighbour, _ in lower],
        blocks=max(lower, key=lambda pair: pair[1])[0].attribute if any(rows for _, rows in lower) else None,
        columns=_costs(measures["attribute_loss"], job.importance),
        weaker=[],
    )


def _k(required: Requirement) -> int:
    return max(demand.k for demand in required.demands)


def _lower(variants: Variants, job: Job, proposal: Proposal, required: Requirement) -> list[tuple[Lower, int]]:
    """The release's lower neighbours: one attribute one level lower, with the number of violating rows.

    The number is the largest over the QIDs; it is 0 if every class satisfies the requirement. If the requirement has
    parts that no search counts, such a neighbour is also verified, like the release of a run. Then no column is named
    that would suffice to drop, since that would need a search and a verification of its own.
    """
    star, levels = proposal.star, list(proposal.recoding.levels.values())
    projections = full_domain.projections_of(star, required.demands)
    whole = lattice.Lattice(star.heights)
    neighbours = []
    for place, dimension in enumerate(star.dimensions):
        if not levels[place]:
            continue
        below = [level - (index == place) for index, level in enumerate(levels)]
        node = whole.node(sum(level * stride for level, stride in zip(below, whole.strides, strict=True)))
        violations, most, holds = [], 0, True
        for part in projections:
            star.session.create(_COUNTED, frequency_sets.recount(part.star, part.node(node)))
            values = [dimension.value for dimension in part.star.dimensions]
            classes, rows = _violations(part, _COUNTED, values)
            satisfied = _is_enough(classes, rows, proposal.allowed)
            needs_none = satisfied or bool(job.verified_alone)
            enough = [] if needs_none else _enough(part, node, place, proposal.allowed)
            star.session.drop(_COUNTED)
            holds = holds and satisfied
            most = max(most, rows)
            if classes:
                violations.append(
                    Violation(
                        attributes=list(part.demand.attributes),
                        classes=small_counts.mask(classes, part.demand.k),
                        rows=small_counts.mask(rows, part.demand.k),
                        holds_without=enough,
                    )
                )
        problem = _refusal(variants, job, proposal, required, node) if holds and job.verified_alone else None
        lower = Lower(
            attribute=dimension.attribute,
            level=dimension.hierarchy_level(below[place]),
            holds=holds and problem is None,
            violations=violations,
            problem=problem,
        )
        neighbours.append((lower, 0 if holds else most))
    return neighbours


def _refusal(variants: Variants, job: Job, proposal: Proposal, required: Requirement, node: Node) -> str | None:
    """The reason why the verifier refuses the release of a node; None if it does not."""
    star = proposal.star
    variants.drop(RECODING)  # a view of one node may become a table of another
    with variants.undone():
        recoding = recode(star, node, demand=required.joint(star.attributes), seed=job.seed)
        try:
            prove(variants.store, job, replace(proposal, recoding=recoding), Clock(), variants.goal)
        except RefusedRelease as error:
            return str(error)
    return None


def _violations(projection: Projection, groups: Name, values: Sequence[Name]) -> tuple[int, int]:
    """Number of value groups to suppress for the demand of a QID, and number of their rows.

    ``groups`` is a frequency set with the columns ``values``. A group may violate the demand only after suppression of
    other groups. A group of the population may have no rows.
    """
    session, codes = projection.star.session, columns(values)
    frequency = Statement("store/relation", relation=groups)
    classes = leave_out(projection.star, frequency, projection.demand, codes)
    counted = Statement("star/recoding/outliers#rows", groups=groups, outliers=OUTLIERS, values=codes)
    (rows,) = session.row(counted)
    return classes, rows


def _is_enough(classes: int, rows: int, allowed: int) -> bool:
    """True if violating value groups may be suppressed: a group of the population without rows may not."""
    return not classes or 0 < rows <= allowed


def _enough(projection: Projection, node: Node, lowered: int, allowed: int) -> list[str]:
    """Attributes of a QID, except the lowered one, each enough to drop so that the QID holds at the node."""
    session, here = projection.star.session, projection.node(node)
    enough = []
    for dimension, place in zip(projection.star.dimensions, projection.positions, strict=True):
        other_positions = tuple(position for position in here.dimensions if position != dimension.position)
        if place == lowered or not other_positions:
            continue
        fewer = frequency_sets.project(projection.star, other_positions, node=here.id, beneath=here, below=_COUNTED)
        session.create(_WITHOUT, fewer)
        values = [other.value for other in projection.star.dimensions[: len(other_positions)]]
        satisfied = _is_enough(*_violations(projection, _WITHOUT, values), allowed)
        session.drop(_WITHOUT)
        if satisfied:
            enough.append(dimension.attribute)
    return enough


def _costs(loss: Mapping[str, float], importance: Mapping[str, Decimal]) -> list[Cost]:
    whole = sum(loss.values()) or 1.0
    return [
        Cost(
            attribute=attribute,
            loss=lost,
            share=round(lost / whole, 10),
            importance=float(importance.get(attribute, 1)),
        )
        for attribute, lost in sorted(loss.items(), key=lambda item: -item[1])
    ]


def searches(job: Job) -> int:
    """Number of searches for an explanation, each about as long as the search of a run."""
    return 1 if job.refresh else 1 + len(_requirements(job))


def _requirements(job: Job) -> list[tuple[str, int, Decimal]]:
    """The requirements tried: one k less, and one hundredth more of the rows suppressed."""
    if job.requirement.qids is not None:
        return []
    k, suppression = job.k, job.requirement.suppression
    changes = [("k - 1", k - 1, suppression)] if k > 1 else []
    if suppression < 1:
        changes.append(("1 % more of the rows left out", k, min(Context(prec=400).add(suppression, _MORE), Decimal(1))))
    return changes


def _weaker(variants: Variants, job: Job) -> list[Weaker]:
    """The release, or the reason why there is none, for each weaker requirement."""
    weaker = []
    for change, change_of, share in _requirements(job):
        point = variants.point(job.algorithm, change_of, share)
        weaker.append(
            Weaker(
                change=change,
                k=change_of,
                suppression=float(share),
                released=point.released,
                problem=point.problem,
            )
        )
    return weaker
