"""A release's recoding, applied to its own rows and to others."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import JobError, RequirementError, SourceError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from tests.companions.test_earlier import COLUMNS, job


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    return work


FRAME = pandas.DataFrame(
    [
        *((str(age), "10", "f", "flu") for age in (20, 21, 22, 23, 24) for _ in range(2)),
        *((str(age), "11", "m", "cold") for age in (30, 31, 35, 36)),
    ],
    columns=COLUMNS,
)


def masks(release: sc.Release, rows: list[tuple[str, str, str]], k: int = 1) -> list[tuple[str, ...]]:
    frame = pandas.DataFrame([(*row, "gout") for row in rows], columns=COLUMNS)
    applied = release.apply(frame, k=k)
    return list(applied[["age", "zip", "sex"]].itertuples(index=False, name=None))


def learnt(**more: Any) -> sc.Release:
    described = job(**{"requirement": {"k": 2}, **more})
    del described["source"], described["output"]
    return pipeline.run(described, frame=FRAME)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["witness", "sweep", "kaca", "mondrian", "datafly", "full-subtree"])
def test_a_recoding_applied_to_its_own_rows_is_its_release(algorithm: str) -> None:
    release = learnt(algorithm={"name": algorithm})
    if release.mapping().duplicated(["age", "zip", "sex"]).any():
        return
    made = Counter(release.to_pandas().itertuples(index=False, name=None))
    applied = release.apply(FRAME)
    assert Counter(applied.itertuples(index=False, name=None)) == made
    assert applied["illness"].tolist() == FRAME["illness"].tolist()


def test_an_unseen_tuple_goes_to_the_class_that_covers_it_and_loses_least_or_waits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    release = learnt()
    classes = set(release.to_pandas()[["age", "zip", "sex"]].itertuples(index=False, name=None))
    assert classes == {
        *((str(age), "10", "f") for age in range(20, 25)),
        *((ages, "11", "m") for ages in ("[30, 35)", "[35, 40)")),
    }
    assert masks(release, [("39", "11", "m"), ("20", "10", "f")]) == [("[35, 40)", "11", "m"), ("20", "10", "f")]
    assert masks(release, [("39", "12", "m"), ("30", "11", "m")]) == [("[30, 35)", "11", "m")]
    assert "and are left out: fewer than " in caplog.text  # a count below k is of a person
    caplog.clear()
    assert masks(release, [("39", "12", "m")] * 30) == []
    assert "and are left out: 30" in caplog.text


def test_a_tuple_that_was_split_goes_to_its_coarsest_part() -> None:
    frame = pandas.DataFrame([("20", "10", "f", "flu")] * 5 + [("39", "13", "m", "cold")], columns=COLUMNS)
    described = job(algorithm={"name": "kaca"})
    del described["source"], described["output"]
    release = pipeline.run(described, frame=frame)
    parts = release.mapping().query("age == '20'")
    assert len(parts) == 2
    (coarse,) = set(parts["age_released"]) - {"20"}
    assert masks(release, [("20", "10", "f")])[0][0] == coarse


def test_k_is_counted_over_the_new_rows_alone() -> None:
    release = learnt()
    with pytest.raises(RequirementError, match="fewer than k = 2 rows: mask more rows at once"):
        masks(release, [("20", "10", "f")] * 2 + [("21", "10", "f")], k=2)
    assert len(masks(release, [("20", "10", "f")] * 2, k=2)) == 2


def test_a_recoding_is_applied_to_a_file_and_to_a_table_as_to_a_frame() -> None:
    release = learnt()
    FRAME.to_csv("next.csv", index=False)
    with duckdb.connect("next.duckdb") as connection:
        connection.execute("create table people as from read_csv('next.csv', all_varchar = true)")
    made = Counter(release.apply(FRAME).itertuples(index=False, name=None))
    for place in ({"path": "next.csv"}, {"url": "duckdb:///next.duckdb", "table": "people"}):
        assert Counter(release.apply(place).itertuples(index=False, name=None)) == made
    FRAME.assign(more=1).to_csv("more.csv", index=False)
    with pytest.raises(SourceError, match="'more'"):
        release.apply({"path": "more.csv"})


def test_the_order_of_masked_rows_goes_by_what_leaves_and_not_by_raw_cells() -> None:
    described = job(quasi_identifiers={"zip": {"digits": 2}}, keep=["note"], requirement={"k": 10})
    del described["source"], described["output"]
    zips = [f"{number % 100:02}" for number in range(200)]
    frame = pandas.DataFrame({"zip": zips, "note": map(str, range(200))})
    release = pipeline.run({**described, "sensitive": []}, frame=frame)
    assert release.result.recoding.levels == {"zip": 1}
    masked = []
    for digit in range(10):  # other rows that read alike once they are masked
        frame.assign(zip=[f"{zip_[0]}{digit}" for zip_ in zips]).to_csv("next.csv", index=False)
        masked.append(release.apply({"path": "next.csv"}, k=1))
    assert all(each.equals(masked[0]) for each in masked) and list(masked[0]["note"]) != sorted(frame["note"], key=int)


def test_rows_of_persons_are_not_counted_as_persons() -> None:
    frame = FRAME.assign(who=[str(number) for number in range(len(FRAME))])
    described = job(person="who", requirement={"k": 2}, algorithm={"name": "witness"})
    del described["source"], described["output"]
    release = pipeline.run(described, frame=frame)
    with pytest.raises(JobError, match="the new table as its source, or give k=1 for rows that stay"):
        release.apply(FRAME)
    assert len(release.apply(FRAME, k=1)) == len(FRAME)
    frame.to_csv("t.csv", index=False)
    sc.run({**described, "source": {"path": "t.csv"}, "output": {"path": "out.csv"}})
    Path("job.yaml").write_text(json.dumps({**described, "source": {"path": "t.csv"}, "output": {"path": "out.csv"}}))
    done = CliRunner().invoke(cli, ["apply", "job.yaml", "t.csv", "--into", "masked.csv"])
    assert "or give --k 1 for rows that stay" in str(done.exception)
    assert CliRunner().invoke(cli, ["apply", "job.yaml", "t.csv", "--into", "masked.csv", "--k", "1"]).exit_code == 0


def test_a_range_holds_numbers_that_were_not_there() -> None:
    frame = pandas.DataFrame({"age": [20, 23, 28, 40, 44, 49], "sex": list("ffffff")})
    described = {"quasi_identifiers": {"age": "numeric", "sex": "suppress"}, "requirement": {"k": 3}}
    release = pipeline.run({**described, "algorithm": {"name": "mondrian"}}, frame=frame)
    assert set(release.to_pandas()["age"]) == {"< 30", ">= 30"}
    applied = release.apply(pandas.DataFrame({"age": [25, 45, 30, 99], "sex": list("ffff")}), k=1)
    assert applied["age"].tolist() == ["< 30", ">= 30", ">= 30", ">= 30"]
    far = pandas.DataFrame({"age": [20, 23, 31, 36, 44, 47, 60, 65], "sex": list("f" * 8)})
    for name in ("mondrian", "ordered-set"):
        release = pipeline.run({**described, "requirement": {"k": 2}, "algorithm": {"name": name}}, frame=far)
        assert set(release.to_pandas()["age"]) == {"< 30", "[30, 40)", "[40, 50)", ">= 50"}
        applied = release.apply(pandas.DataFrame({"age": [29, 30, 39, 40, 50], "sex": list("f" * 5)}), k=1)
        assert applied["age"].tolist() == ["< 30", "[30, 40)", "[30, 40)", "[40, 50)", ">= 50"]


def test_a_value_without_a_leaf_goes_to_what_its_hierarchy_calls_everything() -> None:
    frame = pandas.DataFrame({"ward": list("aabbcc")})
    hierarchy = {"levels": {"a": ["q", "any"], "b": ["q", "any"], "c": ["r", "any"]}}
    job = {"quasi_identifiers": {"ward": hierarchy}, "requirement": {"k": 6}}
    release = sc.run(job, frame=frame)
    assert set(release.to_pandas()["ward"]) == {"any"}
    assert release.apply(pandas.DataFrame({"ward": list("abcxyz")}), k=1)["ward"].tolist() == ["any"] * 6


def test_a_value_without_a_leaf_goes_to_the_missing_ones_if_the_job_says_so() -> None:
    frame = pandas.DataFrame({"ward": ["a", "b", None, None]})
    ward = {"tree": {"any": {"q": ["a", "b"], "r": ["c"]}}, "nonconforming": "missing"}
    release = sc.run({"quasi_identifiers": {"ward": ward}, "requirement": {"k": 2}}, frame=frame)
    applied = release.apply(pandas.DataFrame({"ward": ["a", "x"]}), k=1)["ward"]
    assert applied.fillna("missing").tolist() == ["q", "missing"]


def test_each_k_of_several_qids_is_counted_over_the_new_rows() -> None:
    qids = [{"attributes": ["age", "sex"], "k": 2}, {"attributes": ["zip"], "k": 3}]
    release = learnt(requirement={"qids": qids}, accept={"joint_k": 1})
    row = ("20", "10", "f", "gout")
    for rows, k in ((1, 2), (2, 3)):
        with pytest.raises(RequirementError, match=f"fewer than k = {k}"):
            release.apply(pandas.DataFrame([row] * rows, columns=COLUMNS))
    assert len(release.apply(pandas.DataFrame([row] * 3, columns=COLUMNS))) == 3


@pytest.mark.parametrize("algorithm", ["sweep", {"name": "tdr", "class": "s"}])
def test_further_columns_of_other_rows_go_by_the_key_others(algorithm: Any) -> None:
    frame = pandas.DataFrame({"name": ["n"] * 6, "a": ["1", "2"] * 3, "s": ["x"] * 6})
    settings: dict[str, Any] = {"quasi_identifiers": {"a": "suppress"}, "sensitive": ["s"], "algorithm": algorithm}
    release = sc.anonymize(frame, others="identifiers", **settings, k=2)
    assert list(release.apply(frame.assign(further="secret"))) == ["a", "s"]
    with pytest.raises(SourceError, match="'further' of the data frame is named nowhere"):
        sc.anonymize(frame, identifiers=["name"], **settings, k=2).apply(frame.assign(further="secret"))
