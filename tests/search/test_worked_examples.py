"""Examples that the papers work out, cell for cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest
from benchmarks.classification import labelled
from benchmarks.kaca import paper_2014

from starcloak.commands.api import anonymize
from starcloak.search.kaca import classes, nearest, step, weights
from starcloak.search.kaca.classes import CLASSES
from starcloak.search.kaca.settings import Kaca
from tests import demands, weighed
from tests.full_domain import opened
from tests.search.clusterings import MANY, described, table

# Li, Wong, Fu, Pei 2008, Figure 1(a): the frequencies of the table, and its attributes' hierarchies.
REGIONS = {
    **{("a", "alpha"): 2, ("a", "beta"): 10},
    **{("b", "alpha"): 8, ("b", "beta"): 3, ("b", "gamma"): 5},
    **{("c", "alpha"): 30, ("c", "beta"): 25, ("d", "beta"): 20},
}
PAIR = "(alpha, beta)"
TREES = {
    "att1": {"tree": {"any": list("abcd")}},
    "att2": {"tree": {"any": {PAIR: ["alpha", "beta"], "gamma": ["gamma"]}}},
}
# Han and others 2014, Table 1(a), and the hierarchies of Figure 1; ages of ten and of twenty years.
HAN = paper_2014.QIS


def released(names: Sequence[str], rows: Sequence[tuple[Any, ...]], qis: Any, **job: Any) -> Counter[tuple[Any, ...]]:
    """How often each generalized tuple is in a release."""
    release = anonymize(pandas.DataFrame(rows, columns=list(names)), quasi_identifiers=qis, **job)
    return Counter(release.to_pandas().itertuples(index=False, name=None))


def regions(algorithm: str, **settings: Any) -> Counter[tuple[Any, ...]]:
    rows = [cell for cell, frequency in REGIONS.items() for _ in range(frequency)]
    return released(["att1", "att2"], rows, TREES, k=5, algorithm={"name": algorithm, **settings})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "incognito", "samarati"])
def test_global_recoding_of_figure_1_b(algorithm: str) -> None:
    """One level per attribute: alpha and beta become one everywhere."""
    merged = {("a", PAIR): 12, ("b", PAIR): 11, ("b", "gamma"): 5, ("c", PAIR): 55, ("d", PAIR): 20}
    assert regions(algorithm) == merged


def test_multidimensional_recoding_of_figure_1_c() -> None:
    """Tuples are generalized where they are rare, all rows of one alike."""
    kept = {("c", "alpha"): 30, ("c", "beta"): 25, ("d", "beta"): 20}
    assert regions("mondrian") == {("a", PAIR): 12, ("b", PAIR): 11, ("b", "gamma"): 5, **kept}


def test_local_recoding_of_figure_1_d() -> None:
    """Three rows of a's beta go to its alpha, two of b's alpha to its beta; the rest stay as they are."""
    kept = {("b", "gamma"): 5, ("c", "alpha"): 30, ("c", "beta"): 25, ("d", "beta"): 20}
    split = {("a", PAIR): 5, ("a", "beta"): 7, ("b", "alpha"): 6, ("b", PAIR): 5}
    assert regions("kaca", variant="kaca1") == {**split, **kept}


def test_multidimensional_recoding_of_table_1_c() -> None:
    """2008: {female, middle, 4352} and the two {female, old, 4353} become {female, *, 435*}."""
    rows = [("male", "middle", "4350")] * 3 + [("female", "middle", "4352")] + [("female", "old", "4353")] * 2
    qis = {"gender": "suppress", "age": "suppress", "postcode": {"digits": 4}}
    names = ["gender", "age", "postcode"]
    view = {("male", "middle", "4350"): 3, ("female", "*", "435*"): 3}
    assert released(names, rows, qis, k=2, algorithm={"name": "mondrian"}) == view


def test_local_recoding_of_han() -> None:
    """Table 1(b): each row with those that are near by Han's weights of the attributes."""
    columns = weighed.beside(HAN, paper_2014.IMPORTANCE)
    found = released([*HAN], paper_2014.PATIENTS, columns, k=2, algorithm={"name": "kaca"})
    assert found == paper_2014.LOCAL


def test_global_recoding_of_han() -> None:
    """Table 1(c): the node [1, 2, 1] is minimal, and the one of the least height."""
    table = pandas.DataFrame(paper_2014.PATIENTS, columns=[*HAN])
    release = anonymize(table, quasi_identifiers=HAN, k=2)
    assert release.result.recoding.levels == {"gender": 1, "age": 2, "pcode": 1}
    assert [1, 2, 1] in release.result.search.minimal
    assert Counter(release.to_pandas().itertuples(index=False, name=None)) == paper_2014.GLOBAL


@pytest.mark.parametrize("k", [60, 500])
def test_top_7_of_adult(k: int, adult: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fung, Wang, Yu 2007, section 5.1: for k = 60 Education-num is split at 13, for k = 500 four stay at the top."""
    monkeypatch.setenv("STARCLOAK_DATA", str(adult))
    table = labelled.load("Adult")
    assert table is not None
    ranked = list(table.ranked[:7])
    released = anonymize(
        table.frame[[*ranked, labelled.CLASS]],
        quasi_identifiers=table.hierarchies(ranked, generalize=True),
        keep=[labelled.CLASS],
        k=k,
        algorithm={"name": "tdr", "class": labelled.CLASS, "criterion": "score"},
    ).to_pandas()
    assert set(released["education-num"]) == {"< 13", ">= 13"}
    at_the_top = {name for name in ranked if set(released[name]) == {"*"}}
    assert at_the_top >= {"age", "relationship", "sex"}
    if k == 500:
        assert at_the_top == {"capital-gain", "age", "relationship", "sex"}


@pytest.mark.parametrize(
    ("rows", "rounds", "path"),
    [
        (["000", "001", "011", "011"], 1, Fraction(1, 2) + Fraction(1, 2) + Fraction(1, 3)),
        (["000", "001", "010", "010"], 1, Fraction(1, 2) + Fraction(1, 2) + Fraction(1, 3)),
        (["010", "010", "011", "011"], 0, Fraction(1, 3) + Fraction(1, 3)),
    ],
)
def test_paths_through_the_value_tree_of_figure_3(rows: list[str], rounds: int, path: Fraction) -> None:
    """2008, Property 3: 00* and 011 are a + b + c apart, 010 and 011 c + d, each edge with its height weight.

    One round makes the class 00*. Two rows go up their side of the path, and the other class, as a stub of no row,
    goes nowhere: from both sides it is the path of two rows.
    """
    qis = {"value": {"digits": 3}}
    with opened(described(qis, 2), table(qis, [(row,) for row in rows])) as built:
        scale = weights.exact(built, Kaca.model_validate({"weights": {"scheme": "height"}}).weights, most=2)
        clustering = classes.form(built, scale, levels=(0,), demand=demands.rows(2), seed=1)
        for number in range(rounds):
            nearest.nearest(clustering, number=number + 1, pairs=MANY)
            step.together(clustering, number + 1, farthest=None, allowed=0)
        found = built.session.run(nearest.all_pairs(clustering, seekers=CLASSES), {"seed": 1})
    assert sum(Fraction(distance, scale.one) for _, distance, _ in found) == 2 * path / Fraction(11, 6)
