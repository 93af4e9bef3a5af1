"""The rows of a person are one set: k persons have the same tuples, each as often, or leave with all of their rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import InputError, RequirementError, VerificationError
from starcloak.commands import pipeline
from starcloak.privacy.histories.model import MOST_ROWS, Histories
from tests.daily import SERVERS, some_daily
from tests.oracle import HIERARCHIES, TREES, Oracle
from tests.people import Server, people, run
from tests.privacy.test_persons import PEOPLE_TYPES, ROWS, frame, lowest, nodes

Row = tuple[Any, ...]
SET = {"column": "whose", "as": "set"}


def asked(k: int, **more: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": HIERARCHIES,
        "person": SET,
        "keep": ["note"],
        "requirement": {"k": k, "suppression": more.pop("suppression", "0")},
        "algorithm": {"name": "bottom-up"},
        **more,
    }


def alone(rows: Sequence[Row], node: Row, k: int) -> set[Any]:
    """The persons whose history at a node fewer than k have."""
    oracle, histories = Oracle([row[:-1] for row in rows], TREES), defaultdict[Any, Counter[Row]](Counter)
    for *at, whose in rows:
        histories[whose][oracle.generalize(tuple(at), node)] += 1
    alike = Counter(frozenset(history.items()) for history in histories.values())
    return {whose for whose, history in histories.items() if alike[frozenset(history.items())] < k}


def outliers(rows: Sequence[Row], node: Row, k: int) -> int:
    left_out = alone(rows, node, k)
    return sum(row[-1] in left_out for row in rows)


def histories_of(release: sc.Release, names: Sequence[str] = tuple(HIERARCHIES)) -> dict[str, Counter[Row]]:
    """What the release has of each person, who is told by the notes."""
    found = defaultdict[str, Counter[Row]](Counter)
    for *cells, note in release.to_pandas()[[*names, "note"]].itertuples(index=False):
        found[note.partition("/")[0]][tuple(map(str, cells))] += 1
    return found


@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0", "0.2", "0.5"]))
@settings(max_examples=8)
def test_all_nodes_are_found_that_an_oracle_of_histories_finds(rows: list[Row], k: int, share: str) -> None:
    allowed = int(Fraction(share) * len(rows))
    expected = {node for node in nodes() if outliers(rows, node, k) <= allowed}
    if not expected or len({row[-1] for row in rows}) < k:
        with pytest.raises(RequirementError):
            pipeline.run(asked(k, suppression=share), frame=frame(rows))
        return
    release = pipeline.run(asked(k, suppression=share), frame=frame(rows))
    assert release.result.search.anonymous_nodes == len(expected)
    assert {tuple(node) for node in release.result.search.minimal} == lowest(expected)
    node = tuple(release.result.recoding.levels.values())
    left_out = alone(rows, node, k)
    assert release.result.suppressed_rows == sum(row[-1] in left_out for row in rows)
    found = histories_of(release)
    # Whole persons are left out, and nobody in part.
    assert {whose: sum(tuples.values()) for whose, tuples in found.items()} == Counter(
        str(row[-1]) for row in rows if row[-1] not in left_out
    )
    alike = Counter(frozenset(tuples.items()) for tuples in found.values())
    assert min(alike.values(), default=None) == release.k and (release.k or k) >= k
    assert release.result.persons is not None and release.result.persons.as_set
    assert release.result.insight is not None
    assert release.result.insight.average_risk == (len(alike) / len(found) if found else None)
    assert "whose" not in release.to_pandas().columns


def test_how_often_somebody_came_is_a_part_of_the_history() -> None:
    """By classes anna is one of three; by histories she is the one who came twice."""
    rows = pandas.DataFrame({"age": ["30"] * 4, "whose": ["anna", "anna", "ben", "cleo"], "note": list("wxyz")})
    described = asked(2, quasi_identifiers={"age": "suppress"})
    assert pipeline.run({**described, "person": "whose"}, frame=rows).k == 3
    with pytest.raises(RequirementError):
        pipeline.run(described, frame=rows)
    release = pipeline.run({**described, "requirement": {"k": 2, "suppression": "0.5"}}, frame=rows)
    assert sorted(release.to_pandas()["note"]) == ["y", "z"] and release.k == 2
    assert release.result.suppressed_rows == 2


def test_a_missing_value_is_one_of_a_history() -> None:
    rows = pandas.DataFrame({"age": ["30", None, "30", None, "30"], "whose": [1, 1, 2, 2, 3], "note": list("vwxyz")})
    described = asked(2, quasi_identifiers={"age": "suppress"}, suppression="0.2")
    release = pipeline.run(described, frame=rows)
    assert (release.k, release.result.recoding.levels) == (2, {"age": 0})
    assert sorted(release.to_pandas()["note"]) == ["v", "w", "x", "y"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            {"algorithm": {"name": "witness"}},
            "algorithm witness does not support as: set .*: write algorithm: bottom-up or sweep",
        ),
        ({"requirement": {"qids": [{"attributes": ["one", "two", "three"], "k": 2}]}}, "supports only k"),
        ({"person": {"column": "whose"}}, "person"),
        ({"person": {"column": "whose", "as": "list"}}, "person"),
        ({"person": {"column": [], "as": "set"}}, "person"),
    ],
)
def test_what_does_not_go_with_sets_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        pipeline.run({**asked(2), **more}, frame=frame([("m", "a", "000", 1), ("m", "a", "000", 2)]))


def test_a_script_and_dbt_are_refused_and_explain_is_not(tmp_path: Path) -> None:
    rows = frame([("m", "a", "000", whose) for whose in (1, 2)])
    with pytest.raises(InputError, match="cannot compare the rows of persons"):
        pipeline.compile(asked(2), frame=rows)
    with pytest.raises(InputError, match="cannot compare the rows of persons"):  # and no source is read for it
        pipeline.compile({**asked(2), "source": {"path": "none.csv"}})
    with pytest.raises(InputError, match="cannot compare the rows of persons"):
        pipeline.compile_dbt(asked(2), tmp_path)
    assert sc.explain(asked(2), frame=rows).lower == []
    with pytest.raises(sc.StarcloakError, match="cannot compare the rows of persons"):
        pipeline.run(asked(2), frame=rows).sql()


@pytest.mark.parametrize("more", [0, 1])
def test_too_many_rows_of_a_person_are_refused(more: int) -> None:
    rows = frame([("m", "a", "000", whose) for whose in (1, 2) for _ in range(MOST_ROWS + more)])
    if not more:
        assert pipeline.run(asked(2), frame=rows).k == 2
        return
    with pytest.raises(InputError, match=f"more than {MOST_ROWS} rows of one person"):
        pipeline.run(asked(2), frame=rows)


def test_the_verifier_compares_histories_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever searched classes of persons alone would have told anna by her two visits."""
    from starcloak.search.algorithm import search

    described = sc.job.load(asked(2))
    (demand,) = described.required.demands
    classes = replace(demand, models=tuple(model for model in demand.models if not isinstance(model, Histories)))
    blind = replace(described.required, demands=(classes,))
    monkeypatch.setattr(
        "starcloak.releases.proposal.search",
        lambda star, _, algorithm, run: search(star, blind.over(star.domains), algorithm, run),
    )
    rows = frame([("m", "a", "000", whose) for whose in (1, 1, 2, 3)])
    with pytest.raises(VerificationError, match="fewer than k = 2"):
        pipeline.run(described, frame=rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "where"), some_daily(SERVERS, ["beside", "elsewhere"], each=2), indirect=["server"])
def test_every_database_leaves_out_whole_persons(server: Server, where: str, tmp_path: Path) -> None:
    rows = people(60)
    # Told apart by two columns, of which one differs in case or in a space at the end, and one is a number.
    told = [(f"{'pP'[place % 2]}{' ' * (place % 3 == 0)}", place % 7) for place in range(60)]
    rows["clinic"], rows["number"] = zip(*told, strict=True)
    rows["note"] = [f"{clinic}{number}/{place}" for place, (clinic, number) in enumerate(told)]
    types = {**PEOPLE_TYPES, "clinic": "varchar(9)", "number": "integer", "note": "varchar(9)"}
    server.fill("people", rows, {name: types[name] for name in rows.columns})
    described: dict[str, Any] = {
        "source": {"url": server.url, "table": "people"},
        "identifiers": ["name", "age", "zip"],
        "person": {"column": ["clinic", "number"], "as": "set"},
        "quasi_identifiers": {"sex": "suppress"},
        "sensitive": ["illness"],
        "keep": ["note"],
        "requirement": {"k": 2, "suppression": "0.9"},
        "algorithm": {"name": "bottom-up"},
        "output": {"table": "cohort"} if where == "beside" else {"path": str(tmp_path / "cohort.parquet")},
    }
    before = server.tables()
    release = run(described)
    found = histories_of(release, ["sex"])
    alike = Counter(frozenset(tuples.items()) for tuples in found.values())
    assert min(alike.values()) == release.k and 0 < release.result.suppressed_rows < 54
    of_persons = Counter(f"{clinic}{number}" for clinic, number in told)
    assert all(sum(tuples.values()) == of_persons[whose] for whose, tuples in found.items())
    assert set(release.to_pandas().columns) == {"sex", "illness", "note"}
    assert server.tables() - before <= {"cohort", "starcloak_releases"}
