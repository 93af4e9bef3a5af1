"""A value that every person of a class has is learned of each of them, whatever else some have."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import pytest

import starcloak as sc
from starcloak.privacy.l_diversity.model import Distinct
from tests.privacy.histograms import entropy, every, recursive

Person = frozenset[str | None]

FIVE = [("1", "a", "flu"), ("1", "a", "cold"), ("1", "a", "asthma"), *((f"{n}", "a", "flu") for n in range(2, 6))]
OTHERS = [(f"{n}", "b", disease) for n, disease in enumerate(["flu", "cold", "asthma", "flu", "cold"], 6)]
JOB: dict[str, Any] = {"quasi_identifiers": {"zip": "suppress"}, "sensitive": ["disease"], "person": "who"}


def of_disease(**asked: Any) -> list[dict[str, Any]]:
    return [{"attribute": "disease", **asked}]


ASKED: dict[str, dict[str, Any]] = {
    "distinct": {"l_diversity": of_disease(l=2)},
    "entropy": {"l_diversity": of_disease(kind="entropy", l="1.5")},
    "recursive": {"l_diversity": of_disease(kind="recursive", l=2, c=9)},
    "p": {"p_sensitive": of_disease(p=2)},
    "alpha": {"alpha": of_disease(alpha="0.75")},
    "alpha of one": {"alpha": of_disease(alpha="0.75", values=["flu"])},
    "distinct of all": {"l_diversity": of_disease(l=2, missing="value")},
    "entropy of all": {"l_diversity": of_disease(kind="entropy", l="1.5", missing="value")},
    "alpha of all": {"alpha": of_disease(alpha="0.75", missing="value")},
}
NO_CLASS = ("witness", "bottom-up", "samarati", "datafly", "kaca", "mondrian", "sweep", "full-subtree")


def table(rows: list[tuple[Any, ...]], names: tuple[str, ...] = ("who", "zip", "disease")) -> pandas.DataFrame:
    return pandas.DataFrame(rows, columns=list(names), dtype=object)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ASKED)
def test_a_class_of_five_who_all_have_flu_has_one_value(name: str) -> None:
    rows = table([*FIVE, *OTHERS])
    assert not sc.check(rows, ["zip"], 2, person="who", **ASKED[name]).holds
    assert sc.check(table(OTHERS), ["zip"], 2, person="who", **ASKED[name]).holds
    release = sc.run({**JOB, "requirement": {"k": 2, **ASKED[name]}}, frame=rows)
    assert release.result.recoding.levels == {"zip": 1}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", NO_CLASS)
def test_every_search_looks_for_what_all_share(algorithm: str) -> None:
    asked = {"requirement": {"k": 2, **ASKED["distinct"]}, "algorithm": {"name": algorithm}}
    release = sc.run({**JOB, **asked}, frame=table([*FIVE, *OTHERS]))
    assert set(release.to_pandas()["zip"]) == {"*"}


def test_audit_tells_what_all_share() -> None:
    (found,) = sc.audit(table([*FIVE, *OTHERS]), ["zip"], sensitive=["disease"], person="who").sensitive
    assert (found.l, found.entropy_l, found.recursive, found.alpha) == (1, 1, [], 1)
    (others,) = sc.audit(table(OTHERS), ["zip"], sensitive=["disease"], person="who").sensitive
    assert (others.l, others.alpha) == (3, 0.4)


# ------------------------------------------------------------------------------------ an oracle, on random tables


def persons_of(rows: list[tuple[Any, ...]], *, of_all: bool) -> list[list[Person]]:
    """The persons of each class, as what they have there; a person without a value is none, unless that is one."""
    found: dict[Any, dict[Any, set[str | None]]] = defaultdict(lambda: defaultdict(set))
    for who, zip_, disease in rows:
        found[zip_][who].update({disease} if disease is not None or of_all else set())
    return [[frozenset(values) for values in persons.values() if values] for persons in found.values()]


def holds(name: str, persons: list[Person]) -> bool:
    if not persons:
        return False
    counts: dict[Any, int] = defaultdict(int)
    for each in persons:
        for value in each:
            counts[value] += 1
    if name.startswith("alpha"):
        asked = {"flu"} if name == "alpha of one" else set(counts)
        return all(Fraction(counts.get(value, 0), len(persons)) <= Fraction("0.75") for value in asked)
    if len(persons) in counts.values():
        return False
    if name.startswith("entropy"):
        return entropy("1.5", of=every)(counts, counts)
    return recursive("9", 2, of=every)(counts, counts) if name == "recursive" else len(counts) >= 2


def random_rows(seed: int, *, apart: bool) -> list[tuple[Any, ...]]:
    random = np.random.default_rng(seed)
    values, homes = np.array(["flu", "cold", "asthma", None], dtype=object), random.choice(list("abc"), 8)
    people = random.integers(0, 8, int(random.integers(4, 24)))
    return [
        (
            str(who),
            str(homes[who] if apart else random.choice(list("ab"))),
            random.choice(values, p=[0.5, 0.2, 0.2, 0.1]),
        )
        for who in people.tolist()
    ]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ASKED)
def test_the_gate_says_what_an_oracle_says(name: str) -> None:
    told = set()
    for seed in range(14):
        rows = random_rows(seed, apart=seed % 2 == 0)
        expected = all(holds(name, persons) for persons in persons_of(rows, of_all=name.endswith("all")))
        assert sc.check(table(rows), ["zip"], 1, person="who", **ASKED[name]).holds == expected, rows
        told.add(expected)
    assert told == {True, False}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("name", "algorithm"), [*((name, "witness") for name in ASKED), ("distinct", "sweep"), ("entropy", "mondrian")]
)
def test_a_release_has_what_an_oracle_asks(name: str, algorithm: str) -> None:
    """Where each person has one tuple, the lowest node that satisfies it is found; elsewhere searches ask for more."""
    published = 0
    for seed in range(4):
        rows = random_rows(seed, apart=True)
        levels = [rows, [(who, "*", disease) for who, _, disease in rows]]
        of_all = name.endswith("all")
        expected = [all(holds(name, persons) for persons in persons_of(each, of_all=of_all)) for each in levels]
        asked = {**JOB, "requirement": {"k": 1, **ASKED[name]}, "algorithm": {"name": algorithm}}
        if not expected[1]:
            with pytest.raises(sc.StarcloakError):
                sc.run(asked, frame=table(rows))
            continue
        release = sc.run(asked, frame=table(rows))
        published += 1
        if algorithm == "witness":
            assert (release.result.recoding.levels == {"zip": 0}) == expected[0], rows
    assert published


def test_a_value_that_all_share_together_is_refused_where_persons_have_several_tuples() -> None:
    """Two classes of which neither shares a value are one in which all do: searches ask what persons have anywhere."""
    rows = [("1", "a", "flu"), ("2", "a", "cold"), ("1", "b", "cold"), ("2", "b", "flu")]
    assert sc.check(table(rows), ["zip"], 2, person="who", **ASKED["distinct"]).holds
    together = [(who, "*", disease) for who, _, disease in rows]
    assert not sc.check(table(together), ["zip"], 2, person="who", **ASKED["distinct"]).holds
    with pytest.raises(sc.RequirementError):
        sc.run({**JOB, "requirement": {"k": 2, **ASKED["distinct"]}}, frame=table(rows))


def test_merging_groups_loses_what_all_share() -> None:
    """What persons have anywhere: no merger of groups that satisfy distinct l violates it, nor does any superset."""
    assert Distinct.monotone and Distinct.superset_closed
    random = np.random.default_rng(5)
    for _ in range(1000):
        people = [frozenset(random.choice(list("fca"), random.integers(1, 3)).tolist()) for _ in range(6)]
        one, other = ([people[at] for at in random.choice(6, random.integers(1, 5), replace=False)] for _ in range(2))
        if holds("distinct", one):
            assert holds("distinct", [*one, *other])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in ASKED if not name.startswith("entropy")])
def test_a_script_counts_what_all_share(name: str, tmp_path: Path) -> None:
    place = tmp_path / "clinic.duckdb"
    good = table([*(("1", "a", each) for each in ("flu", "cold", "asthma")), ("2", "a", "cold"), ("3", "a", "asthma")])
    good = pandas.concat([good, table([("4", "a", None), ("5", "a", "flu"), *OTHERS])])
    with duckdb.connect(str(place)) as connection:
        connection.register("good", good)
        connection.execute("create table people as from good")
    source = {"source": {"url": f"duckdb:///{place}", "table": "people"}, "output": {"table": "cohort"}}
    script = sc.compile({**JOB, **source, "requirement": {"k": 2, **ASKED[name]}})
    with duckdb.connect(str(place)) as connection:
        connection.execute(script)
        assert connection.execute("select count(*) from cohort where zip = 'a'").fetchone() == (
            len(good) - len(OTHERS),
        )
        connection.execute("drop table cohort")
        connection.execute("update people set disease = 'flu' where zip = 'a' and who <> '1'")
    says = "not the source that this script was made for"
    with duckdb.connect(str(place)) as connection, pytest.raises(duckdb.Error, match=says):
        connection.execute(script)
