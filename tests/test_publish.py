"""Publication: the old release or the new one, whole, whatever happens and wherever the release goes."""

from __future__ import annotations

import errno
import fcntl
import itertools
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest
import yaml
from tests.traces import bare

import starcloak as sc
from starcloak import fingerprint, pipeline, session
from starcloak.errors import OutputError, StarcloakError, StatementError
from starcloak.job import Source, load
from starcloak.release.resources import Resources
from starcloak.session import Session
from starcloak.source.opening import open_source
from starcloak.source.place import databases_of, files_of
from starcloak.targets import staging

# Names never leave. Zip codes are generalized for any k above 1; sexes stay as they are up to k = 2.
PEOPLE = """name,zip,sex,illness
SECRETx7 Ann,HIDDENx7 1,WOMANx7,SEENx7 flu
SECRETx7 Bob,HIDDENx7 2,MANx7,SEENx7 cold
SECRETx7 Cem,HIDDENx7 3,MANx7,SEENx7 flu
SECRETx7 Dee,HIDDENx7 4,WOMANx7,SEENx7 flu
SECRETx7 Eva,HIDDENx7 5,WOMANx7,SEENx7 measles
SECRETx7 Fay,HIDDENx7 6,WOMANx7,SEENx7 cold
"""

Row = tuple[Any, ...]
Rows = list[Row] | None


@dataclass(frozen=True)
class Place:
    """A kind of target: where the rows come from, where the release goes, and how anybody reads it."""

    name: str
    source: dict[str, str]
    output: dict[str, str]

    @property
    def file(self) -> Path:
        return Path(self.output.get("path") or self.output.get("url", "hospital.duckdb").removeprefix("duckdb:///"))

    @property
    def is_table(self) -> bool:
        return "table" in self.output

    @property
    def is_fresh(self) -> bool:
        return self.name == "fresh database"

    def job(self, k: int, **more: Any) -> dict[str, Any]:
        return {
            "source": self.source,
            "identifiers": ["name"],
            "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
            "sensitive": ["illness"],
            "requirement": {"k": k},
            "output": self.output,
            **more,
        }

    def short_job(self, k: int) -> dict[str, Any]:
        """One attribute takes few statements: for tests that run over all of them."""
        return self.job(k, identifiers=["name", "zip"], quasi_identifiers={"sex": "suppress"})

    def read(self) -> Rows:
        """The rows of the release, in order, or nothing where there is none."""
        if not self.is_table:
            reader = "read_csv" if self.file.suffix == ".csv" else "read_parquet"
            return duckdb.sql(f"from {reader}('{self.file}')").fetchall() if self.file.exists() else None
        if not self.file.exists():
            return None
        with duckdb.connect(str(self.file)) as connection:
            tables = {row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()}
            beside = {"hospital.duckdb": {"people"}, "existing.duckdb": {"others"}}.get(self.file.name, set())
            assert tables - {"release", "starcloak_releases"} == beside
            for table in beside:
                assert connection.execute(f"from {table}").fetchall()
            return connection.execute("from release").fetchall() if "release" in tables else None

    def withdraw(self) -> None:
        """Take the release away."""
        if self.name in ("existing database", "source's database"):
            with duckdb.connect(str(self.file)) as connection:
                connection.execute("drop table if exists release")
        else:
            self.file.unlink(missing_ok=True)


CSV = {"path": "people.csv"}
TABLE = {"url": "duckdb:///hospital.duckdb", "table": "people"}
PLACES = [
    Place("csv", CSV, {"path": "release.csv"}),
    Place("parquet", CSV, {"path": "release.parquet"}),
    Place("fresh database", CSV, {"url": "duckdb:///release.duckdb", "table": "release"}),
    Place("existing database", CSV, {"url": "duckdb:///existing.duckdb", "table": "release"}),
    Place("source's database", TABLE, {"table": "release"}),
]
TO_CSV, TO_PARQUET, TO_FRESH, TO_EXISTING, TO_SOURCE = PLACES

places = pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of the people and one of something else, made once."""
    made = tmp_path_factory.mktemp("databases")
    (made / "people.csv").write_text(PEOPLE)
    with duckdb.connect(str(made / "hospital.duckdb")) as connection:
        connection.execute(f"create table people as from read_csv('{made / 'people.csv'}')")
    with duckdb.connect(str(made / "existing.duckdb")) as connection:
        connection.execute("create table others as select 1 as other")
    return made


@pytest.fixture(autouse=True)
def folder(work: Path, databases: Path) -> Path:
    """A working folder with the people as CSV and as a table; the runs' private folders are beside it."""
    for file in databases.iterdir():
        shutil.copy(file, work)
    return work


def run(described: dict[str, Any], trace: Callable[[str], None] | None = None) -> sc.Release:
    # One thread: more do not make a run on six rows faster.
    return pipeline.run(described, resources=Resources(trace=trace, threads=1))


def expected(described: dict[str, Any]) -> list[Row]:
    """The rows of a release, from the same run kept in memory."""
    kept = {key: value for key, value in described.items() if key != "output"}
    return list(run(kept).to_pandas().itertuples(index=False, name=None))


def statements(described: dict[str, Any]) -> list[str]:
    """Every statement of a run that succeeds."""
    seen: list[str] = []
    run(described, trace=lambda sql: seen.append(of_any_run(sql)))
    return seen


def of_any_run(sql: str) -> str:
    """A statement without the name of its run."""
    return re.sub(r"\.[0-9a-f]{12}(?=\.starcloak-staging)", "", sql)


def staging_starts(described: dict[str, Any]) -> int:
    """The number of the first statement that writes the release, counting from 1. The run succeeds."""
    seen = statements(described)
    return next(
        number
        for number, sql in enumerate(seen, 1)
        if bare(sql).startswith("copy") or (bare(sql).startswith("attach") and "read_only" not in sql)
    )


def stagings(folder: Path) -> list[str]:
    """What a run may have left beside the release. DuckDB's own journal of a killed writer is none of it."""
    return [path.name for path in folder.rglob("*") if ".starcloak-" in path.name or path.suffix == ".tmp"]


def private_folders() -> list[Path]:
    return sorted(session.private_root().glob("run-*"))


# ---------------------------------------------------------------------------------------------------------- successes


@places
def test_the_first_release_is_whole(place: Place, folder: Path) -> None:
    report = run(place.job(2)).result
    rows = place.read()
    assert rows is not None
    assert rows == expected(place.job(2))
    assert {row[:2] for row in rows} == {("*", "WOMANx7"), ("*", "MANx7")}
    assert report.released_rows == len(rows) == 6
    assert not stagings(folder)
    assert not private_folders()


@places
def test_a_second_release_replaces_the_first(place: Place, folder: Path) -> None:
    run(place.job(2))
    first = place.read()
    run(place.job(4))
    assert place.read() == expected(place.job(4)) != first
    run(place.job(2))
    assert place.read() == first
    assert not stagings(folder)


@places
def test_a_release_of_other_columns_replaces_the_first(place: Place) -> None:
    run(place.job(2))
    run(place.job(2, identifiers=["name", "illness"], sensitive=[]))
    assert sorted(place.read() or []) == [("*", "MANx7")] * 2 + [("*", "WOMANx7")] * 4


@places
def test_a_release_without_rows_is_published(place: Place) -> None:
    """Six different people, all left out: the columns remain."""
    run(place.job(2))
    described = place.job(5, requirement={"k": 5, "suppression": 1}, objective={"minimize": "height"})
    described["identifiers"], described["sensitive"] = ["name", "sex"], ["illness"]
    described["quasi_identifiers"] = {"zip": "suppress"}
    report = run(described).result
    assert (report.released_rows, report.suppressed_rows, report.k) == (0, 6, None)
    assert place.read() == []


@places
def test_to_pandas_reads_the_published_release(place: Place) -> None:
    release = run(place.job(2))
    assert list(release.to_pandas().itertuples(index=False, name=None)) == place.read()


@places
def test_what_is_not_a_release_is_left_alone(place: Place) -> None:
    theirs = somebody_else_writes(place)
    with pytest.raises(OutputError, match=r"not a release"):
        run(place.job(2))
    assert theirs()


@pytest.mark.parametrize("place", PLACES[:4], ids=lambda place: place.name)
def test_what_appears_during_the_run_is_left_alone(place: Place, folder: Path) -> None:
    """The target is looked at before the long work, and again before it is replaced."""
    theirs = []

    def trace(sql: str) -> None:
        if bare(sql).startswith('create or replace temporary table "base"'):
            theirs.append(somebody_else_writes(place))

    with pytest.raises(OutputError):
        run(place.job(2), trace=trace)
    assert theirs[0]()
    assert not stagings(folder)


def somebody_else_writes(place: Place) -> Callable[[], bool]:
    """Put something that is not a release in the place of one; the answer tells whether it is still there."""
    if not place.is_table:
        place.file.write_text("somebody's work")
        return lambda: place.file.read_text() == "somebody's work"
    with duckdb.connect(str(place.file)) as connection:
        connection.execute("create table release as select 'somebody' as work")
    return lambda: place.read() == [("somebody",)]


SEVERAL = [TO_CSV, TO_PARQUET, TO_EXISTING, TO_SOURCE]  # a fresh database takes one release


@pytest.mark.parametrize("place", SEVERAL, ids=lambda place: place.name)
def test_a_release_of_another_source_is_replaced_only_where_the_job_says_so(place: Place, folder: Path) -> None:
    run(place.job(2))
    first = place.read()
    other = {"url": "duckdb:///hospital.duckdb", "query": "from people where zip < 'HIDDENx7 5'"}
    described = place.job(
        4, source=other, output={**({"url": TABLE["url"]} if place is TO_SOURCE else {}), **place.output}
    )
    seen: list[str] = []
    with pytest.raises(OutputError, match=r"is a release of another source: give output.replace: true, or choose"):
        run(described, trace=seen.append)
    assert place.read() == first
    assert not [sql for sql in seen if bare(sql).startswith('create or replace table "star"')]
    assert run(place.job(4)).result.released_rows == 6  # of its own source as ever
    described["output"]["replace"] = True
    assert run(described).result.warnings == []
    assert len(place.read() or []) == 4
    with pytest.raises(OutputError, match="another source"):
        run(place.job(2))


@pytest.mark.parametrize("place", SEVERAL, ids=lambda place: place.name)
def test_a_release_whose_source_is_not_told_is_replaced_with_a_warning(place: Place) -> None:
    run(place.job(2))
    if place.is_table:
        with duckdb.connect(str(place.file)) as connection:
            connection.execute("comment on table release is 'starcloak release'")
            connection.execute("drop table starcloak_releases")
    else:
        ledger = Path(f"{place.file}.starcloak.json")
        (entry,) = json.loads(ledger.read_text())["releases"]
        del entry["origin"]
        ledger.write_text(json.dumps({"releases": [entry]}))
    (warning,) = run(place.job(4)).result.warnings
    assert "does not tell its source" in warning
    assert not any("does not tell" in told for told in run(place.job(2)).result.warnings)


def test_what_tells_sources_apart_is_where_they_are() -> None:
    def origin(**place: str) -> str:
        return fingerprint.origin(Source(**place))

    here = str(Path.cwd())
    assert origin(path="people.csv") == origin(path=f"{here}/../work/people.csv", delimiter=";")
    url = "postgresql://ann:SECRETx7@db.example/clinic"
    same = [
        origin(url=each, table="people") for each in (url, "postgresql+psycopg://bob@db.example/clinic?sslmode=require")
    ]
    assert same[0] == same[1]
    assert origin(url="duckdb:///a.duckdb", table="t") == origin(url=f"duckdb:///{here}/a.duckdb", table="t")
    others = [
        fingerprint.origin(None),
        origin(dataset="patients"),
        origin(path="people.csv"),
        origin(path="PEOPLE.csv"),
        same[0],
        origin(url=url, table="others"),
        origin(url=url, query="people"),
        origin(url="postgresql://db.example:5433/clinic", table="people"),
        origin(url="postgresql://other.example/clinic", table="people"),
        origin(url="postgresql:///clinic?host=other.example", table="t"),
        origin(url="duckdb:///a.duckdb", table="t"),
        origin(url="sqlite:///a.duckdb", table="t"),
    ]
    assert len(set(others)) == len(others)


@pytest.mark.parametrize("place", PLACES[:2], ids=lambda place: place.name)
def test_a_replaced_file_keeps_its_mode(place: Place) -> None:
    run(place.job(2))
    for mode in (0o600, 0o640, 0o664):
        place.file.chmod(mode)
        run(place.job(4 if mode == 0o640 else 2))
        assert stat.S_IMODE(place.file.stat().st_mode) == mode


@places
def test_a_symbolic_link_is_followed(place: Place, folder: Path) -> None:
    """The link stays, and what it points to is the release: also where that is not there yet."""
    link = f"link{place.file.suffix}"
    real = folder.parent / "elsewhere" / place.file.name
    real.parent.mkdir()
    if place.file.exists():
        place.file.rename(real)
    Path(link).symlink_to(real)
    url = f"duckdb:///{link}"
    origin = {"url": url, "table": "people"} if place is TO_SOURCE else CSV
    output = {"url": url, "table": "release"} if place.is_table else {"path": link}
    for k in (2, 4):
        described = place.job(k, source=origin, output=output)
        run(described)
        assert Path(link).is_symlink()
        if place.is_table:
            with duckdb.connect(str(real)) as connection:
                rows = connection.execute("from release").fetchall()
            assert rows == expected(described)
        else:
            assert real.stat().st_size
            assert list(run(described).to_pandas().itertuples(index=False, name=None)) == expected(described)
    assert not stagings(folder.parent)


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_source_is_read_through_a_symbolic_link(link: str, folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    for name in ("people.csv", "hospital.duckdb"):
        Path(name).rename(elsewhere / name)
        if link == "file":
            Path(name).symlink_to(elsewhere / name)
    if link == "folder":
        Path("link").symlink_to(elsewhere)
    place = "link/" if link == "folder" else ""
    assert run(TO_CSV.job(2, source={"path": f"{place}people.csv"})).result.rows == 6
    url = f"duckdb:///{place}hospital.duckdb"
    assert run(TO_PARQUET.job(2, source={"url": url, "table": "people"})).result.rows == 6
    assert run(TO_PARQUET.job(2, source={"url": url, "query": "from people"})).result.rows == 6


def test_a_file_name_is_not_a_pattern(folder: Path) -> None:
    """Brackets and stars mean files to DuckDB's readers."""
    Path("people.csv").rename("people[1]*.csv")
    Path("people1.csv").write_text("name,zip,sex,illness\nother,other,other,other\n")
    for output in ({"path": "release[1].csv"}, {"path": "release[1].parquet"}):
        place = Place("pattern", {"path": "people[1]*.csv"}, output)
        assert run(place.job(2)).result.released_rows == 6
        assert run(place.job(4)).result.released_rows == 6
    place = Place("pattern", {"path": "people[1]*.csv"}, {"url": "duckdb:///release[1].duckdb", "table": "release"})
    Path(".release[1].duckdb.0123456789ab.starcloak-staging.duckdb").write_text("left by a killed run")
    assert run(place.job(2)).result.released_rows == 6
    assert not stagings(folder)


# ------------------------------------------------------------------------------------------------------------- faults


class Fault(RuntimeError):
    """An error that starcloak does not know."""


@pytest.mark.parametrize(
    ("place", "fault"),
    [*((place, KeyboardInterrupt) for place in PLACES), (TO_SOURCE, Fault)],
    ids=lambda value: getattr(value, "name", getattr(value, "__name__", None)),
)
def test_a_fault_before_any_statement_leaves_the_old_release(
    place: Place, fault: type[BaseException], folder: Path
) -> None:
    new = expected(place.short_job(4))
    first = staging_starts(place.short_job(4))
    assert place.read() == new
    # The search is the same for all targets: one of them tells that nothing is written before the staging.
    begin = 1 if (place, fault) == (TO_CSV, KeyboardInterrupt) else first - 2
    if place.is_fresh:
        place.withdraw()
    else:
        run(place.short_job(2))
    old, beside = place.read(), sorted(os.listdir(folder))
    for number in itertools.count(begin):
        try:
            run(place.short_job(4), trace=raise_before(number, fault))
        except fault:
            assert place.read() == old, f"before statement {number}"
            assert sorted(os.listdir(folder)) == beside, f"before statement {number}"
            assert not private_folders()
        else:
            break
    assert number > first + 3
    assert place.read() == new


def raise_before(number: int, fault: type[BaseException]) -> Callable[[str], None]:
    """A tracer that raises before a statement, once."""
    count = itertools.count(1)

    def trace(_: str) -> None:
        if next(count) == number:
            raise fault

    return trace


def test_a_release_that_the_verifier_refuses_is_not_published(folder: Path) -> None:
    """The source changes under the run: rows counted and rows released differ."""
    for place in (TO_CSV, TO_FRESH):
        Path("people.csv").write_text(PEOPLE)

        def grow(sql: str) -> None:
            if bare(sql).startswith('create or replace table "star"'):
                Path("people.csv").write_text(PEOPLE + PEOPLE.splitlines()[1] + "\n")

        with pytest.raises(StarcloakError):
            run(place.job(2), trace=grow)
        assert place.read() is None
        assert not stagings(folder)


# -------------------------------------------------------------------------------------------------------------- kills


def run_and_die(described: dict[str, Any], temporary: str | None, statement: int | None, write: int | None) -> None:
    """A run, in a process of its own, that is killed before a statement, or before its own write to the folder."""
    tempfile.tempdir = temporary
    if write is not None:
        sys.addaudithook(at_write(write, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    count = itertools.count(1)

    def trace(_: str) -> None:
        if next(count) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    run(described, trace=trace)


def at_write(number: int, action: Callable[[], None]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that acts before Python opens for writing, links, renames, removes or changes a file here, once."""
    count = itertools.count(1)
    here = os.getcwd()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event in ("os.rename", "os.link", "os.remove", "os.chmod") or (
            event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        )
        if writes and str(arguments[0]).startswith(here) and next(count) == number:
            action()

    return hook


@pytest.fixture(scope="module")
def process() -> Iterator[Callable[..., int]]:
    """Runs a function in a new process and returns its exit code; the processes fork from one that has imported all."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["starcloak.pipeline", "sqlalchemy", "pyarrow.parquet", "pytest", "yaml"])
    forkserver.ensure_running()  # while the temporary folder is the system's: its socket's path has to be short

    def start(function: Callable[..., None], *arguments: Any) -> int:
        child = context.Process(target=function, args=arguments)
        child.start()
        child.join(60)
        code = child.exitcode
        assert code is not None
        child.close()
        return code

    yield start


@places
def test_a_kill_at_a_statement_leaves_one_whole_release(
    place: Place, process: Callable[..., int], folder: Path
) -> None:
    """One kill after the other, each run finding what the last one left."""
    new = expected(place.short_job(4))
    first = staging_starts(place.short_job(4))
    old: Rows = new
    for statement in itertools.chain((3, first - 1), itertools.count(first)):
        if place.is_fresh:
            place.withdraw()
            old = None
        elif old == new:
            run(place.short_job(2))
            old = place.read()
            assert old != new
        code = process(run_and_die, place.short_job(4), tempfile.tempdir, statement, None)
        found = place.read()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert found in (old, new), f"statement {statement}"
        assert len(private_folders()) == 1  # its own: those of the runs before it are swept
        old = found
    assert statement > first + 3
    assert found == new
    assert not stagings(folder)
    assert not private_folders()


@pytest.mark.parametrize("place", [TO_CSV, TO_FRESH], ids=lambda place: place.name)
def test_a_kill_at_a_write_leaves_one_whole_release(place: Place, process: Callable[..., int], folder: Path) -> None:
    """Between the statements lie the renames and links that publish a file, and the ledger beside it."""
    new = expected(place.short_job(4))
    for write in itertools.count(1):
        old = None
        if place.is_fresh:
            place.withdraw()
        else:
            run(place.short_job(2))
            old = place.read()
        code = process(run_and_die, place.short_job(4), tempfile.tempdir, None, write)
        found = place.read()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert found in (old, new), f"write {write}"
        run(place.short_job(4))
        assert place.read() == new, f"write {write}"
        assert not stagings(folder), f"write {write}"
    assert write > (2 if place.is_fresh else 5)
    assert found == new


REFUSED, UNHARMED = 20, 21  # exit codes of a run of which one write failed


def run_and_fail(described: dict[str, Any], temporary: str | None, write: int) -> None:
    """A run, in a process of its own, of which one write to the folder fails as on a full disk."""
    tempfile.tempdir = temporary
    failed = []

    def fail() -> None:
        failed.append(write)
        raise OSError(errno.ENOSPC, "No space left on device")

    sys.addaudithook(at_write(write, fail))
    try:
        run(described)
    except OutputError:
        sys.exit(REFUSED)
    sys.exit(UNHARMED if failed else 0)


@pytest.mark.parametrize("place", [TO_CSV, TO_FRESH], ids=lambda place: place.name)
def test_a_write_that_fails_refuses_the_run_or_does_no_harm(place: Place, process: Callable[..., int]) -> None:
    new = expected(place.short_job(4))
    for write in itertools.count(1):
        old = None
        if place.is_fresh:
            place.withdraw()
        else:
            run(place.short_job(2))
            old = place.read()
        code = process(run_and_fail, place.short_job(4), tempfile.tempdir, write)
        assert code in (0, REFUSED, UNHARMED), f"write {write}"
        assert place.read() == (old if code == REFUSED else new), f"write {write}"
        assert not private_folders()
        if code == 0:
            break
        run(place.short_job(4))
        assert place.read() == new, f"write {write}"
    assert write > 2


def test_a_killed_run_is_swept_by_the_next_of_any_target(process: Callable[..., int]) -> None:
    assert process(run_and_die, TO_CSV.job(2), tempfile.tempdir, 40, None) == -signal.SIGKILL
    assert len(private_folders()) == 1
    run(TO_PARQUET.job(2))
    assert not private_folders()


# ------------------------------------------------------------------------------------------------------- runs at once


def during(described: dict[str, Any], start: str, action: Callable[[], None]) -> sc.Release:
    """A run with something done once, before the first statement that starts so."""
    done: list[str] = []

    def trace(sql: str) -> None:
        if bare(of_any_run(sql)).startswith(bare(start)) and not done:
            done.append(sql)
            action()

    release = run(described, trace=trace)
    assert done
    return release


@places
def test_a_second_run_on_one_target_is_refused(
    place: Place, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one with another temporary folder."""
    Path("job.yaml").write_text(yaml.safe_dump(place.job(2)))

    def second() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(tempfile, "tempdir", str(tmp_path))
            with pytest.raises(OutputError, match="another run"):
                run(place.job(2))
        if place is not TO_CSV:
            return
        command = [sys.executable, "-m", "starcloak", "run", "job.yaml"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("starcloak: ")
        assert done.stderr.count("\n") == 1

    during(place.job(4), 'create or replace table "star"', second)
    assert place.read() == expected(place.job(4))
    assert not stagings(folder)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"path": "release.csv"}, {"path": "link.csv"}),
        ({"path": "release.csv"}, {"path": "../work/release.csv"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "main.release"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "RELEASE"}),
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///./new.duckdb", "table": "release"}),
        # Both would be staged as the same fresh file.
        ({"url": "duckdb:///new.duckdb", "table": "release"}, {"url": "duckdb:///new.duckdb", "table": "another"}),
    ],
    ids=["link", "dots", "schema", "case", "dots of a database", "another table of one fresh file"],
)  # fmt: skip
def test_two_runs_on_one_target_by_two_names_do_not_mix(
    first: dict[str, str], second: dict[str, str], folder: Path
) -> None:
    """The second comes while the staging of the first is read back."""
    Path("link.csv").symlink_to("release.csv")
    one, other = Place("one", CSV, first), Place("other", CSV, second)

    def meanwhile() -> None:
        with pytest.raises(OutputError):
            run(other.job(2))

    last = next(sql for sql in reversed(statements(one.job(4))) if "staging" in sql)
    one.withdraw()
    during(one.job(4), last, meanwhile)
    assert one.read() == expected(one.job(4))
    assert not stagings(folder)


def test_runs_on_two_targets_do_not_disturb_each_other() -> None:
    def other() -> None:
        run(TO_PARQUET.job(4))

    during(TO_CSV.job(2), 'create or replace table "star"', other)
    assert TO_CSV.read() == expected(TO_CSV.job(2))
    assert TO_PARQUET.read() == expected(TO_PARQUET.job(4))


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o775, 0o1777], ids=oct)
def test_whoever_may_write_in_a_folder_may_lock_there(mode: int, folder: Path) -> None:
    folder.chmod(mode)
    with staging.lock(folder / "release.csv", "release.csv", ""):
        (held,) = folder.glob(".*.starcloak-lock")
        assert stat.S_IMODE(held.stat().st_mode) == {0o700: 0o600, 0o755: 0o600, 0o775: 0o660, 0o1777: 0o666}[mode]
    assert not stagings(folder)


def test_a_lock_that_another_user_left_is_told(folder: Path) -> None:
    left = folder / ".release.csv.starcloak-lock"
    left.touch(0o600)
    left.chmod(0o400)
    user = os.geteuid()
    if user == 0:
        folder.chmod(0o777)
        os.seteuid(65534)
    try:
        with (
            pytest.raises(OutputError, match=r"^a run of another user is writing x, or was killed: .* remove .*-lock$"),
            staging.lock(Path("release.csv"), "x", ""),
        ):
            pass
    finally:
        os.seteuid(user)
    assert left.exists()
    with pytest.raises(OutputError, match="check it"), staging.lock(folder / "no" / "release.csv", "x", "check it"):
        pass


def test_a_lock_of_which_the_file_is_gone_is_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was opened while another run had it, and locked when that run had removed it."""
    place, flock = folder / "release.csv", fcntl.flock
    seen: list[int] = []

    def late(descriptor: int, operation: int) -> None:
        if not seen:
            (folder / ".release.csv.starcloak-lock").unlink()
        seen.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr(staging.fcntl, "flock", late)
    with staging.lock(place, "x", ""), pytest.raises(OutputError, match="another run"), staging.lock(place, "x", ""):
        pass
    assert len(seen) == 3
    assert not stagings(folder)


def test_a_lock_that_is_not_the_runs_own_stays(folder: Path) -> None:
    """Somebody removed the first one's file; the second run's lock is not the first one's to remove."""
    place, file = folder / "release.csv", folder / ".release.csv.starcloak-lock"
    with staging.lock(place, "x", ""):
        file.unlink()
        file.touch()
    assert file.exists()


def test_a_killed_runs_lock_and_staging_hinder_nobody(folder: Path) -> None:
    left = [".release.csv.starcloak-lock", staging.of(Path("release.csv"), "0" * 32).name]
    for name in left:
        Path(name).write_text("HIDDENx7")
    assert sorted(stagings(folder)) == sorted(left)
    run(TO_CSV.job(2))
    assert not stagings(folder)


def test_the_stagings_of_other_places_are_left() -> None:
    """Names of which one begins as the other ends."""
    names = ["release", "release.csv", "release.csv.csv", ".release.csv", "release.csv.0123456789ab", "release[1].csv"]
    staged = {name: staging.of(Path(name), "0123456789abcdef") for name in names}
    for name in names:
        for path in staged.values():
            path.touch()
            Path(f"{path}.wal").touch()
        staging.sweep(Path(name))
        assert {other for other, path in staged.items() if path.exists() and Path(f"{path}.wal").exists()} == {
            other for other in names if other != name
        }


STAGED = [TO_CSV, TO_PARQUET, TO_FRESH]
TAMPERS: dict[str, Callable[[Path], object]] = {
    "replaced": lambda path: os.replace(shutil.copy(path, f"{path}.copy"), path),
    "gone": lambda path: path.unlink(),
    "written to": lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]),
    "grown": lambda path: os.truncate(path, path.stat().st_size + 1),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
}


@pytest.mark.parametrize("place", STAGED, ids=lambda place: place.name)
@pytest.mark.parametrize("tamper", TAMPERS)
def test_only_what_was_verified_is_published(place: Place, tamper: str, folder: Path) -> None:
    """The staging is touched by another program when it was counted."""
    old: Rows = None
    if not place.is_fresh:
        run(place.job(4))
        old = place.read()

    def touch(stage: str) -> None:
        if stage == "publish":
            (staged,) = folder.glob(".*.starcloak-staging*")
            TAMPERS[tamper](staged)

    with pytest.raises(OutputError, match=r"changed by another program after it was verified"):
        pipeline.run(place.job(2), resources=Resources(progress=touch, threads=1))
    assert place.read() == old
    assert not [name for name in stagings(folder) if not name.endswith(".copy")]


@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_database_that_another_file_replaced_is_not_told_as_published(place: Place) -> None:
    """What was committed would have gone to a file without a name."""
    shutil.copy(place.file, "other.duckdb")

    def replace(stage: str) -> None:
        if stage == "publish":
            os.replace("other.duckdb", place.file)

    with pytest.raises(OutputError, match="was replaced by another file during the run"):
        pipeline.run(place.job(2), resources=Resources(progress=replace, threads=1))
    assert place.read() is None


RACES = 20


def race(described: dict[str, Any], temporary: str, start: Barrier, told: Connection) -> None:
    """Runs in a process with a temporary folder of its own, each beginning when another one's does."""
    tempfile.tempdir = temporary
    os.environ["XDG_STATE_HOME"] = temporary
    for _ in range(RACES):
        start.wait(60)
        try:
            told.send(pipeline.run(described, resources=Resources(threads=1), force=True).result.hashes.release)
        except OutputError as error:
            told.send(str(error))
        start.wait(60)


def test_two_runs_that_share_no_temporary_folder_do_not_mix(folder: Path) -> None:
    """As two containers on one volume: whoever looks meanwhile sees a whole release, and a run tells its own."""
    numbered(5_000, seed=1)
    described = [TO_CSV.job(2, seed=seed, keep=["visit"], quasi_identifiers={"zip": "suppress"}) for seed in (1, 2)]
    for each in described:
        del each["identifiers"], each["sensitive"]
    whole = {pipeline.run(each, force=True).result.hashes.release for each in described}
    assert len(whole) == 2
    context = multiprocessing.get_context("forkserver")
    start = context.Barrier(3)
    ends, children = [], []
    for number, each in enumerate(described):
        temporary = folder.parent / f"temporary-{number}"
        temporary.mkdir(mode=0o700)
        here, there = context.Pipe(duplex=False)
        children.append(context.Process(target=race, args=(each, str(temporary), start, there)))
        ends.append(here)
        children[-1].start()
    try:
        refused = 0
        for _ in range(RACES):
            start.wait(60)
            while start.n_waiting < 2:
                assert fingerprint.file(TO_CSV.file) in whole
                time.sleep(0.001)
            told = [end.recv() for end in ends]
            start.wait(60)
            done = [each for each in told if "another run is writing" not in each]
            refused += 2 - len(done)
            assert done
            assert fingerprint.file(TO_CSV.file) in done
    finally:
        for child in children:
            child.kill()
            child.join()
            child.close()
        for end in ends:
            end.close()
    assert refused > RACES // 2
    assert not stagings(folder)


# ------------------------------------------------------------------------------------------------------------- scripts


@pytest.mark.parametrize("goes_on", [False, True], ids=["stops", "goes on"])
@pytest.mark.parametrize(
    "name",
    ["release.csv", "release.parquet", "a[1]*.csv", "a\\b.csv", "[b?.parquet", "it's.csv", "[!a].csv"],
)
def test_a_script_leaves_a_file_that_is_there(name: str, goes_on: bool) -> None:
    """Whatever it is, and with a client that goes on after an error; without it the script writes the release."""
    script = pipeline.compile(TO_CSV.job(2, output={"path": name}))
    for there in (name, f"tmp_{name}"):
        Path(there).write_text("somebody's work")
        with duckdb.connect() as connection:
            failed = 0
            for statement in connection.extract_statements(script):
                try:
                    connection.execute(statement)
                except duckdb.Error as error:
                    failed += "there is a file already where the release goes" in str(error)
                    if not goes_on:
                        break
        assert failed == 1
        assert Path(there).read_text() == "somebody's work"
        Path(there).unlink()
        assert not Path(name).exists()
    with duckdb.connect() as connection:
        connection.execute(script)
        rows = connection.execute(f"from read_{'csv' if name.endswith('csv') else 'parquet'}(?)", [str(glob_of(name))])
        assert sorted(rows.fetchall()) == sorted(expected(TO_CSV.job(2)))
    assert not Path(f"tmp_{name}").exists()


def glob_of(name: str) -> Path:
    """Another name of a file, without wildcards."""
    plain = Path(f"plain{Path(name).suffix}")
    plain.hardlink_to(name)
    return plain


def test_a_script_that_fails_leaves_no_part_of_a_file() -> None:
    """The disk is full before the end."""
    numbered(20_000, seed=1)
    described = TO_CSV.job(2, keep=["visit"], quasi_identifiers={"zip": "suppress"})
    del described["identifiers"], described["sensitive"]
    Path("script.sql").write_text(pipeline.compile(described))
    code = (
        "import resource, duckdb, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); "
        "duckdb.connect().execute(open('script.sql').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "duckdb.IOException" in done.stderr
    assert not Path("release.csv").exists()


# --------------------------------------------------------------------------------------------------------------- order


def numbered(rows: int, seed: int) -> None:
    """A source of that many different rows, in an order drawn from a seed."""
    order = list(range(rows))
    random.Random(seed).shuffle(order)
    lines = "".join(f"{number % 3},{number}\n" for number in order)
    Path("people.csv").write_text("zip,visit\n" + lines)


def order_of(place: Place, seed: int = 1) -> list[Row]:
    described = place.job(2, seed=seed, keep=["visit"], quasi_identifiers={"zip": "suppress"})
    del described["identifiers"], described["sensitive"]
    run(described)
    rows = place.read()
    assert rows is not None
    return rows


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
    with pytest.raises(OutputError, match="not private"):
        run(TO_CSV.job(2))
    assert TO_CSV.read() is None


def test_a_private_root_that_is_a_link_is_refused(folder: Path) -> None:
    root = session.private_root()
    root.rmdir()
    root.symlink_to(folder)
    with pytest.raises(OutputError, match="not private"):
        run(TO_CSV.job(2))


def test_a_new_run_leaves_the_private_folder_of_another() -> None:
    def other() -> None:
        (mine,) = private_folders()
        with Session():
            assert len(private_folders()) == 2
        assert private_folders() == [mine]

    during(TO_CSV.job(2), 'create or replace table "star"', other)
    assert not private_folders()


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


def test_a_folder_that_vanishes_is_an_error_of_the_output() -> None:
    Path("gone").mkdir()
    place = Place("gone", CSV, {"path": "gone/release.csv"})
    with pytest.raises(OutputError):
        during(place.job(2), 'create or replace table "star"', lambda: shutil.rmtree("gone"))
    assert not private_folders()


@places
def test_a_full_disk_leaves_the_old_release(place: Place, folder: Path) -> None:
    """A limit on the size of any file stands in for the disk: it lets the small release be, and stops the large."""
    run(place.job(2))
    if place.is_fresh:
        place.withdraw()
    old = place.read()
    many = (
        "select 'SECRETx7' as name, i as zip, 'MANx7' as sex, md5(cast(i as text)) as illness from range(20000) r (i)"
    )
    if place.source is CSV:
        duckdb.sql(f"copy ({many}) to 'people.csv'")
    else:
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute(f"insert into people {many}")
    Path("job.yaml").write_text(yaml.safe_dump(place.job(2)))
    before = sorted(os.listdir(folder))
    # A commit goes to the log beside the database: less than the large release needs there.
    limit = 100_000
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); "
        "sys.argv = ['starcloak', 'run', 'job.yaml']; from starcloak.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("starcloak: ")
    assert done.stderr.count("\n") == 1
    assert "x7" not in done.stderr
    assert place.read() == old
    assert [name for name in sorted(os.listdir(folder)) if not name.endswith(".wal")] == before
    assert not private_folders()
