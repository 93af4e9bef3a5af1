"""Sweep where the rows of a person are one set: k persons have the same tuples, each as often, and lose little."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import InputError, RequirementError, VerificationError
from starcloak.commands import pipeline
from starcloak.privacy.histories.model import MOST_ROWS, Histories
from tests.oracle import HIERARCHIES, TREES
from tests.people import Server, people, run
from tests.privacy.test_persons import PEOPLE_TYPES, ROWS, VISITS, frame
from tests.privacy.test_persons_sets import SET, Row
from tests.privacy.test_persons_sets import asked as of_sets


def asked(k: int, **more: Any) -> dict[str, Any]:
    return of_sets(k, **{**more, "algorithm": {"name": "sweep", **more.get("algorithm", {})}})


def must_go(rows: Sequence[Row], k: int) -> int:
    """The rows of persons who have as many as fewer than k persons do: at no node is anybody else like these."""
    of = Counter(row[-1] for row in rows)
    alike = Counter(of.values())
    return sum(many for many in of.values() if alike[many] < k)


def closest(leaves: Sequence[Any], tree: dict[Any, Row]) -> Any:
    """The lowest value that generalizes all of some leaves."""
    levels = zip(*(tree[leaf] for leaf in leaves), strict=True)
    return next(texts[0] for texts in levels if len(set(texts)) == 1)


def satisfies(rows: list[Row], k: int, share: str, **more: Any) -> None:
    """A sweep finds a release where there is one, and that is what it says, cell by cell."""
    allowed = int(Fraction(share) * len(rows))
    described = asked(k, suppression=share, **more)
    if must_go(rows, k) > allowed or must_go(rows, k) == len(rows):
        with pytest.raises(RequirementError, match=r"satisf|fewer than|has not the rows of|must have the rows of"):
            pipeline.run(described, frame=frame(rows))
        return
    release = pipeline.run(described, frame=frame(rows))
    released = release.to_pandas()
    assert list(released.columns) == [*HIERARCHIES, "note"]
    histories = defaultdict[Any, list[tuple[Row, int]]](list)
    for *cells, note in released.itertuples(index=False):
        whose, _, place = note.partition("/")
        histories[int(whose)].append((tuple(cells), int(place)))
    alike = defaultdict[Any, list[Any]](list)
    for whose, history in histories.items():
        alike[frozenset(Counter(cells for cells, _ in history).items())].append(whose)
    assert min(map(len, alike.values())) == release.k == release.result.requirement.qids[0].achieved_k
    assert release.k is not None and release.k >= k
    # Persons are there with all rows or with none.
    of = Counter(row[-1] for row in rows)
    assert {whose: len(history) for whose, history in histories.items()} == {whose: of[whose] for whose in histories}
    assert release.result.suppressed_rows == len(rows) - len(released) <= allowed
    told = release.result.persons
    assert told is not None and told.as_set and (told.persons, told.released) == (len(of), len(histories))
    # Every cell is the lowest value over those that stand for it in the histories of a group.
    for persons in alike.values():
        slots = defaultdict[Row, list[Row]](list)
        for cells, place in (each for whose in persons for each in histories[whose]):
            slots[cells].append(rows[place])
        for cells, stood in slots.items():
            expected = [closest([row[at] for row in stood], tree) for at, tree in enumerate(TREES)]
            assert [None if pandas.isna(cell) else cell for cell in cells] == expected
    swept = release.result.search.sweep
    assert swept is not None and swept.suppressed == release.result.suppressed_rows
    assert swept.classes == len({cells for history in histories.values() for cells, _ in history})
    assert release.result.recoding.model == "local"


@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.2", "0.5"]))
@settings(max_examples=15)
def test_histories_of_a_sweep_are_what_plain_python_makes_of_them(rows: list[Row], k: int, share: str) -> None:
    satisfies(rows, k, share)


def drawn(chance: random.Random) -> list[Row]:
    """Rows of persons of whom many have as many as others."""
    cells = [sorted(tree)[: chance.choice([1, 2, len(tree)])] for tree in TREES]
    rows = [
        (*map(chance.choice, cells), whose)
        for whose in range(chance.randrange(2, 12))
        for _ in range(chance.choice([1, 1, 2, 2, 3]))
    ]
    return chance.sample(rows, len(rows))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_persons_with_as_many_rows_are_always_released(seed: int) -> None:
    chance = random.Random(seed)
    more = {"algorithm": {"dearest": chance.choice([0, 0.3, 1])}}
    satisfies(drawn(chance), chance.randrange(2, 4), chance.choice(["0", "0.3", "0.6"]), **more)


@pytest.mark.long
def test_three_thousand_random_cases_are_what_plain_python_makes_of_them() -> None:
    chance = random.Random(2026)
    for _ in range(3_000):
        more = {
            "algorithm": {"dearest": chance.choice([0, 0.3, 1])},
            "objective": {"minimize": chance.choice(["loss", "height", "distortion"])},
            "seed": chance.randrange(9),
        }
        satisfies(drawn(chance), chance.randrange(1, 5), chance.choice(["0", "0.2", "0.5"]), **more)


def test_ten_visits_of_one_person_hide_nobody() -> None:
    described = {
        "quasi_identifiers": {"age": {"digits": 2}},
        "sensitive": ["disease"],
        "requirement": {"k": 2},
        "algorithm": {"name": "sweep"},
    }
    assert pipeline.run({**described, "identifiers": ["whose"]}, frame=VISITS).result.suppressed_rows == 0
    with pytest.raises(RequirementError, match="in common with fewer than k = 2 persons"):
        pipeline.run({**described, "person": SET}, frame=VISITS)
    left_out = {"k": 2, "suppression": "0.8"}
    release = pipeline.run({**described, "person": SET, "requirement": left_out}, frame=VISITS)
    assert (release.k, release.result.suppressed_rows) == (2, 10)
    assert sorted(release.to_pandas()["age"]) == ["41", "41", "52", "52"]
    # A second one with ten visits, each of them at another age, hides her.
    twin = VISITS[:10].assign(whose="twin", age=["31"] * 10)
    release = pipeline.run({**described, "person": SET}, frame=pandas.concat([VISITS, twin], ignore_index=True))
    assert Counter(release.to_pandas()["age"]) == {"3*": 20, "41": 2, "52": 2}


def test_nobody_is_singled_out_by_what_belongs_together() -> None:
    """Everybody was at a and at b, and came as x and as y: anna and ben alone came as x to a."""
    came = {"anna": "ax by", "ben": "ax by", "cleo": "ay bx", "dora": "ay bx", "emil": "ay bx"}
    rows = pandas.DataFrame([(*visit, whose) for whose, visits in came.items() for visit in visits.split()])
    rows.columns = pandas.Index(["where", "what", "whose"])
    described = asked(3, quasi_identifiers={"where": "suppress", "what": "suppress"}, keep=[])
    by_classes = pipeline.run({**described, "person": "whose", "requirement": {"k": 2}}, frame=rows).to_pandas()
    assert set(map(tuple, by_classes.to_numpy())) == {("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")}
    release = pipeline.run(described, frame=rows)
    assert release.k is not None and release.k == 5
    assert len(set(map(tuple, release.to_pandas().to_numpy()))) == 2


def test_how_often_somebody_was_where_is_a_part_of_the_history() -> None:
    """Both were at a and at b, three times in all: anna twice at a, ben at b."""
    rows = pandas.DataFrame({"where": list("aababb"), "whose": ["anna"] * 3 + ["ben"] * 3})
    described = asked(2, quasi_identifiers={"where": "suppress"}, keep=[])
    assert set(pipeline.run(described, frame=rows).to_pandas()["where"]) == {"*"}
    assert set(pipeline.run(described, frame=rows.assign(where=list("aabbaa"))).to_pandas()["where"]) == {"a", "b"}


def test_a_sweep_loses_less_than_a_node_for_all() -> None:
    rows = [(*cells, whose) for whose in range(24) for cells in chances(whose)]
    losses = {}
    for name in ("sweep", "bottom-up"):
        release = pipeline.run({**asked(3), "algorithm": {"name": name}}, frame=frame(rows))
        losses[name] = release.measures.loss
    assert losses["sweep"] < losses["bottom-up"]


def chances(whose: int) -> list[Row]:
    chance = random.Random(whose % 7)
    return [tuple(chance.choice(sorted(tree)) for tree in TREES) for _ in range(1 + whose % 2)]


def test_many_persons_are_grouped_by_hash_and_by_sample_and_are_alike_all_the_same() -> None:
    """So many that nodes are asked of a sample first; whose rows are hashed together, and grouped exactly."""
    chance = np.random.default_rng(1)
    persons = 33_000
    whose = np.concatenate([np.arange(persons), np.arange(0, persons, 3)])
    rows = pandas.DataFrame({"age": chance.integers(0, 60, len(whose)), "zip": chance.integers(0, 30, len(whose))})
    rows = rows.assign(whose=whose)
    hierarchies = {"age": {"intervals": [5, 20]}, "zip": {"intervals": [3, 15]}}
    release = pipeline.run(
        asked(5, quasi_identifiers=hierarchies, keep=["whose_too"]), frame=rows.assign(whose_too=whose)
    )
    released = release.to_pandas()
    text = released["age"] + " " + released["zip"]
    history = text.groupby(released["whose_too"]).agg(lambda texts: "; ".join(sorted(texts)))
    assert history.value_counts().min() == release.k and (release.k or 0) >= 5 and len(released) == len(rows)


@pytest.mark.parametrize("more", [0, 1])
def test_too_many_rows_of_a_person_are_refused(more: int) -> None:
    rows = frame([("m", "a", "000", whose) for whose in (1, 2) for _ in range(MOST_ROWS + more)])
    if not more:
        assert pipeline.run(asked(2), frame=rows).k == 2
        return
    with pytest.raises(InputError, match=f"more than {MOST_ROWS} rows of one person"):
        pipeline.run(asked(2), frame=rows)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"requirement": {"qids": [{"attributes": ["one", "two", "three"], "k": 2}]}}, "supports only k"),
        ({"sensitive": ["note"], "keep": [], "requirement": {"k": 2, "p_sensitive": [{"attribute": "note", "p": 2}]}},
         "supports only k"),
        ({"against": ["other.csv"]}, "against"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_sets_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        pipeline.run({**asked(2), **more}, frame=frame([("m", "a", "000", 1), ("m", "a", "000", 2)]))


@pytest.mark.parametrize("name", ["sweep", "bottom-up"])
def test_a_mask_for_other_rows_is_refused_and_the_mapping_is_not(name: str) -> None:
    """It would count rows of classes, not histories: other persons are released by a run of their own."""
    rows = frame([("m", "a", "000", 1), ("m", "a", "000", 2), ("m", "b", "000", 3), ("f", "b", "000", 4)])
    release = pipeline.run({**asked(2), "algorithm": {"name": name}}, frame=rows)
    mapped = release.mapping()
    assert mapped["rows"].sum() == 4
    if name == "sweep":
        assert sorted(mapped["one_released"]) == ["*", "*", "m"]
    with pytest.raises(InputError, match="the job counts persons"):
        release.apply(rows)


def test_what_is_told_of_a_release_by_persons(tmp_path: Path) -> None:
    rows = frame([("m", "a", "000", 1), ("m", "a", "000", 2), ("m", "b", "000", 3), ("f", "b", "000", 4)])
    release = pipeline.run(asked(2), frame=rows)
    release.report(tmp_path / "report.html")
    assert "Persons are counted" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert sc.explain(asked(2), frame=rows).lower == []
    with pytest.raises(sc.StarcloakError, match="cannot compare the rows of persons"):
        release.sql()
    points = sc.compare(asked(2), ks=[2], algorithms=["sweep", "bottom-up", "witness"], frame=rows).points
    assert [point.released and point.released.k for point in points] == [2, 2, None]
    assert "write algorithm: bottom-up or sweep" in (points[-1].problem or "")


def test_the_verifier_compares_histories_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from starcloak.search.algorithm import search

    described = sc.job.load(asked(2))
    (demand,) = described.required.demands
    anybody = [model.model_copy(update={"k": 1}) if isinstance(model, Histories) else model for model in demand.models]
    blind = replace(described.required, demands=(replace(demand, models=tuple(anybody)),))
    monkeypatch.setattr(
        "starcloak.releases.proposal.search",
        lambda star, _, algorithm, run: search(star, blind.over(star.domains), algorithm, run),
    )
    rows = frame([("m", "a", "000", whose) for whose in (1, 1, 2, 3)])
    with pytest.raises(VerificationError, match="fewer than k = 2"):
        pipeline.run(described, frame=rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("into", ["cohort.csv", "cohort.parquet", "duckdb:///cohort.duckdb"])
def test_files_and_tables_of_duckdb_are_released_by_persons(into: str, work: Path) -> None:
    frame([("m", "a", f"00{whose % 2}", whose) for whose in range(6) for _ in range(1 + whose // 3)]).to_csv("v.csv")
    output = {"url": into, "table": "cohort"} if "://" in into else {"path": into}
    described = asked(3, source={"path": "v.csv"}, output=output, others="identifiers")
    release = pipeline.run(described)
    assert (release.k, release.result.released_rows) == (3, 9)
    with suppress(InputError):
        assert pipeline.run(described).result.unchanged


@pytest.mark.sampled(3)
def test_every_database_releases_persons_by_their_histories(server: Server) -> None:
    """Persons are told apart by two columns, of which one differs in case or in a space at the end, one is a number."""
    rows = people(60)
    told = [(f"{'pP'[place % 2]}{' ' * (place % 3 == 0)}", place % 7) for place in range(60)]
    rows["clinic"], rows["number"] = zip(*told, strict=True)
    rows["note"] = [f"{clinic}{number}/{place}" for place, (clinic, number) in enumerate(told)]
    types = {**PEOPLE_TYPES, "clinic": "varchar(9)", "number": "integer", "note": "varchar(9)"}
    server.fill("people", rows, {name: types[name] for name in rows.columns})
    described: dict[str, Any] = {
        "source": {"url": server.url, "table": "people"},
        "identifiers": ["name", "illness"],
        "person": {"column": ["clinic", "number"], "as": "set"},
        "quasi_identifiers": {"sex": "suppress", "age": {"intervals": [10, 20]}, "zip": {"digits": 5}},
        "keep": ["note"],
        "requirement": {"k": 2, "suppression": "0.2"},
        "algorithm": {"name": "sweep", "dearest": 0.3},
        "output": {"table": "cohort"},
    }
    before = server.tables()
    release = run(described)
    found = defaultdict[str, Counter[Row]](Counter)
    for *cells, note in release.to_pandas()[["sex", "age", "zip", "note"]].itertuples(index=False):
        found[note.partition("/")[0]][tuple(map(str, cells))] += 1
    alike = Counter(frozenset(tuples.items()) for tuples in found.values())
    assert min(alike.values()) == release.k and 0 < release.result.suppressed_rows <= 12
    of_persons = Counter(f"{clinic}{number}" for clinic, number in told)
    assert all(sum(tuples.values()) == of_persons[whose] for whose, tuples in found.items())
    assert set(release.to_pandas().columns) == {"sex", "age", "zip", "note"}
    assert server.tables() - before <= {"cohort", "starcloak_releases"}


def test_everybody_may_be_left_out() -> None:
    rows = frame([("m", "a", "000", 1), ("f", "a", "000", 2)])
    release = pipeline.run(asked(2, suppression=1, algorithm={"dearest": 0}), frame=rows)
    assert (release.result.released_rows, release.result.suppressed_rows) == (0, 2)
