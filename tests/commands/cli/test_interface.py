"""The Python interface: frames in and out, releases as objects, errors by type."""

from __future__ import annotations

import datetime
import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from tests.commands.cli.jobs import SOURCES, frame, job, validate, write

QUASI_IDENTIFIERS: dict[str, Any] = {
    "sex": "suppress",
    "born": {"dates": ["month", "year"]},
    "age": {"intervals": [5, 10]},
    "weight": {"intervals": [10, 20]},
    "smokes": "suppress",
    "city": {"tree": {"all": ["a", "b", None]}},
}


def test_a_frame_goes_in_and_a_frame_comes_out() -> None:
    people = frame()
    release = sc.anonymize(people, quasi_identifiers=QUASI_IDENTIFIERS, k=2, identifiers=["name"], keep=["visits"])
    released = release.to_pandas()
    assert list(released.columns) == ["sex", "born", "age", "weight", "smokes", "city", "visits"]
    assert len(released) == 8
    sizes = released.groupby(list(QUASI_IDENTIFIERS), dropna=False, observed=True).size()
    assert release.k == sizes.min() >= 2
    assert release.measures.classes == len(sizes)
    assert sorted(released["visits"].dropna()) == [1, 2, 3, 5, 6, 7, 8]
    assert released["visits"].isna().sum() == 1
    pandas.testing.assert_frame_equal(people, frame())


def test_a_frame_may_have_the_roles_of_a_ready_made_schema() -> None:
    from starcloak.sources import dataset

    patients = pandas.read_csv(dataset.files("patients")[0], dtype=str)
    schema = {"schema": "patients/incognito-2005", "k": 2}
    release = sc.anonymize(patients, quasi_identifiers=["sex", "zipcode"], **schema)
    assert list(release.to_pandas()) == ["sex", "zipcode", "disease"]


def test_a_frames_levels_are_those_of_its_types() -> None:
    """Each attribute alone, at the level that two like it need."""
    people = frame()
    expected: dict[str, list[object]] = {
        "sex": ["f", "m", None],
        "born": ["2001-01", "2001-02", None],
        "age": ["[30, 35)", "[35, 40)"],
        "weight": [60.5, 71.25, 80.0, None],
        "smokes": [False, True],
        "city": ["a", "b", None],
    }
    for attribute, values in expected.items():
        released = sc.anonymize(
            people[[attribute]],
            quasi_identifiers={attribute: QUASI_IDENTIFIERS[attribute]},
            k={"born": 2, "age": 4}.get(attribute, 1),
        ).to_pandas()[attribute]
        if attribute == "born":
            continue  # 2001-01-05 and 2001-01-20 occur twice each: no generalization is needed
        found = {None if pandas.isna(value) else value for value in released}
        assert found == set(values), attribute


def test_a_frames_dates_are_generalized() -> None:
    people = pandas.DataFrame({"born": pandas.to_datetime(["2001-01-05", "2001-01-20", "2002-02-03", "2002-02-28"])})
    released = sc.anonymize(people, quasi_identifiers={"born": {"dates": ["month", "year"]}}, k=2).to_pandas()
    assert sorted(released["born"]) == ["2001-01", "2001-01", "2002-02", "2002-02"]
    days = pandas.DataFrame({"born": [datetime.date(2001, 1, 5), datetime.date(2001, 1, 20)]})
    released = sc.anonymize(days, quasi_identifiers={"born": {"dates": ["month"]}}, k=2).to_pandas()
    assert list(released["born"]) == ["2001-01"] * 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "missing",
    [[float("nan"), 1.0], [None, "a"], [pandas.NA, "a"], [pandas.NaT, pandas.Timestamp("2001-01-01")]],
    ids=repr,
)
def test_a_missing_value_of_a_frame_is_a_value(missing: list[Any]) -> None:
    """Dropping it would certify a table in which somebody stands alone."""
    people = pandas.DataFrame({"a": [missing[0], *[missing[1]] * 3]})
    verdict = sc.check(people, ["a"], 2)
    assert not verdict.holds
    released = sc.anonymize(people, quasi_identifiers={"a": "suppress"}, k=2).to_pandas()
    assert list(released["a"]) == ["*"] * 4


def test_a_category_without_rows_is_no_value() -> None:
    people = pandas.DataFrame({"sex": pandas.Categorical(["f", "f"], categories=["f", "unused"])})
    release = sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2, output={"path": "release.parquet"})
    assert "unused" not in release.sql()
    assert b"unused" not in Path("release.parquet").read_bytes()
    assert list(release.to_pandas()["sex"]) == ["f", "f"]


def test_an_index_is_not_released() -> None:
    people = frame().set_index(pandas.Index([f"id {number}" for number in range(8)], name="id"))
    release = sc.anonymize(people[["sex"]], quasi_identifiers={"sex": "suppress"}, k=2)
    assert list(release.to_pandas().columns) == ["sex"]
    assert list(release.to_pandas().index) == list(range(8))


def test_a_frame_of_other_names_than_texts_is_read() -> None:
    people = pandas.DataFrame({1: ["a", "a", "b", "b"]})
    assert list(sc.anonymize(people, quasi_identifiers={"1": "suppress"}, k=2).to_pandas().columns) == [1]


def test_a_release_tells_its_measures_its_sql_and_its_report() -> None:
    release = sc.run(job(output=None))
    assert release.to_dict() == json.loads(release.result.model_dump_json())
    validate(release.to_dict(), "report")
    assert release.measures is release.result.measures
    assert release.k == release.to_dict()["k"]
    assert "select" in release.sql()
    assert isinstance(release, sc.Release)
    assert isinstance(release.result, sc.Result)


def test_the_sql_of_a_release_is_the_compiled_script(folder: Path) -> None:
    path = write(job())
    assert sc.run(path).sql() == sc.compile(path) == sc.compile(job())


def test_run_takes_a_path_a_mapping_or_a_job() -> None:
    described = job(output=None)
    path = write(described)
    from starcloak.job import load

    releases = [sc.run(given) for given in (path, Path(path), described, load(described))]
    first, *others = [release.to_pandas() for release in releases]
    for other in others:
        pandas.testing.assert_frame_equal(first, other)


def test_anonymize_takes_a_file_or_a_place_as_well_as_a_frame(sources: None) -> None:
    roles: dict[str, Any] = {
        "quasi_identifiers": job()["quasi_identifiers"],
        "identifiers": ["name"],
        "sensitive": ["illness"],
        "k": 2,
    }
    people = duckdb.sql("from 'people.parquet'").df()
    given: list[Any] = ["people.parquet", Path("people.parquet"), SOURCES["parquet"], SOURCES["table"], people]
    found = [sc.anonymize(data, **roles).to_pandas() for data in given]
    for other in found[1:]:
        pandas.testing.assert_frame_equal(found[0], other)


def test_a_frame_is_released_into_a_file() -> None:
    release = sc.anonymize(
        frame()[["sex", "visits"]],
        quasi_identifiers={"sex": "suppress"},
        k=2,
        keep=["visits"],
        output={"path": "release.csv"},
    )
    assert release.result.output.endswith("release.csv")
    assert len(Path("release.csv").read_text().splitlines()) == 9
    assert len(release.to_pandas()) == 8


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suppression", [0.25, "0.25", 0.2500001])
def test_suppression_is_a_share(suppression: float | str) -> None:
    people = pandas.DataFrame({"sex": ["f"] * 3 + ["m"], "zip": ["1"] * 4})
    quasi_identifiers = {"sex": "suppress", "zip": "suppress"}
    release = sc.anonymize(people, quasi_identifiers=quasi_identifiers, k=2, suppression=suppression)
    assert (release.result.suppressed_rows, release.k) == (1, 3)
    assert list(release.to_pandas()["sex"]) == ["f"] * 3


def test_errors_are_typed() -> None:
    people = frame()
    twins = pandas.concat([people, people[["sex"]]], axis=1)
    mixed = pandas.DataFrame({"a": [1, "one", datetime.date(2001, 1, 1)]})
    endless = pandas.DataFrame({"a": [1.0, float("inf")]})
    alone: dict[str, Any] = {"quasi_identifiers": {"a": "suppress"}, "k": 1}
    cases: list[tuple[type[Exception], Callable[[], object]]] = [
        (sc.JobError, lambda: sc.run("nowhere.yaml")),
        (sc.JobError, lambda: sc.run(job(requirement={"k": 0}))),
        (sc.JobError, lambda: sc.run(job(source=None))),
        (sc.JobError, lambda: sc.anonymize(endless, quasi_identifiers={}, k=1)),
        (sc.JobError, lambda: sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2, kep=["visits"])),
        (sc.JobError, lambda: sc.check("people.csv", ["zip"], 0)),
        (sc.JobError, lambda: sc.check("people.csv", [], 2)),
        (sc.SourceError, lambda: sc.check("nowhere.csv", ["zip"], 2)),
        (sc.SourceError, lambda: sc.check(people, ["sexx"], 2)),
        (sc.SourceError, lambda: sc.anonymize(people, quasi_identifiers={"sex": "suppress"}, k=2)),
        (sc.SourceError, lambda: sc.check(twins, ["sex"], 2)),
        (sc.SourceError, lambda: sc.anonymize(mixed, **alone)),
        (sc.SourceError, lambda: sc.anonymize(endless, **alone)),
        (sc.SourceError, lambda: sc.anonymize(endless.iloc[:0], **alone)),
        (sc.SourceError, lambda: sc.anonymize(pandas.DataFrame(), **alone)),
        (sc.HierarchyError, lambda: sc.anonymize(endless.iloc[:1] + 0.5, quasi_identifiers={"a": {"digits": 2}}, k=1)),
        (sc.RequirementError, lambda: sc.anonymize(people[["sex"]], quasi_identifiers={"sex": "suppress"}, k=9)),
        (sc.OutputError, lambda: sc.run(job(output={"path": "people.csv"}))),
        (sc.OutputError, lambda: sc.run(job(output={"path": "nowhere/release.csv"}))),
    ]
    for number, (kind, call) in enumerate(cases):
        with pytest.raises(sc.StarcloakError) as raised:
            call()
        assert raised.type is kind, (number, raised.value)
        assert "\n" not in str(raised.value)
    assert issubclass(sc.JobError, sc.InputError)
    assert issubclass(sc.InputError, sc.StarcloakError)
    assert not issubclass(sc.RequirementError, sc.InputError)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="anonymise"):
        sc.anonymise  # noqa: B018
    assert set(sc.__all__) == {name for names in sc._HOMES.values() for name in names} <= {*dir(sc)}
    for name in sc.__all__:
        assert getattr(sc, name)


def test_every_public_function_has_an_example_that_runs() -> None:
    """Doctests run it; here it is there."""
    functions = [each for name in sc.__all__ if inspect.isfunction(each := getattr(sc, name))]
    methods = [each for name, each in vars(sc.Release).items() if inspect.isfunction(each) and name[0] != "_"]
    assert len(functions) > 15 and len(methods) > 8
    for each in [*functions, *methods]:
        lines = re.findall(r">>> .*", each.__doc__ or "")
        assert lines and not all("doctest: +SKIP" in line for line in lines), each.__name__
