"""The importance of a column: what is lost there counts so many times, in every search that can go by it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import jsonschema
import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.commands import schema
from starcloak.job import load
from starcloak.job.algorithms import algorithms
from tests import weighed
from tests.oracle import HIERARCHIES, TREES, Oracle

NAMES = [*HIERARCHIES]
SUMS = ["loss", "precision", "distortion", "height"]
TAKERS = [name for name, settings in algorithms().items() if settings.supports.importance]
# Four rows that differ in two columns: of a class of two, either of these can stay as it is.
SQUARE = pandas.DataFrame([("0", "0", 1), ("0", "1", 2), ("1", "0", 3), ("1", "1", 4)], columns=["a", "b", "who"])
Node = tuple[int, ...]


def table(random: Random) -> Oracle:
    """A small table that has all leaves."""
    leaves = [sorted(tree) for tree in TREES]
    rows = [tuple(own[at % len(own)] for own in leaves) for at in range(6)]
    rows += [tuple(random.choice(own) for own in leaves) for _ in range(random.randint(4, 30))]
    return Oracle(rows, TREES)


def important(random: Random) -> dict[str, str]:
    return {name: random.choice(["0.001", "0.5", "2", "7.25", "1000"]) for name in NAMES if random.random() < 0.8}


def cost(table: Oracle, node: Node, k: int, objective: str, importance: Mapping[str, str]) -> Fraction:
    """What an objective charges for a node: of every cell what it lost, times the importance of its column."""
    times = [Fraction(importance.get(name, "1")) for name in NAMES]
    if objective == "height":  # of equal heights that of least loss
        lost = cost(table, node, k, "loss", importance) / len(table.rows) / sum(times)
        return sum((level * own for level, own in zip(node, times, strict=True)), lost / 1_000_000)
    kept, total = {*table.release(node, k)}, Fraction(0)
    for row, cells in enumerate(table.rows):
        for cell, tree, level, own in zip(cells, TREES, node, times, strict=True):
            covered = sum(path[level] == tree[cell][level] for path in tree.values())
            lost = Fraction(covered - 1, len(tree) - 1)
            if objective != "loss":
                lost = Fraction(level, len(tree[cell]) - 1)
            total += own * (lost if row in kept else 1)
    return total


def run(table: Oracle, importance: Mapping[str, Any], k: int, suppression: str, **more: Any) -> Any:
    asked = {"quasi_identifiers": weighed.beside(HIERARCHIES, importance), "insight": "off", **more}
    asked["requirement"] = {"k": k, "suppression": suppression}
    return sc.run(asked, frame=pandas.DataFrame(table.rows, columns=NAMES)).result


@pytest.mark.sampled(4)
@pytest.mark.parametrize("objective", SUMS)
@pytest.mark.parametrize("algorithm", ["witness", "incognito"])
def test_the_optimum_of_all_nodes_is_that_of_brute_force(algorithm: str, objective: str) -> None:
    random = Random(objective + algorithm)
    for suppression in ("0", "0.2", "0.5"):
        one, importance, k = table(random), important(random), random.randint(2, 4)
        more = {"algorithm": algorithm, "objective": {"minimize": objective}}
        result = run(one, importance, k, suppression, **more)
        allowed = int(Fraction(suppression) * len(one.rows))
        costs = {node: cost(one, node, k, objective, importance) for node in one.anonymous(k, allowed)}
        best = min(costs, key=lambda node: (round(costs[node], 12), one.rank(node, k, NAMES)))
        assert tuple(result.recoding.levels.values()) == best
        assert result.importance == {name: float(times) for name, times in importance.items()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("objective", ["loss", "precision"])
def test_a_column_loses_no_more_where_it_is_more_important(objective: str) -> None:
    random, lost = Random(objective), set()
    for suppression in ("0", "0.3"):
        one, name, before = table(random), random.choice(NAMES), 1.0
        for times in ("0.01", "0.5", "3", "500"):
            result = run(one, {name: times}, 3, suppression, objective={"minimize": objective})
            now = result.measures.attribute_loss[name]
            if objective == "precision":
                level, height = result.recoding.levels[name], result.recoding.heights[name]
                out = result.suppressed_rows / result.rows
                now = out + (1 - out) * level / height
            assert now <= before + 1e-12
            before = now
            lost.add(now)
    assert len(lost) > 2


@pytest.mark.sampled(5)
@pytest.mark.parametrize("column", ["a", "b"])
@pytest.mark.parametrize("algorithm", TAKERS)
def test_of_two_columns_the_important_one_stays_as_it_is(algorithm: str, column: str) -> None:
    columns = weighed.beside({"a": "suppress", "b": "suppress"}, {column: "1.5"})
    result = sc.anonymize(SQUARE, quasi_identifiers=columns, identifiers=["who"], k=2, algorithm=algorithm).result
    assert result.measures.attribute_loss == {name: float(name != column) for name in "ab"}
    assert result.measures.loss == 0.5


def test_a_column_without_levels_may_be_important() -> None:
    columns = {"a": {"suppress": True, "to": 0, "importance": 3}, "b": "suppress"}
    for algorithm in TAKERS:
        release = sc.anonymize(SQUARE, quasi_identifiers=columns, identifiers=["who"], k=2, algorithm=algorithm)
        assert release.measures.attribute_loss == {"a": 0, "b": 1}


@pytest.mark.parametrize("column", ["a", "b"])
def test_single_leaves_of_the_important_column_go_down_first(column: str) -> None:
    """Either column can have its value 0 alone, and not both: one row has both."""
    rows = pandas.DataFrame([("0", "0"), ("0", "1"), ("1", "0"), ("2", "2"), ("2", "2")], columns=["a", "b"])
    columns = weighed.beside({"a": "suppress", "b": "suppress"}, {column: 2})
    released = sc.anonymize(rows, quasi_identifiers=columns, k=2, algorithm="unrestricted").to_pandas()
    assert set(released[column]) == {"*", "0"}
    assert set(released["b" if column == "a" else "a"]) == {"*"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("column", ["a", "b"])
@pytest.mark.parametrize("algorithm", ["mondrian", "ordered-set"])
def test_of_two_columns_of_numbers_the_important_one_is_cut(algorithm: str, column: str) -> None:
    columns = weighed.beside({"a": "numeric", "b": "numeric"}, {column: 2})
    frame = SQUARE.astype(int)
    release = sc.anonymize(frame, quasi_identifiers=columns, identifiers=["who"], k=2, algorithm=algorithm)
    assert release.measures.attribute_loss == {name: float(name != column) for name in "ab"}
    jsonschema.validate({"quasi_identifiers": columns, "requirement": {"k": 2}}, schema.exports()["job"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("column", ["a", "b"])
@pytest.mark.parametrize("algorithm", ["sweep", "bottom-up"])
def test_of_persons_as_sets_the_important_column_stays_as_it_is(algorithm: str, column: str) -> None:
    columns = weighed.beside({"a": "suppress", "b": "suppress"}, {column: 2})
    person = {"column": "who", "as": "set"}
    result = sc.anonymize(SQUARE, quasi_identifiers=columns, person=person, k=2, algorithm=algorithm).result
    assert result.measures.attribute_loss == {name: float(name != column) for name in "ab"}


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"algorithm": "datafly"}, "datafly ignores importance: write algorithm: {name: witness}"),
        ({"algorithm": "samarati"}, "samarati ignores importance: write algorithm: {name: witness}"),
        ({"algorithm": {"name": "tdr", "class": "who"}}, "tdr ignores importance: write algorithm: {name: sweep}"),
        ({"objective": {"minimize": "discernibility"}}, "write objective: {minimize: loss}, or leave importance out"),
        ({"objective": {"minimize": "average_class_size"}}, "average_class_size measures the sizes of classes"),
    ],
    ids=str,
)
def test_where_nothing_goes_by_it_it_is_refused(more: dict[str, Any], line: str) -> None:
    columns = {"a": {"suppress": True, "importance": 1}, "b": {"suppress": True, "importance": 2}}
    job = {"quasi_identifiers": columns, "keep": ["who"], "requirement": {"k": 2}, **more}
    with pytest.raises(JobError) as refused:
        load(job)
    assert "quasi_identifiers.b.importance: " in str(refused.value) and line in str(refused.value)
    load({**job, "quasi_identifiers": {"a": columns["a"], "b": "suppress"}})


def test_every_algorithm_goes_by_it_or_refuses_it() -> None:
    assert {*algorithms()} - {*TAKERS} == {"datafly", "samarati", "tdr"}


def test_a_job_says_it_again_and_it_is_no_part_of_a_hierarchy() -> None:
    kinds = ["suppress", {"digits": 1}, {"csv": "h.csv"}, {"table": "t"}, {"suppress": True, "to": 0}]
    plain = {f"x{at}": kind for at, kind in enumerate(kinds)}
    columns = weighed.beside(plain, dict.fromkeys(plain, "2.5"))
    job, other = (load({"quasi_identifiers": each, "requirement": {"k": 2}}) for each in (columns, plain))
    said = {name: kind.model_dump(mode="json", by_alias=True) for name, kind in job.quasi_identifiers.items()}
    assert load({"quasi_identifiers": said, "requirement": {"k": 2}}).importance == job.importance
    told = [[kind.described for kind in each.quasi_identifiers.values()] for each in (job, other)]
    assert told[0] == told[1] and {*map(str, job.importance.values())} == {"2.5"}


def test_an_algorithm_that_is_compared_says_that_it_does_not_go_by_it() -> None:
    columns = weighed.beside({"a": "suppress", "b": "suppress"}, {"b": 2})
    job = {"quasi_identifiers": columns, "identifiers": ["who"], "requirement": {"k": 2}}
    witness, datafly = sc.compare(job, ks=[2], algorithms=["witness", "datafly"], frame=SQUARE).points
    assert witness.problem is None and witness.released is not None and witness.released.levels == {"a": 1, "b": 0}
    assert datafly.problem is not None and "datafly ignores importance" in datafly.problem


def test_the_hierarchy_of_a_sensitive_column_has_none() -> None:
    hierarchy = {"tree": {"any": ["flu", "cold"]}, "importance": 2}
    close = {"attribute": "who", "t": 0.2, "distance": "hierarchical", "hierarchy": hierarchy}
    with pytest.raises(JobError, match="importance is for quasi_identifiers only"):
        sc.anonymize(SQUARE, quasi_identifiers={"a": "suppress"}, sensitive=["who", "b"], k=2, t_closeness=[close])


def test_the_hierarchy_of_a_sensitive_column_has_no_share_of_suppressed_cells() -> None:
    hierarchy = {"tree": {"any": ["flu", "cold"]}, "max_suppressed": "0.1"}
    close = {"attribute": "who", "t": 0.2, "distance": "hierarchical", "hierarchy": hierarchy}
    with pytest.raises(JobError, match="leave max_suppressed out of this hierarchy"):
        sc.anonymize(SQUARE, quasi_identifiers={"a": "suppress"}, sensitive=["who", "b"], k=2, t_closeness=[close])


def test_an_explanation_tells_it_beside_what_a_column_costs() -> None:
    columns = weighed.beside({"a": "suppress", "b": "suppress"}, {"b": "2.5"})
    job = {"quasi_identifiers": columns, "identifiers": ["who"], "requirement": {"k": 2}}
    told = sc.explain(job, frame=SQUARE)
    assert {cost.attribute: (cost.loss, cost.importance) for cost in told.columns} == {"a": (1, 1), "b": (0, 2.5)}


def test_what_else_was_to_be_had_is_told_by_the_loss_that_is_measured() -> None:
    random = Random(4)
    rows = [(random.choice("abcdefgh"), random.choice("xyz")) for _ in range(300)]
    frame = pandas.DataFrame(rows, columns=["a", "b"])
    told = []
    for times in (1, 1.01):
        columns = {"a": {"suppress": True, "importance": times}, "b": "suppress"}
        result = sc.anonymize(frame, quasi_identifiers=columns, k=60).result
        assert result.insight is not None
        told.append((result.recoding.levels, result.insight.otherwise, result.insight.larger_k))
    assert told[0] == told[1] and told[0][1]
