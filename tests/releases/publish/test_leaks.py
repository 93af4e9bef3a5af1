"""What a release must not tell and a run may not reach: order, files left, footers, ledgers, rights."""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

from starcloak.base.errors import OutputError, StatementError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.sources.file_formats import databases_of, files_of
from starcloak.sources.open_source import open_source
from starcloak.store import session, staging
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from tests.releases.publish.places import (
    PEOPLE,
    PLACES,
    TABLE,
    TO_CSV,
    TO_EXISTING,
    TO_FRESH,
    TO_PARQUET,
    Place,
    Row,
    during,
    numbered,
    places,
    private_folders,
    run,
    statements,
)


def order_of(place: Place, seed: int = 1) -> list[Row]:
    described = place.job(2, seed=seed, keep=["visit"], quasi_identifiers={"zip": "suppress"})
    del described["identifiers"], described["sensitive"]
    run(described)
    rows = place.read()
    assert rows is not None
    return rows


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", PLACES[:4], ids=lambda place: place.name)
def test_the_order_of_rows_tells_nothing_of_the_sources(place: Place) -> None:
    numbered(200, seed=1)
    first = order_of(place)
    numbered(200, seed=2)
    assert order_of(place) == first
    assert order_of(place, seed=2) != first
    assert sorted(order_of(place, seed=2)) == sorted(first)
    assert first != sorted(first)


def test_the_order_of_many_rows_is_that_of_the_seed() -> None:
    """More than one row group, by several threads."""
    duckdb.sql("copy (select i % 5 as zip, i as visit from range(400000) as many (i)) to 'people.parquet'")
    place = Place("many", {"path": "people.parquet"}, {"path": "release.parquet"})
    described = place.job(2, keep=["visit"], quasi_identifiers={"zip": "suppress"})
    del described["identifiers"], described["sensitive"]
    orders = []
    for threads in (1, 2, 2):
        pipeline.run(described, resources=Resources(threads=threads))
        orders.append(pyarrow.parquet.read_table("release.parquet")["visit"].to_pylist())
    assert orders[0] == orders[1] == orders[2]
    assert orders[0] != sorted(orders[0])
    neighbours = sum(abs(left - right) == 1 for left, right in itertools.pairwise(orders[0]))
    assert neighbours < 40  # two of a random order are neighbours with a chance of one in 200,000


# ------------------------------------------------------------------------------------------------------------ privacy


def test_the_private_folder_is_private() -> None:
    seen: list[int] = []

    def look(_: str) -> None:
        (only,) = private_folders()
        seen.extend(stat.S_IMODE(path.stat().st_mode) for path in (only, only.parent))

    before = os.umask(0)
    try:
        run(TO_CSV.job(2), trace=look)
    finally:
        os.umask(before)
    assert set(seen) == {0o700}


def test_a_private_root_that_others_can_open_is_refused() -> None:
    session.private_root().chmod(0o755)
    with pytest.raises(OutputError, match="other users have access"):
        run(TO_CSV.job(2))
    assert TO_CSV.read() is None


def test_a_private_root_that_is_a_link_is_refused(folder: Path) -> None:
    root = session.private_root()
    root.rmdir()
    root.symlink_to(folder)
    with pytest.raises(OutputError, match="other users have access"):
        run(TO_CSV.job(2))


def test_a_run_whose_folder_a_sweep_looks_at_has_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep may find the file of a new run before the run has locked it."""
    numbers = iter(["first", "second"])
    monkeypatch.setattr(session, "new_run_id", lambda: next(numbers))
    file = session.private_root() / "in-use-run-first"
    swept = staging.take_lock(file)
    try:
        folder = session.RunFolder()
        assert folder.path.name == "run-second" and folder.path.is_dir()
        folder.remove()
    finally:
        staging.release_lock(swept, file)
    assert not [*session.private_root().iterdir()]


def test_a_new_run_leaves_the_private_folder_of_another() -> None:
    def other() -> None:
        (mine,) = private_folders()
        with Session():
            assert len(private_folders()) == 2
        assert private_folders() == [mine]

    during(TO_CSV.job(2), 'create or replace table "star"', other)
    assert not private_folders()


@pytest.mark.sampled(3)
@places
def test_no_raw_value_is_left_behind(place: Place, folder: Path) -> None:
    sources = {name: Path(name).read_bytes() for name in ("people.csv", "hospital.duckdb")}
    run(place.job(4))
    left = [path for path in folder.parent.rglob("*") if path.is_file()]
    for path in left:
        content = path.read_bytes()
        if path.name in sources:
            if path.name != place.file.name:
                assert content == sources[path.name]
            continue
        if path.suffix == ".recoding":  # what later releases are held against, for its owner alone
            assert path.stat().st_mode & 0o077 == 0
            continue
        for raw in (b"SECRETx7", b"HIDDENx7", b"MANx7"):
            assert raw not in content, path
    if place in (TO_CSV, TO_FRESH, TO_EXISTING):
        assert b"SEENx7" in place.file.read_bytes()  # so that raw values would have been found


def test_a_parquet_release_holds_no_raw_value_in_its_footer_or_dictionaries() -> None:
    run(TO_PARQUET.job(4))
    assert not strangers_in_parquet(TO_PARQUET.file, {"*", *(f"SEENx7 {name}" for name in ("flu", "cold", "measles"))})


def strangers_in_parquet(file: Path, released: set[str]) -> set[str]:
    """Texts in the statistics or the dictionaries of a Parquet file that are not in its rows."""
    read = pyarrow.parquet.ParquetFile(file)
    found: set[str] = set()
    for group, column in itertools.product(range(read.metadata.num_row_groups), range(read.metadata.num_columns)):
        statistics = read.metadata.row_group(group).column(column).statistics
        if statistics is not None and statistics.has_min_max:
            found |= {str(statistics.min), str(statistics.max)}
    names = read.schema_arrow.names
    for column in pyarrow.parquet.read_table(file, read_dictionary=names).columns:
        for chunk in column.chunks:
            found |= set(map(str, chunk.dictionary.to_pylist()))
    return found - released


ENUMS = """
create type sex as enum ('f', 'm', 'TYPEx7');
create type illness as enum ('SEENx7 flu', 'RAREx7');
create table patients as
select cast(zip as varchar) as zip, cast(sex as sex) as sex, cast(illness as illness) as illness
from (values (1, 'f', 'SEENx7 flu'), (1, 'f', 'SEENx7 flu'), (1, 'm', 'SEENx7 flu'), (1, 'm', 'SEENx7 flu'),
    (2, 'f', 'RAREx7')) as rows (zip, sex, illness);
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", PLACES[:4], ids=lambda place: place.name)
def test_an_enumeration_does_not_carry_values_that_are_not_released(place: Place) -> None:
    """A column's type lists every value it may hold, those of suppressed rows too."""
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(ENUMS)
    described = place.job(2, source={"url": "duckdb:///hospital.duckdb", "table": "patients"}, identifiers=[])
    described["requirement"] = {"k": 2, "suppression": "0.2"}
    report = run(described).result
    assert report.suppressed_rows == 1
    assert report.recoding.levels == {"zip": 0, "sex": 0}
    content = place.file.read_bytes()
    assert b"RAREx7" not in content
    assert b"TYPEx7" not in content
    if place is TO_PARQUET:
        assert not strangers_in_parquet(place.file, {"1", "f", "m", "SEENx7 flu", ""})
    else:
        assert b"SEENx7" in content


def test_a_release_in_a_database_has_no_key_index_or_default_of_the_source() -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table patients (name text primary key, zip text, sex text default 'HIDDENx7')")
        connection.execute("insert into patients select name, zip, sex from people")
        connection.execute("create index by_zip on patients (zip)")
        connection.execute("comment on column patients.zip is 'HIDDENx7'")
    place = Place("keys", {"url": "duckdb:///hospital.duckdb", "table": "patients"}, {"table": "release"})
    run(place.job(2, sensitive=[]))
    with duckdb.connect("hospital.duckdb") as connection:
        made = connection.execute(
            "select count(*) from duckdb_constraints() where table_name = 'release' union all "
            "select count(*) from duckdb_indexes() where table_name = 'release' union all "
            "select count(column_default) + count(comment) from duckdb_columns() where table_name = 'release'"
        ).fetchall()
    assert made == [(0,), (0,), (0,)]


def test_the_ledger_tells_no_count_below_k(folder: Path) -> None:
    """It lies beside the release, and may travel with it."""
    Path("people.csv").write_text(PEOPLE + "SECRETx7 Gus,HIDDENx7 1,OTHERx7,SEENx7 flu\n")
    described = TO_CSV.job(2)
    described["requirement"]["suppression"] = "0.15"
    assert run(described).result.suppressed_rows == 1
    (entry,) = json.loads(Path("release.csv.starcloak.json").read_text())["releases"]
    assert [key for key, value in entry.items() if isinstance(value, int) and 0 < value < 2] == []
    assert entry["rows"] == 6


def test_no_row_value_is_in_a_traced_statement() -> None:
    seen = "\n".join(statements(TO_CSV.job(2)))
    for raw in ("SECRETx7", "HIDDENx7", "MANx7", "SEENx7"):
        assert raw not in seen


# -------------------------------------------------------------------------------------------------------- locked down


@pytest.fixture
def locked(folder: Path) -> Iterator[Session]:
    """A session with an opened source, as a run has it."""
    place = load(TO_CSV.job(2))
    Path("other.csv").write_text("a\n1\n")
    with Session(files=files_of(place.source), databases=databases_of(place.source)) as opened:
        open_source(opened, place.source, place.roles)
        opened.lock_down()
        yield opened


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "command",
    [
        "select * from read_csv('other.csv')",
        "select * from 'other.csv'",
        "select * from read_text('/etc/hostname')",
        "select * from read_blob('other.csv')",
        "select * from glob('*')",
        "copy (select 1) to 'stolen.csv'",
        "copy source to 'stolen.parquet' (format parquet)",
        "export database 'stolen'",
        "attach 'stolen.duckdb' as stolen",
        "attach 'existing.duckdb' as existing",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "set allowed_paths = ['/etc/hostname']",
        "set allowed_directories = ['/']",
        "set memory_limit = '1GB'",
        "set temp_directory = '/tmp'",
        "set threads = 1",
        "reset lock_configuration",
        "pragma enable_external_access = true",
    ],
)
def test_a_run_reaches_nothing_but_its_source(locked: Session, command: str, folder: Path) -> None:
    before = sorted(os.listdir(folder))
    with pytest.raises(StatementError) as refused:
        locked.command(command)
    assert refused.value.sql == command
    assert sorted(os.listdir(folder)) == before
    assert locked.connection.execute("select count(*) from source").fetchall() == [(6,)]


def test_a_run_writes_no_more_than_its_target(folder: Path) -> None:
    """Everything in the folder after a run: what was there, the release, and its ledger."""
    before = set(os.listdir(folder))
    run(TO_CSV.job(2))
    run(TO_FRESH.job(2))
    assert set(os.listdir(folder)) - before == {"release.csv", "release.csv.starcloak.json", "release.duckdb"}


def test_a_source_is_opened_for_reading_only() -> None:
    place = load({**TO_CSV.job(2), "source": TABLE})
    with Session(files=files_of(place.source), databases=databases_of(place.source)) as opened:
        open_source(opened, place.source, place.roles)
        opened.lock_down()
        for command in ("drop table origin.people", "delete from origin.people", "create table origin.stolen (a int)"):
            with pytest.raises(StatementError):
                opened.command(command)
    before = Path("hospital.duckdb").read_bytes()
    run({**TO_CSV.job(2), "source": TABLE})
    assert Path("hospital.duckdb").read_bytes() == before


def test_a_source_without_write_permission_is_enough() -> None:
    for name in ("hospital.duckdb", "people.csv"):
        Path(name).chmod(0o400)
    assert run({**TO_CSV.job(2), "source": TABLE}).result.rows == 6
    assert run(TO_PARQUET.job(2)).result.rows == 6


# Memory that is handed out is filled with one byte, in this process alone: what of it gets into a file is found there.
FILLED = """
import os, sys, duckdb
for name in ("DUCKDB_JE_MALLOC_CONF", "MALLOC_PERTURB_"):
    del os.environ[name]
duckdb.sql("attach 'own.duckdb'; create table own.texts as select 'text ' || i as t from range(9) as many (i)")
duckdb.sql("detach own")
from starcloak.commands import pipeline
pipeline.run(eval(sys.argv[1]))
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", [TO_FRESH, TO_EXISTING, TO_PARQUET, TO_CSV], ids=lambda place: place.name)
def test_a_file_for_others_shows_nothing_of_the_memory_of_the_run(place: Place) -> None:
    """DuckDB fills pages, and missing values, with what was in its memory: a database file needs one of its own."""
    duckdb.sql(
        "copy (select 'SECRETx7' as name, i % 40 as zip, if(i % 3 = 0, null, 'm') as sex, 'flu' as illness, "
        "if(i % 7 = 0, null, i % 90) as age, if(i % 5 = 0, null, i / 7) as weight from range(3000) as many (i)) "
        "to 'people.csv'"
    )

    def filled(file: Path) -> int:
        return len(re.findall(rb"\xa5{2}", file.read_bytes())) if file.exists() else 0

    before = filled(place.file)
    job = place.job(5, keep=["age", "weight"])
    memory = {"DUCKDB_JE_MALLOC_CONF": "junk:true", "MALLOC_PERTURB_": "165"}  # jemalloc's byte, in glibc's malloc, too
    subprocess.run([sys.executable, "-c", FILLED, repr(job)], env={**os.environ, **memory}, check=True)
    if duckdb.__version__ == "2.0.0":  # later ones clear their pages
        assert filled(Path("own.duckdb"))  # so that it would have been found
    assert filled(place.file) == before
