"""Levels, heights, labels and measures are those of the whole hierarchy, whichever levels a job allows."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import RequirementError
from starcloak.commands import pipeline
from starcloak.exports.report import lattice as drawn_lattice

ALGORITHMS = (
    "witness", "incognito", "bottom-up", "samarati", "datafly", "sweep", "kaca", "mondrian", "tdr", "full-subtree",
    "unrestricted", "full-subgraph",
)  # fmt: skip
COLUMNS = ("one", "two")


def tree(rng: random.Random, name: str) -> dict[str, list[str]]:
    """A hierarchy of some leaves: labels of different levels differ, the last one is the top."""
    height, leaves = rng.randint(1, 4), rng.randint(2, 7)
    groups, lines = list(range(leaves)), {f"{name}0_{leaf}": [] for leaf in range(leaves)}
    for level in range(1, height + 1):
        parents = 1 if level == height else max(1, len(set(groups)) - rng.randint(0, 2))
        of = {group: rng.randrange(parents) for group in sorted(set(groups))}
        groups = [of[group] for group in groups]
        for leaf, group in enumerate(groups):
            lines[f"{name}0_{leaf}"].append(f"{name}{level}_{group}")
    return lines


def drawn(seed: int) -> tuple[pandas.DataFrame, dict[str, dict[str, list[str]]], dict[str, dict[str, int]]]:
    """A table, its hierarchies and the levels that a job allows of each."""
    rng = random.Random(seed)
    trees = {name: tree(rng, name[0]) for name in COLUMNS}
    rows = rng.randint(12, 40)
    frame = pandas.DataFrame({name: rng.choices(list(lines), k=rows) for name, lines in trees.items()})
    frame["row"], frame["outcome"] = range(rows), rng.choices("ab", k=rows)
    bounds: dict[str, dict[str, int]] = {}
    for name, lines in trees.items():
        height = len(next(iter(lines.values())))
        first = rng.randint(0, height)
        bounds[name] = {"from": first} if rng.random() < 0.5 else {"from": first, "to": rng.randint(first, height)}
    return frame, trees, bounds


def job(
    algorithm: str, trees: dict[str, dict[str, list[str]]], bounds: dict[str, dict[str, int]], **more: Any
) -> dict[str, Any]:
    of_class = {"class": "outcome"} if algorithm == "tdr" else {}
    return {
        "quasi_identifiers": {name: {"levels": lines, **bounds[name]} for name, lines in trees.items()},
        "sensitive": ["outcome"],
        "keep": ["row"],
        "algorithm": {"name": algorithm, **of_class},
        "requirement": {"k": 2, "suppression": 0 if algorithm == "tdr" else 0.3},
        **more,
    }


def height_of(lines: dict[str, list[str]]) -> int:
    return len(next(iter(lines.values())))


def level_of(cell: str) -> int:
    return int(cell[1 : cell.index("_")])


def climbed(level: int, height: int, weights: list[float]) -> float:
    return sum(weights[:level]) / sum(weights) if height else 0.0


@pytest.mark.sampled(18)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_result_counts_levels_from_the_leaves_of_the_whole_hierarchy(algorithm: str, seed: int) -> None:
    frame, trees, bounds = drawn(seed)
    try:
        release = sc.run(job(algorithm, trees, bounds), frame=frame)
    except RequirementError:
        return
    result, released = release.result, release.to_pandas()
    recoding, measures, rows = result.recoding, result.measures, len(frame)
    kept = uniform = by_height = 0.0
    for name, lines in trees.items():
        height = height_of(lines)
        levels = [level_of(cell) for cell in released[name]]
        lowest, highest = bounds[name]["from"], bounds[name].get("to", height)
        assert all(lowest <= level <= highest for level in levels)
        assert recoding.heights[name] == height and recoding.bounds[name] == (lowest, highest)
        assert recoding.labels[name] == ["as it is", *(f"level {at}" for at in range(1, height)), "the top"]
        if levels:
            assert recoding.levels[name] == min(levels)
            counted = {str(at): levels.count(at) / len(levels) for at in sorted(set(levels))}
            assert measures.level_shares[name] == pytest.approx(counted)
        kept += sum(climbed(level, height, [1.0] * height) for level in levels)
        levels += [height] * (rows - len(levels))  # a row that is left out counts as the top
        uniform += sum(climbed(level, height, [1.0] * height) for level in levels)
        by_height += sum(climbed(level, height, [1 / (height - at) for at in range(height)]) for level in levels)
    cells = rows * len(trees)
    assert measures.precision == pytest.approx(1 - uniform / cells)
    assert measures.distortion == pytest.approx(uniform)
    assert measures.distortion_ratio == pytest.approx(uniform / cells)
    assert measures.height_distortion == pytest.approx(by_height)
    assert measures.height_distortion_ratio == pytest.approx(by_height / cells)
    if algorithm == "kaca":  # of the released rows
        assert result.search.clustering.distortion == pytest.approx(kept)
        assert all(
            lowest == bounds[name]["from"]
            for lowest, name in zip(result.search.clustering.global_levels, COLUMNS, strict=True)
        )
    if algorithm == "tdr":
        applied = release.apply(frame, k=1)
        assert sorted(applied[["row", *COLUMNS]].values.tolist()) == sorted(released[["row", *COLUMNS]].values.tolist())
        steps = result.search.refinement.steps
        assert all(level_of(step.value) == step.level for step in steps)
        assert all([*map(level_of, step.into)] == step.into_levels for step in steps)


def test_the_values_of_a_lattice_are_those_that_occur() -> None:
    """Of four leaves two occur, and of the three values above them one."""
    lines = {"a0": ["a1", "a2"], "b0": ["a1", "a2"], "c0": ["c1", "a2"], "d0": ["d1", "d2"]}
    frame = pandas.DataFrame({"one": ["a0", "b0"] * 3})
    for first, expected in ((0, (2, 1, 1, 1)), (1, (1, 1, 1))):
        kinds = {"one": {"levels": lines, "from": first}}
        lattice = sc.lattice({"quasi_identifiers": kinds, "requirement": {"k": 2}}, frame=frame)
        assert lattice.values == (expected,)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(12))
def test_the_lattice_and_the_minimal_nodes_are_those_of_the_whole_hierarchies(seed: int) -> None:
    frame, trees, bounds = drawn(seed)
    asked = job("incognito", trees, bounds, requirement={"k": 2})
    ranges = [range(bounds[name]["from"], bounds[name].get("to", height_of(trees[name])) + 1) for name in COLUMNS]
    lattice = sc.lattice(asked, frame=frame)
    assert [tuple(node) for node in lattice.nodes.tolist()] == list(product(*ranges))
    assert lattice.heights == tuple(map(height_of, trees.values()))

    def smallest(node: tuple[int, ...]) -> int:
        cells = {
            name: [leaf if not level else trees[name][leaf][level - 1] for leaf in frame[name]]
            for name, level in zip(COLUMNS, node, strict=True)
        }
        shown: pandas.DataFrame = pandas.DataFrame(cells)
        return int(shown.groupby(list(COLUMNS)).size().min())

    satisfying = {node for node in product(*ranges) if smallest(node) >= 2}
    assert {tuple(levels.values()) for levels in lattice.levels_at(2)} == satisfying
    for node in satisfying:
        assert lattice.values_of(lattice.place(node)) == [
            len({leaf if not level else trees[name][leaf][level - 1] for leaf in frame[name]})
            for name, level in zip(COLUMNS, node, strict=True)
        ]
    if not satisfying:
        return
    release = sc.run(asked, frame=frame)
    search = release.result.search
    assert {tuple(levels.values()) for levels in search.anonymous_levels} == satisfying
    lowest = {
        node
        for node in satisfying
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in satisfying)
    }
    assert {tuple(node) for node in search.minimal} == lowest
    assert {tuple(levels.values()) for levels in search.minimal_levels} == lowest
    levels = release.result.recoding.levels
    assert sc.explain(asked, frame=frame).levels == levels
    assert sc.preview(asked, frame=frame).levels == levels
    drawing = drawn_lattice.drawing_of(release.result)
    assert drawing is not None and drawing.chosen == list(levels.values())
    assert sum(kind.count for kind in drawing.kinds) == len(lattice)
    assert [row.height for row in drawing.rows] == list(
        range(sum(r[0] for r in ranges), sum(r[-1] for r in ranges) + 1)
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("minimize", ["precision", "distortion", "height"])
@pytest.mark.parametrize("seed", range(8))
def test_an_objective_counts_levels_over_the_whole_hierarchy(minimize: str, seed: int) -> None:
    frame, trees, bounds = drawn(seed)
    asked = job("witness", trees, bounds, requirement={"k": 2}, objective={"minimize": minimize})
    try:
        result = sc.run(asked, frame=frame).result
    except RequirementError:
        return
    heights = {name: 1 if minimize == "height" else height_of(lines) for name, lines in trees.items()}

    def cost(levels: dict[str, int]) -> float:
        return sum(level / heights[name] for name, level in levels.items())

    every = sc.lattice(asked, frame=frame).levels_at(2)
    assert cost(result.recoding.levels) == pytest.approx(min(map(cost, every)))


def test_a_pinned_level_is_no_column_as_it_is() -> None:
    frame = pandas.DataFrame({"zip": ["5715", "5716"] * 4})
    zips = {"digits": 4, "from": 1, "to": 1}
    result = sc.run({"quasi_identifiers": {"zip": zips}, "requirement": {"k": 2}}, frame=frame).result
    assert result.recoding.levels == {"zip": 1} and result.recoding.heights == {"zip": 4}
    assert result.level_label("zip", 1) == "3 digits" and result.measures.precision == 0.75


@pytest.mark.parametrize("name", ["samarati", "datafly"])
def test_progress_counts_heights_as_the_hierarchies_do(name: str) -> None:
    lines = {f"a{at}": [f"b{at // 2}", f"c{at // 4}", "all"] for at in range(8)}
    seen: list[str] = []
    described = {
        "quasi_identifiers": {column: {"levels": lines, "from": 2} for column in COLUMNS},
        "requirement": {"k": 8},
        "algorithm": {"name": name},
    }
    frame = pandas.DataFrame({column: list(lines) for column in COLUMNS})
    pipeline.run(described, frame=frame, resources=sc.Resources(progress=seen.append))
    heights = [text.split(",")[0] for text in seen if text.startswith("search: height")]
    assert heights and all(text.endswith(" of 6") for text in heights)
    assert {int(text.split()[2]) for text in heights} <= {4, 5, 6}
