"""Job settings of the lattice sweep and of two algorithms based on it, and the reported details of their search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from starcloak.base.settings import Share
from starcloak.job.algorithms import LEFEVRE, Algorithm, Asked, Description, Lasting, SearchDetails, Support, register
from starcloak.search.kaca.settings import Weights

#: Highest number of visited nodes. In a larger lattice, only nodes on random chains from bottom to top are visited.
MOST = 1 << 16
# Seconds per tuple of a large table (results local-growth), and per pair that is compared to find neighbours (results
# local-wide).
_TUPLE, _PAIR = 2e-5, 4e-8
# In a large lattice the neighbours of a tuple are looked for among so many at most; among fewer where there would be
# more pairs than so many.
_REGION, _PAIRS, _FEWEST = 80_000, 8_000_000_000, 5_000


def region_size(tuples: int) -> int:
    """The number of tuples in one region of a table of ``tuples`` tuples.

    Similar tuples are searched for within a region only. A region gets smaller as the table grows, to bound the number
    of compared pairs.
    """
    return min(tuples, _REGION, max(_FEWEST, _PAIRS // max(tuples, 1)))


class Swept(SearchDetails):
    """Details of a lattice sweep, reported in the result: counts of tuples, visited nodes, value groups and changes."""

    key: ClassVar[str] = "sweep"

    tuples: int = Field(description="distinct combinations that it began with: of leaves, where all came home")
    classes: int = Field(description="equivalence classes in the end; two where values of two levels read the same")
    nodes: int = Field(description="nodes of the lattice that it went over; of a very large lattice a part")
    visits: int = Field(description="times that a node was looked at")
    hits: int = Field(description="visits where groups satisfied the requirement, and left")
    groups: int = Field(description="groups that left; of persons where the rows of each are one set")
    clusters: int = Field(
        default=0, description="classes of neighbours, where the lattice is too large to be visited whole"
    )
    left_over: int = Field(description="rows that were in neither")
    joined: int = Field(
        description="tuples, classes or persons that joined another, as they did not satisfy the requirement"
    )
    suppressed: int = Field(description="rows left out")
    aggregated: int = Field(description="tuples that were grouped, summed over the visits")
    moves: int = Field(
        default=0, description="moves and exchanges of tuples between its classes after it that cost less: with improve"
    )
    regions: int = Field(
        default=0, description="regions of the table that prices assigned anew, where that cost less: with improve"
    )
    timed: bool = Field(default=False, description="whether the clock or Ctrl-C ended it: more seconds may gain more")

    @property
    def summary(self) -> str:
        # Of the rows left over there may be fewer than k.
        clusters_text = f"{self.clusters:,} classes of neighbours; " if self.clusters else ""
        changes = f"{self.moves:,} moves and {self.regions:,} regions anew"
        return (
            f"{self.groups:,} groups left at {self.hits:,} of {self.visits:,} visits of nodes; {clusters_text}"
            f"{self.classes:,} classes{f', after {changes}' if self.is_improved else ''}"
            f"{'; more seconds may gain more' if self.timed and not self.is_improved else ''}"
        )

    @property
    def is_improved(self) -> bool:
        """True if ``improve`` lowered the cost after the sweep: by a move, an exchange or a reassigned region."""
        return self.moves > 0 or self.regions > 0

    @property
    def is_repeatable(self) -> bool:
        return not self.timed


@register
class Sweep(Algorithm):
    """Lattice sweep: local recoding by the cheapest value groups that satisfy the requirement.

    A value group is the set of rows with equal generalized values at one node of the lattice. The objective gives the
    cost of a cell: loss if the job names no objective; distortion uses the ``weights`` of the weighted hierarchical
    distance. Rows in no value group join the class with the least added cost, and every class is generalized to its
    closest common generalization. If the requirement allows suppression, rows are suppressed if their class would cost
    more than ``dearest`` per row (0 … 1; 1 is the cost of a row with every cell at its highest level).

    During ``improve`` seconds after the sweep, tuples move to cheaper classes, classes exchange tuples, and regions of
    the table are assigned to classes anew; the gain depends on the machine. After ``time_limit`` seconds, or Ctrl-C in
    a run that keeps going, tuples in no class join similar tuples, and the best recoding so far is released. With
    several QIDs every class satisfies the largest k over all columns together, also below a highest level allowed by
    ``to``. If all rows of a person are one unit, persons with equal sets of tuples at a node form a class together.
    """

    about: ClassVar[Description] = Description(
        recoding_model="local: cell generalization",
        sources="starcloak's own; loss as in Iyengar 2002, distance as in Li, Wong, Fu, Pei 2008",
        guarantee="every class satisfies the requirement; less loss than others measured, nothing minimal",
        when="if the data has to stay as useful as possible: least loss, and fast on large tables",
    )
    supports: ClassVar[Support] = Support(several_qids=True, refresh=True, person_sets=True, importance=True)
    tells: ClassVar[type[SearchDetails] | None] = Swept

    name: Literal["sweep"] = "sweep"
    weights: Weights = Weights()
    dearest: Share = Decimal(1)
    improve: Annotated[Decimal, Field(ge=0, le=10**9, allow_inf_nan=False, max_digits=15)] = Decimal(0)
    time_limit: Annotated[Decimal, Field(ge=0, le=10**9, allow_inf_nan=False, max_digits=15)] | None = None

    @property
    def counts_at_nodes(self) -> bool:
        return True

    @property
    def named(self) -> Mapping[str, Iterable[str]]:
        return {"algorithm.weights.levels": self.weights.levels}

    def lasting(self, *, tuples: int, nodes: int) -> Lasting | None:
        pairs = tuples * region_size(tuples) if nodes > MOST else 0
        return Lasting(_TUPLE * tuples + _PAIR * pairs, "algorithm: {name: mondrian}, which loses more")

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        # Of a large lattice neighbours are found, region by region.
        return tuples * (200 + 30 * columns) + (region_size(tuples) * 6_500 if nodes > MOST else 0)

    def misfit(self, job: Asked) -> str | None:
        measure = job.objective.minimize
        if job.objective.is_of_classes:
            return (
                f"objective.minimize: sweep adds up the loss of cells, and {measure} measures classes: choose loss, "
                "distortion or precision"
            )
        shaped = self.weights.model_fields_set
        if shaped and measure not in ("distortion", "precision"):
            return (
                f"algorithm.weights.{min(shaped)} is for the objective distortion: write objective: {{minimize: "
                f"distortion}}, or leave {min(shaped)} out"
            )
        if self.time_limit is not None and job.as_set:
            return "algorithm.time_limit does not support person with as: set: leave time_limit out"
        open_ = [model for demand in job.required.demands for model in demand.models if not model.superset_closed]
        if self.improve and (open_ or job.as_set):
            what = open_[0].key if open_ else "persons as sets"
            return (
                f"algorithm.improve does not support {what}, as a class may violate the requirement when rows join "
                "it: leave improve out"
            )
        models = [model for demand in job.required.demands for model in demand.models if not model.monotone]
        if models and not job.required.single:
            return (
                f"algorithm sweep does not support {models[0].key} with several QIDs (quasi-identifiers with a k of "
                "their own): give one QID"
            )
        return None


@register
class UnrestrictedMulti(Algorithm):
    """Unrestricted multi-dimension recoding: every tuple goes to itself or to any generalization above it (LeFevre,
    DeWitt, Ramakrishnan 2005, section 5.1.3).

    A lattice sweep that puts all rows of a tuple into one class and suppresses no row: rows with equal
    quasi-identifiers in the source have equal quasi-identifiers in the release.
    """

    about: ClassVar[Description] = Description(
        recoding_model="multi-dimension: unrestricted",
        sources=f"{LEFEVRE}, section 5.1.3; a lattice sweep of whole tuples",
        guarantee="every class satisfies the requirement; all rows of a tuple go to one, nothing minimal",
        when="if equal rows have to stay equal, at the loss of a local recoding",
    )
    supports: ClassVar[Support] = Support(importance=True)
    module: ClassVar[str] = "unrestricted_multi"
    tells: ClassVar[type[SearchDetails] | None] = Swept

    name: Literal["unrestricted-multi"] = "unrestricted-multi"


@register
class CellSuppression(Algorithm):
    """Cell suppression: a cell stays unchanged or is suppressed (LeFevre, DeWitt, Ramakrishnan 2005, section 5.2).

    A lattice sweep over hierarchies of one step, from the exact value to ``*``; a node is then a set of unsuppressed
    attributes. Mondrian's cuts divide the resulting classes further. The job's own hierarchies are not used.
    """

    one_step: ClassVar[bool] = True
    about: ClassVar[Description] = Description(
        recoding_model="local: cell suppression",
        sources=f"{LEFEVRE}, section 5.2; a lattice sweep over one step, then cuts",
        guarantee="minimal: no group can have a suppressed attribute back and satisfy the requirement in each part",
        when="if every cell must stay exact or be suppressed",
    )
    supports: ClassVar[Support] = Support(importance=True)
    module: ClassVar[str] = "cell_suppression"
    tells: ClassVar[type[SearchDetails] | None] = Swept

    name: Literal["cell-suppression"] = "cell-suppression"

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        return tuples * (50 + 70 * columns)
