"""Loss, column by column (LM, Iyengar 2002)."""

from __future__ import annotations

from typing import Any, ClassVar

from starcloak.measures.measure import CELLS, DECIMALS, Measure, Measured, register
from starcloak.statements.statement import Name, Statement
from starcloak.store.relations import GENERALIZATION


@register
class AttributeLoss(Measure):
    """How many of the other leaves a cell of each attribute covers; ``loss`` is their mean."""

    name: ClassVar[str] = "attribute_loss"
    type: ClassVar[Any] = dict[str, float]
    description: ClassVar[str] = "LM per attribute: mean share of the other leaves that its cells cover (Iyengar 2002)"

    @property
    def by_attribute(self) -> Statement:
        lost = Statement("measures/recoding#moved", moved=Name("loss"))
        return Statement("measures/attribute_loss", lost=lost, cells=CELLS, generalization=GENERALIZATION)

    def of(self, counted: Measured) -> dict[str, float]:
        losses = counted.by_attribute["measures/attribute_loss"]
        return {attribute: round(value or 0.0, DECIMALS) for attribute, value in losses.items()}
