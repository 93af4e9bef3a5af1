"""The breadth-first search of a generalization graph (LeFevre, DeWitt, Ramakrishnan 2005, section 3.1.1, Figure 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starcloak.privacy.requirement import Demand
from starcloak.search.lattice.lattice import Graph, Tally
from starcloak.star import frequency_sets, rollups
from starcloak.star.rollups import PACKED, PLACES, Packing
from starcloak.star.star import Star
from starcloak.statements.statement import Hole, Name, Number, Statement
from starcloak.store.session import Session

#: Table of the queue of Figure 8: the nodes checked so far, in all iterations, and those to check.
QUEUE = Name("queue")
#: Table with the verdicts on frequency sets; nodes with equal value groups share one.
VERDICTS = Name("verdicts")
#: View of the nodes checked so far, with their verdict.
CHECKED = Name("checked")
_ROOTS = Name("frequency_roots")
# The frequency sets of a height and of the one below it, by turns.
_KEPT = (Name("frequency_even"), Name("frequency_odd"))


@dataclass(frozen=True)
class Origin:
    """Frequency sets from which the roots (nodes without a node beneath in the graph) are rolled up.

    ``sets`` is their relation, ``rows`` its number of rows. ``targets`` yields the frequency set to use for each new
    frequency set of a root.
    """

    sets: Name
    rows: int
    targets: Statement


#: A function that provides the frequency sets for the roots in the queue. It receives the packing, the graph, the
#: number of roots, and the tally.
Roots = Callable[[Packing, Graph, int, Tally], Origin]


def prepare(session: Session) -> None:
    """Create the empty relations of the queue and of the verdicts, and the view of the checked nodes."""
    session.create(QUEUE, Statement("search/lattice/queue#empty"))
    session.create(VERDICTS, Statement("search/lattice/verdict#empty"))
    session.create_view(CHECKED, Statement("search/lattice/queue#checked", queue=QUEUE, verdicts=VERDICTS))


def new() -> Statement:
    """The relation of the nodes to check with value groups that were not counted before."""
    return _nested(Statement("search/lattice/queue#new", queue=QUEUE, verdicts=VERDICTS))


def _nested(rows: Hole) -> Statement:
    return Statement("store/relation#nested", rows=rows)


def from_star(packing: Packing, graph: Graph, count: int, tally: Tally) -> Origin:
    """Have the ``count`` roots rolled up from the star."""
    tally.from_star += count
    return Origin(PACKED, packing.star.combinations, Statement("search/lattice/queue#from_star", queue=new()))


def families(packing: Packing, graph: Graph, level: Statement) -> Statement:
    """The statement with the super-root of each root in the queue; ``level`` is the level of its attributes."""
    return Statement(
        "search/lattice/super_roots",
        top=Number(packing.top),
        lowest=level,
        queue=new(),
        nodes=graph.nodes,
        places=PLACES,
    )


def search(
    packing: Packing,
    graph: Graph,
    *,
    iteration: int,
    roots: Roots,
    demand: Demand,
    allowed: int,
    tally: Tally,
    rollup: bool = True,
) -> None:
    """Check the nodes of a graph in the order of height: adds them to the queue, and verdicts on new frequency sets.

    Both are prepared by :func:`prepare`. The verdict on a node with the value groups of a node checked before, in this
    iteration or an earlier one, is known. Nodes never checked are k-anonymous: they generalize a k-anonymous node. All
    roots are checked together. Then each height of the queue is checked at once: the nodes of one height do not affect
    each other. ``roots`` yields the frequency sets for the roots. Other nodes are rolled up from a node directly
    beneath. Without ``rollup``, every node is counted from the star. ``allowed`` is the highest number of rows to
    suppress. ``iteration`` is the number of attributes.
    """
    session = packing.star.session
    lowest, highest = session.row(Statement("search/lattice/nodes#extent", nodes=graph.nodes))
    if lowest is None:  # a part of the attributes satisfies the demand nowhere
        return
    serving = _Serving(packing, graph, iteration, demand, allowed, tally)
    serving.report(1, highest - lowest + 1)
    lowest_nodes = Statement("search/lattice/queue#roots", nodes=graph.nodes, edges=graph.edges)
    found = session.insert(QUEUE, lowest_nodes, {"iteration": iteration})
    tally.checked += found
    if rollup:
        serving.roll_up_roots(roots, nodes=found)
    else:
        serving.recount()
    queue = Statement("search/lattice/queue", nodes=graph.nodes, edges=graph.edges, checked=CHECKED)
    height = serving.next_height(lowest, highest)
    while height is not None:
        serving.report(height - lowest + 1, highest - lowest + 1)
        found = session.insert(QUEUE, queue, {"iteration": iteration, "height": height})
        tally.checked += found
        if found and rollup:
            serving.roll_up(height, nodes=found)
        elif found:
            serving.recount()
        height = serving.next_height(height, highest)
    session.drop(_ROOTS, *_KEPT)


@dataclass(frozen=True)
class _Kept:
    """The relation ``sets`` with the frequency sets of the nodes of one height, and its number of rows."""

    height: int
    sets: Name
    rows: int


@dataclass
class _Serving:
    """The search of one iteration: nodes are checked height by height.

    Frequency sets are kept for rollups: those of roots (``root_rows`` rows), and those of the last height (``below``).
    """

    packing: Packing
    graph: Graph
    iteration: int
    demand: Demand
    allowed: int
    tally: Tally
    root_rows: int = 0
    below: _Kept | None = None

    @property
    def star(self) -> Star:
        return self.packing.star

    def report(self, step: int, steps: int) -> None:
        # A height here is not that of the hierarchies: the subsets of attributes have other lowest levels.
        self.star.session.report(
            f"search: {self.iteration} of {len(self.star.dimensions)} attributes, step {step} of {steps}, "
            f"{self.tally.checked:,} nodes checked"
        )

    def next_height(self, height: int, highest: int) -> int | None:
        """The next height to check: one above the lowest node not k-anonymous, from ``height`` up to ``highest``.

        None if there is no such node.
        """
        binds = {"iteration": self.iteration, "height": height, "highest": highest}
        (following,) = self.star.session.row(Statement("search/lattice/queue#next", checked=CHECKED), binds)
        return None if following is None else int(following)

    def roll_up_roots(self, roots: Roots, *, nodes: int) -> None:
        """Check the roots, and keep those frequency sets needed for rollups to nodes above."""
        session, tally = self.star.session, self.tally
        origin = roots(self.packing, self.graph, nodes, tally)
        store = session.create
        for rolled in rollups.targets(
            self.packing, origin.targets, sources=origin.sets, rows=origin.rows, into="roots"
        ):
            tally.rows += rolled.rows
            tally.scans += rolled.sources if origin.sets == PACKED else 0
            self._judge(rolled.sets)
            kept = Statement("search/lattice/verdict#kept", sets=rolled.sets, verdicts=VERDICTS)
            self.root_rows += store(_ROOTS, kept)
            store = session.insert

    def roll_up(self, height: int, *, nodes: int) -> None:
        """Check the queued nodes of a height: roll up their frequency sets from the height below, or from roots.

        ``nodes`` is the number of queued nodes.
        """
        sets: Hole = _ROOTS
        rows = self.root_rows
        if self.below is not None and self.below.height == height - 1:
            both = Statement("search/lattice/verdict#both", below=self.below.sets, roots=_ROOTS)
            sets, rows = _nested(both), rows + self.below.rows
        here = _KEPT[height % 2]
        rises = _nested(Statement("search/lattice/queue#rises", queue=new(), places=PLACES))
        stored = rollups.roll_up_all(self.packing, rises=rises, below=sets, rows=rows, into=here)
        self.below = _Kept(height, here, stored)
        self.tally.rollups += nodes
        if stored:
            self.tally.rows += rows
            self._judge(here)

    def recount(self) -> None:
        """Check the queued nodes by frequency sets counted from the star; no frequency set is kept."""
        numbers = self.star.session.run(Statement("search/lattice/queue#groupings", queue=new()))
        counts = (frequency_sets.from_star(self.star, self.packing.node(number)) for (number,) in numbers)
        for batch in frequency_sets.together(counts):
            self.tally.count(batch, checked=False)
            self._judge(_nested(frequency_sets.count_all(batch)))

    def _judge(self, sets: Hole) -> None:
        verdict = Statement("search/lattice/verdict", shortfall=frequency_sets.shortfall(sets, self.demand))
        self.star.session.insert(VERDICTS, verdict, {"allowed": self.allowed})
