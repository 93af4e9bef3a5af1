"""Settings of KACA in a job, and details of its search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from starcloak.base.settings import Column, Settings, Share, Weight
from starcloak.job.algorithms import Algorithm, Asked, Description, Lasting, SearchDetails, Support, register

# Seconds per pair of tuples by joins, and per tuple with neighbours (results kaca-speed, local-adult).
_JOINS, _NEIGHBOURS = 1.8e-7, 0.00004

# Up to so many equivalence classes the papers' steps are taken, if a job does not say which execution.
_MOST_JOINED = 2_000

Execution = Literal["neighbours", "joins"]


class Clustering(SearchDetails):
    """Details of a search by KACA (Li, Wong, Fu, Pei 2006 and 2008)."""

    key: ClassVar[str] = "clustering"

    execution: Execution = Field(
        description="how the nearest class was found: joins (of all classes, as the papers have it) or neighbours"
    )
    started: int = Field(description="equivalence classes to begin with")
    classes: int = Field(description="equivalence classes in the end")
    rounds: int = Field(description="rounds")
    mergers: int = Field(description="times that a small class was generalized with its nearest")
    splits: int = Field(description="mergers with a stub (Definition 14)")
    outliers: int = Field(description="classes suppressed for their distance (2006, section 5)")
    suppressed: int = Field(description="rows in them")
    farther: float | None = Field(
        default=None,
        description="how much farther than the nearest class those were that neighbours showed, by a sample: 0.01 is "
        "one in a hundred; null where all were the nearest for sure",
    )
    distortion: float = Field(
        description="Definition 7 of the released rows, with the job's own weights and importance"
    )
    global_levels: list[int] = Field(description="levels that KACA2 recoded to globally before, in order")
    lowest_levels: list[int] = Field(description="levels that it raised all lower values to after")

    @property
    def summary(self) -> str:
        return (
            f"{self.started:,} classes clustered into {self.classes:,} by {self.mergers:,} mergers, "
            f"{self.splits:,} with a stub, in {self.rounds:,} rounds of {self.execution}"
            + (f", with classes {self.farther:.1%} farther than the nearest" if self.farther else "")
        )


class Weights(Settings):
    """The weights of the weighted hierarchical distance (Li, Wong, Fu, Pei 2008, Definition 5).

    With ``uniform``, every step from a level to the next has the same weight. With ``height``, steps near the root have
    higher weights; ``beta`` is the exponent. ``levels`` has a list of weights for an attribute's steps, from the leaves
    up. The weight of an attribute among others is its ``importance``, set beside its hierarchy.
    """

    scheme: Literal["uniform", "height"] = "uniform"
    beta: Annotated[Decimal, Field(ge=1, le=64, allow_inf_nan=False)] = Decimal(1)
    levels: dict[Column, Annotated[list[Weight], Field(min_length=1)]] = Field(default={})


@register
class Kaca(Algorithm):
    """KACA: local recoding by clustering in attribute hierarchies (Li, Wong, Fu, Pei 2006 and 2008).

    ``execution: joins`` follows the papers' steps: the nearest class is found among all classes, by SQL joins with the
    hierarchies. ``execution: neighbours`` merges all small classes of a round at once, each with a near class found in
    sorted orders; ``farther`` in the result is the relative excess of its distance over the nearest. Without
    ``execution``, joins run for up to 2,000 initial classes, and neighbours for more; the result names the one used.

    ``max_inconsistency`` is for kaca2. ``priority`` names the attributes to sacrifice first among equal distances. A
    class farther than ``distance_threshold`` from every other is suppressed, within the requirement's suppression.
    """

    about: ClassVar[Description] = Description(
        recoding_model="local: cell generalization",
        sources="Li, Wong, Fu, Pei 2006 and 2008",
        guarantee="every class satisfies the requirement; small distortion, nothing minimal",
        when="if the data has to stay useful and a column may mix levels",
    )
    supports: ClassVar[Support] = Support(importance=True)
    tells: ClassVar[type[SearchDetails] | None] = Clustering

    name: Literal["kaca"] = "kaca"
    variant: Literal["kaca", "kaca1", "kaca2"] = "kaca1"
    execution: Execution | None = None
    weights: Weights = Weights()
    max_inconsistency: Share = Decimal("0.1")
    priority: list[Column] = Field(default=[])
    distance_threshold: Annotated[Decimal, Field(ge=0, allow_inf_nan=False, max_digits=28)] | None = None

    @property
    def named(self) -> Mapping[str, Iterable[str]]:
        return {
            "algorithm.weights.levels": self.weights.levels,
            "algorithm.priority": self.priority,
        }

    def execution_of(self, classes: int) -> Execution:
        """The execution set by the job; otherwise joins up to 2,000 initial classes, and neighbours for more."""
        return self.execution or ("joins" if classes <= _MOST_JOINED else "neighbours")

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        if self.execution_of(tuples) == "joins":
            return Lasting(_JOINS * tuples**2, "execution: neighbours, whose distortion is no larger")
        return Lasting(_NEIGHBOURS * tuples, "algorithm: {name: sweep}, which loses less")

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        return tuples * (200 + 130 * columns)

    def misfit(self, job: Asked) -> str | None:
        if self.distance_threshold is not None and job.required.reads:
            return (
                "algorithm.distance_threshold suppresses classes, and the remaining classes may then lack values of "
                f"{job.required.reads[0]!r} for the requirement: leave distance_threshold out"
            )
        return None
