"""Several quasi-identifiers (QIDs), each with its own k (Fung, Wang, Yu 2007, Definition 1)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.errors import JobError
from starcloak.job import Job, Qid, load

# Table 1 of the paper: education, sex, work hours, records.
TABLE_1 = [
    ("9th", "M", 30, 3),
    ("10th", "M", 32, 4),
    ("11th", "M", 35, 5),
    ("12th", "F", 37, 4),
    ("Bachelors", "F", 42, 6),
    ("Bachelors", "F", 44, 4),
    ("Masters", "M", 44, 4),
    ("Masters", "F", 44, 3),
    ("Doctorate", "F", 44, 1),
]
FIGURE_1 = [{"attributes": ["Education", "Sex"], "k": 4}, {"attributes": ["Sex", "Work_Hrs"], "k": 11}]


def table_1() -> pandas.DataFrame:
    rows = [row[:3] for row in TABLE_1 for _ in range(row[3])]
    return pandas.DataFrame(rows, columns=["Education", "Sex", "Work_Hrs"])


def job(*qids: tuple[str, int], **more: Any) -> Job:
    """A job on the attributes a, b, c, d; a QID is told by its letters."""
    given = [{"attributes": list(names), "k": k} for names, k in qids]
    return load({"quasi_identifiers": dict.fromkeys("abcd", "suppress"), "requirement": {"qids": given}, **more})


def told(qids: tuple[Qid, ...]) -> list[tuple[str, int]]:
    return [("".join(qid.attributes), qid.k) for qid in qids]


# -------------------------------------------------------------------------------------------------------- requirement


def test_one_k_is_one_qid_of_all_attributes() -> None:
    one = load({"quasi_identifiers": dict.fromkeys("abcd", "suppress"), "requirement": {"k": 3}})
    assert told(one.qids) == [("abcd", 3)]
    assert (one.k, one.redundant_qids) == (3, ())


@pytest.mark.parametrize(
    ("given", "necessary"),
    [
        ([("abcd", 5), ("ab", 5)], [("abcd", 5)]),
        ([("ab", 4), ("abcd", 5)], [("abcd", 5)]),
        ([("abcd", 5), ("dcba", 5)], [("abcd", 5)]),
        ([("abcd", 4), ("dcba", 5)], [("dcba", 5)]),
        ([("ab", 2), ("abc", 3), ("abcd", 4)], [("abcd", 4)]),
    ],
    ids=repr,
)
def test_what_the_others_imply_is_left_out(given: list[tuple[str, int]], necessary: list[tuple[str, int]]) -> None:
    read = job(*given)
    assert told(read.qids) == necessary
    assert told(read.redundant_qids) == [qid for qid in given if qid not in necessary]


# -------------------------------------------------------------------------------------------------------------- check


def test_example_2() -> None:
    """Table 1 violates ⟨{Education, Sex}, 4⟩ by three values of 3, 3 and 1 records, and ⟨{Sex, Work_Hrs}, 11⟩."""
    verdict = sc.check(table_1(), qids=FIGURE_1)
    education, hours = verdict.qids
    assert (verdict.holds, verdict.rows) == (False, 34)
    assert (education.holds, education.k, education.classes, education.wanting_rows) == (False, None, 8, 7)
    assert education.wanting_classes is None  # three, and no count from 1 to k - 1 is told
    assert (hours.holds, hours.classes, hours.wanting_rows) == (False, 7, 34)
    assert sc.check(table_1(), qids=[{"attributes": ["Sex"], "k": 16}, {"attributes": ["Work_Hrs"], "k": 3}]).holds


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_check_answers_each_qid_as_it_does_alone(data: st.DataObject) -> None:
    names = ["size", "value_1", "staged"]  # names that the statements use, too
    cell = st.sampled_from(["x", "y", None])
    rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
    some = st.lists(st.sampled_from(names), min_size=1, unique=True)
    qids = data.draw(
        st.lists(st.fixed_dictionaries({"attributes": some, "k": st.integers(1, 5)}), min_size=1, max_size=3)
    )
    frame = pandas.DataFrame(
        {name: pandas.Series([row[at] for row in rows], dtype=object) for at, name in enumerate(names)}
    )
    verdict = sc.check(frame, qids=qids)
    for asked, answered in zip(qids, verdict.qids, strict=True):
        (alone,) = sc.check(frame, asked["attributes"], asked["k"]).qids
        assert answered == alone
        sizes = Counter(tuple(row[names.index(name)] for name in asked["attributes"]) for row in rows).values()
        assert answered.holds == (min(sizes) >= asked["k"])
        assert answered.k == (min(sizes) if answered.holds else None)
        told = (answered.classes and len(rows), answered.wanting_rows)
        assert not [count for count in told if count is not None and 0 < count < asked["k"]]
    assert verdict.holds == all(qid.holds for qid in verdict.qids)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"k": 2},
        {"quasi_identifiers": ["Sex"]},
        {"quasi_identifiers": ["Sex"], "k": 2, "qids": FIGURE_1},
        {"qids": []},
    ],
    ids=repr,
)
def test_check_takes_one_form(asked: dict[str, Any]) -> None:
    with pytest.raises(JobError):
        sc.check(table_1(), **asked)
