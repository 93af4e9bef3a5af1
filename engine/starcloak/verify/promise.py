"""What was counted of a verified release, held once more against what is required: the last thing before it is out."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from starcloak.base.errors import RequirementError, VerificationError
from starcloak.statements.statement import Name, Statement
from starcloak.verify import classes

if TYPE_CHECKING:
    from starcloak.privacy.model import Model
    from starcloak.privacy.requirement import Demand, Requirement
    from starcloak.privacy.verdict import Judged
    from starcloak.verify.recount import Reading


def refuse_short(required: Requirement, reading: Reading) -> None:
    """Refuse a release of which a figure is less than what is required, whatever the clauses said.

    Raises :class:`VerificationError` for the first model of a demand that has no verdict, or a figure that falls short.
    """
    judged = list(reading.judged)
    for demand in required.demands:
        for model in demand.models:
            judged_model = next((verdict for of, asked, verdict in judged if of == demand and asked == model), None)
            if judged_model is None or not _suffices(model, judged_model, rows=reading.counts.classes.rows):
                raise VerificationError(
                    f"the staged release was not published: nobody counted that it has {_of(demand, model)}"
                    if judged_model is None
                    else f"the staged release was not published: what was counted of it is not {_of(demand, model)}",
                    clause="achieved",
                )


def refuse_suppressed(reading: Reading, most: Mapping[str, Decimal]) -> None:
    """Refuse a verified release in which more of a column's cells are the top than may be, as a share of its rows.

    They are counted in its classes, as the verifier read these. Raises :class:`RequirementError`.
    """
    rows = reading.counts.classes.rows
    names = [column.name for column in reading.claim.source.quasi_identifiers]
    for dimension in reading.claim.dimensions:
        allowed = most.get(dimension.attribute)
        if allowed is None:
            continue
        cell = Statement("verify/recount#cell", column=classes.value(names.index(dimension.attribute)))
        top = Name(f"level_{dimension.height}")
        (suppressed,) = reading.session.row(
            Statement("verify/suppressed", cell=cell, classes=classes.STAGED, top=top, table=dimension.table)
        )
        if suppressed > allowed * rows:
            raise RequirementError(
                f"max_suppressed: of {dimension.attribute!r}, {suppressed / rows:.1%} of the released cells are "
                f"suppressed, and {allowed:.1%} may be: nothing was published; allow more rows to be left out or more "
                "cells to be suppressed, leave another column out, or take another algorithm: by a full-domain one, to "
                "keeps a column from its top"
            )


def _suffices(model: Model, judged: Judged, *, rows: int) -> bool:
    """Whether a verdict and its figure both say that the model holds; a release without rows has no figure."""
    if not judged.holds or judged.violating_classes:
        return False
    return not rows or (judged.achieved is not None and model.reached(judged.achieved))


def _of(demand: Demand, model: Model) -> str:
    return f"{model.described} in every class over {', '.join(demand.attributes)}"
