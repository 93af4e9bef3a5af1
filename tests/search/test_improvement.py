"""Moves after a sweep against the definitions in plain Python: all told they cost less, and every class satisfies."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starcloak.base.errors import JobError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.search.algorithm import SearchContext
from starcloak.search.sweep import improvement, search
from starcloak.search.sweep.tuples import SweepTuples
from tests.oracle import TREES
from tests.search.test_sweep import DISEASES, ROWS, Row, common, described, frame, group, loss, opened


def cost(rows: list[Row], of: dict[Row, int]) -> float:
    """What all rows lose, each class at its closest common generalization, those that are alike as one."""
    classes: dict[Row, list[Row]] = defaultdict(list)
    members: dict[int, list[Row]] = defaultdict(list)
    for leaf, own in of.items():
        members[own].append(leaf)
    for each in members.values():
        classes[common(each)] += each
    sizes, total = Counter(rows), 0.0
    for cells, each in classes.items():
        node = node_of(each[0], cells)
        assert all(group(leaf, node) == cells for leaf in each)
        total += sum(sizes[leaf] for leaf in each) * loss(each[0], node, rows)
    return total


def node_of(leaf: Row, cells: Row) -> list[int]:
    """The lowest levels at which a leaf has some cells."""
    return [
        next(level for level in range(len(tree[one])) if tree[one][level] == cell)
        for tree, one, cell in zip(TREES, leaf, cells, strict=True)
    ]


def drawn(count: int, random: np.random.Generator) -> list[Row]:
    return [tuple(str(random.choice(sorted(tree))) for tree in TREES) for _ in range(count)]


def moved(at_hand: SweepTuples, of: Any, count: int, *, seed: int = 0) -> tuple[Any, int, int]:
    return improvement.moved(
        at_hand, of, count, random=np.random.default_rng(seed), ends=lambda: False, report=lambda _: None
    )


@given(ROWS, st.integers(2, 6), st.integers(0, 9), st.sampled_from([3, 8, 20_000]))
@settings(max_examples=25)
def test_moves_cost_less_all_told_and_every_class_has_enough_rows(
    rows: list[Row], k: int, seed: int, region: int
) -> None:
    """From the classes of a sweep and from classes as they come, also where regions are small."""
    if len(rows) < k:
        return
    with opened(described(k), rows) as (_, at_hand, leaves), pytest.MonkeyPatch.context() as patch:
        patch.setattr(improvement, "_REGION", region)
        sizes, random = Counter(rows), np.random.default_rng(seed)
        for of in (search.swept(at_hand, seed=seed, allowed=0, dearest=1.0)[0], anyhow(at_hand, k, random)):
            better, count, moves = moved(at_hand, of, int(of.max()) + 1, seed=seed)
            before, after = (cost(rows, dict(zip(leaves, each.tolist(), strict=True))) for each in (of, better))
            assert after < before - 1e-9 if moves else (better == of).all()
            assert set(better.tolist()) == set(range(count))
            have = Counter[int]()
            for leaf, own in zip(leaves, better.tolist(), strict=True):
                have[own] += sizes[leaf]
            assert min(have.values()) >= k
            if region == 20_000:
                again, _, further = moved(at_hand, better, count, seed=seed + 1)
                assert not further and (again == better).all()


def anyhow(at_hand: SweepTuples, k: int, random: np.random.Generator) -> Any:
    """Classes of tuples in random order, each as large as it needs to be; those that are alike are one."""
    of, rows, own = np.zeros(len(at_hand), np.int64), 0, 0
    for one in random.permutation(len(at_hand)).tolist():
        of[one] = own
        rows += int(at_hand.frequency[one])
        if rows >= k:
            rows, own = 0, own + 1
    of[of == own] = max(0, own - 1)
    same, _ = search.classes.alike(at_hand, search.classes.generalize(at_hand, of, int(of.max()) + 1))
    return same[of]


@given(
    st.lists(
        st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES), st.sampled_from(DISEASES)),
        min_size=8,
        max_size=50,
    ),
    st.integers(0, 3),
)
@settings(max_examples=8)
def test_every_class_has_the_sensitive_values_that_it_should(rows: list[Row], seed: int) -> None:
    asked = described(2, sensitive=["disease"], seed=seed)
    asked["requirement"] = {"k": 2, "l_diversity": [{"attribute": "disease", "l": 2}]}
    if len({row[3] for row in rows} - {None}) < 2:
        return
    plain = pipeline.run(asked, frame=frame(rows)).measures.loss
    release = pipeline.run({**asked, "algorithm": {"name": "sweep", "improve": 0.1}}, frame=frame(rows))
    assert release.result.search.sweep.classes == release.measures.classes
    assert release.measures.loss <= plain
    classes: dict[Row, list[Any]] = defaultdict(list)
    for *cells, disease in release.to_pandas().astype(object).itertuples(index=False, name=None):
        classes[tuple(cells)].append(disease)
    assert sum(map(len, classes.values())) == len(rows) and len(classes) == release.measures.classes
    assert all(len({one for one in each if isinstance(one, str)}) >= 2 for each in classes.values())


def test_tuples_leave_a_class_that_the_greedy_order_formed() -> None:
    """Three rows of b formed the cheapest group; beside the others of their sex all rows lose less."""
    rows = [("f", "b", "011"), ("f", "b", "011"), ("f", "d", "010")]
    rows += [("m", "a", "011"), ("m", "a", "100"), ("m", "b", "010"), ("m", "b", "011"), ("m", "d", "100")]
    with opened(described(3), rows) as (_, at_hand, leaves):
        of, told = search.swept(at_hand, seed=0, allowed=0, dearest=1.0)
        better, count, moves = moved(at_hand, of, told.classes)
        assert (told.classes, count, moves) == (2, 2, 1)
        before, after = (cost(rows, dict(zip(leaves, each.tolist(), strict=True))) for each in (of, better))
        assert (before, after) == (pytest.approx(6), pytest.approx(29 / 6))
        assert {leaf[0] for leaf, own in zip(leaves, better, strict=True) if own == better[0]} == {leaves[0][0]}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(4))
def test_regions_are_improved_side_by_side(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(improvement, "_REGION", 16)
    random = np.random.default_rng(seed)
    rows = drawn(200, random)
    with opened(described(3), rows) as (_, at_hand, leaves):
        of = anyhow(at_hand, 3, random)
        better, _, moves = moved(at_hand, of, int(of.max()) + 1, seed=seed)
        before, after = (cost(rows, dict(zip(leaves, each.tolist(), strict=True))) for each in (of, better))
        assert moves > 1 and after < before - 1


def test_what_is_left_out_stays_out() -> None:
    random = np.random.default_rng(5)
    rows = drawn(80, random)
    with opened(described(4), rows) as (_, at_hand, _):
        of = anyhow(at_hand, 4, random) - 1  # the first class is left out
        better, count, moves = moved(at_hand, of, int(of.max()) + 1)
        assert moves and ((better < 0) == (of < 0)).all() and better.max() == count - 1


def test_a_release_is_improved_for_as_long_as_the_job_says() -> None:
    random = np.random.default_rng(5)
    rows = drawn(80, random)
    results = {
        seconds: pipeline.run(described(4, algorithm={"name": "sweep", "improve": seconds}), frame=frame(rows)).result
        for seconds in (0, 0.3)
    }
    plain, improved = results[0].search.sweep, results[0.3].search.sweep
    assert (plain.regions, plain.moves) == (0, 0) and plain.is_repeatable and "moves" not in plain.summary
    assert improved.regions > 0 and not improved.is_repeatable
    assert improved.summary.endswith(f"after {improved.moves} moves and {improved.regions} regions anew")
    assert results[0.3].measures.loss < results[0].measures.loss
    assert results[0.3].measures.classes == improved.classes


@pytest.mark.parametrize(("cells", "again"), [("aabb", True), ("aabc", False)])
def test_a_run_that_the_clock_ended_is_run_again(cells: str, again: bool, tmp_path: Path) -> None:
    """Though it found nothing: a machine with less to do may. Where nothing costs anything it ends before."""
    job = {
        "quasi_identifiers": {"a": "suppress", "b": "suppress"},
        "requirement": {"k": 2},
        "algorithm": {"name": "sweep", "improve": 0.2},
        "output": {"path": str(tmp_path / "released.csv")},
        "source": {"path": str(tmp_path / "people.csv")},
    }
    pandas.DataFrame({"a": list(cells), "b": list("1122")}).to_csv(tmp_path / "people.csv", index=False)
    results = [pipeline.run(load(job)).result for _ in range(2)]
    assert [result.unchanged for result in results] == [False, again]
    assert results[0].search.sweep.timed is not again and results[0].search.sweep.moves == 0


def test_it_takes_what_it_has_where_it_is_asked_to_stop() -> None:
    """The first Ctrl-C of a run that keeps going: the best so far is taken."""
    random = np.random.default_rng(5)
    rows = drawn(80, random)
    with opened(described(4), rows) as (_, at_hand, _):
        of, told = search.swept(at_hand, seed=0, allowed=0, dearest=1.0)
        asked = iter([False] * 40)
        run = SearchContext(
            seed=0, objective=load(described(4)).objective, label="rows", stop=lambda: next(asked, True)
        )
        _, found = improvement.improved(at_hand, of, told, run=run, seconds=1e9, report=lambda _: None)
        assert found.moves >= 0 and next(asked, None) is None


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            {"requirement": {"k": 2, "alpha": [{"attribute": "disease", "alpha": 0.5}]}},
            "algorithm.improve does not support alpha",
        ),
        ({"person": {"column": "who", "as": "set"}}, "algorithm.improve does not support persons as sets"),
        ({"algorithm": {"name": "sweep", "improve": -1}}, "algorithm.improve"),
    ],
)
def test_what_cannot_be_improved_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError, match=problem):
        load({**described(2, sensitive=["disease"], algorithm={"name": "sweep", "improve": 1}), **more})
