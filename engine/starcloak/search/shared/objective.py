"""The choice among the nodes that satisfy the requirement.

LeFevre, DeWitt, Ramakrishnan 2005, section 2.1: minimality of any kind.
"""

from __future__ import annotations

from starcloak import frequency
from starcloak.frequency import Node
from starcloak.job import Objective
from starcloak.privacy.requirement import Demand
from starcloak.search.shared import lattice
from starcloak.search.shared.lattice import Found
from starcloak.star import Star
from starcloak.statement import Hole, Joined, Name, Number, Statement, union_all

_NODES = Name("scoring_nodes")
_COUNTED = Name("scoring_frequency")
_SCORED = Name("scored")

# Nodes whose frequency sets one statement counts.
_TOGETHER = 64


def choose(star: Star, found: Found, objective: Objective, *, demand: Demand, allowed: int) -> Node:
    """The node that minimizes the objective; among equals the lower one, then the first in order.

    Height and weighted height need no counting. The other objectives are scored from frequency sets, beginning at the
    minimal nodes and going up only from nodes whose lower bound still beats the best cost, so the result is the best of
    *all* k-anonymous nodes, also where suppression makes a higher node better. Costs are compared to 12 decimals.
    """
    if found.count == 1:
        return found.minimal[0]
    weights = _weights(star, objective)
    if objective.minimize in (None, "height"):
        statement = Statement("search/objective/weighted_height", {"anonymous": found.anonymous})
        id, _ = star.session.row(statement, {"weights": weights})
        return found.lattice.node(id)
    session = star.session
    session.create(_SCORED, Statement("search/objective/unscored"))
    # Where what is above a node that satisfies the requirement need not, all are candidates.
    closed = found.pruned == "monotone"
    ids = [node.id for node in found.minimal] if closed else None
    session.create(_NODES, Statement("search/objective/candidates", {"nodes": found.anonymous}), {"ids": ids})
    frontier = Statement(
        "search/objective/frontier", {"scored": _SCORED, "nodes": found.anonymous, "attributes": lattice.ATTRIBUTES}
    )
    following = Name("scoring_next")
    binds = {"k": demand.k, "rows": star.rows, "allowed": allowed, "weights": weights}
    while nodes := session.run(Statement("source/relation", {"relation": _NODES})):
        session.report(f"objective: {len(nodes)} nodes to score")
        for start in range(0, len(nodes), _TOGETHER):
            together = [found.lattice.node(id) for id, *_ in nodes[start : start + _TOGETHER]]
            session.create(_COUNTED, union_all(frequency.recount(star, node) for node in together))
            score = _score(star, objective, together, demand)
            text = score.sql()
            session.insert(_SCORED, score, {name: value for name, value in binds.items() if f"${name}" in text})
        id, _, cost = session.row(Statement("search/objective/best", {"scored": _SCORED, "nodes": found.anonymous}))
        session.create(following, frontier, {"best": cost})
        session.create(_NODES, Statement("source/relation", {"relation": following}))
    session.drop(_NODES, _COUNTED, _SCORED, following)
    return found.lattice.node(id)


def _weights(star: Star, objective: Objective) -> list[float]:
    if objective.weights is not None:
        return [objective.weights.get(dimension.attribute, 1.0) for dimension in star.dimensions]
    if objective.minimize in ("precision", "distortion"):
        return [1 / (len(star.heights) * height) for height in star.heights]
    return [1.0] * len(star.heights)


def _score(star: Star, objective: Objective, nodes: list[Node], demand: Demand) -> Statement | Joined:
    if objective.minimize == "loss":
        return union_all(_loss(star, node, demand) for node in nodes)
    # Distortion with uniform weights is what precision loses, cell by cell.
    kind = "precision" if objective.minimize == "distortion" else objective.minimize
    counted: dict[str, Hole] = {"frequency": _COUNTED, "violating": demand.violating}
    holes: dict[str, Hole] = {"score": Statement("search/objective/score", counted)}
    if kind == "precision":
        holes["nodes"] = _NODES
    return Statement(f"search/objective/{kind}", holes)


def _loss(star: Star, node: Node, demand: Demand) -> Statement:
    positions = list(range(1, len(node.levels) + 1))
    lost = (
        Statement(
            "search/objective/loss#lost",
            {"loss": Name(f"climb_{position}", "loss"), "attributes": Number(len(positions))},
        )
        for position in positions
    )
    return Statement(
        "search/objective/loss",
        {
            "node": Number(node.id),
            "frequency": _COUNTED,
            "violating": demand.violating,
            "lost": Joined(tuple(lost), " + "),
            "climbs": frequency.climbs(star, node, positions),
        },
    )
