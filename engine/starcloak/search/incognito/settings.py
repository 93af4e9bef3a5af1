"""Settings of Incognito in a job."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from starcloak.base.settings import JobPath
from starcloak.job.algorithms import (
    LARGEST_SEARCHED,
    LEFEVRE,
    Algorithm,
    Asked,
    Description,
    Lasting,
    Support,
    node_by_node,
    register,
)

# Nodes checked, of all subsets of attributes, for each of the lattice of all (results incognito-counts).
_CHECKED = 0.4


@register
class Incognito(Algorithm):
    """All k-anonymous full-domain generalizations (LeFevre, DeWitt, Ramakrishnan 2005, sections 3.1 and 3.3).

    ``cube``, for the variant ``cube``, is a DuckDB file with the cube for further runs on the same table.
    """

    about: ClassVar[Description] = Description(
        recoding_model="full-domain",
        sources=f"{LEFEVRE}, sections 3.1 and 3.3",
        guarantee="all generalizations that satisfy the requirement and all minimal ones; the objective picks among "
        "them",
        when="to repeat the paper node for node; with a kept cube, for many k of one table",
    )
    supports: ClassVar[Support] = Support(several_qids=True, largest_lattice=LARGEST_SEARCHED, importance=True)

    name: Literal["incognito"] = "incognito"
    variant: Literal["basic", "super-roots", "cube"] = "basic"
    cube: JobPath | None = None

    @model_validator(mode="after")
    def _cube_of_its_variant(self) -> Incognito:
        if self.cube is not None and self.variant != "cube":
            raise PydanticCustomError("cube", "cube is for variant: cube only: leave cube out, or write variant: cube")
        return self

    @property
    def kept(self) -> tuple[Path, ...]:
        if self.cube is None:
            return ()
        from starcloak.search.incognito import kept_cube

        place = kept_cube.place(self.cube)
        place.refuse_unusable()
        return (place.path,)

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        return node_by_node(tuples=tuples, nodes=int(_CHECKED * nodes))

    def misfit(self, job: Asked) -> str | None:
        if self.cube is not None and not job.required.single:
            return (
                "algorithm.cube supports one QID (quasi-identifier with a k of its own), and the job has several: "
                "leave cube out"
            )
        return None
