"""Several quasi-identifiers (QIDs), each with its own k (Fung, Wang, Yu 2007, Definition 1)."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, VerificationError
from starcloak.commands import cli, pipeline
from starcloak.job import Job, load
from starcloak.privacy.requirement import Demand
from starcloak.search.lattice import objective
from starcloak.search.lattice.lattice import Found
from starcloak.star.star import Node, Star
from tests import demands
from tests.full_domain import COMPLETE, EVERY, label, levels_of, opened
from tests.oracle import Oracle
from tests.tables import OBJECTIVES, frame, tables, write

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


def told(qids: tuple[Demand, ...]) -> list[tuple[str, int]]:
    return [("".join(qid.attributes), qid.k) for qid in qids]


# -------------------------------------------------------------------------------------------------------- requirement


def test_one_k_is_one_qid_of_all_attributes() -> None:
    one = load({"quasi_identifiers": dict.fromkeys("abcd", "suppress"), "requirement": {"k": 3}})
    assert told(one.required.demands) == [("abcd", 3)]
    assert (one.k, one.required.redundant) == (3, ())


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
    assert told(read.required.demands) == necessary
    assert told(read.required.redundant) == [qid for qid in given if qid not in necessary]


# -------------------------------------------------------------------------------------------------------------- check


def test_example_2() -> None:
    """Table 1 violates ⟨{Education, Sex}, 4⟩ by three values of 3, 3 and 1 records, and ⟨{Sex, Work_Hrs}, 11⟩."""
    verdict = sc.check(table_1(), qids=FIGURE_1)
    education, hours = verdict.qids
    assert (verdict.holds, verdict.rows) == (False, 34)
    assert (education.holds, education.k, education.classes, education.violating_rows) == (False, None, 8, 7)
    assert education.violating_classes == 3
    assert verdict.disclosed().qids[0].violating_classes is None  # three, and no count of a release is below k
    assert (hours.holds, hours.classes, hours.violating_rows) == (False, 7, 34)
    assert sc.check(table_1(), qids=[{"attributes": ["Sex"], "k": 16}, {"attributes": ["Work_Hrs"], "k": 3}]).holds


@settings(max_examples=8)
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
        shown = answered.disclosed(len(rows))
        told = (shown.classes and len(rows), shown.violating_rows)
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


# ------------------------------------------------------------------------------------------------------------- search


def search(star: Star, job: Job, algorithm: dict[str, Any]) -> Found:
    return demands.found(star, algorithm, job.required)


def datafly_end(oracle: Oracle, qids: list[tuple[list[int], int]]) -> tuple[int, ...]:
    """Sweeney's heuristic, on the attributes of the QIDs that do not hold yet."""
    node = (0,) * len(oracle.heights)
    while violating := [at for at, k in qids if oracle.anonymity(node, at) < k]:
        values = [len({oracle.generalize(row, node)[at] for row in oracle.rows}) for at in range(len(node))]
        rising = [at for at in sorted({each for at in violating for each in at}) if node[at] < oracle.heights[at]]
        widest = max(rising, key=lambda at: values[at])
        node = tuple(level + (at == widest) for at, level in enumerate(node))
    return node


@st.composite
def requirements(draw: st.DrawFn) -> tuple[list[str], Oracle, list[dict[str, Any]]]:
    """A random table with random QIDs that cover its attributes."""
    names, oracle = draw(
        tables().filter(
            lambda table: (
                len(table[0]) > 1 and len(table[1].rows) > 3 and not any("" in tree for tree in table[1].hierarchies)
            )
        )
    )
    largest = st.integers(1, min(5, len(oracle.rows)))
    attributes = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)
    qids = draw(st.lists(st.fixed_dictionaries({"attributes": attributes, "k": largest}), min_size=2, max_size=3))
    left = [name for name in names if not any(name in qid["attributes"] for qid in qids)]
    return names, oracle, qids + ([{"attributes": left, "k": draw(largest)}] if left else [])


def several_decide(drawn: tuple[list[str], Oracle, list[dict[str, Any]]]) -> bool:
    """Whether no single QID admits just the nodes that all admit together."""
    names, oracle, given = drawn
    qids = [([names.index(name) for name in qid["attributes"]], qid["k"]) for qid in given]
    return oracle.satisfying(qids) not in [oracle.satisfying([qid]) for qid in qids]


@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(requirements().filter(several_decide))
def test_every_algorithm_agrees_with_brute_force(drawn: tuple[list[str], Oracle, list[dict[str, Any]]]) -> None:
    names, oracle, given = drawn
    qids = [([names.index(name) for name in qid["attributes"]], qid["k"]) for qid in given]
    with tempfile.TemporaryDirectory() as folder:
        trees = zip(names, oracle.hierarchies, strict=True)
        hierarchies = {name: {"csv": write(tree, folder, number)} for number, (name, tree) in enumerate(trees)}
        job = load({"quasi_identifiers": hierarchies, "keep": ["line"], "requirement": {"qids": given}})
        expected = oracle.satisfying(qids)
        with opened(job, frame(names, oracle.rows)) as star:
            for algorithm in COMPLETE:
                found = search(star, job, algorithm)
                assert sorted(levels_of(star, found)) == sorted(expected), algorithm
                assert {node.levels for node in found.minimal} == oracle.minimal(expected), algorithm
                assert found.complete
            (lowest,) = levels_of(star, search(star, job, {"name": "samarati"}))
            assert lowest in expected and sum(lowest) == min(map(sum, expected))
            necessary = [([names.index(name) for name in qid.attributes], qid.k) for qid in job.required.demands]
            assert levels_of(star, search(star, job, {"name": "datafly"})) == [datafly_end(oracle, necessary)]


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(requirements(), st.sampled_from(OBJECTIVES))
def test_choice_and_release_are_those_of_brute_force(
    drawn: tuple[list[str], Oracle, list[dict[str, Any]]], minimized: str
) -> None:
    """Measures are of the classes over all quasi-identifiers; none of those is too small, so none is suppressed."""
    names, oracle, given = drawn
    qids = [([names.index(name) for name in qid["attributes"]], qid["k"]) for qid in given]
    with tempfile.TemporaryDirectory() as folder:
        trees = zip(names, oracle.hierarchies, strict=True)
        hierarchies = {name: {"csv": write(tree, folder, number)} for number, (name, tree) in enumerate(trees)}
        job = load(
            {
                "quasi_identifiers": hierarchies,
                "keep": ["line"],
                "requirement": {"qids": given},
                "objective": {"minimize": minimized},
            }
        )
        release = pipeline.run(job, frame=frame(names, oracle.rows))
    report = release.result
    expected = oracle.satisfying(qids)
    chosen = tuple(report.recoding.levels[name] for name in names)
    assert chosen in expected
    assert oracle.cost(chosen, 1, minimized) <= min(oracle.cost(node, 1, minimized) for node in expected) + 1e-9
    assert report.search.anonymous_nodes == len(expected)
    assert (report.released_rows, report.suppressed_rows) == (len(oracle.rows), 0)
    assert report.k == oracle.anonymity(chosen, range(len(names)))
    told = [(qid.attributes, qid.k, qid.achieved_k) for qid in report.requirement.qids]
    assert told == [
        (list(qid.attributes), qid.k, oracle.anonymity(chosen, [names.index(name) for name in qid.attributes]))
        for qid in job.required.demands
    ]
    assert report.requirement.k == (job.required.demands[0].k if job.required.single else None)
    assert len(report.requirement.redundant_qids) == len(job.required.redundant)
    assert abs(1 - report.measures.precision - oracle.cost(chosen, 1, "precision")) < 1e-9
    assert report.measures.discernibility == oracle.cost(chosen, 1, "discernibility")
    rows = release.to_pandas()[names].itertuples(index=False, name=None)
    got = Counter(tuple(None if pandas.isna(cell) else cell for cell in row) for row in rows)
    assert got == Counter(oracle.generalize(row, chosen) for row in oracle.rows)


ADULT = [
    {"attributes": ["age", "sex", "race"], "k": 25},
    {"attributes": ["race", "marital-status"], "k": 50},
    {"attributes": ["age", "education"], "k": 10},
]


def test_every_complete_algorithm_finds_the_same_on_adult(adult_job: Callable[..., dict[str, Any]]) -> None:
    job = load({**adult_job(5, 2), "requirement": {"qids": ADULT}})
    with opened(job) as star:
        names = [dimension.attribute for dimension in star.dimensions]

        def anonymous(node: tuple[int, ...], qid: Demand) -> bool:
            columns = ", ".join(f'"{name}_{node[names.index(name)]}"' for name in qid.attributes)
            counts = f"select sum(frequency) as n from star group by {columns}"
            return bool(star.session.connection.execute(f"select min(n) >= {qid.k} from ({counts})").fetchall()[0][0])

        known: dict[tuple[int, ...], bool] = {}
        alone = []
        for qid in job.required.demands:
            at = [names.index(name) for name in qid.attributes]
            for levels in product(*(range(star.heights[position] + 1) for position in at)):
                node = tuple(dict(zip(at, levels, strict=True)).get(place, 0) for place in range(len(names)))
                known[(len(alone), *levels)] = anonymous(node, qid)
            alone.append(at)
        expected = [
            node
            for node in product(*(range(height + 1) for height in star.heights))
            if all(known[(number, *(node[place] for place in at))] for number, at in enumerate(alone))
        ]
        assert 10 < len(expected) < star.lattice_nodes / 2
        for algorithm in COMPLETE:
            found = search(star, job, algorithm)
            assert sorted(levels_of(star, found)) == expected, algorithm
        for algorithm in EVERY[len(COMPLETE) :]:
            assert levels_of(star, search(star, job, algorithm))[0] in expected


def test_a_qid_of_its_own_spares_more_than_all_attributes_together(adult_job: Callable[..., dict[str, Any]]) -> None:
    """Section 2: a table that satisfies the QIDs need not satisfy the one of all attributes with the greatest k."""
    several = load({**adult_job(5, 2), "requirement": {"qids": ADULT}})
    together = load(adult_job(5, 50))
    with opened(together) as star:
        one = set(levels_of(star, search(star, together, {"name": "witness"})))
        many = set(levels_of(star, search(star, several, {"name": "witness"})))
    assert one < many


def test_effort_is_of_all_qids(adult_job: Callable[..., dict[str, Any]]) -> None:
    job = load({**adult_job(5, 2), "requirement": {"qids": ADULT}})
    with opened(job) as star:
        found = search(star, job, {"name": "incognito"})
        parts = []
        for qid in job.required.demands:
            alone = {**adult_job(5, qid.k), "quasi_identifiers": list(qid.attributes)}
            with opened(load(alone)) as part:
                parts.append(search(part, load(alone), {"name": "incognito"}))
    assert found.effort.checked == sum(part.effort.checked for part in parts)
    assert found.effort.scans == len(parts) + sum(part.effort.scans for part in parts)
    assert found.effort.rows == len(parts) * star.combinations + sum(part.effort.rows for part in parts)
    assert found.iterations == tuple(iteration for part in parts for iteration in part.iterations)


# ------------------------------------------------------------------------------------------------------------ release

TREE = {
    "Secondary": {"Junior": ["9th", "10th"], "Senior": ["11th", "12th"]},
    "University": {"College": ["Bachelors"], "Grad": ["Masters", "Doctorate"]},
}
FIGURE_1_JOB: dict[str, Any] = {
    "quasi_identifiers": {"Education": {"tree": TREE}, "Sex": "suppress", "Work_Hrs": {"intervals": [10, 20, 40]}},
    "requirement": {"qids": FIGURE_1},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", EVERY, ids=label)
def test_every_algorithm_releases_table_1(algorithm: dict[str, Any]) -> None:
    release = sc.anonymize(
        table_1(), quasi_identifiers=FIGURE_1_JOB["quasi_identifiers"], qids=FIGURE_1, algorithm=algorithm
    )
    qids = release.result.requirement.qids
    assert all(qid.achieved_k is not None and qid.achieved_k >= qid.k for qid in qids)
    assert [qid.achieved_k for qid in qids] == [qid.k for qid in sc.check(release.to_pandas(), qids=FIGURE_1).qids]
    assert release.result.rows == release.result.released_rows == 34


@pytest.mark.parametrize(
    ("levels", "says"),
    [((0, 0, 4), "a class over Education, Sex has fewer than k = 4"), ((3, 0, 2), "over Sex, Work_Hrs has .* k = 11")],
)
def test_a_release_that_fails_one_qid_is_not_published(
    levels: tuple[int, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objective, "choose", lambda *_, **__: Node(0, (1, 2, 3), levels))
    with pytest.raises(VerificationError, match=says):
        pipeline.run(FIGURE_1_JOB, frame=table_1())


@pytest.mark.parametrize(
    "change",
    ["Work_Hrs = 44 where Work_Hrs in (30, 35)", "Education = 'Masters' where Education = '10th'"],
)
def test_the_script_recounts_every_qid(change: str, work: Path) -> None:
    """Its node has Sex at the top. Each change leaves one QID without enough rows and the other as it is."""
    people = table_1()
    with duckdb.connect("t.duckdb") as connection:
        connection.register("frame", people)
        connection.execute("create table people as select * from frame")
    source = {"url": "duckdb:///t.duckdb", "table": "people"}
    objective = {"minimize": "height"}
    script = pipeline.compile(
        {**FIGURE_1_JOB, "source": source, "objective": objective, "output": {"table": "released"}}
    )
    released = "select count(*) from duckdb_tables() where table_name = 'released'"
    with duckdb.connect("t.duckdb") as connection:
        connection.execute(f"update people set {change}")
        with pytest.raises(duckdb.Error, match="not the source that this script was made for"):
            connection.execute(script)
        connection.execute("rollback")
        assert connection.execute(released).fetchall() == [(0,)]
        connection.execute("delete from people")
        connection.register("frame", people)
        connection.execute("insert into people select * from frame")
        connection.execute(script)
        assert connection.execute(released).fetchall() == [(1,)]


def test_the_summary_tells_each_qid_and_all_of_them_together(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table_1().to_csv("people.csv", index=False)
    implied = {"attributes": ["Sex"], "k": 2}
    described = {**FIGURE_1_JOB, "source": {"path": "people.csv"}, "output": {"path": "out.csv"}}
    Path("job.yaml").write_text(yaml.safe_dump({**described, "requirement": {"qids": [*FIGURE_1, implied]}}))
    monkeypatch.setattr(sys, "argv", ["starcloak", "run", "job.yaml"])
    cli.main()
    lines = capsys.readouterr().out.splitlines()
    released = pandas.read_csv("out.csv")
    smallest = {
        name: int(released.groupby(qid["attributes"]).size().min()) for name, qid in zip("ab", FIGURE_1, strict=True)
    }
    assert [line for line in lines if line.startswith(("verified", "implied", "together"))] == [
        f"verified    k = {smallest['a']} over (Education, Sex), counted on the release; required 4",
        f"verified    k = {smallest['b']} over (Sex, Work_Hrs), counted on the release; required 11",
        f"together    k = {released.groupby(list(released.columns)).size().min()} over all quasi-identifiers at once",
        "implied     k = 2 over (Sex), by the other QIDs",
    ]
