"""Bottom-up search for a requirement on histories: the history of a person is the set of all rows of the person."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from starcloak.base.errors import JobError, RequirementError
from starcloak.privacy.aggregates import PERSONS
from starcloak.privacy.histories.model import Histories
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import models_of
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.lattice import lattice, objective
from starcloak.search.lattice.full_domain import search_of
from starcloak.search.lattice.lattice import Found, Tally
from starcloak.star.recoding import full_domain as whole_domain
from starcloak.star.recoding import without_persons
from starcloak.star.recoding.without_persons import LEFT_OUT
from starcloak.star.star import Node, Star
from starcloak.star.working_tables import VISITS
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns

# Nodes times pairs of a person and a tuple, at most.
_LARGEST = 2_000_000_000


def answer(star: Star, requirement: Requirement, run: SearchContext) -> Answer:
    """The recoding by the best node, with each history shared by at least k persons.

    All rows of persons with a rarer history are suppressed, within the allowed suppression. The objective compares
    nodes as if no person were suppressed. Raises :class:`RequirementError` if no node satisfies the requirement.
    """
    (demand,) = requirement.demands
    (model_asked,) = (model for model in models_of(demand.models, Histories.key) if isinstance(model, Histories))
    satisfying = _satisfying_nodes(star, model_asked.k, allowed=requirement.allowance(star.rows))
    if not satisfying.count:
        raise RequirementError(
            f"no generalization of {run.label} satisfies the requirement: weaken the requirement, or allow more "
            "suppression"
        )
    everybody = Demand(demand.attributes, (KAnonymity(k=1),))
    node = objective.choose(star, satisfying, run.objective, demand=everybody, allowed=0)
    grouped = columns(
        As(Name("codes", f"sensitive_{requirement.reads.index(name) + 1}"), Name(f"person_{number}"))
        for number, name in enumerate(model_asked.person, 1)
    )
    holes: dict[str, Hole] = {"groups": _groups(star, node), "told": grouped, "codes": PERSONS}
    if star.session.create(LEFT_OUT, Statement("privacy/histories/groups#left_out", **holes), {"k": model_asked.k}):
        recoding = without_persons.recode(star, node, person=model_asked.person, seed=run.seed)
        return Answer(star, recoding, search_of(star, satisfying))
    return Answer(star, whole_domain.recode(star, node, demand=everybody, seed=run.seed), search_of(star, satisfying))


def _satisfying_nodes(star: Star, k: int, *, allowed: int) -> Found:
    """All nodes with at most ``allowed`` rows of persons with a rare history, shared by fewer than k persons.

    Every generalization of a satisfying node satisfies the requirement, too: equal histories stay equal. Raises
    :class:`JobError` if there are too many nodes to count.
    """
    whole = lattice.lattice_of(star)
    tally = Tally(star.session)
    if whole.size * star.rows > _LARGEST:
        raise JobError(
            f"person with as: set needs a count at each of {whole.size:,} nodes over {star.rows:,} rows, which takes "
            "too long: drop levels of hierarchies, or give person: COLUMN without as"
        )
    satisfying = np.zeros([height + 1 for height in star.heights], bool)
    for levels in sorted(product(*map(range, satisfying.shape)), key=lambda levels: (sum(levels), levels)):
        beneath = (
            (*levels[:place], level - 1, *levels[place + 1 :]) for place, level in enumerate(levels) if level > 0
        )
        if any(satisfying[node] for node in beneath):
            satisfying[levels] = True
            continue
        counted = Statement("privacy/histories/groups#outliers", groups=_groups(star, whole.node(whole.number(levels))))
        (outliers,) = star.session.row(counted, {"k": k})
        satisfying[levels] = outliers <= allowed
        tally.checked += 1
        tally.scans += 1
        tally.rows += star.combinations
        star.session.report(f"search: {tally.checked:,} of {whole.size:,} nodes checked")
    nodes = lattice.collect(
        star,
        Statement("search/lattice/nodes#marked"),
        {"nodes": satisfying.size, "marks": np.packbits(satisfying).tobytes()},
        complete=True,
        effort=tally.effort(),
    )
    return replace(nodes, pruned="monotone")


def _groups(star: Star, node: Node) -> Statement:
    values = [dimension.value for dimension in star.dimensions]
    levels = columns(
        As(dimension.column(level), value)
        for dimension, level, value in zip(star.dimensions, node.levels, values, strict=True)
    )
    return Statement("privacy/histories/groups", levels=levels, values=Joined(tuple(values), ", "), visits=VISITS)
