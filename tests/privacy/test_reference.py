"""Models that compare classes with the source, whatever is released of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import starcloak as sc
from starcloak.base.errors import JobError, OutputError, RequirementError, SourceError, VerificationError
from starcloak.commands import pipeline
from starcloak.job import load_requirement
from starcloak.statements.statement import Statement
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, released, run
from tests.people import job as people_job
from tests.people import people as everybody
from tests.privacy.histograms import MODELS, ROWS, Histogram, Row, classes_of, frame, histograms, job
from tests.privacy.test_privacy_models import COMPLETE, PEOPLE, nodes, of_people

COMPARED = ["beta", "enhanced beta", "delta", "equal", "ordered", "hierarchical"]
SOURCE: dict[str, Any] = {"reference": "source"}


def table_of(rows: list[Row]) -> Histogram:
    return Counter(value for *_, value in rows)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", COMPARED)
@given(rows=ROWS, k=st.integers(1, 3), share=st.sampled_from(["0.1", "0.3"]))
@settings(max_examples=2)
def test_complete_searches_compare_with_the_source(name: str, rows: list[Row], k: int, share: str) -> None:
    model, holds = MODELS[name]
    table, allowed = table_of(rows), int(Fraction(share) * len(rows))
    expected = {
        node
        for node in nodes()
        if sum(
            sum(counts.values())
            for counts in histograms(rows, node).values()
            if sum(counts.values()) < k or not holds(counts, table)
        )
        <= allowed
    }
    for algorithm in COMPLETE[:2]:
        asked = job(k, model, algorithm, suppression=share, **SOURCE)
        if not expected or len(rows) < k:
            with pytest.raises((RequirementError, sc.InputError)):
                pipeline.run(asked, frame=frame(rows))
            continue
        release = pipeline.run(asked, frame=frame(rows))
        assert release.result.search.anonymous_nodes == len(expected), algorithm
        assert all(holds(counts, table) for counts in classes_of(release).values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "kaca", "mondrian", "datafly", "samarati", "full-subtree"])
@given(rows=ROWS, name=st.sampled_from(COMPARED), share=st.sampled_from(["0", "0.3"]))
@settings(max_examples=2)
def test_every_class_of_a_release_is_near_the_source(algorithm: str, rows: list[Row], name: str, share: str) -> None:
    model, holds = MODELS[name]
    try:
        release = pipeline.run(job(2, model, {"name": algorithm}, suppression=share, **SOURCE), frame=frame(rows))
    except (RequirementError, sc.InputError):
        return
    assert all(holds(counts, table_of(rows)) for counts in classes_of(release).values())


# What is left is as all that is left, and not as the source.
_NEAR = [("m", "a", "000", "flu"), ("m", "a", "000", "ache")] * 3
_FAR = [("f", two, "111", "cough") for two in "bcd"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("numbers", [False, True])
def test_the_verifier_compares_with_the_source_itself(
    suffix: str, numbers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = frame([*_NEAR, *_FAR])
    if numbers:
        rows["disease"] = rows["disease"].map({"flu": 1.5, "ache": 2.0, "cough": 3.0}).astype(float)
    model = {"t_closeness": [{"attribute": "disease", "t": "0.3"}]}
    asked = job(2, model, {"name": "witness"}, suppression="0.4")
    asked |= {"objective": {"minimize": "height"}, "output": {"path": str(tmp_path / f"released.{suffix}")}}
    (kind,) = {type(each) for each in load_requirement(asked["requirement"]).models}
    # The search is made to look at k alone.
    monkeypatch.setattr(kind, "violating", property(lambda self: Statement("star/recoding/full_domain#none_rare")))
    monkeypatch.setattr(kind, "violates", lambda self, groups: groups.sizes < 0)
    assert pipeline.run(asked, frame=rows).result.suppressed_rows == 3
    asked["requirement"] |= SOURCE
    with pytest.raises(VerificationError, match="with equal distance compared with the source"):
        pipeline.run(asked, frame=rows)
    asked["requirement"]["t_closeness"][0]["t"] = "0.34"
    assert pipeline.run(asked, frame=rows).result.suppressed_rows == 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("server", "name"),
    some_daily(SERVERS, ["equal", "ordered", "hierarchical", "enhanced beta"], each=3),
    indirect=["server"],
)
def test_every_database_compares_with_its_rows(server: Server, name: str) -> None:
    people = everybody(120)
    server.fill("people", people, TYPES)
    _, holds = PEOPLE[name]
    requirement = {"k": 4, **of_people(name), "suppression": "0.1", **SOURCE}
    release = run(people_job(server, requirement=requirement, objective={"minimize": "height"}))
    found = released(server)
    assert found is not None
    classes: dict[Row, Histogram] = defaultdict(Counter)
    for (*cells, illness), rows in found.items():
        classes[tuple(cells)][illness] += rows
    table = Counter(people["illness"].astype(object).where(people["illness"].notna(), None))
    assert all(holds(counts, table) for counts in classes.values())
    with pytest.raises(OutputError, match="reference: source"):
        release.sql()


def test_anonymize_takes_what_models_compare_with() -> None:
    asked = job(2, MODELS["equal"][0], {"name": "witness"}, suppression="0.4", **SOURCE)
    expected = pipeline.run(asked, frame=frame([*_NEAR, *_FAR]))
    requirement = asked.pop("requirement")
    found = sc.anonymize(frame([*_NEAR, *_FAR]), **requirement, **asked)
    assert found.result.requirement == expected.result.requirement
    assert found.to_pandas().equals(expected.to_pandas())


def test_what_cannot_compare_with_a_source_is_refused(tmp_path: Path) -> None:
    rows = frame([*_NEAR, *_FAR])
    with pytest.raises(JobError, match=r"reference: source is given, but no model .*t_closeness"):
        pipeline.run(job(2, {}, {"name": "witness"}, **SOURCE), frame=rows)
    with pytest.raises(JobError, match="a check has no source"):
        sc.check(rows, ["one"], 2, **MODELS["equal"][0], reference="source")
    with pytest.raises(JobError, match="reference: source compares rows"):
        persons = {**job(2, MODELS["equal"][0], {"name": "witness"}, **SOURCE), "person": "who"}
        pipeline.run(persons, frame=rows.assign(who=range(len(rows))))
    with pytest.raises(JobError, match="a script can compare classes only with its release"):
        pipeline.compile(
            job(2, MODELS["equal"][0], {"name": "witness"}, suppression="0.4", **SOURCE),
            frame=pandas.concat([rows] * 9),
        )


def test_zeros_of_two_signs_are_no_one_value_in_any_database(server: Server) -> None:
    if server.name != "postgresql":
        pytest.skip("SQLite and MariaDB keep no negative zero")
    server.fill("people", pandas.DataFrame({"x": ["a"] * 4 + ["b"] * 4}), {"x": "varchar(9)"})
    server.execute("alter table people add column y float8 default 0", "update people set y = '-0' where x = 'b'")
    server.execute("create table alike as select * from people where x = 'b'")
    place, close = {"url": server.url, "table": "people"}, [{"attribute": "y", "t": "0"}]
    with pytest.raises(SourceError, match="'y' has equal values with different texts"):
        sc.check(place, ["x"], 2, t_closeness=close)
    assert sc.check({**place, "table": "alike"}, ["x"], 2, t_closeness=close).holds
