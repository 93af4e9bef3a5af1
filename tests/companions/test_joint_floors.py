"""Releases whose `from` makes several values one are measured by the values of the source, as others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import RequirementError
from starcloak.releases.recodings import saved_recodings
from tests.companions.test_person_identity import OTHER, QUASI, found, groups, job, visits, write

pytestmark = pytest.mark.usefixtures("work")


def by_rows(into: str, zips: dict[str, Any], **more: Any) -> dict[str, Any]:
    described = job(into, person=None, identifiers=["pid"], **more)
    return {**described, "quasi_identifiers": {**described["quasi_identifiers"], "zip": zips}}


ALGORITHMS = ["sweep", "witness", "mondrian", "full-subtree", "kaca", "unrestricted"]


@pytest.mark.sampled(18)
@pytest.mark.parametrize("of_persons", [False, True])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("floored", ["first", "second", "both"])
def test_joint_k_is_of_the_values_of_the_source_above_a_lowest_level(
    floored: str, algorithm: str, of_persons: bool
) -> None:
    frame = visits(80, seed=3)
    write(frame)
    jobs = {}
    for turn in ("first", "second"):
        zips = {"digits": 2, **({"from": 1} if floored in (turn, "both") else {})}
        others = {"quasi_identifiers": OTHER if turn == "second" else QUASI, "algorithm": {"name": algorithm}}
        jobs[turn] = {
            **job(f"{turn}.csv", **others),
            **({} if of_persons else {"person": None, "identifiers": ["pid"]}),
        }
        jobs[turn]["quasi_identifiers"] = {**others["quasi_identifiers"], "zip": zips}
        result = sc.run(jobs[turn])
    joint = found(result)
    rows = frame if of_persons else frame.assign(pid=frame["note"])
    sizes = groups(rows, "first.csv", "second.csv")
    split = [about.split for about in saved_recodings.every()]
    assert len(split) == 2
    if any(split):
        assert joint.unknown is not None if of_persons else joint.exact is False
    else:
        assert (joint.unknown, joint.exact, joint.k, joint.groups) == (None, True, sizes[0], len(sizes))
    if sizes[0] < 3:
        with pytest.raises(RequirementError):
            sc.run({**jobs["second"], "output": {"path": "third.csv"}, "against": ["first.csv"]})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["sweep", "witness"])
def test_a_recoding_above_a_lowest_level_is_a_table_and_masks_other_rows(algorithm: str) -> None:
    frame = visits(80, seed=3)
    write(frame)
    release = sc.run(by_rows("a.csv", {"digits": 2, "from": 1}, algorithm={"name": algorithm}))
    shown = pandas.read_csv("a.csv", dtype=str)
    table = release.mapping()
    assert set(table["zip"]) == set(frame["zip"]) and not set(table["zip_released"]) & set(frame["zip"])
    names = ["age", "zip", "sex"]
    counted = Counter[Any]()
    for row in table.to_dict("records"):
        counted[tuple(row[f"{name}_released"] for name in names)] += row["rows"]
    assert counted == Counter(shown[names].itertuples(index=False, name=None))
    masked = release.apply(frame, k=1)
    key = [*names, "note"]
    assert sorted(masked[key].itertuples(index=False, name=None)) == sorted(
        shown[key].itertuples(index=False, name=None)
    )


def test_released_rows_of_a_value_that_a_suppressed_person_has_are_of_the_released_persons(work: Path) -> None:
    """Of the values 10, 11 and 12 below 1, the suppressed person has 10: the released rows are those of 11 and 12."""
    Path("v.csv").write_text("pid,zip,note\nA,10,a1\nA,20,a2\nB,11,b\nC,12,c\n")
    base = {"source": {"path": "v.csv"}, "keep": ["note"], "insight": "off"}
    first = {
        **base, "quasi_identifiers": {"zip": {"tree": {"*": {"1": ["10", "11", "12"], "2": ["20"]}}, "from": 1}},
        "person": {"column": "pid", "as": "set"}, "requirement": {"k": 2, "suppression": "0.5"},
        "algorithm": {"name": "bottom-up"}, "output": {"path": "a.csv"},
    }  # fmt: skip
    second = {
        **base, "quasi_identifiers": {"zip": {"tree": {"*": {"X": ["10", "11"], "Y": ["12", "20"]}}}},
        "person": "pid", "requirement": {"k": 2}, "output": {"path": "b.csv"},
    }  # fmt: skip
    assert sorted(sc.run(first).mapping()["zip"]) == ["11", "12"]
    joint = found(sc.run(second))
    assert joint.k == 1 and joint.rows_below == joint.groups == 4  # each of both releases' groups has one person


@pytest.mark.parametrize("of_persons", [False, True])
def test_a_mapping_above_a_lowest_level_has_the_rows_of_the_release(of_persons: bool) -> None:
    """Rows of one tuple are in several classes: by the order of the release, or by their persons."""
    split = 0
    more: dict[str, Any] = {"person": {"column": "pid", "as": "set"}} if of_persons else {"identifiers": ["pid"]}
    for seed in range(4):
        chance = Random(seed)
        rows = [
            (str(n), str(n // 2), chance.choice(["10", "11", "12", "20"]), chance.choice("1123")) for n in range(24)
        ]
        age = {"tree": {"*": {"a": ["1", "2"], "b": ["3"]}}}
        job = {
            "quasi_identifiers": {"zip": {"digits": 2, "from": 1}, "age": age}, "keep": ["id"],
            "requirement": {"k": 2, "suppression": "0.4" if of_persons else "0"},
            "algorithm": {"name": "sweep" if of_persons else "kaca"}, **more,
        }  # fmt: skip
        release = sc.run(job, frame=pandas.DataFrame(rows, columns=["id", "pid", "zip", "age"]))
        out = release.to_pandas().set_index("id")
        truth = Counter((z, a, out.zip[n], out.age[n]) for n, _, z, a in rows if n in out.index)
        assert Counter({tuple(cells): count for *cells, count in release.mapping().to_numpy()}) == truth
        split += len(truth) > len({(z, a) for z, a, *_ in truth})
    assert split
