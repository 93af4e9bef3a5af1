"""Frequency sets of many nodes in one statement: each is that of a GROUP BY over the star."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from starcloak.star import frequency_sets, rollups
from starcloak.star.rollups import PACKED
from starcloak.star.star import Node, Star
from starcloak.statements.statement import Name

PATIENTS = {
    "source": {"dataset": "patients"},
    "sensitive": ["disease"],
    "requirement": {"k": 2},
}


def sizes(star: Star, relation: str, node: int) -> list[tuple[int]]:
    sql = f"select frequency from {relation} where node = {node} order by all"
    return star.session.connection.execute(sql).fetchall()


@pytest.mark.parametrize(("bits", "budget"), [(62, 10_000_000), (3, 8)], ids=["at once", "in parts"])
@pytest.mark.parametrize("top", ["suppressed", "capped"])
def test_every_node_is_rolled_up_from_the_star(
    bits: int, budget: int, top: str, star_of: Callable[..., Star], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a key of several parts, with ranges of nodes, and with a top that has several values."""
    monkeypatch.setattr(rollups, "_BITS", bits)
    monkeypatch.setattr(rollups, "_BUDGET", budget)
    zipcode = {"digits": 5, "to": 1} if top == "capped" else {"digits": 5}
    star = star_of({**PATIENTS, "quasi_identifiers": {"birthdate": "suppress", "sex": "suppress", "zipcode": zipcode}})
    run = star.session.connection.execute
    packing = rollups.pack(star)
    rollups.pack_star(packing)
    run(f"create table every_node as select range as node, 0::bigint as source from range({packing.top + 1})")
    seen = 0
    for rolled in rollups.targets(packing, Name("every_node"), sources=PACKED, rows=star.combinations, into="step"):
        for (number,) in run(f"select distinct node from {rolled.sets.sql()}").fetchall():
            node = packing.node(number)
            seen += 1
            if node.dimensions:
                star.session.create(Name("counted"), frequency_sets.recount(star, node))
                assert sizes(star, rolled.sets.sql(), number) == sizes(star, "counted", number)
    assert seen == packing.top + 1 == len(list(product(*map(range, packing.levels))))
    assert packing.node(0) == Node(0, (1, 2, 3), (0, 0, 0))
    assert (len(packing.parts) > 1) == (bits < 62)
