"""The worked numbers of the papers on privacy models, in the verifier and in plain Python; the largest lattice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base import errors
from starcloak.base.errors import JobError
from starcloak.commands import pipeline
from starcloak.privacy.entropy_l.recount import holds as entropy_holds
from starcloak.search.lattice import exhaustive
from tests.privacy.histograms import MODELS, VALUES, equal, frame, hierarchical, job, ordered

PATIENTS = ["HD", "HD", "VI", "VI", "C", "HD", "VI", "VI", "C", "C", "C", "C"]


FIRST = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]


SECOND = [[1, 4, 9, 10], [5, 6, 7, 8], [2, 3, 11, 12]]


def achieved(classes: list[list[int]], **model: Any) -> list[float | None]:
    """What each class has, by the verifier: one table for each class would change what it is compared with."""
    table = pandas.DataFrame(
        [(number, PATIENTS[row - 1]) for number, rows in enumerate(classes) for row in rows], columns=["zip", "disease"]
    )
    found = []
    for number in range(len(classes)):
        (qid,) = sc.check(table[table["zip"] == number], ["zip"], 1, **model).qids
        found.append(qid.models[0].achieved)
    return found


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]


DISEASES = [
    "gastric ulcer",
    "gastritis",
    "stomach cancer",
    "gastritis",
    "flu",
    "bronchitis",
    "bronchitis",
    "pneumonia",
    "stomach cancer",
]


ORGANS = {
    "respiratory": {
        "infection": ["flu", "pneumonia", "bronchitis"],
        "vascular lung": ["pulmonary edema", "pulmonary embolism"],
    },
    "digestive": {
        "stomach": ["gastric ulcer", "stomach cancer", "gastritis"],
        "colon": ["colitis", "colon cancer"],
    },
}


def distance_of(classes: list[list[int]], attribute: str, **model: Any) -> float | None:
    """The largest distance of some of the classes: the others are one."""
    place = {row: number for number, rows in enumerate(classes) for row in rows}
    table = pandas.DataFrame({"zip": [place[row] for row in range(1, 10)], "salary": SALARIES, "disease": DISEASES})
    asked = {"attribute": attribute, "t": 1, **model}
    return sc.check(table, ["zip"], 1, t_closeness=[asked]).qids[0].models[0].achieved


def test_the_vectors_of_t_closeness() -> None:
    """Of one class after another: the largest of all three would hide the others."""
    by_salary = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert distance_of(by_salary, "salary", distance="ordered") == pytest.approx(3 / 8, abs=1e-9)
    second = [[1, 3, 8], [4, 5, 6], [2, 7, 9]]
    assert distance_of(second, "salary", distance="ordered") == pytest.approx(1 / 6, abs=1e-9)
    tree = {"distance": "hierarchical", "hierarchy": {"tree": ORGANS}}
    assert distance_of(second, "disease", **tree) == pytest.approx(8 / 27, abs=1e-9)
    assert distance_of(second, "disease") == pytest.approx(5 / 9, abs=1e-9)
    for classes, tried, vectors in (
        (by_salary, ordered, [("salary", Fraction(3, 8)), ("salary", Fraction(1, 6)), ("salary", Fraction(17, 72))]),
    ):
        table = Counter(SALARIES)
        for rows, (_, vector) in zip(classes, vectors, strict=True):
            counts = Counter(SALARIES[row - 1] for row in rows)
            assert tried(str(vector), sorted(SALARIES))(counts, table)
            assert not tried(str(vector - Fraction(1, 10**9)), sorted(SALARIES))(counts, table)
    lines = {
        leaf: (group, organ, "*")
        for organ, groups in ORGANS.items()
        for group, leaves in groups.items()
        for leaf in leaves
    }
    for rows, tree_vector, vector in zip(second, ("7/27", "8/27", "5/27"), ("5/9", "4/9", "1/3"), strict=True):
        counts, table_ = Counter(DISEASES[row - 1] for row in rows), Counter(DISEASES)
        for told, exact in ((hierarchical, tree_vector), (equal, vector)):
            more: tuple[Any, ...] = (lines,) if told is hierarchical else ()
            assert told(exact, *more)(counts, table_)
            assert not told(str(Fraction(exact) - Fraction(1, 10**9)), *more)(counts, table_)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("values", "model", "problem"),
    [
        (["1", "1.0"], {"distance": "ordered"}, "different texts stand for the same number"),
        (["1", None], {"distance": "ordered"}, "some values are not numbers"),
        (["low", "high"], {"distance": "ordered"}, "some values are not numbers"),
        (["low", "mid"], {"distance": "ordered", "order": ["low", "high"]}, "order: name"),
        (["low", "mid"], {"distance": "hierarchical", "hierarchy": {"tree": {"a": ["low"]}}}, "no leaf|hierarchy of"),
    ],
)
def test_an_order_that_values_have_not_is_refused(values: list[Any], model: dict[str, Any], problem: str) -> None:
    table = pandas.DataFrame({"zip": [1, 1], "salary": values}, dtype=object)
    asked = [{"attribute": "salary", "t": "0.5", **model}]
    with pytest.raises(sc.InputError, match=problem) as refused:
        sc.check(table, ["zip"], 1, t_closeness=asked)
    assert type(refused.value) in (errors.SourceError, errors.HierarchyError)  # which people are told of
    with pytest.raises(sc.InputError, match=problem):
        sc.anonymize(table, quasi_identifiers={"zip": "suppress"}, sensitive=["salary"], k=1, t_closeness=asked)


def test_the_vectors_of_l_diversity() -> None:
    asked = [{"kind": "entropy", "attribute": "disease", "l": "1.0001"}]
    assert achieved(FIRST[:2], l_diversity=asked) == pytest.approx([2, 2.8284271247461903], abs=1e-9)
    assert achieved(FIRST[2:], l_diversity=asked) == [None]
    assert achieved(SECOND, l_diversity=asked) == pytest.approx([2.8284271247461903] * 3, abs=1e-9)
    for least, tie in ((3, 2), (2, 1)):
        for factor, holds in ((str(tie), False), (f"{tie}.000001", True)):
            asked = [{"kind": "recursive", "attribute": "disease", "l": least, "c": factor}]
            assert [each is not None for each in achieved(SECOND, l_diversity=asked)] == [holds] * 3


@pytest.mark.parametrize("count", [2, 3, 6, 7, 10])
def test_equal_shares_are_a_tie_that_holds(count: int) -> None:
    assert entropy_holds([5] * count, Fraction(count))
    assert not entropy_holds([5] * count, Fraction(count) + Fraction(1, 10**12))
    assert entropy_holds([1000003] * count, Fraction(count))


def test_the_most_frequent_value_is_the_first() -> None:
    """Of 9 and 1: the rarest for the first would pass with c = 1; in truth c must be more than 9."""
    table = pandas.DataFrame({"zip": ["1"] * 10, "disease": ["flu"] * 9 + ["ache"]})
    for factor, holds in (("1", False), ("9", False), ("9.1", True)):
        asked = [{"kind": "recursive", "attribute": "disease", "l": 2, "c": factor}]
        assert sc.check(table, ["zip"], 1, l_diversity=asked).holds == holds


def test_too_large_a_lattice_is_refused_and_says_what_to_drop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows are left out, every node is asked about every pair of a tuple and a sensitive value."""
    rows = frame([(one, two, "000", value) for one in "mf" for two in "abcd" for value in VALUES] * 2)
    asked = job(2, MODELS["alpha"][0], {"name": "witness"}, suppression="0.1")
    assert pipeline.run(asked, frame=rows).result.search.pruned == "implied bound"
    assert exhaustive.LARGEST == 2 * 10**10
    monkeypatch.setattr(exhaustive, "LARGEST", 100)
    with pytest.raises(JobError, match=r"nodes with 32 pairs .* drop levels, first of 'three'"):
        pipeline.run(asked, frame=rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "distance",
    [
        {},
        {"distance": "ordered", "order": ["low", "mid"]},
        {"distance": "hierarchical", "hierarchy": {"tree": {"x": ["low", "mid"]}}},
    ],
)
def test_a_release_without_rows_is_close_by_every_distance(distance: dict[str, Any]) -> None:
    rows = pandas.DataFrame({"zip": ["11", "12"], "state": ["low", "mid"]})
    model = {"attribute": "state", "t": "0.2", **distance}
    more = {"suppression": 1, "objective": {"minimize": "height"}}
    release = sc.anonymize(
        rows, quasi_identifiers={"zip": "suppress"}, sensitive=["state"], k=2, t_closeness=[model], **more
    )
    assert release.result.released_rows == 0


def test_a_number_of_a_hundred_million_digits_has_its_place_at_once() -> None:
    rows = pandas.DataFrame({"zip": ["11", "11", "12", "12"], "count": ["2", "1e99999999", "-1E-99999999", "1"]})
    model = {"attribute": "count", "t": "0.25", "distance": "ordered"}
    release = sc.anonymize(rows, quasi_identifiers={"zip": "suppress"}, sensitive=["count"], k=2, t_closeness=[model])
    # Of -1E-99999999, 1, 2, 1e99999999 the one class has the lower half, the other one the upper: 1/3 apart.
    assert release.result.recoding.levels == {"zip": 1}


def test_a_share_that_floats_take_for_more_than_its_bound_is_within_it() -> None:
    """29 of 100 are 0.29 of them, and 100 times 0.29 is less than 29 as floats."""
    values = ["flu"] * 29 + [str(number) for number in range(71)]
    rows = pandas.DataFrame({"a": "x", "disease": values})
    alpha = [{"attribute": "disease", "alpha": "0.29"}]
    described = {"quasi_identifiers": {"a": "suppress"}, "sensitive": ["disease"]}
    for algorithm in ("witness", "sweep", "mondrian"):
        asked = {**described, "requirement": {"k": 2, "alpha": alpha}, "algorithm": {"name": algorithm}}
        assert set(sc.run(asked, frame=rows).to_pandas()["a"]) == {"x"}
    with pytest.raises(errors.RequirementError):
        sc.run(asked, frame=rows.iloc[:99])


def test_a_class_at_its_very_bound_is_told_with_its_rows() -> None:
    """Half of a class is twice a quarter of the table: delta-disclosure of 1 has less."""
    rows = pandas.DataFrame([*"xx", *"y" * 10], columns=["a"]).assign(disease=list("ababab" + "b" * 6))
    assert rows["disease"].value_counts().to_dict() == {"a": 3, "b": 9}
    (told,) = sc.check(rows, ["a"], 2, delta_disclosure=[{"attribute": "disease", "delta": "1"}]).qids[0].models
    assert (told.holds, told.violating_rows) == (False, 2)
