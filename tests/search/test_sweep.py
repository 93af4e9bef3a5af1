"""The lattice sweep against the definitions in plain Python: what leaves when, and where the rest goes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.commands import pipeline
from starcloak.job import Job, load
from starcloak.privacy import model as privacy
from starcloak.search.sweep import costs, nodes, search, tuples
from starcloak.search.sweep.greedy_sweep import Walk
from starcloak.search.sweep.residual import Rest
from starcloak.search.sweep.settings import Sweep
from starcloak.search.sweep.tuples import SweepTuples
from tests import full_domain, weighed
from tests.oracle import HIERARCHIES, TREES
from tests.toys.shelf import toys

__all__ = ["toys"]

Row = tuple[Any, ...]

DISEASES = ["flu", "ache", "cough", None]
ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=5, max_size=50)
WITH_DISEASE = st.lists(
    st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES), st.sampled_from(DISEASES)), min_size=6, max_size=50
)
HEIGHTS = [len(next(iter(tree.values()))) - 1 for tree in TREES]
TOP = tuple(HEIGHTS)
OBJECTIVES: list[dict[str, Any]] = [
    {},
    {"objective": {"minimize": "loss"}, "quasi_identifiers": weighed.beside(HIERARCHIES, {"one": 3})},
    {"objective": {"minimize": "distortion"}},
    {
        "objective": {"minimize": "distortion"},
        "algorithm": {"name": "sweep", "weights": {"scheme": "height", "levels": {"three": [1, 2, 5]}}},
    },
    {"objective": {"minimize": "height"}},
    {
        "objective": {"minimize": "height"},
        "quasi_identifiers": weighed.beside(HIERARCHIES, {"one": "0.5", "three": 2}),
    },
]


def described(k: int, **more: Any) -> dict[str, Any]:
    return {"quasi_identifiers": HIERARCHIES, "requirement": {"k": k}, "algorithm": {"name": "sweep"}, **more}


def frame(rows: Sequence[Row]) -> pandas.DataFrame:
    names = ["one", "two", "three", "disease"][: len(rows[0])]
    return pandas.DataFrame(rows, columns=names, dtype=object)


@contextmanager
def opened(asked: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[tuple[Job, SweepTuples, list[Row]]]:
    """The job, its tuples at hand, and the leaves of each tuple."""
    loaded = load(asked)
    with full_domain.opened(loaded, frame(rows)) as built:
        demand = loaded.required.strictest([each.attribute for each in built.dimensions]).over(built.domains)
        assert isinstance(loaded.algorithm, Sweep)
        at_hand = tuples.fetch(built, *costs.tabulate(built, loaded.objective, loaded.algorithm), demand)
        texts = [
            dict(built.session.connection.execute(f"select code, level_0 from {each.table.sql()}").fetchall())
            for each in built.dimensions
        ]
        leaves = [
            tuple(texts[at][int(codes[one])] for at, codes in enumerate(at_hand.codes)) for one in range(len(at_hand))
        ]
        yield loaded, at_hand, leaves


def group(row: Row, node: Sequence[int]) -> Row:
    return tuple(tree[leaf][level] for tree, leaf, level in zip(TREES, row, node, strict=True))


def loss(row: Row, node: Sequence[int], rows: Sequence[Row]) -> float:
    """What a row of a value group loses, all cells together (0 … 1)."""
    total = 0.0
    for at, (tree, leaf, level) in enumerate(zip(TREES, row, node, strict=True)):
        # The second hierarchy is declared with its leaves; those of the others are the table's.
        leaves = set(tree) if at == 1 else {each[at] for each in rows}
        covered = sum(tree[each][level] == tree[leaf][level] for each in leaves)
        total += (covered - 1) / max(1, len(leaves) - 1)
    return total / len(TREES)


def everywhere() -> list[Row]:
    return [node for node in product(*(range(height + 1) for height in HEIGHTS)) if node != TOP]


def test_what_is_kept_for_the_next_nodes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large table's hashes are not kept: there is no memory for them."""
    random = np.random.default_rng(2)
    rows = [tuple(sorted(tree)[random.integers(len(tree))] for tree in TREES) for _ in range(60)]
    with opened(described(3), rows) as (_, at_hand, _):
        found = []
        for kept in (1 << 29, 0):
            monkeypatch.setattr("starcloak.search.sweep.greedy_sweep._KEPT", kept)
            of, told = search.swept(at_hand, seed=4, allowed=0, dearest=1.0)
            found.append((of.tolist(), told))
        assert found[0] == found[1] and found[0][1].hits > 1


@given(WITH_DISEASE, st.integers(2, 5), st.integers(1, 3), st.integers(0, 5))
@settings(max_examples=6)
def test_the_cheapest_group_that_satisfies_leaves_first(people: list[Row], k: int, values: int, seed: int) -> None:
    """The walk replayed: whatever leaves is a value group, and costs at most 1 % more than the cheapest there is."""
    values = max(1, min(values, len({row[3] for row in people} - {None})))
    asked = described(k, sensitive=["disease"])
    if values > 1:
        asked["requirement"] = {"k": k, "l_diversity": [{"attribute": "disease", "l": values}]}
    rows, diseases = [row[:3] for row in people], defaultdict[Row, set[Any]](set)
    for *leaf, disease in people:
        diseases[tuple(leaf)] |= {disease} - {None}
    with opened(asked, people) as (_, at_hand, leaves):
        random = np.random.default_rng(seed)
        walk = Walk(at_hand, nodes.nodes_to_visit(at_hand, random), random)
        walk.sweep(until=lambda _: False, report=lambda _: None)
        sizes = Counter(rows)
        left: dict[int, set[Row]] = defaultdict(set)
        for one, leaf in enumerate(leaves):
            left[int(walk.group[one])].add(leaf)
        # In the order in which they left; the last are those that never did.
        order = [left[number] for number in range(walk.formed)]
        assert all(order) and set(left) - {-1} == set(range(walk.formed))
        still = set(sizes)
        for leaving in [*order, None]:
            groups: dict[tuple[Row, Row], set[Row]] = defaultdict(set)
            for node in everywhere():
                for leaf in still:
                    groups[node, group(leaf, node)].add(leaf)
            enough = {
                at: members
                for at, members in groups.items()
                if sum(sizes[member] for member in members) >= k
                and (values == 1 or len(set().union(*(diseases[member] for member in members))) >= values)
            }
            if leaving is None:
                assert not enough and walk.rows == sum(sizes[leaf] for leaf in still)
                break
            least = min(loss(next(iter(members)), node, rows) for (node, _), members in enough.items())
            own = [loss(next(iter(leaving)), node, rows) for (node, _), members in enough.items() if members == leaving]
            assert own and min(own) <= 1.0100001 * least + 1e-9
            still -= leaving


def common(rows: Sequence[Row]) -> Row:
    """The closest common generalization."""
    return tuple(
        next(tree[leaves[0]][level] for level in range(height + 1) if len({tree[leaf][level] for leaf in leaves}) == 1)
        for tree, height, leaves in zip(TREES, HEIGHTS, zip(*rows, strict=True), strict=True)
    )


@given(WITH_DISEASE, st.integers(1, 4), st.integers(1, 3), st.sampled_from(["0", "0.1", "0.3"]), st.integers(0, 3))
@settings(max_examples=5)
def test_every_class_satisfies_and_is_generalized_no_further_than_it_needs(
    rows: list[Row], k: int, values: int, suppression: str, seed: int
) -> None:
    satisfied(rows, k, values, suppression, seed)


def satisfied(rows: list[Row], k: int, values: int, suppression: str, seed: int) -> None:
    """Every class of a release satisfies the requirement; none is there only where the table itself does not."""
    diversity = {"l_diversity": [{"attribute": "disease", "l": values}]} if values > 1 else {}
    asked = described(k, sensitive=["disease"], seed=seed)
    asked["requirement"] = {"k": k, "suppression": suppression, **diversity}
    asked["algorithm"] = {"name": "sweep", "dearest": "0.4"}
    try:
        release = pipeline.run(asked, frame=frame(rows))
    except sc.RequirementError:
        assert len(rows) < k or len({row[3] for row in rows} - {None}) < values
        return
    report = release.result
    assert report.suppressed_rows <= float(suppression) * len(rows)
    assert report.search.sweep.suppressed == report.suppressed_rows
    released = [tuple(row) for row in release.to_pandas().astype(object).itertuples(index=False, name=None)]
    classes: dict[Row, list[Any]] = defaultdict(list)
    for *cells, disease in released:
        classes[tuple(cells)].append(disease)
    assert len(classes) == report.measures.classes == report.search.sweep.classes
    for members in classes.values():
        assert len(members) >= k
        assert len({one for one in members if isinstance(one, str)}) >= (values if values > 1 else 0)


@given(ROWS, st.integers(2, 4), st.sampled_from(OBJECTIVES))
@settings(max_examples=5)
def test_classes_are_told_with_their_closest_common_generalization(
    rows: list[Row], k: int, objective: dict[str, Any]
) -> None:
    with opened(described(k, **objective), rows) as (_, at_hand, leaves):
        of, told = search.swept(at_hand, seed=1, allowed=0, dearest=1.0)
        members: dict[int, list[Row]] = defaultdict(list)
        for one, leaf in zip(of.tolist(), leaves, strict=True):
            members[one].append(leaf)
        sizes = Counter(rows)
        assert set(members) == set(range(told.classes))
        assert all(sum(sizes[leaf] for leaf in each) >= k for each in members.values())
        assert len({common(each) for each in members.values()}) == told.classes
        formed = search.classes.generalize(at_hand, of, told.classes)
        for one, each in members.items():
            assert group(each[0], formed.levels[one]) == common(each)
            if not objective:
                assert formed.cost[one] == pytest.approx(loss(each[0], formed.levels[one], rows))


def test_what_a_cell_costs_is_what_the_objective_says() -> None:
    rows = [(one, two, three) for one in TREES[0] for two in TREES[1] for three in TREES[2]]
    found = []
    for objective in OBJECTIVES:
        with opened(described(2, **objective), rows) as (_, at_hand, leaves):
            at = leaves.index(("m", "c", "000"))
            found.append(
                [
                    [float(level[int(codes[at])]) for level in cost]
                    for codes, cost in zip(at_hand.codes, at_hand.costs, strict=True)
                ]
            )
    third = 1 / 3
    assert found[0] == [
        pytest.approx(each) for each in ([0, third], [0, third / 3, third], [0, third / 5, third * 3 / 5, third])
    ]
    assert found[1] == [pytest.approx(each) for each in ([0, 0.6], [0, 0.2 / 3, 0.2], [0, 0.2 / 5, 0.2 * 3 / 5, 0.2])]
    assert found[2] == [
        pytest.approx(each) for each in ([0, third], [0, third / 2, third], [0, third / 3, third * 2 / 3, third])
    ]
    assert found[3] == [
        pytest.approx(each) for each in ([0, third], [0, third / 3, third], [0, third / 8, third * 3 / 8, third])
    ]
    assert found[4] == [pytest.approx(each) for each in ([0, 1 / 6], [0, 1 / 6, 2 / 6], [0, 1 / 6, 2 / 6, 3 / 6])]
    by = 0.5 + 2 + 6
    assert found[5] == [
        pytest.approx(each) for each in ([0, 0.5 / by], [0, 1 / by, 2 / by], [0, 2 / by, 4 / by, 6 / by])
    ]


def test_the_seed_decides_and_the_order_of_the_rows_does_not() -> None:
    random = np.random.default_rng(7)
    rows = [tuple(str(random.choice(sorted(tree))) for tree in TREES) for _ in range(120)]

    def released(order: Sequence[Row], seed: int) -> Counter[Row]:
        release = pipeline.run(described(4, seed=seed), frame=frame(order))
        return Counter(release.to_pandas().itertuples(index=False, name=None))

    made = {seed: released(rows, seed) for seed in range(4)}
    assert all(released(rows[::-1], seed) == each for seed, each in made.items())
    assert len({frozenset(each.items()) for each in made.values()}) > 1


def test_rows_left_over_join_where_it_costs_least_never_a_class_of_their_own() -> None:
    """Two rows that resemble nobody go into one class with others, not into a class of nothing but stars."""
    rows = [("m", "a", "000")] * 6 + [("f", "b", "110")] * 4 + [("f", "c", "011"), ("f", "d", "100")]
    release = pipeline.run(described(4), frame=frame(rows))
    released = Counter(release.to_pandas().itertuples(index=False, name=None))
    assert released == {("m", "a", "000"): 6, ("f", "*", "*"): 6}
    assert release.result.search.sweep.left_over == 2


@given(ROWS)
@settings(max_examples=20)
def test_what_is_left_over_is_told_what_all_rows_of_each_union_would_lose_more(rows: list[Row]) -> None:
    everybody = [*rows, rows[0]]
    with opened(described(2), everybody) as (_, some, leaves):
        of = np.arange(len(some))
        rest = Rest(some, of, len(some), of, 0, 1.0)
        unions = rest._unions(rest._unit([0]), of[1:])
        for other, levels, extra in zip(of[1:].tolist(), unions.levels.tolist(), unions.extra.tolist(), strict=True):
            met = [
                next(level for level in range(len(tree[one])) if tree[one][level] == tree[two][level])
                for tree, one, two in zip(TREES, leaves[0], leaves[other], strict=True)
            ]
            together = int(some.frequency[0] + some.frequency[other])
            assert levels == met
            assert extra == pytest.approx(together * loss(leaves[0], met, everybody))


def test_many_that_are_left_over_join_one_class_together_where_that_costs_less() -> None:
    """One by one each would take a class of its own up; together they take up one."""
    with opened(described(10), [("m", "a", "000")] * 10 + [("f", "c", "110")] * 10 + [("m", "d", "110")]) as (
        _,
        few,
        _l,
    ):
        assert len(few) == 3
        of = np.array([0, 1, 2])
        rest = Rest(few, of, 3, np.flatnonzero(few.frequency == 1), 0, 1.0)
        joined = rest.settle()
        assert rest.joined == 1 and len(set(joined.tolist())) == 2
    many = [("m", "a", "000")] * 10 + [("f", "a", "110")] * 10 + [("m", "c", "110"), ("f", "d", "000")]
    with opened(described(10), many) as (_, four, leaves):
        of = np.arange(4)
        rest = Rest(four, of, 4, np.flatnonzero(four.frequency == 1), 0, 1.0)
        joined = rest.settle()
        together = {int(joined[leaves.index(leaf)]) for leaf in (("m", "c", "110"), ("f", "d", "000"))}
        assert len(together) == 1


def test_rows_are_left_out_where_their_class_would_cost_too_much_and_only_as_many_as_may() -> None:
    rows = [("m", "a", "000")] * 6 + [("f", "b", "110")] * 4 + [("f", "c", "011"), ("f", "d", "100")]

    def released(suppression: float, dearest: float) -> tuple[int, int]:
        asked = {**described(4), "requirement": {"k": 4, "suppression": suppression}}
        asked["algorithm"] = {"name": "sweep", "dearest": dearest}
        report = pipeline.run(asked, frame=frame(rows)).result
        return report.suppressed_rows, report.measures.classes

    assert released(0.2, 0.5) == (2, 2)
    assert released(0.1, 0.5) == (1, 2)
    assert released(0, 0.5) == (0, 2)
    assert released(1, 0) == (2, 2)


def test_a_model_that_more_rows_may_break_is_satisfied(toys: None) -> None:
    """Every class has an even number of rows: a row that is left over fits only where the class stays even."""
    rows = [("m", "a", "000")] * 3 + [("f", "b", "110")] * 5 + [("f", "c", "011")] * 2 + [("m", "d", "100")] * 4
    asked = {**described(1), "requirement": {"k": 1, "even": [{"least": 2}]}}
    release = sc.run(asked, frame=frame(rows))
    sizes = Counter(release.to_pandas().itertuples(index=False, name=None))
    assert sizes.total() == len(rows) and all(size % 2 == 0 for size in sizes.values())
    assert not privacy.models()["even"][privacy.PLAIN].superset_closed


@given(ROWS.filter(lambda rows: len(rows) % 2 == 0))
@settings(max_examples=4)
def test_such_a_model_is_satisfied_on_random_tables(rows: list[Row]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for _ in toys.__wrapped__(patch):  # type: ignore[attr-defined]
            asked = {**described(1), "requirement": {"k": 1, "even": [{"least": 2}]}}
            release = sc.run(asked, frame=frame(rows))
            sizes = Counter(release.to_pandas().itertuples(index=False, name=None))
            assert sizes.total() == len(rows) and all(size % 2 == 0 for size in sizes.values())


def test_of_several_qids_every_class_satisfies_the_largest_k() -> None:
    random = np.random.default_rng(3)
    rows = [tuple(str(random.choice(sorted(tree))) for tree in TREES) for _ in range(60)]
    qids = [{"attributes": ["one", "two"], "k": 3}, {"attributes": ["two", "three"], "k": 5}]
    release = pipeline.run({**described(1), "requirement": {"qids": qids}}, frame=frame(rows))
    assert min(Counter(release.to_pandas().itertuples(index=False, name=None)).values()) >= 5
    assert [qid.k for qid in release.result.requirement.qids] == [3, 5]


def test_a_lattice_too_large_to_visit_is_visited_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starcloak.search.sweep.nodes.MOST", 1000)
    random = np.random.default_rng(3)
    names = [f"q{number}" for number in range(20)]
    rows = pandas.DataFrame(random.integers(0, 2, size=(60, 20)), columns=names).astype(str)
    release = sc.anonymize(rows, quasi_identifiers=dict.fromkeys(names, "suppress"), k=3, algorithm={"name": "sweep"})
    told = release.result.search.sweep
    assert release.k is not None and release.k >= 3
    assert release.result.search.lattice_nodes == 2**20 and 500 < told.nodes <= 1000
    assert release.measures.loss < 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize("more", [{}, {"_LARGE": 200}, {"_LARGE": 200, "_WORK": 1, "_FEWEST": 20}], ids=str)
def test_a_large_table_is_swept_by_samples_of_its_groups(more: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are asked about samples of groups first, and only some of the nodes: classes lose little more."""
    random = np.random.default_rng(3)
    rows = pandas.DataFrame({name: random.normal(50, 12, size=4000).astype(int).astype(str) for name in "abc"})
    hierarchies = {name: {"intervals": [5, 10, 20]} for name in "abc"}
    whole = sc.anonymize(rows, quasi_identifiers=hierarchies, k=5, algorithm={"name": "sweep"})
    for name, value in {"_MANY": 200, "_SAMPLE": 100, **more}.items():
        monkeypatch.setattr(f"starcloak.search.sweep.greedy_sweep.{name}", value)
    sampled = sc.anonymize(rows, quasi_identifiers=hierarchies, k=5, algorithm={"name": "sweep"})
    assert sampled.result.search.sweep.aggregated < whole.result.search.sweep.aggregated
    assert sampled.k is not None and sampled.k >= 5
    assert whole.measures.loss / 1.02 < sampled.measures.loss < whole.measures.loss * 1.2


def test_all_is_one_class_where_nothing_else_has_enough_rows() -> None:
    def released(values: str, k: int) -> set[Any]:
        rows, algorithm = pandas.DataFrame({"one": list(values)}), {"name": "sweep"}
        release = sc.anonymize(rows, quasi_identifiers={"one": "suppress"}, k=k, algorithm=algorithm)
        return set(release.to_pandas()["one"])

    assert released("abcde", 4) == {"*"}
    assert released("aa", 2) == {"a"}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"objective": {"minimize": "discernibility"}}, "sweep adds up the loss of cells"),
        ({"objective": {"minimize": "average_class_size"}}, "sweep adds up the loss of cells"),
        ({"algorithm": {"name": "sweep", "weights": {"scheme": "height"}}}, r"weights.scheme is for the objective"),
        ({"algorithm": {"name": "sweep", "weights": {"attributes": {"one": 1}}}}, r"Write quasi_identifiers: .*tance"),
        (
            {
                "algorithm": {"name": "sweep", "weights": {"levels": {"ones": [1]}}},
                "objective": {"minimize": "precision"},
            },
            "Did you mean 'one'",
        ),
        ({"algorithm": {"name": "sweep", "dearest": 2}}, "algorithm.dearest"),
    ],
)
def test_what_a_sweep_cannot_be_asked(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError, match=problem):
        load(described(2, **more))


def test_several_qids_with_a_model_that_unions_may_break_are_refused(toys: None) -> None:
    qids = [{"attributes": ["one", "two"], "k": 3}, {"attributes": ["two", "three"], "k": 5}]
    with pytest.raises(JobError, match=r"algorithm sweep does not support .* with several QIDs"):
        load({**described(1), "requirement": {"qids": qids, "even": [{"least": 2}]}})


def test_an_objective_that_a_job_names_stays_and_loss_is_the_default() -> None:
    assert load(described(2)).objective.minimize == "loss"
    assert load(described(2, objective={"minimize": "distortion"})).objective.minimize == "distortion"
    assert load({**described(2), "algorithm": {"name": "witness"}}).objective.minimize == "loss"
    assert load({"quasi_identifiers": HIERARCHIES, "requirement": {"k": 2}}).objective.minimize == "loss"
