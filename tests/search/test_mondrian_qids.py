"""Mondrian with several QIDs: regions are cut as long as the groups of each have its own k rows."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.job.algorithms import algorithms
from starcloak.search.mondrian.regions import Regions
from starcloak.statements.statement import Name, Statement
from tests.oracle import HIERARCHIES, TREES
from tests.search.test_mondrian import NUMERIC, common

Row = tuple[Any, ...]
Region = list[Row]
Qids = Sequence[tuple[Sequence[int], int]]

LEAVES = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=10, max_size=70)
NUMBERS = st.lists(
    st.tuples(st.sampled_from([None, *range(9)]), st.integers(0, 5), st.sampled_from("mf")), min_size=10, max_size=70
)


def anonymized(hierarchies: dict[str, Any], rows: Sequence[Row], requirement: Any) -> sc.Release:
    job = {"quasi_identifiers": hierarchies, "requirement": requirement, "algorithm": {"name": "mondrian"}}
    return pipeline.run(job, frame=pandas.DataFrame(rows, columns=list(hierarchies), dtype=object))


def asked(hierarchies: dict[str, Any], qids: Qids) -> dict[str, Any]:
    names = list(hierarchies)
    return {"qids": [{"attributes": [names[at] for at in positions], "k": k} for positions, k in qids]}


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> list[Region]:
    return watched(monkeypatch)


def watched(patch: pytest.MonkeyPatch) -> list[Region]:
    """The regions of the last run, as rows of the source's values."""
    kept: list[Region] = []
    recode = Regions.recode

    def keep(regions: Regions) -> None:
        session = regions.session
        values = []
        for tree in regions.trees:
            there = [Name(*tree.paths.parts), Name(*tree.dimension.table.parts)]
            found = session.connection.execute(
                f"select path, value from {there[0].sql()} join {there[1].sql()} using (code)"
            )
            values.append(dict(found.fetchall()))
        by_number = defaultdict(list)
        for number, *paths, rows in session.run(Statement("store/relation", relation=Name("mondrian_settled"))):
            by_number[number] += [tuple(of[path] for of, path in zip(values, paths, strict=True))] * rows
        kept[:] = by_number.values()
        recode(regions)

    patch.setattr(Regions, "recode", keep)
    return kept


def of_tree(region: Region, place: int) -> Any:
    leaves = [row[place] for row in region]
    return TREES[place][leaves[0]][level := common(leaves, TREES[place])], level


def of_numbers(region: Region, place: int) -> Any:
    cells = {row[place] for row in region}
    if len(cells) == 1:
        return cells.pop()
    return "*" if None in cells or place == 2 else (min(map(int, cells)), max(map(int, cells)))


def satisfies(regions: Sequence[Region], qids: Qids, shown: Any) -> bool:
    for positions, k in qids:
        groups = Counter[Any]()
        for region in regions:
            groups[tuple(shown(region, place) for place in positions)] += len(region)
        if min(groups.values()) < k:
            return False
    return True


def cuts_of_trees(region: Region) -> Iterator[list[Region]]:
    for place, tree in enumerate(TREES):
        level = common([row[place] for row in region], tree)
        if level:
            sides = defaultdict(list)
            for row in region:
                sides[tree[row[place]][level - 1]].append(row)
            yield list(sides.values())


def cuts_of_numbers(region: Region) -> Iterator[list[Region]]:
    for place in range(2):
        numbers = sorted({row[place] for row in region}, key=lambda cell: (cell is None, int(cell or 0)))
        for at in range(1, len(numbers)):
            below = set(numbers[:at])
            yield [[row for row in region if (row[place] in below) is side] for side in (True, False)]
    if len({row[2] for row in region}) > 1:
        yield [[row for row in region if row[2] == sex] for sex in "mf"]


@given(data=st.data(), numeric=st.booleans(), first=st.integers(2, 6), second=st.integers(2, 6))
@settings(max_examples=4)
def test_no_region_can_be_cut_by_itself(data: Any, numeric: bool, first: int, second: int) -> None:
    """Against every cut of every region in plain Python, each with what it does to the groups of both QIDs."""
    with pytest.MonkeyPatch.context() as patch:
        found = watched(patch)
        rows = data.draw(NUMBERS if numeric else LEAVES)
        hierarchies = NUMERIC if numeric else HIERARCHIES
        texts = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
        qids: Qids = [((0, 1), first), ((1, 2), second)]
        release = anonymized(hierarchies, texts, asked(hierarchies, qids))
        shown, cuts = (of_numbers, cuts_of_numbers) if numeric else (of_tree, cuts_of_trees)
        assert sorted(map(str, (row for region in found for row in region))) == sorted(map(str, texts))
        assert satisfies(found, qids, shown)
        for at, region in enumerate(found):
            for sides in cuts(region):
                assert not satisfies([*found[:at], *found[at + 1 :], *sides], qids, shown), (region, sides)
    done = release.result.search.partitioning
    assert done is not None and done.regions == len(found)


def test_each_qid_has_its_own_k(settled: list[Region]) -> None:
    """Eight rows in two values of one and four of two: k = 4 over one, and k = 2 over two, take no group of eight."""
    rows = [(one, two, "000") for one, two in zip("mmmmffff", "aabbccdd", strict=True)]
    requirement = {"qids": [{"attributes": ["one", "three"], "k": 4}, {"attributes": ["two", "three"], "k": 2}]}
    assert len(anonymized(HIERARCHIES, rows, requirement).to_pandas().drop_duplicates()) == 4
    assert sorted(map(len, settled)) == [2, 2, 2, 2]
    largest = anonymized(HIERARCHIES, rows, {"k": 4})
    assert len(largest.to_pandas().drop_duplicates()) == 2


def cuts_of_groups(found: Sequence[Region], qids: Qids) -> Iterator[list[Region]]:
    """The regions with all those of one group cut together, on one attribute of its QID."""
    for positions, _ in qids:
        groups = defaultdict(list)
        for at, region in enumerate(found):
            groups[tuple(of_tree(region, place) for place in positions)].append(at)
        for members in groups.values():
            rest = [region for at, region in enumerate(found) if at not in members]
            for place in positions:
                _, level = of_tree(found[members[0]], place)
                sides: dict[tuple[int, str], Region] = defaultdict(list)
                for at in members if level else ():
                    for row in found[at]:
                        sides[at, TREES[place][row[place]][level - 1]].append(row)
                if level:
                    yield [*rest, *sides.values()]


def test_the_guarantee_is_of_single_regions(settled: list[Region]) -> None:
    """Several regions of one group may have a cut together: that is not tried, and the guarantee does not say it is."""
    qids: Qids = [((0, 1), 4), ((1, 2), 3)]
    left = 0
    for seed in range(3):
        rng = random.Random(seed)
        rows = [tuple(rng.choice(sorted(tree)) for tree in TREES) for _ in range(60)]
        anonymized(HIERARCHIES, rows, asked(HIERARCHIES, qids))
        left += any(satisfies(regions, qids, of_tree) for regions in cuts_of_groups(settled, qids))
        for at, region in enumerate(settled):
            for sides in cuts_of_trees(region):
                assert not satisfies([*settled[:at], *settled[at + 1 :], *sides], qids, of_tree)
    assert left
    for name in ("mondrian", "full-subgraph"):
        assert "no region by itself" in algorithms()[name].about.guarantee


@pytest.mark.parametrize(
    ("size", "changes", "agreed"),
    [
        (12, {1: -4, 2: -4, 3: -4}, [1]),  # two of them would leave it four
        (13, {1: -4, 2: -4, 3: -4}, [1, 2]),
        (4, {1: -4, 2: 5}, [1]),  # it would be left with five, had the first not counted on none
        (4, {1: 5, 2: -4}, [1]),
        (9, {1: 1, 2: -4, 3: 1}, [1, 2, 3]),  # whoever comes may come
        (0, {1: 5, 2: 6}, [1, 2]),
    ],
)
def test_of_a_group_that_must_keep_five_rows_so_many_go_together(
    size: int, changes: dict[int, int], agreed: list[int]
) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table groups as select 1 as qid, [7] as cells, ? as size where size > 0", [size])
        connection.execute("create table changes (qid int, least int, region int, place int, cells int[], change int)")
        rows = [[1, 5, region, 0, [7], change] for region, change in changes.items()]
        connection.executemany("insert into changes values (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("create table allowable as select distinct region, place from changes")
        holes = {name: Name(name) for name in ("allowable", "changes", "groups")}
        found = connection.execute(Statement("search/mondrian/qids#agreed", **holes).sql()).fetchall()
    assert sorted(region for region, _ in found) == agreed


def test_models_of_sensitive_values_keep_to_the_largest_of_all() -> None:
    rows = [(one, two, "000", str(at % 3)) for at, (one, two) in enumerate(zip("mmmmffff", "aabbccdd", strict=True))]
    qids = [{"attributes": ["one", "three"], "k": 4}, {"attributes": ["two", "three"], "k": 2}]
    job = {
        "quasi_identifiers": HIERARCHIES,
        "sensitive": ["disease"],
        "requirement": {"qids": qids, "l_diversity": [{"attribute": "disease", "l": 2}]},
        "algorithm": {"name": "mondrian"},
    }
    release = pipeline.run(job, frame=pandas.DataFrame(rows, columns=[*HIERARCHIES, "disease"], dtype=object))
    assert len(release.to_pandas()[list(HIERARCHIES)].drop_duplicates()) == 2
