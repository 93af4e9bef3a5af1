"""A canary in every raw column: after a run it sits nowhere but in the source, and in the cells that are released."""

from __future__ import annotations

import itertools
import json
import logging
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

import starcloak as sc
from starcloak.base.errors import StatementError
from starcloak.commands import pipeline
from starcloak.releases import state
from starcloak.store.resources import Resources
from tests import weighed
from tests.traces import bare

# Raw cells have x7 in them; those that may be released have ok, too. The last row is left out, with all its cells.
ROWS = [
    *((f"NAMEx7 {i}", f"ZIPx7 {i}", "fm"[i % 2] + " SEXx7", f"NOTEx7 ok {i % 3}", f"DOSEx7 ok {i}") for i in range(8)),
    ("NAMEx7 8", "ZIPx7 8", "o SEXx7", "NOTEx7 gone", "DOSEx7 gone"),
]
COLUMNS = "name, zip, sex, note, dose"

PLACES: dict[str, dict[str, str]] = {
    "csv": {"path": "release.csv"},
    "parquet": {"path": "release.parquet"},
    "fresh database": {"url": "duckdb:///release.duckdb", "table": "release"},
    "another database": {"url": "duckdb:///another.duckdb", "table": "release"},
    "source's database": {"table": "release"},
}
ALGORITHMS: dict[str, dict[str, Any]] = {
    "witness": {"name": "witness"},
    "incognito": {"name": "incognito"},
    "super-roots": {"name": "incognito", "variant": "super-roots"},
    "cube": {"name": "incognito", "variant": "cube"},
    "bottom-up": {"name": "bottom-up"},
    "samarati": {"name": "samarati"},
    "datafly": {"name": "datafly"},
    "kaca": {"name": "kaca", "distance_threshold": "0.5"},
    "kaca2": {"name": "kaca", "variant": "kaca2", "execution": "joins"},
    "sweep": {"name": "sweep"},
    "mondrian": {"name": "mondrian"},
    "tdr": {"name": "tdr", "class": "note"},
}


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table people (name text, zip text, sex text, note text, dose text)")
        connection.executemany("insert into people values (?, ?, ?, ?, ?)", ROWS)
    with duckdb.connect("another.duckdb") as connection:
        connection.execute("create table other as select 1 as one")
    return work


def job(place: str = "csv", algorithm: str = "witness") -> dict[str, Any]:
    full = algorithm in ("witness", "incognito", "super-roots", "cube", "bottom-up", "samarati", "datafly")
    described: dict[str, Any] = {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
        "sensitive": ["note"],
        "keep": ["dose"],
        "requirement": {"k": 2, "suppression": "0.12" if full else "0"},
        "algorithm": ALGORITHMS[algorithm],
        "output": PLACES[place],
    }
    if algorithm in ("witness", "incognito", "super-roots", "cube", "bottom-up"):
        return weighed.by_height(described, {"sex": 100})
    return described


def found(content: str | bytes, *, released: bool = False) -> list[str]:
    """The canaries in a text or in bytes, but for those that may be released."""
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    cells = {cell for row in ROWS for cell in row}
    marks = {"NAMEx7", "ZIPx7", "gone"} | (set() if released else {"x7"})
    return sorted(mark for mark in marks | {cell for cell in cells if "gone" in cell} if mark in text)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("place", "algorithm"),
    [*((place, "witness") for place in PLACES), *(("csv", algorithm) for algorithm in list(ALGORITHMS)[1:])],
)
def test_a_canary_is_found_nowhere_after_a_run(
    place: str, algorithm: str, folder: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    described = job(place, algorithm)
    traced: list[str] = []
    leaves_out = bool(described["requirement"]["suppression"] != "0")
    before = Path("hospital.duckdb").read_bytes()
    with caplog.at_level(logging.DEBUG):
        release = pipeline.run(described, resources=Resources(threads=1, trace=traced.append, progress=traced.append))
    assert release.result.suppressed_rows == leaves_out
    assert len(caplog.records) > 20
    told = [caplog.text, "\n".join(traced), *capfd.readouterr(), repr(release), str(release.result)]
    told += [release.result.model_dump_json(), json.dumps(release.openlineage())]
    for text in told:
        assert not found(text, released=algorithm == "tdr")  # it reports which values of the release it refined
    for path in (path for path in folder.parent.rglob("*") if path.is_file()):
        if path.name == "hospital.duckdb":
            assert place == "source's database" or path.read_bytes() == before
            continue
        content = path.read_bytes()
        if path.suffix == ".recoding":  # it is the custodian's, and holds released tuples and nothing else of a row
            assert path.stat().st_mode & 0o777 == 0o600
            about, tables = state.read_tables(path, 3)  # what is packed hides nothing
            content = (about + repr([table.reader().read_all().to_pylist() for table in tables])).encode()
            assert not any(mark in content for mark in (b"NAMEx7", b"NOTEx7", b"DOSEx7", b"gone"))
            assert (b"ZIPx7 8" in content) != bool(release.result.suppressed_rows)
            continue
        assert "ZIPx7" not in found(content, released=True), path
        assert "NAMEx7" not in found(content, released=True), path
        if release.result.suppressed_rows:
            assert not found(content, released=True), path
    if place in ("csv", "fresh database", "another database"):
        kept = Path(PLACES[place].get("path") or PLACES[place]["url"].partition("///")[2]).read_bytes()
        assert b"NOTEx7 ok" in kept or b"DOSEx7 ok" in kept  # so that others would have been found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", ["fresh database", "another database", "source's database"])
def test_a_canary_is_in_no_statistic_of_a_released_table(place: str) -> None:
    pipeline.run(job(place), resources=Resources(threads=1))
    file = PLACES[place].get("url", "duckdb:///hospital.duckdb").partition("///")[2]
    with duckdb.connect(file, read_only=True) as connection:
        stored = connection.execute("select string_agg(stats, '\n') from pragma_storage_info('release')").fetchone()
        columns = connection.execute("select * from duckdb_columns() where table_name = 'release'").fetchall()
        comments = connection.execute("select comment from duckdb_tables() where table_name = 'release'").fetchall()
    assert stored is not None and "DOSEx7 ok" in stored[0]
    for text in (stored[0], str(columns), str(comments)):
        assert not found(text, released=True)


def test_a_canary_is_in_no_page_of_a_parquet_file() -> None:
    pipeline.run(job("parquet"), resources=Resources(threads=1))
    file = pyarrow.parquet.ParquetFile("release.parquet")
    told = [str(file.metadata.to_dict()), str(file.schema), str(file.read(use_threads=False).to_pylist())]
    names = file.schema_arrow.names
    for column in pyarrow.parquet.read_table("release.parquet", read_dictionary=names).columns:
        told += [str(chunk.dictionary.to_pylist()) for chunk in column.chunks]
    assert "NOTEx7 ok" in "".join(told)
    for text in told:
        assert not found(text, released=True)


# Views that fail on their rows, and hierarchies that do not fit: the engine would quote the cell.
BROKEN = {
    "a cast": "create view broken as select * replace (cast(zip as integer) as zip) from people",
    "a kept cast": "create view broken as select * replace (cast(note as date) as note) from people",
    "an error of its own": "create view broken as select * replace (error(note || zip) as sex) from people",
    "a division": "create view broken as select * replace (cast(1 // length(zip) - 1 as utinyint) as dose) from people",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_canary_is_in_no_error(broken: str, caplog: pytest.LogCaptureFixture) -> None:
    """Nor in what an error carries with it: its cause, its context, its pickle."""
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(BROKEN[broken])
    source = {"url": "duckdb:///hospital.duckdb", "table": "broken"}
    asks: list[Callable[[], object]] = [
        lambda: pipeline.run({**job(), "source": source}),
        lambda: pipeline.compile({**job(), "source": source}),
        lambda: sc.check(
            source, ["zip", "sex"], 2, l_diversity=[{"attribute": "note", "l": 2}, {"attribute": "dose", "l": 2}]
        ),
    ]
    with caplog.at_level(logging.DEBUG):
        for ask in asks:
            try:
                ask()
            except sc.StarcloakError as error:
                for link in links_of(error):
                    assert not found(repr(link) + str(link) + str(getattr(link, "__dict__", "")))
                if not isinstance(error, StatementError):
                    assert not found(pickle.dumps(error))
            else:
                assert broken in ("a kept cast", "a division")
    assert not found(caplog.text)


def links_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error with all that it carries along, also what a traceback does not show."""
    if error is not None:
        yield error
        yield from links_of(error.__cause__)
        yield from links_of(error.__context__)


QUERIES = [
    "select zip, sex, cast(dose as integer) as dose from people",
    "select zip, sex, error(note) as dose from people",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_canary_is_in_nothing_that_the_error_of_a_query_carries_along(query: str) -> None:
    source = {"url": "duckdb:///hospital.duckdb", "query": query}
    with pytest.raises(sc.StarcloakError) as raised:
        sc.check(source, ["zip", "sex"], 2, l_diversity=[{"attribute": "dose", "l": 2}])
    assert not [link for link in links_of(raised.value) if found(repr(link) + str(link))]


def test_an_error_carries_errors_of_its_own_alone() -> None:
    with pytest.raises(sc.StarcloakError) as raised:
        try:
            try:
                int("NOTEx7")
            except ValueError:
                raise StatementError("one", "select", "Conversion") from None
        except StatementError:
            raise sc.StarcloakError("other")  # noqa: B904
    assert [type(link) for link in links_of(raised.value)] == [sc.StarcloakError, StatementError]


def test_a_compiled_script_holds_quasi_identifiers_and_nothing_else_of_the_rows() -> None:
    """Its dimension tables need them, and its head says so: it is for the custodian of the source."""
    script = pipeline.compile(job())
    assert "ZIPx7" in script
    assert "contains values of the source" in script.splitlines()[2]
    for other in ("NAMEx7", "NOTEx7", "DOSEx7"):
        assert other not in script


class Fault(RuntimeError):
    """An error that starcloak does not know."""


def faults(algorithm: str, *, at_most: int, later: int = 1) -> None:
    """Raise before statements of a run, spread over it, and after the staging by steps: the old release stays."""
    described = {**job("csv", algorithm), "seed": 2}  # which decides the order of rows
    pipeline.run(job("csv", algorithm), resources=Resources(threads=1))
    old, beside = Path("release.csv").read_bytes(), sorted(os.listdir())
    seen: list[str] = []
    pipeline.run({**described, "output": {"path": "elsewhere.csv"}}, resources=Resources(threads=1, trace=seen.append))
    for file in Path().glob("elsewhere.csv*"):
        file.unlink()
    staging = next(number for number, sql in enumerate(seen, 1) if bare(sql).startswith("copy"))
    step = max(1, staging // at_most)
    for number in itertools.chain(range(1, staging, step), itertools.count(staging, later)):
        count = itertools.count(1)

        def trace(_: str, count: Any = count, number: int = number) -> None:
            if next(count) == number:
                raise Fault

        try:
            pipeline.run(described, resources=Resources(threads=1, trace=trace))
        except Fault:
            assert Path("release.csv").read_bytes() == old, f"before statement {number}"
            assert sorted(os.listdir()) == beside, f"before statement {number}"
        else:
            assert number > staging  # the run has no statement of that number
            break
    assert Path("release.csv").read_bytes() != old


@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", ["samarati", "kaca", "mondrian", "tdr"])
def test_a_fault_in_an_algorithm_leaves_the_old_release(algorithm: str) -> None:
    """One of each kind of recoding; the long tests try every statement of all of them.

    Those after the staging are the same for all: the faults of publishing try each.
    """
    faults(algorithm, at_most=2, later=25)


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_fault_at_any_statement_of_any_algorithm_leaves_the_old_release(algorithm: str) -> None:
    faults(algorithm, at_most=10**6)
