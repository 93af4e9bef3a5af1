"""Settings of Samarati's binary search in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from starcloak.job.algorithms import (
    LARGEST_SEARCHED,
    LEFEVRE,
    Algorithm,
    Description,
    Support,
    register,
)


@register
class Samarati(Algorithm):
    """One full-domain generalization of the lowest height, by binary search (section 2.2)."""

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources=f"Samarati 2001, as described in {LEFEVRE}, section 2.2",
        guarantee="one generalization of the lowest height",
        when="if any generalization of the lowest height will do",
    )
    supports: ClassVar[Support] = Support(several_qids=True, moving_reference=False, largest_lattice=LARGEST_SEARCHED)

    name: Literal["samarati"] = "samarati"
