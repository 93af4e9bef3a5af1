"""Suppression before a search, caused by a job's highest levels.

The highest level set by a job for an attribute may have several values. Rows with different values at this level are in
different equivalence classes of every release: each class lies within one value group at the highest levels. A value
group that violates the requirement at the highest levels violates it in every release, so the rows of this group are
suppressed before a search begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starcloak.base.errors import RequirementError
from starcloak.job.algorithms import DEFAULT
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.star import frequency_sets
from starcloak.star.recoding.full_domain import leave_out, over_rest
from starcloak.star.recoding.recoding import OUTLIERS
from starcloak.star.star import Dimension, Node, Star
from starcloak.star.working_tables import BEYOND, WITHIN
from starcloak.statements.statement import Joined, Name, Statement

# Of a search that holds the classes of several quasi-identifiers to the largest k.
_ALONE = (
    f"; this search requires the largest k for all columns together: algorithm: {DEFAULT} requires only the own k of "
    "each quasi-identifier"
)


def keep_to(
    star: Star, requirement: Requirement, demands: Sequence[Demand], *, label: str
) -> tuple[Star, tuple[Demand, ...]]:
    """Suppress the rows in value groups that violate a demand at the job's highest levels.

    Returns the star with a fact table without these rows, and the demands over the remaining rows; both are unchanged
    without such rows. ``demands`` are conditions on the equivalence classes of the search. ``label`` names the source
    in messages. Raises :class:`RequirementError` if these are all rows, or more than the requirement lets be
    suppressed.
    """
    for demand in demands:
        capped = [dimension for dimension in star.capped if dimension.attribute in demand.attributes]
        if capped and (left_out := _leave_out(star, capped, demand)):
            allowed = requirement.allowance(star.rows) if requirement.single else 0
            if left_out > allowed or left_out == star.rows:
                together = not requirement.single and demand not in requirement.demands
                names = ", ".join(repr(dimension.attribute) for dimension in capped)
                raise RequirementError(
                    f"{left_out:,} rows of {label} violate the requirement even at the highest levels allowed by the "
                    f"key to of {names}, and {min(allowed, star.rows - 1):,} rows may be suppressed: raise to or "
                    f"suppression, or weaken the requirement{_ALONE if together else ''}"
                )
            within = replace(star, facts=WITHIN, left_out=left_out)
            return within, tuple(over_rest(within, demand, WITHIN) or demand for demand in demands)
    return star, tuple(demands)


def allowance(star: Star, requirement: Requirement, demand: Demand) -> int:
    """Number of rows a search may suppress in addition to the rows suppressed before it.

    At least as many rows remain as one equivalence class needs for the demand.
    """
    rows = star.rows - star.left_out
    return max(0, min(requirement.allowance(star.rows) - star.left_out, rows - demand.least_rows))


def _leave_out(star: Star, capped: Sequence[Dimension], demand: Demand) -> int:
    """Split the fact table if value groups at the highest levels violate a demand; returns their number of rows.

    The relation ``star_beyond`` gets the tuples of the violating groups, ``star_within`` the other tuples. Without a
    violating group, no relation is created, and the result is 0.
    """
    node = Node(0, tuple(d.position for d in capped), tuple(d.height for d in capped))
    values = Joined(tuple(Name(f"value_{place}") for place, _ in enumerate(capped, 1)), ", ")
    if not leave_out(star, frequency_sets.recount(star, node), demand, values):
        return 0
    value_group = Joined(tuple(dimension.column(dimension.height) for dimension in capped), ", ")
    rare = Statement("star/recoding/full_domain#rare", value_group=value_group, values=values, outliers=OUTLIERS)
    star.session.create(BEYOND, Statement("star/ceilings", star=star.facts, beyond=rare))
    star.session.create(WITHIN, Statement("star/ceilings#within", star=star.facts, beyond=rare))
    rows, *_ = star.session.row(Statement("star/frequency/size", frequency=BEYOND))
    return int(rows)
