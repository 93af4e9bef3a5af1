"""Settings of bottom-up search in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import StrictBool

from starcloak.job.algorithms import (
    LARGEST_SEARCHED,
    LEFEVRE,
    Algorithm,
    Description,
    Lasting,
    Support,
    node_by_node,
    register,
)


@register
class BottomUp(Algorithm):
    """Bottom-up search: all full-domain generalizations that satisfy the requirement, breadth-first from the leaves
    (section 2.2).
    """

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources=f"{LEFEVRE}, section 2.2",
        guarantee="all generalizations that satisfy the requirement and all minimal ones; the objective picks among "
        "them",
        when="to compare with: the plainest complete search",
    )
    supports: ClassVar[Support] = Support(
        several_qids=True, largest_lattice=LARGEST_SEARCHED, person_sets=True, importance=True
    )

    name: Literal["bottom-up"] = "bottom-up"
    rollup: StrictBool = True

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        return node_by_node(tuples=tuples, nodes=nodes)
