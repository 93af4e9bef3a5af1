"""The map of recoding models: every model's own constraint, the requirement and minimality, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak import job
from starcloak.base.errors import JobError
from starcloak.commands import algorithm_table, pipeline
from starcloak.job import Objective, algorithms, load
from starcloak.search import algorithm
from starcloak.search.mondrian import partitioning
from starcloak.search.single_dimension import greedy
from starcloak.star.star import Star, without_numbers
from starcloak.store.resources import Resources
from tests import demands, full_domain
from tests.oracle import Oracle

Row = tuple[Any, ...]
Tree = Mapping[Any, Row]

TREES: list[dict[str, Row]] = [
    {leaf: (leaf, "*") for leaf in "mf"},
    {leaf: (leaf, "AB" if leaf in "ab" else "CD", "*") for leaf in "abcd"},
    {leaf: (leaf, f"{leaf[:2]}*", f"{leaf[0]}**", "*") for leaf in ("000", "001", "010", "011", "100", "110")},
]
HIERARCHIES: dict[str, Any] = {
    "one": "suppress",
    "two": {"tree": {"AB": ["a", "b"], "CD": ["c", "d"]}},
    "three": {"digits": 3},
}
ROWS = st.lists(st.tuples(*(st.sampled_from(sorted(tree)) for tree in TREES)), min_size=4, max_size=60)
KS = st.integers(2, 4)
NUMBERS = st.lists(
    st.tuples(st.sampled_from([None, *range(10)]), st.sampled_from([0, 1, 5, 50]), st.sampled_from("mf")),
    min_size=4,
    max_size=60,
)
NUMERIC: dict[str, Any] = {"n": "numeric", "m": "numeric", "sex": "suppress"}
QIDS = [(0, 1, 2)], [(0, 1), (1, 2)]


def described(qis: dict[str, Any], k: int, name: str, qids: Sequence[Sequence[int]] = ()) -> dict[str, Any]:
    names = list(qis)
    several = [{"attributes": [names[place] for place in qid], "k": k} for qid in qids]
    requirement = {"qids": several} if len(several) > 1 else {"k": k}
    return {"quasi_identifiers": qis, "requirement": requirement, "algorithm": {"name": name}}


def frame(qis: dict[str, Any], rows: Sequence[Row]) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=list(qis), dtype=object)


@contextmanager
def opened(asked: dict[str, Any], rows: Sequence[Row]) -> Iterator[tuple[job.Job, Star]]:
    with full_domain.opened(asked, frame(asked["quasi_identifiers"], rows)) as built:
        yield load(asked), built


def levels_of(asked: dict[str, Any], rows: Sequence[Row]) -> list[dict[Any, int]]:
    """The level that every leaf of every attribute goes to: one map per attribute."""
    with opened(asked, rows) as (loaded, built):
        leaves = loaded.algorithm.name == "unrestricted"
        greedy.search_cut(built, loaded.required, ordered=False, leaves=leaves)
        found: list[dict[Any, int]] = []
        for dimension in built.dimensions:
            cut = built.session.connection.execute(
                f"""
                select level_0, level from cut join {dimension.table.sql()} using (code)
                where dimension = {dimension.position}
                """
            ).fetchall()
            assert len(cut) == len(dict(cut))
            found.append(dict(cut))
        return found


def holds(rows: Sequence[Row], maps: Sequence[Mapping[Any, Any]], k: int, qids: Sequence[Sequence[int]]) -> bool:
    """Whether every group of every QID has k rows, where leaves go to these values."""
    return all(min(Counter(tuple(maps[at][row[at]] for at in qid) for row in rows).values()) >= k for qid in qids)


def values(levels: Sequence[Mapping[Any, int]]) -> list[dict[Any, Any]]:
    return [
        {leaf: (level, tree[leaf][level]) for leaf, level in map_.items()}
        for tree, map_ in zip(TREES, levels, strict=True)
    ]


def lowered(levels: Sequence[Mapping[Any, int]], place: int, leaves: Sequence[Any], level: int) -> list[dict[Any, Any]]:
    changed = [dict(map_) for map_ in levels]
    changed[place] |= dict.fromkeys(leaves, level)
    return values(changed)


@given(ROWS, KS, st.sampled_from(QIDS))
@settings(max_examples=3)
def test_full_subtree_is_a_minimal_cut_of_every_hierarchy(rows: list[Row], k: int, qids: list[Any]) -> None:
    rows = rows + rows
    levels = levels_of(described(HIERARCHIES, k, "full-subtree", qids), rows)
    assert holds(rows, values(levels), k, qids)
    for place, (tree, map_) in enumerate(zip(TREES, levels, strict=True)):
        for leaf, level in map_.items():
            subtree = [other for other in map_ if tree[other][level] == tree[leaf][level]]
            assert {map_[other] for other in subtree} == {level}
            assert not level or not holds(rows, lowered(levels, place, subtree, level - 1), k, qids)


@given(ROWS, KS, st.sampled_from(QIDS))
@settings(max_examples=3)
def test_unrestricted_lets_no_leaf_go_lower(rows: list[Row], k: int, qids: list[Any]) -> None:
    rows = rows + rows
    levels = levels_of(described(HIERARCHIES, k, "unrestricted", qids), rows)
    assert holds(rows, values(levels), k, qids)
    for place, map_ in enumerate(levels):
        for leaf, level in map_.items():
            for lower in range(level):
                assert not holds(rows, lowered(levels, place, [leaf], lower), k, qids)


def test_of_the_splits_that_the_rows_allow_the_one_that_spares_most_is_made() -> None:
    """Of 2, 2, 2 and 10 rows and k = 4, the last alone: 6 rows go 2 leaves far, where two pairs cost 4 + 12."""
    rows = [(1,)] * 2 + [(2,)] * 2 + [(3,)] * 2 + [(4,)] * 10
    qis = {"n": "numeric"}
    made = pipeline.run(described(qis, 4, "ordered-set"), frame=frame(qis, rows)).to_pandas()
    assert sorted(Counter(made["n"]).values()) == [6, 10]


def test_unrestricted_goes_below_full_subtrees() -> None:
    """Five of a, one of b and c each: with subtrees b takes a along; alone, a stays itself."""
    rows = [("a",)] * 5 + [("b",), ("c",), ("c",)]
    qis = {"two": "suppress"}
    names = ("full-subtree", "unrestricted")
    made = [pipeline.run(described(qis, 3, name), frame=frame(qis, rows)).to_pandas() for name in names]
    assert [Counter(each["two"]) for each in made] == [{"*": 8}, {"a": 5, "*": 3}]


def test_rare_categories_are_pooled_with_as_few_others_as_a_recoding_can() -> None:
    """Two categories of one row each need one class of three rows; a subtree pools everything."""
    rows = pandas.DataFrame({"side": list("LRRBBBLRRLFI"), "s": [str(row) for row in range(12)]})
    pooled = {}
    for name in ("cell-suppression", "sweep", "unrestricted", "full-subtree"):
        made = sc.anonymize(rows, quasi_identifiers={"side": "suppress"}, sensitive=["s"], k=3, algorithm=name)
        pooled[name] = int((made.to_pandas()["side"] == "*").sum())
    assert pooled == {"cell-suppression": 5, "sweep": 5, "unrestricted": 6, "full-subtree": 12}


def test_unrestricted_leaves_no_value_behind_that_too_few_rows_have() -> None:
    """By itself a could go lower, but not b, which would be the only q."""
    rows = [("a",)] * 3 + [("b",)] * 2 + [("c",)] * 5
    qis = {"two": {"levels": {"a": ["q"], "b": ["q"], "c": ["r"]}}}
    made = pipeline.run(described(qis, 3, "unrestricted"), frame=frame(qis, rows)).to_pandas()
    assert Counter(made["two"]) == {"q": 5, "c": 5}


@given(NUMBERS, KS, st.sampled_from(QIDS))
@settings(max_examples=3)
def test_ordered_sets_are_intervals_that_cannot_be_split(rows: list[Row], k: int, qids: list[Any]) -> None:
    rows = rows + rows
    asked = described(NUMERIC, k, "ordered-set", qids)
    texts = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
    maps: list[dict[Any, Any]] = []
    with opened(asked, texts) as (loaded, built):
        grown, _ = greedy.search_cut(built, loaded.required, ordered=True, leaves=False)
        for dimension in grown.dimensions:
            ancestors = ", ".join(f"ancestor_{level}" for level in range(dimension.height + 1))
            cut = built.session.connection.execute(
                f"""
                select level_0, [{ancestors}][level + 1] from cut join {dimension.table.sql()} using (code)
                where dimension = {dimension.position} order by code
                """
            ).fetchall()
            numeric = dimension.attribute != "sex"
            maps.append({int(leaf) if numeric and leaf is not None else leaf: cell for leaf, cell in cut})
    assert holds(rows, maps, k, qids)
    for place in (0, 1):
        leaves = list(maps[place])
        assert leaves == sorted(leaves, key=lambda leaf: (leaf is None, leaf))
        cells = list(maps[place].values())
        assert cells == sorted(cells)  # intervals: equal cells are neighbours
        for at in range(1, len(leaves)):
            if cells[at - 1] == cells[at]:
                split = {
                    leaf: (cell, number >= at) for number, (leaf, cell) in enumerate(zip(leaves, cells, strict=True))
                }
                assert not holds(rows, [*maps[:place], split, *maps[place + 1 :]], k, qids)


@given(ROWS, KS)
@settings(max_examples=3)
def test_full_subgraphs_go_to_their_root_and_cannot_be_cut(rows: list[Row], k: int) -> None:
    with opened(described(HIERARCHIES, k, "full-subgraph"), rows) as (_, built):
        partitioning.search(without_numbers(built), demand=demands.rows(k, built), seed=1)
        mapped = built.session.connection.execute(
            """
            select d1.level_0, d2.level_0, d3.level_0,
                recoding.level_1, recoding.level_2, recoding.level_3 from recoding
            join dimension_one as d1 on d1.code = code_1 join dimension_two as d2 on d2.code = code_2
            join dimension_three as d3 on d3.code = code_3
            """
        ).fetchall()
    goes = {line[:3]: tuple(zip(line[:3], line[3:], strict=True)) for line in mapped}
    assert len(goes) == len(mapped) == len(set(rows))

    def value(row: Row, levels: Sequence[int]) -> Row:
        return tuple((level, tree[leaf][level]) for tree, leaf, level in zip(TREES, row, levels, strict=True))

    regions = defaultdict(list)
    for row in rows:
        regions[value(row, [level for _, level in goes[row]])].append(row)
    for root, members in regions.items():
        levels = [level for level, _ in root]
        assert len(members) >= k
        assert all(row in members for row in rows if value(row, levels) == root)
        for place, tree in enumerate(TREES):
            if levels[place]:
                children = Counter(tree[row[place]][levels[place] - 1] for row in members)
                assert min(children.values()) < k


@given(ROWS, KS)
@settings(max_examples=3)
def test_every_tuple_goes_to_one_generalization_of_its_own(rows: list[Row], k: int) -> None:
    """Section 5.1.3: a function of the tuple; groups are the closest common generalizations of theirs."""
    with opened(described(HIERARCHIES, k, "unrestricted-multi"), rows) as (loaded, built):
        algorithm.search(
            built,
            demands.required(built, k=k),
            loaded.algorithm,
            algorithm.SearchContext(1, Objective(minimize="loss"), "rows"),
        )
        mapped = built.session.connection.execute(
            """
            select d1.level_0, d2.level_0, d3.level_0,
                recoding.level_1, recoding.level_2, recoding.level_3, frequency from recoding
            join dimension_one as d1 on d1.code = code_1 join dimension_two as d2 on d2.code = code_2
            join dimension_three as d3 on d3.code = code_3
            """
        ).fetchall()
    goes = {tuple(line[:3]): tuple(line[3:6]) for line in mapped}
    sizes = {tuple(line[:3]): line[6] for line in mapped}
    assert len(goes) == len(mapped) and sizes == Counter(rows)

    def value(row: Row, levels: Sequence[int]) -> Row:
        return tuple((level, tree[leaf][level]) for tree, leaf, level in zip(TREES, row, levels, strict=True))

    groups = Counter[Row]()
    for row, levels in goes.items():
        groups[value(row, levels)] += sizes[row]
    assert min(groups.values()) >= k
    for row, levels in goes.items():
        group = [other for other in goes if value(other, goes[other]) == value(row, levels)]
        for place, tree in enumerate(TREES):
            lowest = next(at for at in range(9) if len({tree[other[place]][at] for other in group}) == 1)
            assert levels[place] == lowest, "not the closest common generalization"


@given(ROWS, KS)
@settings(max_examples=2)
def test_attribute_suppression_finds_all_choices(rows: list[Row], k: int) -> None:
    found = pipeline.run(described(HIERARCHIES, k, "attribute-suppression"), frame=frame(HIERARCHIES, rows)).result
    oracle = Oracle(rows, [{leaf: (leaf, "*") for leaf in tree} for tree in TREES])
    assert {tuple(node) for node in found.search.minimal} == Oracle.minimal(oracle.anonymous(k, 0))
    assert found.recoding.heights == {"one": 1, "two": 1, "three": 1}


@given(ROWS, KS)
@settings(max_examples=2)
def test_cell_suppression_gives_no_group_a_cell_back(rows: list[Row], k: int) -> None:
    with opened(described(dict.fromkeys(HIERARCHIES, "suppress"), k, "kaca"), rows) as (_, built):
        chosen = demands.algorithm({"name": "cell-suppression"})
        algorithm.search(
            built,
            demands.required(built, k=k),
            chosen,
            algorithm.SearchContext(1, Objective(minimize="height"), "rows"),
        )
        parts = built.session.connection.execute(
            """
            select d1.level_0, d2.level_0, d3.level_0,
                recoding.level_1, recoding.level_2, recoding.level_3, frequency from recoding
            join dimension_one as d1 on d1.code = code_1 join dimension_two as d2 on d2.code = code_2
            join dimension_three as d3 on d3.code = code_3
            """
        ).fetchall()
    groups: dict[Row, Counter[Row]] = defaultdict(Counter)
    leaves = Counter[Row]()
    for *cells, frequency in parts:
        leaf, levels = tuple(cells[:3]), cells[3:]
        groups[tuple("*" if level else cell for cell, level in zip(leaf, levels, strict=True))][leaf] += frequency
        leaves[leaf] += frequency
    assert leaves == Counter(rows)
    for group, members in groups.items():
        assert members.total() >= k
        for place, cell in enumerate(group):
            if cell == "*":
                back = Counter[Any]()
                for leaf, frequency in members.items():
                    back[leaf[place]] += frequency
                assert min(back.values()) < k


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("attribute-suppression", "full-domain"),
        ("cell-suppression", "local"),
        ("full-subtree", "single-dimension"),
        ("ordered-set", "single-dimension"),
        ("unrestricted", "single-dimension"),
        ("full-subgraph", "multi-dimension"),
        ("unrestricted-multi", "multi-dimension"),
    ],
)
def test_every_model_publishes_the_same_release_again(name: str, model: str) -> None:
    """Whatever the order of the rows; kept cells stay with their rows' cells, and the script says the same."""
    rows = [(n % 7, "mf"[n % 2], f"{n * 37 % 64:03d}"[:2]) for n in range(80)]
    qis = {"n": "numeric", "sex": "suppress", "zip": {"digits": 2}}
    made = []
    for order in (rows, rows[::-1]):
        release = pipeline.run(described(qis, 4, name), frame=frame(qis, order))
        assert release.result.recoding.model == model
        assert release.k is not None and release.k >= 4
        made.append([tuple(map(str, row)) for row in release.to_pandas().itertuples(index=False, name=None)])
    assert sorted(made[0]) == sorted(made[1])


def test_the_map_has_every_algorithm_of_a_job() -> None:
    registered = algorithms.algorithms()
    known = {each.name: each for each in algorithm_table.algorithms()}
    assert list(known) == list(registered)
    for name, model in registered.items():
        assert model.model_fields["name"].default == name
        assert {field.alias or key for key, field in model.model_fields.items()} == {*known[name].options, "name"}
        # Told by the model itself, not inherited.
        assert "about" in vars(model)


def test_the_command_prints_the_map(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from click.testing import CliRunner

    from starcloak.commands.cli import cli

    run: Callable[..., Any] = CliRunner().invoke
    assert "mondrian" in run(cli, ["algorithms"]).output
    listed = json.loads(run(cli, ["algorithms", "--json"]).output)
    assert [each["name"] for each in listed] == list(algorithms.algorithms())
    assert {each["name"]: each["options"] for each in listed}["mondrian"] == {"relaxed": False}


def test_cell_suppression_of_nearly_distinct_rows_takes_little_memory_and_leaves_no_row_out() -> None:
    random = np.random.default_rng(1)
    columns = {name: random.integers(0, values, 20_000) for name, values in (("a", 200), ("b", 150), ("c", 20))}
    job = {
        "quasi_identifiers": dict.fromkeys(columns, "suppress"),
        "requirement": {"k": 5, "suppression": "0.1"},
        "algorithm": {"name": "cell-suppression"},
    }
    release = pipeline.run(job, frame=pandas.DataFrame(columns), resources=Resources(memory_limit="300MB"))
    assert release.result.released_rows == 20_000 and release.k is not None and release.k >= 5


def test_unrestricted_refuses_what_would_not_end_and_says_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy, "_LONG", 100)
    rows = pandas.DataFrame({"a": [str(number) for number in range(100)], "disease": ["flu", "cough"] * 50})
    job = {
        "quasi_identifiers": {"a": "suppress"},
        "sensitive": ["disease"],
        "requirement": {"k": 2, "l_diversity": [{"attribute": "disease", "l": 2}]},
        "algorithm": {"name": "unrestricted"},
    }
    with pytest.raises(
        JobError, match=r"would need about 0.0 hours for 100 moves of single values over 100 combinations"
    ):
        pipeline.run(job, frame=rows)
    assert pipeline.run({**job, "requirement": {"k": 2}}, frame=rows).k == 100
