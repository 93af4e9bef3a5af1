"""The verifier's own count of every model, for several quasi-identifiers at once, beside the definitions."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.job.check_result import ModelVerdict
from starcloak.privacy.delta_presence import recount as delta_presence
from starcloak.privacy.delta_presence.model import DeltaPresence
from starcloak.privacy.k_map import recount as k_map
from starcloak.privacy.k_map.model import KMap
from starcloak.privacy.t_closeness import recount as t_closeness
from starcloak.privacy.t_closeness.model import TCloseness
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import Joined, Name
from starcloak.store.session import Session
from tests.privacy.histograms import (
    MODELS,
    VALUES,
    Histogram,
    alpha,
    beta,
    entropy,
    equal,
    hierarchical,
    moved_along,
    moved_up,
    of,
    ordered,
    p_sensitive,
    recursive,
)

Row = tuple[Any, ...]
Holds = Callable[[Histogram, Histogram], bool]

ASKED: dict[str, tuple[dict[str, Any], Holds]] = {
    **MODELS,
    "distinct": (of("l_diversity", l=2), p_sensitive(2)),
    "distinct 3": (of("l_diversity", l=3), p_sensitive(3)),
    "alpha of rare": (of("alpha", alpha="0.6"), alpha("0.6")),
    "beta 2": (of("beta_likeness", beta="2"), beta("2")),
    "hierarchical of a level": (
        of("t_closeness", t="0.25", distance="hierarchical", hierarchy="suppress"),
        hierarchical("0.25", {value: ("*",) for value in VALUES}),
    ),
    "equal 0.4": (of("t_closeness", t="0.4"), equal("0.4")),
}
QIDS = [("one",), ("two",), ("one", "two")]


def drawn(seed: int) -> list[Row]:
    """Classes of some rows, each with a favourite value of its own."""
    chance = random.Random(seed)
    rows = []
    for one in "ab":
        for two in "pq":
            favourite = chance.choice(VALUES)
            for _ in range(chance.randint(4, 12)):
                rows.append((one, two, favourite if chance.random() < 0.3 else chance.choice(VALUES)))
    return rows


def histograms(rows: list[Row], qid: tuple[str, ...]) -> dict[Row, Histogram]:
    places = [("one", "two").index(name) for name in qid]
    found: dict[Row, Counter[Any]] = defaultdict(Counter)
    for row in rows:
        found[tuple(row[place] for place in places)][row[2]] += 1
    return dict(found)


def checked(rows: list[Row], names: Iterable[str]) -> dict[str, list[ModelVerdict]]:
    """The verdicts on models by their names, over each of the QIDs: all that are asked for at once."""
    asked: dict[str, dict[str, Any]] = {}
    for name in names:
        ((key, (model,)),) = ASKED[name][0].items()
        asked.setdefault(key, {})[name] = model
    frame = pandas.DataFrame(rows, columns=["one", "two", "disease"], dtype=object)
    qids = [{"attributes": list(qid), "k": 1} for qid in QIDS]
    told = sc.check(frame, qids=qids, **{key: [*models.values()] for key, models in asked.items()})
    order = [name for key in dict.fromkeys(each.model for each in told.qids[0].models) for name in asked[key]]
    return {name: [qid.models[place] for qid in told.qids] for place, name in enumerate(order)}


def test_classes_that_violate_a_model_are_counted_by_its_definition() -> None:
    seen = set()
    for seed in range(2):
        rows = drawn(seed)
        table = Counter(row[2] for row in rows)
        for name, verdicts in checked(rows, ASKED).items():
            for qid, told in zip(QIDS, verdicts, strict=True):
                found = histograms(rows, qid)
                violating = [sum(counts.values()) for counts in found.values() if not ASKED[name][1](counts, table)]
                expected = (not violating, len(violating), sum(violating))
                assert (told.holds, told.violating_classes, told.violating_rows) == expected, (name, seed, qid)
                seen |= {(name, bool(violating)), (name, len(violating) < len(found))}
    assert seen == {(name, which) for name in ASKED for which in (True, False)}


#: With a bound a little above what was achieved every class holds, with one a little beneath the worst does not.
BOUNDS: dict[str, Callable[[str], Holds]] = {
    "alpha of rare": alpha,
    "alpha of one": lambda share: alpha(share, ("flu",)),
    "beta 2": beta,
    "equal 0.4": equal,
    "ordered": ordered,
    "hierarchical": hierarchical,
    "entropy 1.5": entropy,
    "recursive": lambda ratio: recursive(ratio, 2),
}


def test_what_is_achieved_is_that_of_the_worst_class() -> None:
    seen = set()
    for seed in range(6):
        rows = drawn(seed)
        table = Counter(row[2] for row in rows)
        for name, verdicts in checked(rows, BOUNDS).items():
            for qid, told in zip(QIDS, verdicts, strict=True):
                if told.achieved is None:
                    continue
                seen.add(name)
                loose, tight = told.achieved + 1e-7, told.achieved - 1e-7
                if name.startswith("entropy"):
                    loose, tight = tight, loose
                found = histograms(rows, qid).values()
                assert all(BOUNDS[name](f"{loose:.12f}")(counts, table) for counts in found), (name, seed, qid)
                assert not all(BOUNDS[name](f"{tight:.12f}")(counts, table) for counts in found), (name, seed, qid)
    assert seen == set(BOUNDS)


CODES = [None, *(f"{code:02}" for code in range(40))]
LINES_OF_CODES = {code: (code[:1], "*") if code else ("none", "*") for code in CODES}
TREE = {"none": [None], **{tens: [code for code in CODES if code and code[0] == tens] for tens in "0123"}}
FAR: dict[str, tuple[dict[str, Any], Callable[[Histogram, Histogram], Fraction]]] = {
    "ordered": ({"order": CODES[::-1]}, lambda counts, table: moved_along(counts, table, CODES[::-1])),
    "hierarchical": ({"hierarchy": {"tree": TREE}}, lambda counts, table: moved_up(counts, table, LINES_OF_CODES)),
}


@pytest.mark.parametrize("distance", FAR)
def test_a_class_with_few_of_many_values_is_as_far_as_all_values_say(distance: str) -> None:
    """The verifier looks at the values of a class alone. Some class is at each bound, and just beyond it."""
    settings, far = FAR[distance]
    model = TCloseness.model_validate({"attribute": "code", "t": 0, "distance": distance, **settings})
    number = Joined((Name("number"),), "")
    with Session() as session:
        session.connection.execute("create table classes (number bigint, code text, size bigint, class_rows bigint)")
        for seed in range(2):
            chance = random.Random(seed)
            found = [Counter(chance.choices(CODES, k=chance.choice([1, 2, 9, 60]))) for _ in range(12)]
            rows = [(at, code, size, each.total()) for at, each in enumerate(found) for code, size in each.items()]
            session.connection.execute("delete from classes")
            session.connection.executemany("insert into classes values (?, ?, ?, ?)", rows)
            table = sum(found, Counter[Any]())
            distances = [far(counts, table) for counts in found]
            for bound in sorted(distances)[3::4]:
                for t in (bound, bound - Fraction(1, 10**9)):
                    asked = model.model_copy(update={"t": t})
                    judged = t_closeness.recount(session, Name("classes"), number, [Name("code")], asked)
                    beyond = [each.total() for each, moved in zip(found, distances, strict=True) if moved > t]
                    assert (judged.violating_classes, judged.violating_rows) == (len(beyond), sum(beyond)), (seed, t)
                    assert judged.achieved == pytest.approx(float(max(distances)), rel=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["equal", "ordered", "hierarchical"])
def test_a_table_of_one_value_is_as_near_to_itself_as_it_can_be(name: str) -> None:
    told = checked([("a", "p", "flu"), ("b", "q", "flu")], [name])[name]
    assert [(each.holds, each.achieved, each.violating_classes) for each in told] == [(True, 0, 0)] * 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "least"), [("distinct", 2), ("distinct 3", 3), ("p-sensitive", 2)])
def test_the_fewest_values_of_a_class_are_achieved(name: str, least: int) -> None:
    seen = set()
    for seed in range(6):
        rows = drawn(seed)
        for qid, told in zip(QIDS, checked(rows, [name])[name], strict=True):
            fewest = min(len(counts.keys() - {None}) for counts in histograms(rows, qid).values())
            assert told.achieved == (fewest if fewest >= least else None)
            seen.add(fewest)
    assert len(seen) > 1


def counted(session: Session, seed: int) -> list[tuple[int, int]]:
    """Classes of some rows and so many people; of some nobody is in the release."""
    chance = random.Random(seed)
    people = [chance.randint(1, 9) for _ in range(6)]
    found = [(chance.choice((0, chance.randint(0, each), each)), each) for each in people]
    session.connection.execute("create or replace table classes (size bigint, people bigint)")
    session.connection.executemany("insert into classes values (?, ?)", found)
    return found


def test_classes_of_too_few_people_are_counted() -> None:
    model = KMap(k=3)
    with Session() as session:
        for seed in range(20):
            found = [each for each in counted(session, seed) if each[0]]
            violating = [size for size, people in found if people < 3]
            fewest = min((people for _, people in found), default=None)
            expected = Judged(not violating, fewest, len(violating), sum(violating))
            assert k_map.recount(session, Name("classes"), Joined((), ""), [], model) == expected


def test_classes_of_which_too_few_or_too_many_are_there_are_counted() -> None:
    model = DeltaPresence.model_validate({"min": "0.25", "max": "0.75"})
    with Session() as session:
        for seed in range(20):
            found = counted(session, seed)
            violating = [size for size, people in found if not people <= 4 * size <= 3 * people]
            largest = max(size / people for size, people in found)
            expected = Judged(not violating, largest, len(violating), sum(violating))
            assert delta_presence.recount(session, Name("classes"), Joined((), ""), [], model) == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("more", [{}, {"person": "whose"}], ids=["rows", "persons"])
@pytest.mark.parametrize("name", ["distinct", "entropy 1.5", "recursive", "alpha of rare", "p-sensitive"])
def test_all_rows_of_a_violating_class_are_counted(name: str, more: dict[str, Any]) -> None:
    """Also those without a value, and further ones of a person, of which the model looks at none."""
    rows = pandas.DataFrame(
        [("a", person, ill) for person in "pq" for ill in ("flu", "flu", None)]
        + [("b", "r", "flu"), ("b", "s", "cough"), ("b", "t", "ache"), ("b", "u", "flu")],
        columns=["one", "whose", "disease"],
    )
    (told,) = sc.check(rows, ["one"], 1, **more, **ASKED[name][0]).qids[0].models
    assert (told.holds, told.violating_classes, told.violating_rows) == (False, 1, 6)


@pytest.mark.parametrize("levels", [{"to": 0}, {"from": 1}])
def test_a_hierarchy_of_one_level_measures_no_distance(levels: dict[str, int]) -> None:
    """All values would be one, and every t would hold."""
    frame = pandas.DataFrame({"q": ["a", "a", "b", "b"], "s": ["flu", "flu", "ulcer", "ulcer"]})
    hierarchy = {"suppress": True, **levels}
    asked = {"k": 2, "t_closeness": [{"attribute": "s", "t": 0.0, "distance": "hierarchical", "hierarchy": hierarchy}]}
    with pytest.raises(sc.JobError, match="leave from and to: 0 out"):
        sc.check(frame, ["q"], **asked)
