"""The full-domain searches against brute force, against each other and against the paper's numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.search.lattice import breadth_first, lattice
from starcloak.search.lattice.lattice import Found, Graph, Lattice
from starcloak.search.witness import search as witness
from starcloak.star import rollups
from starcloak.star.star import Star
from starcloak.statements.statement import Name, Number, Statement
from starcloak.store.resources import Resources
from tests import demands
from tests.full_domain import COMPLETE, EVERY, SINGLE, Levels, label, levels_of, opened
from tests.oracle import Cell, Hierarchy, Oracle
from tests.tables import frame, tables, write


def search(star: Star, algorithm: dict[str, Any], *, k: int, allowed: int) -> Found:
    return demands.found(star, algorithm, demands.required(star, k=k, allowed=allowed))


# -------------------------------------------------------------------------------------------------------- brute force


def steps(node: Levels, by: int) -> Iterator[Levels]:
    for position, level in enumerate(node):
        yield (*node[:position], level + by, *node[position + 1 :])


def bottom_up_checked(oracle: Oracle, anonymous: set[Levels]) -> set[Levels]:
    """The nodes that a breadth-first search checks: roots, and direct generalizations of violating nodes that are
    not direct generalizations of a node found k-anonymous."""
    checked: set[Levels] = set()
    for node in sorted(oracle.nodes(), key=sum):
        beneath = [below for below in steps(node, -1) if below in checked]
        violating = [below for below in beneath if below not in anonymous]
        if not any(node) or (violating and len(violating) == len(beneath)):
            checked.add(node)
    return checked


def datafly_path(oracle: Oracle, k: int, allowed: int) -> list[Levels]:
    """Sweeney's heuristic: up the attribute with the most distinct values."""
    path: list[Levels] = [(0,) * len(oracle.heights)]
    while oracle.outliers(path[-1], k) > allowed:
        groups = list(oracle.sizes(path[-1]))
        rising = [at for at, height in enumerate(oracle.heights) if path[-1][at] < height]
        widest = max(rising, key=lambda at: len({group[at] for group in groups}))
        path.append(list(steps(path[-1], 1))[widest])
    return path


@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    table=tables().filter(lambda table: not any("" in tree for tree in table[1].hierarchies)),
    k=st.integers(1, 5),
    share=st.sampled_from([0, 0.1, 0.34, 0.5, 1]),
)
def test_every_algorithm_agrees_with_brute_force(table: tuple[list[str], Oracle], k: int, share: float) -> None:
    names, oracle = table
    if len(oracle.rows) < k:
        return  # refused before any search
    allowed = int(share * len(oracle.rows))
    with tempfile.TemporaryDirectory() as folder:
        trees = zip(names, oracle.hierarchies, strict=True)
        hierarchies = {name: {"csv": write(tree, folder, number)} for number, (name, tree) in enumerate(trees)}
        job = load({"quasi_identifiers": hierarchies, "keep": ["line"], "requirement": {"k": k}})
        anonymous = oracle.anonymous(k, allowed)
        with opened(job, frame(names, oracle.rows)) as star:
            for algorithm in COMPLETE:
                found = search(star, algorithm, k=k, allowed=allowed)
                assert sorted(levels_of(star, found)) == sorted(anonymous), algorithm
                assert {node.levels for node in found.minimal} == oracle.minimal(anonymous), algorithm
                assert found.complete
                if algorithm["name"] == "bottom-up":
                    assert found.effort.checked == len(bottom_up_checked(oracle, anonymous))
            lowest = search(star, {"name": "samarati"}, k=k, allowed=allowed)
            (node,) = levels_of(star, lowest)
            assert node in anonymous and sum(node) == min(map(sum, anonymous))
            assert not lowest.complete and [node] == [minimal.levels for minimal in lowest.minimal]
            greedy = search(star, {"name": "datafly"}, k=k, allowed=allowed)
            path = datafly_path(oracle, k, allowed)
            assert levels_of(star, greedy) == path[-1:] and path[-1] in anonymous
            assert greedy.effort.checked == len(path)
            aggregated = [len(oracle.sizes(node)) for node in path]
            assert greedy.effort.rows == aggregated[0] + sum(aggregated[:-1])
            assert not greedy.complete


LARGER: dict[str, Any] = {"a": {"digits": 3}, "b": {"digits": 3}, "c": {"digits": 3}, "d": {"digits": 2}}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("seed", "share"), [(0, 0), (2, 0.08)])
def test_a_lattice_of_many_nodes_agrees_with_brute_force(
    seed: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small lattices are settled before a search takes all of its ways, such as witnesses against many nodes."""
    random = Random(seed)

    def digits(length: int) -> Hierarchy:
        leaves = ["".join(digit) for digit in product("012", repeat=length)]
        return {
            leaf: (*(leaf[: length - lost] + "*" * lost for lost in range(length)), "*")
            for leaf in random.sample(leaves, 7)
        }

    trees = [digits(each["digits"]) for each in LARGER.values()]
    # Some leaves are rare.
    rows: list[tuple[Cell, ...]] = [
        tuple(sorted(tree)[int(len(tree) * random.random() ** 4)] for tree in trees)  # type: ignore[type-var]
        for _ in range(120)
    ]
    oracle = Oracle(rows, trees)
    k, allowed = 3, int(share * len(rows))
    anonymous = oracle.anonymous(k, allowed)
    assert 9 < len(anonymous) < 150 < len(list(oracle.nodes())) == 192
    job = load({"quasi_identifiers": LARGER, "keep": ["line"], "requirement": {"k": k}})
    with opened(job, frame(list(LARGER), rows)) as star:
        for algorithm in COMPLETE:
            found = search(star, algorithm, k=k, allowed=allowed)
            assert sorted(levels_of(star, found)) == sorted(anonymous), algorithm
            assert {node.levels for node in found.minimal} == oracle.minimal(anonymous), algorithm
        monkeypatch.setattr(witness, "_SHARE", 4)  # many witnesses
        assert sorted(levels_of(star, search(star, COMPLETE[0], k=k, allowed=allowed))) == sorted(anonymous)
        (lowest,) = levels_of(star, search(star, {"name": "samarati"}, k=k, allowed=allowed))
        assert lowest in anonymous and sum(lowest) == min(map(sum, anonymous))
        greedy = search(star, {"name": "datafly"}, k=k, allowed=allowed)
        assert levels_of(star, greedy) == datafly_path(oracle, k, allowed)[-1:]


def test_datafly_does_not_say_that_what_it_passed_by_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("ill,b,c\na,,y\nb,,z\na,x,w\nb,,w\na,x,z\n")
    job = {
        "source": {"path": str(tmp_path / "texts.csv")},
        "quasi_identifiers": {"b": "suppress", "c": "suppress"},
        "sensitive": ["ill"],
        "requirement": {"k": 2, "suppression": 0.2, "l_diversity": [{"kind": "entropy", "attribute": "ill", "l": 2}]},
    }
    assert sc.run(job).result.search.complete
    with pytest.raises(
        RequirementError,
        match=r"^datafly found no generalization .*: try algorithm: witness, which examines all generalizations$",
    ):
        sc.run({**job, "algorithm": {"name": "datafly"}})


def test_datafly_raises_the_attribute_with_the_most_distinct_values(star_of: Callable[..., Star]) -> None:
    rows = pandas.DataFrame({"sex": list("ffmm"), "zip": list("1234"), "race": list("aabb")})
    job = {"quasi_identifiers": dict.fromkeys(rows, "suppress"), "requirement": {"k": 2}}
    found = search(star_of(job, rows), {"name": "datafly"}, k=2, allowed=0)
    assert [node.levels for node in found.minimal] == [(0, 1, 0)]
    assert (found.effort.checked, found.effort.scans, found.effort.rows) == (2, 1, 4 + 4)


# --------------------------------------------------------------------------------------------------------------- Adult

LONG = [(9, 2, "0"), (9, 10, "0.01")]


@pytest.mark.parametrize(
    ("attributes", "k", "suppression"),
    [(5, 2, "0"), (5, 10, "0.01"), *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)],
)
def test_every_complete_algorithm_finds_the_same_on_adult(
    attributes: int, k: int, suppression: str, adult_job: Callable[..., dict[str, Any]]
) -> None:
    with opened(load(adult_job(attributes, k))) as star:
        allowed = load(adult_job(3, k, suppression)).required.allowance(star.rows)
        results = {label(algorithm): search(star, algorithm, k=k, allowed=allowed) for algorithm in COMPLETE[:1]}
        sets = {name: sorted(levels_of(star, found)) for name, found in results.items()}
        (expected,) = sets.values()
        assert 10 < len(expected) < star.lattice_nodes
        for algorithm in COMPLETE[1:]:
            found = search(star, algorithm, k=k, allowed=allowed)
            assert sorted(levels_of(star, found)) == expected, algorithm
            assert found.minimal == results["witness"].minimal
        lowest = search(star, {"name": "samarati"}, k=k, allowed=allowed)
        assert lowest.minimal[0].height == min(map(sum, expected))
        assert levels_of(star, lowest)[0] in expected
        greedy = search(star, {"name": "datafly"}, k=k, allowed=allowed)
        assert levels_of(star, greedy)[0] in expected


@pytest.mark.parametrize("algorithm", [COMPLETE[1], *COMPLETE[4:]], ids=label)
def test_adult_with_three_attributes_takes_the_papers_14_nodes(
    algorithm: dict[str, Any], adult_job: Callable[..., dict[str, Any]]
) -> None:
    """Section 4.2.1: QID size 3, k = 2: bottom-up and Incognito search 14 nodes each."""
    with opened(load(adult_job(3, 2))) as star:
        assert search(star, algorithm, k=2, allowed=0).effort.checked == 14


# -------------------------------------------------------------------------------------------------------------- effort


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", EVERY[1:], ids=label)
def test_the_effort_is_what_the_trace_shows(
    algorithm: dict[str, Any], adult_job: Callable[..., dict[str, Any]]
) -> None:
    with opened(load(adult_job(5, 10))) as star:
        statements: list[str] = []
        star.session.trace(statements.append)
        effort = search(star, algorithm, k=10, allowed=0).effort
        known = next(number for number, text in enumerate(statements) if '"anonymous" as' in text)
        assert effort.statements == known == len(statements) - 2
        reads = ('from "star"', 'from "star_keys"')
        assert effort.scans == sum(text.count(read) for text in statements for read in reads) > 0
        assert effort.rows >= effort.scans * star.combinations


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", EVERY[1:], ids=label)
def test_no_statement_is_for_one_node(algorithm: dict[str, Any], adult_job: Callable[..., dict[str, Any]]) -> None:
    """Datafly goes one way up and knows its next node only then."""
    with opened(load(adult_job(6, 10))) as star:
        effort = search(star, algorithm, k=10, allowed=0).effort
        assert effort.statements < effort.checked * 1.5 or algorithm["name"] == "datafly"


def test_without_rollup_every_node_is_counted_from_the_star(adult_job: Callable[..., dict[str, Any]]) -> None:
    with opened(load(adult_job(4, 2))) as star:
        plain = search(star, {"name": "bottom-up", "rollup": False}, k=2, allowed=0).effort
        rolled = search(star, {"name": "bottom-up", "rollup": True}, k=2, allowed=0).effort
        assert (plain.scans, plain.rows) == (plain.checked, plain.checked * star.combinations)
        assert rolled.checked == plain.checked and rolled.scans == 2 and rolled.rows < plain.rows


def test_super_roots_are_those_of_the_papers_example(star_of: Callable[..., Star]) -> None:
    """Section 3.3.1: the three roots of Figure 7 (a) come from the frequency set of ⟨B0, S0, Z0⟩, of number 0.

    Each has an attribute at its top, so its value groups are those of two attributes, and the search need not count it.
    """
    star = star_of({"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}})
    basic = search(star, COMPLETE[1], k=2, allowed=0)
    grouped = search(star, COMPLETE[2], k=2, allowed=0)
    third = grouped.iterations[2]
    assert (third.checked, third.from_star, third.from_rollup) == (basic.iterations[2].checked, 1, 3)
    assert basic.iterations[2].from_star == 3
    assert [done.checked for done in grouped.iterations] == [done.checked for done in basic.iterations]
    run = star.session.connection.execute
    run("delete from queue where iteration < 3 or beneath is not null")
    assert run("select count(*) from queue join verdicts using (grouping)").fetchall() == [(3,)]
    run("delete from verdicts")
    lowest = Statement("search/lattice/super_roots#lowest")
    graph = Graph(Name("nodes_3"), Name("edges_3"))
    families = star.session.run(breadth_first.families(rollups.pack(star), graph, lowest))
    assert [source for _, source in families] == [0, 0, 0]


# ------------------------------------------------------------------------------------------------------------- lattice


@given(heights=st.lists(st.integers(0, 4), min_size=1, max_size=5).map(tuple))
def test_numbers_and_nodes_of_a_lattice_are_one_to_one(heights: tuple[int, ...]) -> None:
    lattice = Lattice(heights)
    nodes = [lattice.node(number) for number in range(lattice.size)]
    assert [lattice.number(node.levels) for node in nodes] == list(range(lattice.size))
    assert [node.levels for node in nodes] == sorted({node.levels for node in nodes})
    assert all(level <= height for node in nodes for level, height in zip(node.levels, heights, strict=True))


def test_an_attribute_without_levels_has_no_step(star_of: Callable[..., Star]) -> None:
    """Its stride is that of the next attribute, whose nodes a step would reach by mistake."""
    rows = pandas.DataFrame({"a": ["1", "2"], "b": ["x", "x"], "c": ["3", "3"]})
    star = star_of({"quasi_identifiers": dict.fromkeys("abc", "suppress"), "requirement": {"k": 1}}, rows)
    flat = replace(star, dimensions=tuple(replace(each, height=int(each.attribute != "b")) for each in star.dimensions))
    whole = Statement("search/lattice/nodes#every", size=Number(4))
    every = lattice.collect(flat, whole, complete=True, effort=lattice.NOTHING)
    assert [node.id for node in every.minimal] == [0]
    # A step of b would lead from (0, 0, 0) to (0, 0, 1) as well, and from (0, 0, 1) to (1, 0, 0).
    lattice.steps(star.session, every.lattice)
    raises = Statement("search/lattice/whole#raises", nodes=every.anonymous, attributes=lattice.ATTRIBUTES)
    assert sorted(star.session.run(raises)) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    one = lattice.collect(
        flat, Statement("search/lattice/nodes#single"), {"number": 2}, complete=False, effort=lattice.NOTHING
    )
    assert [node.levels for node in one.minimal] == [(1, 0, 0)]
    none = lattice.collect(
        flat, Statement("search/lattice/nodes#single"), {"number": None}, complete=False, effort=lattice.NOTHING
    )
    assert (none.count, none.minimal) == (0, ())


def wide(columns: int, rows: Sequence[int] = (1, 2)) -> tuple[dict[str, Any], pandas.DataFrame]:
    names = [f"column {number}" for number in range(columns)]
    intervals = {"intervals": [2, 4, 8]}
    job = {"quasi_identifiers": dict.fromkeys(names, intervals), "requirement": {"k": 2}}
    return job, pandas.DataFrame({name: rows for name in names})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "algorithm", [algorithm for algorithm in EVERY[1:] if algorithm["name"] != "datafly"], ids=label
)
def test_a_lattice_too_large_to_hold_is_refused(algorithm: dict[str, Any]) -> None:
    job, rows = wide(12)
    with pytest.raises(JobError, match=r"12 quasi-identifiers has 244,140,625 nodes.*drop .*column 0 \(5 levels\)"):
        pipeline.run({**job, "algorithm": algorithm}, frame=rows)


def test_datafly_needs_no_lattice() -> None:
    job, rows = wide(25)
    release = pipeline.run({**job, "algorithm": {"name": "datafly"}}, frame=rows)
    assert release.k == 2 and not release.result.search.complete
    with pytest.raises(JobError, match="40 quasi-identifiers has"):
        job, rows = wide(40)
        pipeline.run({**job, "algorithm": {"name": "datafly"}}, frame=rows)


# ---------------------------------------------------------------------------------------------------------------- runs


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", EVERY, ids=label)
def test_a_run_reports_its_algorithm_and_an_interrupted_one_writes_nothing(
    algorithm: dict[str, Any], work: Path, interrupted: Callable[..., None]
) -> None:
    job = {
        "source": {"dataset": "patients"},
        "schema": "patients/incognito-2005",
        "requirement": {"k": 2},
        "objective": {"minimize": "loss"},
        "algorithm": algorithm,
        "output": {"path": "release.csv"},
    }
    statements: list[str] = []
    report = pipeline.run(job, resources=Resources(trace=statements.append)).to_dict()
    settings = {key: value for key, value in algorithm.items() if key not in ("name", "variant")}
    used = report["algorithm"]
    assert (used["name"], used["variant"]) == (algorithm["name"], algorithm.get("variant"))
    assert settings.items() <= used["settings"].items()
    found = report["search"]
    assert found["complete"] == (algorithm not in SINGLE)
    assert (found["anonymous_nodes"] == 5) == found["complete"]
    assert min(found["checked"], found["statements"], found["scans"], found["rows_aggregated"]) > 0
    assert list(report["recoding"]["levels"].values()) in found["minimal"] or found["complete"]
    for file in work.iterdir():
        file.unlink()

    first = next(number for number, text in enumerate(statements) if 'table "star"' in text)
    last = next(number for number, text in enumerate(statements) if 'table "anonymous"' in text)
    for stop in sorted({*range(first + 1, last + 5, 40), last, last + 1}):
        interrupted(job, before=stop)
        assert list(work.iterdir()) == []
