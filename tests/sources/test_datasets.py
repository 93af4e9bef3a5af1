"""Adult as its source describes it, and a census that has its marginals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import starcloak as sc
from starcloak.base import installation
from starcloak.base.errors import SourceError
from starcloak.job import load, load_source
from starcloak.releases.targets.registry import target
from starcloak.sources import dataset
from starcloak.sources.file_formats import csv_rows, files_of
from starcloak.sources.open_source import open_source
from starcloak.statements.statement import Number, Statement
from starcloak.store.session import Session

DISTINCT = {
    "age": 74,
    "workclass": 7,
    "education": 16,
    "marital-status": 7,
    "occupation": 14,
    "race": 5,
    "sex": 2,
    "native-country": 41,
    "salary-class": 2,
}
MARGINALS = installation.schemas() / "adult" / "marginals.csv"


@pytest.fixture(scope="module", params=["adult", "census"])
def opened(request: pytest.FixtureRequest) -> Iterator[Session]:
    if request.param == "adult":
        request.getfixturevalue("adult")
    place = load_source({"dataset": request.param})
    with Session(files=[*files_of(place), MARGINALS]) as session:
        roles = {"quasi_identifiers": list(DISTINCT), "keep": ["education-num", "hours-per-week", "fnlwgt"]}
        open_source(session, place, roles, closed=False)
        yield session


def test_rows_and_distinct_values(opened: Session) -> None:
    counts = ", ".join(f'count(distinct "{name}")' for name in DISTINCT)
    assert opened.connection.execute(f"select count(*), {counts} from source").fetchone() == (
        45222,
        *DISTINCT.values(),
    )


def test_marginals_are_the_recorded_ones(opened: Session) -> None:
    opened.connection.execute(f"create or replace temp view recorded as {csv_rows(MARGINALS).sql()}")
    for column in [*DISTINCT, "hours-per-week"]:
        differences = opened.connection.execute(
            f'select cast("{column}" as varchar), count(*) from source group by 1 except '
            'select value, cast(frequency as bigint) from recorded where "column" = $name',
            {"name": column},
        ).fetchall()
        assert differences == [], column


def test_census_is_the_same_for_a_seed_and_another_for_another() -> None:
    place = load_source({"dataset": "census"})

    def digest(seed: int, threads: int) -> object:
        with Session(files=files_of(place), threads=threads) as session:
            marginals = Statement("store/relation#nested", rows=csv_rows(MARGINALS))
            rows = Statement("sources/dataset/census", marginals=marginals, seed=Number(seed))
            session.connection.execute(f"create table census as {rows.sql()}")
            return session.connection.execute("select bit_xor(hash(census)) from census").fetchone()

    assert digest(1, 1) == digest(1, 2) != digest(2, 2)


def test_a_script_generates_the_census_of_its_release(work: Path) -> None:
    job = {
        "source": {"dataset": "census"},
        "quasi_identifiers": {"age": {"intervals": [10]}, "sex": "suppress"},
        "others": "identifiers",
        "requirement": {"k": 100},
        "output": {"path": "released.csv"},
    }
    release = sc.run(job)
    expected = Path("released.csv").read_bytes()
    Path("released.csv").unlink()
    with duckdb.connect() as client:
        client.execute(release.sql())
    assert Counter(Path("released.csv").read_bytes().splitlines()) == Counter(expected.splitlines())


def test_adult_is_looked_for_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARCLOAK_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(SourceError, match="the dataset adult was not found in") as caught:
        dataset.adult_folder(download=False)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_changed_adult_is_refused(tmp_path: Path) -> None:
    for file in dataset.ADULT_MD5:
        (tmp_path / file).write_text("39, State-gov\n")
    with pytest.raises(SourceError, match="its MD5 sum differs"):
        dataset.adult_folder(tmp_path)


def test_each_is_a_source_of_its_own() -> None:
    described = {"quasi_identifiers": {"age": "suppress"}, "requirement": {"k": 2}, "output": {"path": "release.csv"}}
    origins = [target(load({**described, "source": {"dataset": name}})).origin for name in ("adult", "census")]
    assert len(set(origins)) == 2
