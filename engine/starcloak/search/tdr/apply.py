"""A masking learnt on one table, applied to another: from training rows to test rows (section 5.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starcloak import source
from starcloak.column import Column
from starcloak.hierarchy.members import members_of
from starcloak.job import Job
from starcloak.search.tdr.settings import RefinementDone
from starcloak.session import Session
from starcloak.statement import Hole, Joined, Name, Statement

if TYPE_CHECKING:
    import pandas

_INTERVAL = re.compile(r"(?:< (?P<below>\S+)|>= (?P<least>\S+)|\[(?P<lower>\S+), (?P<upper>\S+)\))")
_DOMAIN, _MEMBERS = Name("domain"), Name("members")


def masked(steps: Sequence[RefinementDone], attribute: str) -> list[str | None]:
    """The masked values of an attribute, after some refinements."""
    values: list[str | None] = ["*"]
    for step in steps:
        if step.attribute == attribute:
            values = [value for value in values if value != step.value] + step.into
    return values


def apply(job: Job, steps: Sequence[RefinementDone], frame: pandas.DataFrame) -> pandas.DataFrame:
    """The frame with its quasi-identifiers masked as the refinements say; rows and other columns stay as they are.

    A number that was not there falls into the interval that holds it; any other value goes to the masked value above it
    in its hierarchy, and to ``*`` where there is none. Raises as :func:`starcloak.run` does for values without a leaf.
    Nothing is counted: the requirement is one on the table from which the masking was learnt.
    """
    result = frame.copy()
    with Session() as session:
        opened = source.open_source(
            session, None, {"quasi_identifiers": list(job.quasi_identifiers)}, frame=frame, closed=False
        )
        session.lock_down()
        for column in opened.quasi_identifiers:
            cells = dict(_cells(session, opened, job, column, masked(steps, column.name)))
            mapped = frame[column.name].astype(object).map(cells)
            missing = frame[column.name].isna()
            result[column.name] = mapped.where(~missing, cells.get(None))
    return result


def _cells(
    session: Session, opened: source.Source, job: Job, column: Column, values: Sequence[str | None]
) -> list[tuple[object, str | None]]:
    """What each value of a column becomes."""
    domain = Statement("hierarchy/domain", {"value": Name(column.name), "base": opened.relation})
    session.create(_DOMAIN, domain)
    declared = job.quasi_identifiers[column.name]
    height = members_of(session, declared, column, host=opened.host, domain=_DOMAIN, into=_MEMBERS)
    if declared.numeric:
        texts = [value for value in values if value is not None]
        found = [_INTERVAL.match(text) for text in texts]
        binds = {
            "lowers": [each and (each["least"] or each["lower"]) for each in found],
            "uppers": [each and (each["below"] or each["upper"]) for each in found],
            "texts": texts,
            # Alone it stayed missing; it goes with the last interval otherwise.
            "missing": None if None in values else next((text for text in texts if "missing" in text), "*"),
        }
        return [
            (row[0], row[1]) for row in session.run(Statement("tdr/applied_intervals", {"members": _MEMBERS}), binds)
        ]
    levels = [Name(f"level_{level}") for level in range(height + 1)]
    binds = {"masked": [value for value in values if value is not None], "missing": None in values}
    # Where nothing was refined, everything goes to the hierarchy's own top, whatever it reads.
    top: Hole = levels[-1] if values == ["*"] else Statement("hierarchy/top")
    holes: dict[str, Hole] = {"levels": Joined(tuple(levels), ", "), "top": top, "members": _MEMBERS}
    statement = Statement("tdr/applied", holes)
    return [(row[0], row[1]) for row in session.run(statement, binds)]
