"""Settings of Mondrian and full-subgraph recoding in a job, and details of their search."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, StrictBool

from starcloak.job.algorithms import LEFEVRE, Algorithm, Asked, Description, SearchDetails, Support, register


class Partitioning(SearchDetails):
    """Details of a search by Mondrian."""

    key: ClassVar[str] = "partitioning"

    regions: int = Field(description="regions of the table, each of which satisfies the requirement")
    rounds: int = Field(description="sets of statements, in each of which every open region tried a cut")
    statements: int = Field(description="statements of the search")

    @property
    def summary(self) -> str:
        return f"{self.regions:,} regions cut in {self.rounds:,} rounds, by {self.statements:,} statements"


@register
class Mondrian(Algorithm):
    """Mondrian: regions that satisfy the requirement, cut while a cut is allowable (LeFevre, DeWitt, Ramakrishnan
    2006).

    With ``relaxed``, a numeric attribute is cut in two halves of rows, and rows of the median may go to either half.
    With several QIDs every region satisfies the largest k first; then regions are cut further, as long as every group
    of each QID has its own k rows. No region by itself can then be cut further; a joint cut of all regions sharing a
    group of a QID is not tried, and may remain. Below a highest level allowed by ``to``, the largest k is of all
    columns together. If other models are required, every region satisfies all of them.
    """

    about: ClassVar[Description] = Description(
        recoding_model="multi-dimension, or local if relaxed",
        sources="LeFevre, DeWitt, Ramakrishnan 2006; Multi in Li, Wong, Fu, Pei 2008, section 8",
        guarantee="minimal: no region by itself has an allowable cut left",
        when="numeric columns whose ranges should follow the data",
    )
    supports: ClassVar[Support] = Support(several_qids=True, importance=True)
    tells: ClassVar[type[SearchDetails] | None] = Partitioning

    name: Literal["mondrian"] = "mondrian"
    relaxed: StrictBool = False

    @property
    def counts_at_nodes(self) -> bool:
        return not self.relaxed  # which divides the rows of one combination

    def memory(self, *, tuples: int, columns: int, nodes: int) -> int:
        return tuples * (150 + 20 * columns)

    def misfit(self, job: Asked) -> str | None:
        if self.relaxed and job.required.reads:
            return (
                "algorithm.relaxed may put equal rows into two classes, which is not supported with a requirement "
                f"on {job.required.reads[0]!r}: leave relaxed out"
            )
        if self.relaxed and job.against:
            return (
                "algorithm.relaxed may put equal rows into two classes, so joint k would be an estimate: leave "
                "relaxed out"
            )
        return None


@register
class FullSubgraph(Algorithm):
    """Full-subgraph recoding: all tuples of a subgraph of the value lattice are generalized to the subgraph's root.

    LeFevre, DeWitt, Ramakrishnan 2005, section 5.1.3. Subgraphs are found by Mondrian's cuts along hierarchies. A
    numeric attribute without a hierarchy has one step, from the number to the top. Several QIDs, each with its own k,
    are treated as in Mondrian.
    """

    about: ClassVar[Description] = Description(
        recoding_model="multi-dimension: full-subgraph",
        sources=f"{LEFEVRE}, section 5.1.3; strict cuts along hierarchies only, as in Mondrian",
        guarantee="minimal: no region by itself can be cut into the children of one of its values",
        when="hierarchies of categories, where equal rows should be recoded alike",
    )
    supports: ClassVar[Support] = Support(several_qids=True, importance=True)
    module: ClassVar[str] = "full_subgraph"
    tells: ClassVar[type[SearchDetails] | None] = Partitioning

    name: Literal["full-subgraph"] = "full-subgraph"
