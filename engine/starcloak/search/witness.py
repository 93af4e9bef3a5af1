"""Witness search: all k-anonymous full-domain generalizations, as Incognito returns them, from far fewer counts."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from starcloak import frequency
from starcloak.frequency import Node
from starcloak.search.open_nodes import Box, Levels, OpenNodes, between, meet
from starcloak.search.tuples import Integers, Tuples, summed_up
from starcloak.star import GENERALIZATION, STAR, Dimension, Star
from starcloak.statement import Joined, Name, Number, Statement, columns, lines, union_all

log = logging.getLogger("starcloak")

_WITNESSES = Name("witnesses")

# A frequency set of so many tuples is fetched and asked at hand; larger ones are asked by statements.
_AT_HAND = 1_000_000
# Witnesses by a statement over a large star, and at hand.
_FEW, _MANY = 2, 16
# Verdicts at hand between two choices of nodes, at least.
_ROUND = 48


def search(star: Star, *, k: int, allowed: int) -> OpenNodes:
    """All k-anonymous nodes of the lattice (section 2.1, with ``allowed`` outliers as the suppression threshold).

    TODO
    """
    done = _Search(star, k=k, allowed=allowed)
    done.run()
    return done.nodes


class _Search:
    def __init__(self, star: Star, *, k: int, allowed: int) -> None:
        self.star, self.session, self.k, self.allowed = star, star.session, k, allowed
        self.nodes = OpenNodes(star.heights)
        self.values = {}
        self.climbs = None
        self.checked = self.scans = self.rows = 0

    def run(self) -> None:
        if self.star.combinations > _AT_HAND:
            self._ask_attributes_alone()
            if not self.allowed:
                self._ask_witnesses()
        self._settle(self.nodes.everything)

    def _settle(self, box: Box) -> None:
        """Find the verdict on every node of a box.

        The frequency set of the node beneath its open nodes comes home where it is small enough. Otherwise the box is
        halved, the upper half first: it has the smaller frequency sets, and what they refute need not be asked below.
        """
        if not self.nodes.count(box):
            return
        box = self.nodes.span(box)
        node = meet(box)
        if self._about(node) <= _AT_HAND:
            self._settle_at_hand(self._fetch(node, box), box)
        elif self.nodes.count(box) == 1:
            self._count(node)
        else:
            attribute, middle = self._halved(box)
            self._settle(between(box, attribute, middle, box[attribute].stop))
            self._settle(between(box, attribute, box[attribute].start, middle))

    def _halved(self, box: Box) -> tuple[int, int]:
        """The attribute whose values become fewest, as a share, from the lower half of its levels to the upper half."""
        halves = [(a, (side.start + side.stop) // 2) for a, side in enumerate(box) if side.stop - side.start > 1]
        return min(halves, key=lambda half: self.values[half] / self.values[half[0], box[half[0]].start])

    def _settle_at_hand(self, tuples: Tuples, box: Box) -> None:
        if not self.allowed:
            for witness in tuples.rare(min(_MANY, self.nodes.count(box) // _MANY), k=self.k):
                self.nodes.refute(tuples.refuted_by(witness, k=self.k), above=tuples.node)
        while open := self.nodes.count(box):
            self.session.report(f"search: {open} nodes open")
            for levels in self.nodes.telling(max(_ROUND, open // 64), box):
                outliers = tuples.outliers(levels, k=self.k)
                self.nodes.settle(levels, anonymous=outliers <= self.allowed)
                self.checked += 1
        self.rows += tuples.rows

    def _ask_attributes_alone(self) -> None:
        """Each attribute alone: the nodes that have all other attributes at their tops."""
        marginals = union_all(self._marginal(dimension) for dimension in self.star.dimensions)
        statement = Statement("witness/alone", {"marginals": marginals, "generalization": GENERALIZATION})
        for dimension, level, groups, outliers in self.session.run(statement, {"k": self.k}):
            levels = tuple(level if p == dimension else h for p, h in enumerate(self.star.heights, 1))
            self.nodes.settle(levels, anonymous=outliers <= self.allowed)
            self.values[dimension - 1, level] = groups

    def _ask_witnesses(self) -> None:
        dims = self.star.dimensions
        aliases = [Name(f"marginal_{d.position}") for d in dims]
        self.session.create(_WITNESSES, Statement("witness/witnesses", {
            "star": STAR,
            "values": columns(Name("tuples", *d.column(0).parts) for d in dims),
            "rarities": Joined(tuple(Statement("witness/rarity", {"frequency": Name(*a.parts, "frequency")}) for a in aliases), " + "),
            "joins": lines(Statement("witness/join", {"marginal": self._marginal(d), "alias": a, "code": d.column(0)}) for d, a in zip(dims, aliases)),
        }), {"k": self.k, "count": _FEW, "every": max(1, self.star.combinations // 50_000)})
        strides = [int(np.prod(self.nodes.shape[a + 1:])) for a in range(len(dims))]
        steps = [Statement("witness/step", {"column": d.column(l), "stride": Number(s)}) for d, s in zip(dims, strides) for l in range(d.height)]
        found = self.session.columns(Statement("witness/coincidence", {"star": STAR, "witnesses": _WITNESSES, "steps": Joined(tuple(steps), "\n    + ")}))
        for w in range(1, _FEW + 1):
            of = found["witness"] == w
            sizes = np.bincount(found["node"][of], weights=found["frequency"][of], minlength=self.nodes.open.size)
            self.nodes.refute(summed_up(sizes.reshape(self.nodes.shape)) < self.k, above=(0,) * len(dims))
            log.debug("open %d", self.nodes.count(self.nodes.everything))

    def _marginal(self, dimension: Dimension) -> Statement:
        return Statement("witness/marginal", {"dimension": Number(dimension.position), "code": dimension.column(0), "star": STAR})

    def _about(self, node) -> int:
        if self.star.combinations <= _AT_HAND:
            return self.star.combinations
        if np.prod([self.values[a, l] for a, l in enumerate(node)], dtype=float) <= _AT_HAND: return 0
        levels = Joined(tuple(d.column(l) for d, l in zip(self.star.dimensions, node) if l < d.height), ", ")
        (groups,) = self.session.row(Statement("witness/estimate", {"levels": levels, "star": STAR}))
        log.debug("about %s %d open", node, groups)
        return groups

    def _count(self, node) -> None:
        batch = Name("batch")
        self.session.create(batch, frequency.recount(self.star, self._node(node)))
        _, _, _, outliers = self.session.row(frequency.shortfall(batch), {"k": self.k})
        self.nodes.settle(node, anonymous=outliers <= self.allowed)

    def _node(self, levels):
        return Node(0, tuple(range(1, len(levels) + 1)), levels)

    def _fetch(self, node, box) -> Tuples:
        if self.climbs is None:
            found = self.session.columns(Statement("witness/climbs", {"generalization": GENERALIZATION}))
            self.climbs = [[found["ancestor"][(found["dimension"] == d.position) & (found["level"] == l)] for l in range(d.height + 1)] for d in self.star.dimensions]
        low = tuple(a for a, l in enumerate(node) if l < self.star.heights[a])
        fetched = self.session.columns(frequency.recount(self.star, Node(0, tuple(a + 1 for a in low), tuple(node[a] for a in low))))
        none = np.zeros(len(fetched["frequency"]), np.int64)
        codes = [none] * len(node)
        for p, a in enumerate(low, 1):
            codes[a] = fetched[f"value_{p}"]
        return Tuples(codes, fetched["frequency"].astype(np.int64), climbs=self.climbs, node=node, nodes=self.nodes, box=box)
