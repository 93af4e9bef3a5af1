"""studio: hierarchies are seen level by level, and made by grouping values."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.commands.hierarchies import CountedHierarchy, CountedLevel
from tests.commands.studios import Studio, people, started

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
trees = pytest.importorskip("starcloak.commands.studio.trees")

# number: 1 North, 2 a, 3 b, 4 South, 5 Deep, 6 c, 7 d, 8 e, and 9 missing, which has no leaf
LINES = {"a": ["a", "North"], "b": ["b", "North"], "c": ["Deep", "South"], "d": ["Deep", "South"], "e": ["e", "South"]}


def counted() -> CountedHierarchy:
    lines = [([leaf, *above, "*"], 1) for leaf, above in LINES.items()]
    return CountedHierarchy("region", [CountedLevel("as it is", 5, [])], lines, [(None, 2)], True)


@pytest.mark.parametrize(
    ("chosen", "name", "tree"),
    [
        ({9}, "North", {"North": ["a", "b", None], "South": [{"Deep": ["c", "d"]}, "e"]}),
        ({2, 6}, "Other", {"*": [{"Other": ["a", "c"]}, {"North": ["b"]}, {"South": [{"Deep": ["d"]}, "e"]}, None]}),
        ({2, 3}, "Up", {"*": [{"Up": ["a", "b"]}, {"South": [{"Deep": ["c", "d"]}, "e"]}, None]}),
        ({1, 2, 4}, "All", {"*": [{"All": [{"North": ["a", "b"]}, {"South": [{"Deep": ["c", "d"]}, "e"]}]}, None]}),
        ({5}, "", {"*": [{"North": ["a", "b"]}, {"South": ["e"]}, None, {"Deep": ["c", "d"]}]}),
        ({6, 7, 8}, "North", {"*": [{"North": ["a", "b", "c", "d", "e"]}, None]}),
        ({4}, "Deep", {"*": [{"North": ["a", "b"]}, {"Deep": [{"South": [{"Deep": ["c", "d"]}, "e"]}]}, None]}),
    ],
)
def test_values_and_groups_go_where_they_are_put(chosen: set[int], name: str, tree: dict[str, Any]) -> None:
    given = trees.regroup(trees.tree_of(counted()), chosen, name)
    assert given == tree
    frame = pandas.DataFrame({"region": [*LINES, None, None]})
    again = sc.hierarchies({"quasi_identifiers": {"region": {"tree": given}}, "requirement": {"k": 2}}, frame=frame)
    assert not again[0].problem and again[0].levels[0].values == 6 and again[0].levels[-1].first == [("*", 7)]


@pytest.mark.parametrize(("chosen", "name"), [(set(), "North"), ({0}, "North"), ({99}, "North"), ({2}, "*")])
def test_what_cannot_be_grouped_is_refused(chosen: set[int], name: str) -> None:
    with pytest.raises(sc.JobError):
        trees.regroup(trees.tree_of(counted()), chosen, name)


def test_levels_have_their_values_and_rows_and_what_is_wrong() -> None:
    frame = pandas.DataFrame({"age": [9, 10, 10, 31], "city": ["a", "b", "b", None]})
    given = {"age": {"intervals": [10, 20], "from": 1}, "city": {"tree": {"North": ["a"]}, "to": 2}}
    age, city = sc.hierarchies({"quasi_identifiers": given, "requirement": {"k": 2}}, frame=frame)
    assert [(level.values, level.first) for level in age.levels] == [
        (3, [("9", 1), ("10", 2), ("31", 1)]),
        (3, [("[0, 10)", 1), ("[10, 20)", 2), ("[30, 40)", 1)]),
        (2, [("[0, 20)", 3), ("[20, 40)", 1)]),
        (1, [("*", 4)]),
    ]
    assert "2 values of the source have no leaf" in city.problem and city.without_leaf == [("b", 2), (None, 1)]
    assert [level.first for level in city.levels] == [[("a", 1)], [("North", 1)], [("*", 1)]] and city.is_whole
    few = sc.hierarchies({"quasi_identifiers": given, "requirement": {"k": 2}}, frame=frame, most=1)[1]
    assert few.without_leaf == [("b", 2)] and not few.is_whole and "2 values" in few.problem
    given["city"] = {"tree": {"North": ["a", "b"], "South": ["b", None]}}
    _, city = sc.hierarchies({"quasi_identifiers": given, "requirement": {"k": 2}}, frame=frame, most=2)
    assert "1 leaves have two parents" in city.problem and not city.is_whole
    assert [level.first for level in city.levels] == [[("a", 1), ("b", 2)]]
    given["city"] = {"suppress": True, "from": 2}
    assert (
        "the levels 0 to 1 of the hierarchy"
        in sc.hierarchies({"quasi_identifiers": given, "requirement": {"k": 2}}, frame=frame)[1].problem
    )


def test_a_job_with_values_grouped_by_hand_is_private_and_another_one_keeps_its_mode(work: Path) -> None:
    from starcloak.commands.studio.job_file import JobFile

    path = Path("job.yaml")
    path.write_text(
        "source: {path: people.csv}\nquasi_identifiers: {sex: suppress}\nrequirement: {k: 2}\noutput: {path: out.csv}\n"
    )
    path.chmod(0o644)
    file = JobFile(path)
    file.set_requirement(3, "0")
    file.save()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    file.set_tree("sex", {"*": ["f", "m"]})
    file.save()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_values_are_grouped_into_a_tree_of_the_job(work: Path, started: Callable[..., Studio]) -> None:
    people(Path("people.csv"), 60)
    Path("job.yaml").write_text(
        "source: {path: people.csv}\nidentifiers: [name]\nsensitive: [disease]\nkeep: [age]\nquasi_identifiers:\n"
        "  zip: suppress  # why: the board said so\n"
        "  sex: {tree: {Women: [f]}, nonconforming: refuse, importance: 2, max_suppressed: 0.5}\n"
        "requirement: {k: 2}\noutput: {path: out.csv}\n"
    )
    studio = started("job.yaml").enter()
    studio.ask("/hierarchies")
    studio.finish("levels")
    shown = studio.ask("/hierarchies")[1]
    assert "1 values of the source have no leaf" in unescape(shown) and ", without a leaf</span>" in shown
    numbers = dict(re.findall(r'name="node(\d+)"> ([^<]*?) <span', shown.partition('id="column2"')[0]))
    some = {f"node{number}": "on" for number, text in numbers.items() if text.startswith("537")}
    assert studio.ask("/group", {"column": "zip", "name": "West", **some})[0] == 303
    studio.finish("levels")
    m = next(number for number, text in re.findall(r'name="node(\d+)"> (\w) <span', shown) if text == "m")
    assert studio.ask("/group", {"column": "sex", "name": "Men", f"node{m}": "on"})[0] == 303
    assert studio.ask("/group", {"column": "sex", "name": "Men"})[0] == 422
    assert studio.ask("/bounds", {"column": "zip", "from": "1", "to": ""})[0] == 303
    for wrong in ("x", "-1", "9999"):
        assert studio.ask("/bounds", {"column": "zip", "from": wrong, "to": ""})[0] == 422
    assert (
        "multiple of the previous width"
        in studio.ask("/hierarchy", {"column": "zip", "hierarchy": "{intervals: [10, 15]}"})[1]
    )
    studio.finish("levels")
    assert "have no leaf" not in studio.ask("/hierarchies")[1]
    assert studio.ask("/save", {})[0] == 303
    saved = Path("job.yaml").read_text()
    given = yaml.safe_load(saved)["quasi_identifiers"]
    assert "# why: the board said so" in saved and given["zip"]["from"] == 1
    beside = {"max_suppressed": 0.5, "importance": 2, "nonconforming": "refuse"}
    assert given["sex"] == {"tree": {"Women": ["f"], "Men": ["m"]}, **beside}
    (west,) = (member["West"] for member in given["zip"]["tree"]["*"] if isinstance(member, dict))
    assert sorted(west) == sorted(text for text in numbers.values() if text.startswith("537"))
    assert sc.run("job.yaml").result.recoding.heights == {"zip": 2, "sex": 2}
