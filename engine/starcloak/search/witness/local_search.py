"""Local search for a node of low cost, in a lattice too large for a complete search.

From the top node, the search moves to the best node one level away in one attribute, or in two attributes, as long as
the cost decreases. Then it restarts from the best node so far, with some levels changed at random. The result includes
a lower bound of the cost of all nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from starcloak.base.errors import RequirementError
from starcloak.job.result import search_of
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import full_domain, objective
from starcloak.search.lattice.full_domain import Projection
from starcloak.search.lattice.lattice import Found, Tally
from starcloak.search.lattice.objective import DECIMALS, NodeCost
from starcloak.search.witness import bound
from starcloak.search.witness.settings import BestEffort
from starcloak.star import tuples
from starcloak.star.open_nodes import Levels
from starcloak.star.recoding.full_domain import recode
from starcloak.star.star import Node, Star
from starcloak.star.tuples import Tuples

# Cells that are grouped, beyond which it looks no further than one level away; and those that one node counts at least.
_CELLS, _FEWEST = 3_000_000_000, 200_000
# Times that it begins anew, and attributes that are put elsewhere where it does, at most.
_RESTARTS, _MOVED = 100, 4
# Room for refuted nodes at first.
_FEW = 64
# More than two sums of the same costs in another order differ by.
_ROUGH = 1e-9


def answer(star: Star, requirement: Requirement, run: SearchContext, find: Callable[..., Found]) -> Answer:
    """The recoding by the best node of a local search, with a lower bound of the cost of all nodes.

    ``find`` is a complete search, used for the bound in lattices of a few attributes each. Raises
    :class:`~starcloak.base.errors.RequirementError` if the local search finds no node that satisfies the requirement.
    """
    demand = requirement.joint(star.attributes)
    allowed = requirement.allowance(star.rows)
    cost = objective.costs_of(star, run.objective, k=demand.k, allowed=allowed)
    search = _LocalSearch.of(star, requirement, cost, run, allowed=allowed)
    levels = search.best()
    excess, reached = search.known[levels]
    if excess:
        raise RequirementError(
            f"none of the examined generalizations of {run.label} satisfies the requirement (not all of the "
            f"{star.lattice_nodes:,} were examined): drop quasi-identifiers, or weaken the requirement"
        )
    least = round(bound.least(star, requirement, cost, find, search.order, allowed=allowed), DECIMALS)
    names = star.attributes
    effort, named = search.tally.effort(), dict(zip(names, levels, strict=True))
    done = BestEffort(
        cost=reached,
        bound=least,
        gap=round(reached - least, DECIMALS),
        restarts=search.restarts,
        stopped=search.stopped,
    )
    counted = {
        "checked": len(search.known),
        "statements": effort.statements,
        "scans": effort.scans,
        "rows_aggregated": effort.rows,
        "anonymous_nodes": sum(not above for above, _ in search.known.values()),
        "minimal": [list(levels)],
        "minimal_levels": [named],
        "anonymous_levels": [named],
    }
    summary = search_of(star.lattice_nodes, done).model_copy(update=counted)
    node = Node(0, tuple(range(1, len(levels) + 1)), levels)
    return Answer(star, recode(star, node, demand=demand, seed=run.seed), summary)


#: Moves to other nodes, a row per move: the index of the attribute lowered by one level, and of the attribute raised by
#: one level. The number of attributes stands for no attribute.
Moves: TypeAlias = NDArray[np.int64]


@dataclass
class _Nodes:
    """A growing list of nodes: the first ``count`` rows of ``rows`` have their levels."""

    rows: NDArray[np.uint8]
    count: int = 0

    def nodes(self, since: int = 0) -> NDArray[np.uint8]:
        """The levels of the nodes from index ``since`` on, a row per node."""
        return self.rows[since : self.count]

    def add(self, levels: Levels) -> None:
        if self.count == len(self.rows):
            self.rows = np.vstack([self.rows, np.zeros_like(self.rows)])
        self.rows[self.count] = levels
        self.count += 1


@dataclass(kw_only=True)
class _LocalSearch:
    """State of a local search. The score of a node is a pair: suppressed rows beyond the allowed ones, and the cost.

    The cost is infinite if too many rows are suppressed. ``known`` has the scores of counted nodes. ``parts`` are the
    QIDs, each with its frequency set; ``whole`` is the frequency set of all attributes, and ``demand`` the condition on
    its classes. ``closed`` is true if generalizations of a satisfying node satisfy the requirement, too: then nodes
    beneath the ``refuted`` nodes are not counted.
    """

    star: Star
    parts: list[tuple[Projection, Tuples]]
    whole: Tuples
    demand: Demand
    cost: NodeCost
    run: SearchContext
    allowed: int
    closed: bool
    refuted: _Nodes
    tally: Tally
    known: dict[Levels, tuple[int, float]] = field(default_factory=dict)
    restarts: int = 0
    stopped: bool = False

    @classmethod
    def of(
        cls, star: Star, requirement: Requirement, cost: NodeCost, run: SearchContext, *, allowed: int
    ) -> _LocalSearch:
        parts = full_domain.projections_of(star, requirement.demands)
        tally = full_domain.tally_of(star, parts)
        whole = _fetch(star)
        at_hand = [(part, whole if part.star is star else _fetch(part.star)) for part in parts]
        tally.scans += 1
        closed = all(part.demand.prunable(allowed) for part in parts)
        refuted = _Nodes(np.zeros((_FEW, len(star.heights)), np.uint8))
        return cls(
            star=star, parts=at_hand, whole=whole, demand=requirement.joint(star.attributes), cost=cost, run=run,
            allowed=allowed, closed=closed, refuted=refuted, tally=tally,
        )  # fmt: skip

    @property
    def order(self) -> list[int]:
        """The indices of the attributes, the most selective attribute first."""
        return self.whole.order

    def best(self) -> Levels:
        """Run the search, with up to 100 restarts; returns the levels of the best node found."""
        random = np.random.default_rng(self.run.seed % 2**64)
        best = self._descend(self.star.heights)
        while self.restarts < _RESTARTS and not self._is_over():
            self.restarts += 1
            node = self._descend(self._beside(best, random))
            if self._score(node) <= self._score(best):
                best = node
        best = self._first_of_equals(best)
        self.tally.rows += sum(here.rows for here in {id(here): here for _, here in self.parts}.values())
        return best

    def _first_of_equals(self, best: Levels) -> Levels:
        """The first of all counted nodes with the same score as ``best``, by ``TieOrder``."""
        order = objective.tie_order(self.star)
        equal = [levels for levels, score in self.known.items() if score == self.known[best]]
        if len(equal) == 1:
            return best

        def rank(levels: Levels) -> objective.Rank:
            return order.rank(0, self.whole.count(levels, demand=self.demand).classes, levels)

        return min(equal, key=rank)

    def _is_over(self) -> bool:
        self.stopped = self.stopped or self.run.stop()
        grouped = sum(here.rows * len(part.positions) for part, here in self.parts)
        return self.stopped or grouped + _FEWEST * len(self.known) > _CELLS

    def _beside(self, levels: Levels, random: np.random.Generator) -> Levels:
        """A node with random levels in two to four random attributes, and the given levels elsewhere."""
        moved, heights = list(levels), self.star.heights
        for at in random.permutation(len(levels))[: random.integers(2, _MOVED + 1)].tolist():
            moved[at] = int(random.integers(0, heights[at] + 1))
        return tuple(moved)

    def _descend(self, levels: Levels) -> Levels:
        """Move from a node to better nodes, until no move of one or two attributes leads to a better one.

        Moves of two attributes are no longer tried after a limit of effort, or a request to stop.
        """
        while (better := self._better(levels, _steps(levels, self.star.heights))) or (
            not self._is_over() and (better := self._better(levels, _swaps(levels, self.star.heights)))
        ):
            levels = better
            if self.stopped:
                break
        return levels

    def _better(self, levels: Levels, moves: Moves) -> Levels | None:
        """The node with the best score, of all nodes one of ``moves`` away from the node ``levels``.

        None if no such node has a better score than ``levels``. Nodes with a bound no better are not counted.
        """
        best, taken = self._score(levels), None
        begun = self.refuted.count
        refuted = self._refuted_moves(levels, moves)
        if not best[0]:
            moves = moves[~refuted]
            moves = moves[self._rough_bases(levels, moves) < best[1] + _ROUGH]
            refuted = np.zeros(len(moves), bool)
        near = _moved(levels, moves)
        bases = self._bases(near)
        for at in np.argsort(bases, kind="stable").tolist():
            if (0, float(bases[at])) >= best or (self.stopped and taken):
                break
            neighbour: Levels = tuple(near[at].tolist())
            if refuted[at] and neighbour not in self.known:
                continue
            if (score := self._score(neighbour, since=begun)) < best:
                best, taken = score, neighbour
        return taken

    def _refuted_moves(self, levels: Levels, moves: Moves) -> NDArray[np.bool_]:
        """For each move, True if it leads from the node ``levels`` to a node beneath a refuted one.

        Such a refuted node has a lower level than ``levels`` in at most one attribute: the attribute lowered by the
        move.
        """
        if not self.closed:
            return np.zeros(len(moves), bool)
        own, count = np.array(levels), len(levels)
        refuted = self.refuted.nodes()
        lower = refuted < own
        beside = lower.sum(axis=1) <= 1
        refuted, lower = refuted[beside], lower[beside]
        lowered = np.where(lower.any(axis=1), lower.argmax(axis=1), count)
        far = np.append(own, 0)[lowered] - np.pad(refuted, ((0, 0), (0, 1)))[np.arange(len(refuted)), lowered] > 1
        # By the lowered attribute: the attributes that are higher in one of the refuted nodes, and any as the last one.
        reached = np.zeros((count + 1, count + 1), bool)
        higher = np.pad(refuted > own, ((0, 0), (0, 1)), constant_values=True)
        np.logical_or.at(reached, lowered[~far], higher[~far])
        reached |= reached[count]
        covered: NDArray[np.bool_] = reached[moves[:, 0], moves[:, 1]]
        return covered

    def _rough_bases(self, levels: Levels, moves: Moves) -> NDArray[np.float64]:
        """Lower bounds of the costs of the nodes one move away, like :meth:`_bases`, but without exact rounding."""
        lower, higher = np.zeros(len(levels) + 1), np.zeros(len(levels) + 1)
        for at, step in enumerate(self.cost.steps or ()):
            own = levels[at]
            lower[at] = step[max(own - 1, 0)] - step[own]
            higher[at] = step[min(own + 1, len(step) - 1)] - step[own]
        return float(self._bases(np.array([levels], np.uint8))[0]) + lower[moves[:, 0]] + higher[moves[:, 1]]

    def _bases(self, nodes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Lower bounds of the costs of nodes, by their levels alone; 0 if the objective has no such bounds."""
        bases = np.zeros(len(nodes))
        for at, step in enumerate(self.cost.steps or ()):
            bases += step[nodes[:, at]]
        return np.round(bases, DECIMALS)

    def _score(self, levels: Levels, *, since: int = 0) -> tuple[int, float]:
        """The score of a node: suppressed rows beyond the allowed ones, and the cost (infinite if there are any).

        A node beneath a refuted node is not counted. Only refuted nodes from index ``since`` on are compared.
        """
        if levels in self.known:
            return self.known[levels]
        if self.closed and (self.refuted.nodes(since) >= np.array(levels, np.uint8)).all(axis=1).any():
            return self.star.rows, inf
        if len(self.known) % 64 == 0:
            self.stopped = self.stopped or self.run.stop()
            least = min(self.known.values(), default=(0, inf))[1]
            self.star.session.report(f"search: {len(self.known):,} nodes checked, the least loss so far is {least:.4g}")
        excess = sum(self._excess(part, here, levels) for part, here in self.parts)
        cost = inf if excess else self._cost(levels)
        if excess and self.closed:
            self.refuted.add(levels)
        self.known[levels] = excess, cost
        return self.known[levels]

    def _excess(self, part: Projection, here: Tuples, levels: Levels) -> int:
        own = levels if part.star is self.star else tuple(levels[position] for position in part.positions)
        outliers = here.outliers(own, demand=part.demand)
        return max(0, outliers - self.allowed)

    def _cost(self, levels: Levels) -> float:
        if self.cost.steps is not None and not self.allowed * self.cost.most:
            return float(self._bases(np.array([levels], np.uint8))[0])
        return round(self.cost.of(levels, self.whole.count(levels, demand=self.demand)).cost, DECIMALS)


def _fetch(star: Star) -> Tuples:
    box = tuple(slice(0, height + 1) for height in star.heights)
    return tuples.fetch(star, None, box, climbs=tuples.climbs(star))


def _steps(levels: Levels, heights: Levels) -> Moves:
    """All moves that lower or raise a single attribute by one level."""
    lower, higher = _movable(levels, heights)
    still = np.full(len(levels), len(levels))
    return np.vstack([np.stack([lower, still[: len(lower)]], 1), np.stack([still[: len(higher)], higher], 1)])


def _swaps(levels: Levels, heights: Levels) -> Moves:
    """All moves that lower one attribute by a level and raise another attribute by a level."""
    lower, higher = _movable(levels, heights)
    moves = np.stack([np.repeat(lower, len(higher)), np.tile(higher, len(lower))], 1)
    swaps: Moves = moves[moves[:, 0] != moves[:, 1]]
    return swaps


def _movable(levels: Levels, heights: Levels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the indices of the attributes above their lowest level, and of the attributes below their top."""
    own = np.array(levels)
    return np.flatnonzero(own > 0), np.flatnonzero(own < np.array(heights))


def _moved(levels: Levels, moves: Moves) -> NDArray[np.uint8]:
    """The levels of the nodes reached from a node by each move, a row per move."""
    near = np.tile(np.array([*levels, 1], np.uint8), (len(moves), 1))
    every = np.arange(len(moves))
    near[every, moves[:, 0]] -= 1
    near[every, moves[:, 1]] += 1
    nodes: NDArray[np.uint8] = near[:, :-1]
    return nodes
