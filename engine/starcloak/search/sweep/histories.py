"""The sweep with all rows of a person as one unit: persons with equal histories at a node become a group.

A history is the set of a person's tuples with their frequencies. At a node, every tuple is generalized to the node's
levels. Persons with the same generalized tuples, each with the same frequency, then have equal histories; k persons
make a valid group. So only persons with the same number of rows can be in one group. Within a group, original tuples
with equal values at the node are generalized to their closest common generalization, which may be lower than the node.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from starcloak.base.errors import RequirementError
from starcloak.job.result import search_of
from starcloak.privacy.histories.model import Histories
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import models_of
from starcloak.privacy.requirement import Demand, Requirement
from starcloak.search.algorithm import Answer, SearchContext
from starcloak.search.sweep import classes, costs, nodes, persons
from starcloak.search.sweep.costs import Floats
from starcloak.search.sweep.greedy_sweep import Walk
from starcloak.search.sweep.persons import OrderedPersons
from starcloak.search.sweep.settings import Sweep, Swept
from starcloak.star.keys import Integers
from starcloak.star.recoding import person_recoding
from starcloak.star.recoding.recoding import RECODING
from starcloak.star.star import Star
from starcloak.star.working_tables import VISITS
from starcloak.statements.statement import As, Name, Statement, columns, conditions

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger("starcloak")

_RECODED = Name("recoded")
# Tuples of persons that are looked at in search of groups to join, over all nodes; at least so many nodes are.
_WORK = 30_000_000
_FEWEST = 200


@dataclass(frozen=True)
class Formed:
    """Groups of persons with equal histories.

    ``of`` has the group of each person, -1 for suppressed persons; ``at`` has the levels of each group's node.
    """

    of: Integers
    at: Integers


def answer(star: Star, requirement: Requirement, settings: Sweep, run: SearchContext) -> Answer:
    """A local recoding with every history shared by at least k persons; all rows of other persons are suppressed.

    A history is the set of a person's tuples with their frequencies. Raises :class:`RequirementError` if more rows than
    suppression allows belong to persons with a number of rows that fewer than k persons have.
    """
    (model,) = (model for demand in requirement.demands for model in models_of(demand.models, Histories.key))
    assert isinstance(model, Histories)
    demand = Demand(requirement.demands[0].attributes, (KAnonymity(k=model.k),))
    people = persons.fetch(star, *costs.tabulate(star, run.objective, settings), demand, k=model.k)
    allowed = requirement.allowance(star.rows) - (star.rows - int(people.times.sum()))
    if allowed < 0 or not len(people):
        raise RequirementError(
            f"no generalization of {run.label} satisfies the requirement: some persons have a number of "
            f"rows{', or cells at the highest levels,' * bool(star.capped)} in common with fewer than k = {model.k} "
            "persons, and suppression allows fewer rows than theirs: allow more suppression, or leave rows out of "
            "the source"
        )
    random = np.random.default_rng(run.seed % 2**64)
    walk = Walk(people, nodes.nodes_to_visit(people, random), random)
    dearest = float(settings.dearest)
    walk.sweep(
        until=lambda cost: cost > dearest and people.rows[walk.group < 0].sum() <= allowed, report=star.session.report
    )
    left_over = walk.group < 0
    log.debug("sweep: %d groups of persons, %d visits, %d persons left over", walk.formed, walk.visits, left_over.sum())
    formed = _with_rest(people, walk, allowed=allowed, dearest=dearest, random=random)
    levels, count = _generalize(people, formed)
    recoding = _keep(star, people, formed, levels, person=model.person, seed=run.seed)
    summary = Swept(
        tuples=star.combinations,
        classes=count,
        nodes=len(walk.nodes),
        visits=walk.visits,
        hits=walk.hits,
        groups=walk.formed,
        left_over=star.rows - int(people.rows[~left_over].sum()),
        joined=int((left_over & (formed.of >= 0)).sum()),
        suppressed=recoding.suppressed,
        aggregated=walk.aggregated,
    )
    return Answer(star, recoding, search_of(star.lattice_nodes, summary))


def _with_rest(
    people: OrderedPersons, walk: Walk, *, allowed: int, dearest: float, random: np.random.Generator
) -> Formed:
    """The groups of the sweep after each remaining person joined a group, was generalized to the top, or suppressed.

    A person joins the group with the least added cost, or is generalized to the top of the lattice with at least k - 1
    others. Persons with a cost per row above ``dearest`` are suppressed in descending order of this cost, at most
    ``allowed`` rows in total.
    """
    k, rows, kinds = people.demand.least_rows, people.rows, people.kinds
    left = np.flatnonzero(walk.group < 0)
    of, at = walk.group.copy(), walk.formed_at.astype(np.int64)
    target, node, joining = _cheapest(people, walk, left, random)
    alone = people.cost(left, np.array(people.heights)) * rows[left]
    out = np.zeros(len(left), bool)
    for kind in np.unique(kinds[left[target < 0]]).tolist():  # persons of such a kind are in no group: all, or none
        those = kinds[left] == kind
        many = int(rows[left[those]].sum())
        if (alone[those] > dearest * rows[left[those]]).any() and many <= allowed:
            out |= those
            allowed -= many
    out |= _dearest(np.where(out | (target < 0), 0, np.minimum(joining, alone)), rows[left], dearest, allowed)
    allowed -= int(rows[left[out & (target >= 0)]].sum())
    together = ~out & (alone < joining)
    alike = np.bincount(kinds[left[together]], minlength=int(kinds.max()) + 1)
    together &= (target < 0) | (alike >= k)[kinds[left]]
    out |= _dearest(np.where(out | together, 0, joining), rows[left], dearest, allowed)
    joins = ~out & ~together
    of[left[joins]] = target[joins]
    np.maximum.at(at, target[joins], node[joins])
    pools, numbers = np.unique(kinds[left[together]], return_inverse=True)
    of[left[together]] = len(at) + numbers
    return Formed(of, np.concatenate([at, np.tile(people.heights, (len(pools), 1))]))


def _dearest(cost: Floats, rows: Integers, dearest: float, allowed: int) -> NDArray[np.bool_]:
    """True for each person to suppress: those with a cost per row above ``dearest``.

    ``cost`` is the total cost of each person's rows. In descending order of cost per row, persons are marked while the
    rows add up to at most ``allowed``.
    """
    share = cost / rows
    order = np.argsort(-share, kind="stable")
    out = np.zeros(len(cost), bool)
    out[order] = (share[order] > dearest) & (np.cumsum(rows[order]) <= allowed)
    return out


def _cheapest(
    people: OrderedPersons, walk: Walk, left: Integers, random: np.random.Generator
) -> tuple[Integers, Integers, Floats]:
    """The cheapest group for each remaining person (``left``), -1 for none, the group's new node, and the cost.

    A person may join a group at a node, if the histories are equal there and the group's own node is at or below it in
    the lattice. The cost is that of the person's rows at this node, plus the added cost of the group's rows. A random
    selection of nodes is tried, and the top.
    """
    target, joining = np.full(len(left), -1), np.full(len(left), np.inf)
    node: Integers = np.zeros((len(left), len(people.heights)), np.int64)
    if not len(left) or not walk.formed:
        return target, node, joining
    at, members = walk.formed_at, np.flatnonzero(walk.group >= 0)
    examples: Integers = np.zeros(walk.formed, np.int64)
    examples[walk.group[members]] = members
    weight = np.bincount(walk.group[members], minlength=walk.formed) * people.rows[examples]
    own, place = np.unique(at, axis=0, return_inverse=True)
    now = np.zeros(walk.formed)
    for number, levels in enumerate(own):
        there = np.flatnonzero(place.reshape(-1) == number)
        now[there] = people.cost(examples[there], levels)
    top = np.array(people.heights)
    most = max(_FEWEST, _WORK // int(people.tuples[left].sum() + people.tuples[examples].sum()))
    tried = random.permutation(walk.nodes)[:most]
    bound = nodes.least(people, tried)
    order = np.argsort(bound, kind="stable")
    for levels, least in [*zip(tried[order], bound[order], strict=True), (top, 0.0)]:
        waiting = np.flatnonzero(joining > least * people.rows[left])
        groups = np.flatnonzero((at <= levels).all(axis=1))
        if not len(waiting) or not len(groups):
            continue
        numbers, count = people.group(np.concatenate([left[waiting], examples[groups]]), levels)
        raised = (people.cost(examples[groups], levels) - now[groups]) * weight[groups]
        dear_first = np.argsort(-raised, kind="stable")
        cheapest, extra = np.full(count, -1), np.full(count, np.inf)
        cheapest[numbers[len(waiting) :][dear_first]] = groups[dear_first]
        extra[numbers[len(waiting) :][dear_first]] = raised[dear_first]
        persons_of = left[waiting]
        cost = people.cost(persons_of, levels) * people.rows[persons_of] + extra[numbers[: len(waiting)]]
        better = cost < joining[waiting]
        those = waiting[better]
        target[those], joining[those] = cheapest[numbers[: len(waiting)]][better], cost[better]
        node[those] = levels
    return target, node, joining


def _generalize(people: OrderedPersons, formed: Formed) -> tuple[Integers, int]:
    """The levels of every tuple of every person, -1 for suppressed tuples, and the number of classes in a release.

    Tuples of a group with equal values at the group's node are generalized to their closest common generalization. The
    histories of the group's persons stay equal.
    """
    of = np.repeat(formed.of, people.tuples)
    kept = np.flatnonzero(of >= 0)
    key: Integers = of[kept]
    for codes, climbs, levels in zip(people.codes, people.climbs, formed.at[of[kept]].T, strict=True):
        value = np.stack(climbs)[levels, codes[kept]]
        _, key = np.unique(key * (int(value.max(initial=0)) + 1) + value, return_inverse=True)
    slot: Integers = np.full(len(of), -1)
    slot[kept] = key
    generalized = classes.generalize(people.visits, slot, int(key.max(initial=-1)) + 1)
    _, count = classes.alike(people.visits, generalized)
    goals: Integers = np.full((len(of), len(people.heights)), -1)
    goals[kept] = generalized.levels[key]
    return goals, count


def _keep(
    star: Star, people: OrderedPersons, formed: Formed, levels: Integers, *, person: tuple[str, ...], seed: int
) -> person_recoding.ByPerson:
    """Create the recoding relation from the levels of every tuple of every person (-1 for suppressed tuples)."""
    kept = np.repeat(formed.of >= 0, people.tuples)
    frame: dict[str, NDArray[Any]] = {"person": np.repeat(people.numbers, people.tuples)[kept]}
    codes, goals, match = [], [], []
    for dimension, leaves, at in zip(star.dimensions, people.codes, levels[kept].T, strict=True):
        code, level = Name(f"code_{dimension.position}"), Name(f"level_{dimension.position}")
        frame |= {code.parts[0]: leaves[kept].astype(np.uint32), level.parts[0]: at.astype(np.uint8)}
        own = Name("visits", *dimension.column(0).parts)
        codes.append(As(own, code))
        goals.append(As(Statement("search/sweep/recoding#level", level=Name("recoded", *level.parts)), level))
        match.append(Statement("star/recoding/recode#match", one=Name("recoded", *code.parts), other=own))
    star.session.receive(
        RECODING,
        _RECODED,
        frame,
        Statement(
            "search/sweep/recoding#persons",
            codes=columns(codes),
            levels=columns(goals),
            visits=VISITS,
            recoded=_RECODED,
            match=conditions(match),
        ),
    )
    return person_recoding.recode(star, person=person, seed=seed)
