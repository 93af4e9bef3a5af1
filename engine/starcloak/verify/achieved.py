"""What was counted of a verified release, held once more against what is required: the last thing before it is out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starcloak.base.errors import VerificationError

if TYPE_CHECKING:
    from starcloak.privacy.model import Model
    from starcloak.privacy.requirement import Demand, Requirement
    from starcloak.privacy.verdict import Judged
    from starcloak.verify.staged_release import Reading


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


def _suffices(model: Model, judged: Judged, *, rows: int) -> bool:
    """Whether a verdict and its figure both say that the model holds; a release without rows has no figure."""
    if not judged.holds or judged.violating_classes:
        return False
    return not rows or (judged.achieved is not None and model.reached(judged.achieved))


def _of(demand: Demand, model: Model) -> str:
    return f"{model.described} in every class over {', '.join(demand.attributes)}"
