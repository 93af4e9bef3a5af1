"""Settings of Datafly in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import (
    LARGEST_NUMBERED,
    LEFEVRE,
    Algorithm,
    Description,
    Support,
    register,
)


@register
class Datafly(Algorithm):
    """Datafly: one full-domain generalization, found greedily and not always minimal (section 6)."""

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources=f"Sweeney 2002, as described in {LEFEVRE}, section 6",
        guarantee="one generalization, seldom minimal",
        when="lattices too large for a complete search",
    )
    supports: ClassVar[Support] = Support(several_qids=True, moving_reference=False, largest_lattice=LARGEST_NUMBERED)

    name: Literal["datafly"] = "datafly"
