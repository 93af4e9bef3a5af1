"""Settings of bottom-up search in a job."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import StrictBool

from starcloak.job.algorithms import LARGEST_SEARCHED, LEFEVRE, Algorithm, Lasting, node_by_node, register


@register
class BottomUp(Algorithm):
    """Bottom-up search: all full-domain generalizations that satisfy the requirement, breadth-first from the leaves
    (section 2.2).
    """

    several_qids: ClassVar[bool] = True
    largest_lattice: ClassVar[int | None] = LARGEST_SEARCHED
    takes_sets: ClassVar[bool] = True
    takes_importance: ClassVar[bool] = True
    recoding_model: ClassVar[str] = "full-domain"
    sources: ClassVar[str] = f"{LEFEVRE}, section 2.2"
    guarantee: ClassVar[str] = (
        "all generalizations that satisfy the requirement and all minimal ones; the objective picks among them"
    )
    when: ClassVar[str] = "to compare with: the plainest complete search"

    name: Literal["bottom-up"] = "bottom-up"
    rollup: StrictBool = True

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        return node_by_node(tuples=tuples, nodes=nodes)
