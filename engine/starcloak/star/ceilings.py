"""Effect of a job's highest levels on a table.

If a job sets the highest level of an attribute, that level may have several values, and rows of two of them are equal
in no release: every class lies within one value group of these levels. A group that violates the requirement there does
so in every release, and its rows are suppressed before a search begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from starcloak.base.errors import RequirementError
from starcloak.job.algorithms import DEFAULT
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.star.recoding.full_domain import leave_out, over_rest
from starcloak.star.recoding.recoding import OUTLIERS
from starcloak.star.star import Dimension, Node, Star
from starcloak.statements.statement import Joined, Name, Statement
from starcloak.store.relations import BEYOND, WITHIN

# Of a search that holds the classes of several quasi-identifiers to the largest k.
_ALONE = (
    f"; this search holds all columns together to the largest k there: algorithm: {DEFAULT} holds each "
    "quasi-identifier to its own k"
)


def keep_to(
    star: Star, requirement: Requirement, demands: Sequence[Demand], *, label: str
) -> tuple[Star, tuple[Demand, ...]]:
    """A star and demands without the rows that satisfy no demand up to the highest levels. The star's facts lack these
    rows.

    The demands are those on the search's classes. ``label`` names the source. Raises :class:`RequirementError` if more
    rows than may be suppressed are in such groups, or all.
    """
    for demand in demands:
        capped = [dimension for dimension in star.capped if dimension.attribute in demand.attributes]
        if capped and (left_out := _leave_out(star, capped, demand)):
            allowed = requirement.allowance(star.rows) if requirement.single else 0
            if left_out > allowed or left_out == star.rows:
                together = not requirement.single and demand not in requirement.demands
                names = ", ".join(repr(dimension.attribute) for dimension in capped)
                raise RequirementError(
                    f"{left_out:,} rows of {label} are in groups that do not satisfy the requirement at the highest "
                    f"levels that to allows of {names}, and {min(allowed, star.rows - 1):,} may be left out: let to be "
                    f"higher, or suppression, or ask for less{_ALONE if together else ''}"
                )
            within = replace(star, facts=WITHIN, left_out=left_out)
            return within, tuple(over_rest(within, demand, WITHIN) or demand for demand in demands)
    return star, tuple(demands)


def allowance(star: Star, requirement: Requirement, demand: Demand) -> int:
    """Number of further rows that a search may suppress, if the rest is to make a class."""
    rows = star.rows - star.left_out
    return max(0, min(requirement.allowance(star.rows) - star.left_out, rows - demand.least_rows))


def _leave_out(star: Star, capped: Sequence[Dimension], demand: Demand) -> int:
    """Create the relations ``star_within`` and ``star_beyond`` if groups violate a demand; returns the rows of these
    groups.
    """
    node = Node(0, tuple(d.position for d in capped), tuple(d.height for d in capped))
    values = Joined(tuple(Name(f"value_{place}") for place, _ in enumerate(capped, 1)), ", ")
    if not leave_out(star, node, demand, values):
        return 0
    value_group = Joined(tuple(dimension.column(dimension.height) for dimension in capped), ", ")
    rare = Statement("star/recoding/full_domain#rare", value_group=value_group, values=values, outliers=OUTLIERS)
    star.session.create(BEYOND, Statement("star/ceilings", star=star.facts, beyond=rare))
    star.session.create(WITHIN, Statement("star/ceilings#within", star=star.facts, beyond=rare))
    rows, *_ = star.session.row(Statement("star/frequency/size", frequency=BEYOND))
    return int(rows)
