"""What every kind of database does with a release, whatever it is: one suite over the registry of hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import sqlalchemy

import starcloak as sc
from starcloak.base.errors import OutputError, SourceError
from starcloak.store.databases import url as urls
from starcloak.store.databases.database import Database
from starcloak.store.databases.duckdb.database import attach, open_file
from starcloak.store.databases.ledger import LEDGER, Entry, Ledger
from starcloak.store.databases.registry import examples, kinds
from starcloak.store.databases.tables import Tables
from starcloak.store.databases.url import Url
from starcloak.store.session import Session
from tests import servers
from tests.people import TYPES, Rows, Server, job, people, released, run

KEPT = {f"cohort_dim_{name}" for name in ("age", "zip", "sex")}


class File(Server):
    """A DuckDB file."""

    def execute(self, *statements: str) -> None:
        with self._opened() as connection:
            for statement in statements:
                connection.execute(statement)

    def rows(self, statement: str) -> Rows:
        with self._opened() as connection:
            return connection.execute(statement).fetchall()

    def fill(self, table: str, frame: pandas.DataFrame, types: dict[str, str]) -> None:
        cells = ", ".join(f"cast({self.quoted(name)} as {types[name]}) as {self.quoted(name)}" for name in frame)
        with self._opened() as connection:
            connection.register("given", frame.astype(object).where(frame.notna(), None))
            connection.execute(f"create or replace table {table} as select {cells} from given")

    def tables(self) -> set[str]:
        return {name for (name,) in self.rows("select table_name from duckdb_tables()")}

    def _opened(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect(str(Url(self.url).file))


@pytest.fixture(params=sorted(kinds()))
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    """An empty database of each kind that is registered."""
    if kinds()[request.param].embedded:
        return File(request.param, f"{request.param}:///{tmp_path}/clinic.{request.param}")
    server: Server = request.getfixturevalue(request.param)
    return server


@contextmanager
def opening(host: Server) -> Iterator[tuple[Session, Tables]]:
    """The tables of a database, for writing."""
    file = Url(host.url).embedded_file
    with Session(databases=[] if file is None else [file]) as session:
        if file is None:
            yield session, Url(host.url).connect(session)
        else:
            attach(session, file, "here", read_only=False)
            session.command("use here")
            yield session, open_file(session, Url(host.url), "here")


def entries(host: Server) -> Rows:
    return host.rows(f"select k, released_rows, suppressed_rows from {LEDGER} where source is not null order by number")


@pytest.mark.sampled(3)
def test_a_release_has_the_rows_of_the_working_store_and_an_entry_in_the_ledger(host: Server) -> None:
    frame = people(80)
    host.fill("people", frame, TYPES)
    described = job(host)
    release = run(described)
    rows = sc.run({**described, "source": None, "output": None}, frame=frame).to_pandas().astype(object)
    expected = Counter(tuple(map(str, row)) for row in rows.where(rows.notna(), None).itertuples(index=False))
    assert released(host) == expected
    assert host.tables() == {"people", "cohort", LEDGER}
    assert entries(host) == [(release.k, 80, 0)]
    assert host.rows(f"select requirement from {LEDGER}") == [('{"k":4}',)]
    assert len(release.to_pandas()) == 80


@pytest.mark.sampled(3)
def test_another_release_of_a_source_takes_the_place_of_the_one_before_and_is_warned_of(host: Server) -> None:
    host.fill("people", people(60), TYPES)
    warned = [any("released before" in told for told in run(job(host, k)).result.warnings) for k in (4, 4, 6)]
    assert warned == [False, False, True]
    assert [k >= least for (k, _, _), least in zip(entries(host), (4, 4, 6), strict=True)] == [True] * 3
    assert host.tables() == {"people", "cohort", LEDGER}


def keeps_dimensions(host: Server) -> bool:
    """Whether dimension tables are published with a release; where not, a job that asks for them is refused."""
    if not Url(host.url).kind.views_alone:
        return True
    with pytest.raises(OutputError, match="keep_dimensions is for a table in a database that supports it"):
        run(job(host, keep_dimensions=True))
    return False


@pytest.mark.sampled(4)
def test_dimension_tables_are_kept_with_a_release_and_are_its_hierarchies(host: Server) -> None:
    host.fill("people", people(80), TYPES)
    if not keeps_dimensions(host):
        return
    for k in (4, 3):  # the second run replaces the tables of the first
        release = run(job(host, k, keep_dimensions=True))
        assert host.tables() == {"people", "cohort", LEDGER, *KEPT}
        levels = release.result.recoding.levels
        path, at = ("25", "[25, 30)", "[20, 30)", "[20, 40)", "*"), levels["age"]
        assert (*[path[at]] * at, *path[at:]) in host.rows("select * from cohort_dim_age")
        assert ((None, "*") if levels["sex"] == 0 else ("*", "*")) in host.rows("select * from cohort_dim_sex")
    tables = {name: {"table": f"cohort_dim_{name}"} for name in ("age", "zip", "sex")}
    coarser = {"source": {"url": host.url, "table": "cohort"}, "identifiers": [], "output": {"table": "other"}}
    again = run(job(host, 9, quasi_identifiers=tables, **coarser))
    assert again.k is not None and again.k >= 9


@pytest.mark.sampled(3)
def test_what_no_run_made_stays(host: Server) -> None:
    host.fill("people", people(60), TYPES)
    host.execute("create table cohort (a integer)")
    with pytest.raises(OutputError, match="is not a release of starcloak: choose another name"):
        run(job(host))
    host.execute("drop table cohort", "create table cohort_dim_zip (a integer)")
    if not keeps_dimensions(host):
        return
    with pytest.raises(OutputError, match=r"cohort_dim_zip in .* is not a release"):
        run(job(host, keep_dimensions=True))
    assert host.rows("select * from cohort_dim_zip") == []
    assert "cohort" not in host.tables() and not KEPT & (host.tables() - {"cohort_dim_zip"})


@pytest.mark.sampled(4)
def test_a_dimension_table_is_no_place_for_a_release_nor_the_other_way_round(host: Server) -> None:
    host.fill("people", people(60), TYPES)
    if not keeps_dimensions(host):
        return
    run(job(host, keep_dimensions=True))
    before = host.rows("select * from cohort_dim_zip")
    with pytest.raises(OutputError, match="is a dimension table of a release: choose another name"):
        run(job(host, output={"table": "cohort_dim_zip", "replace": True}))
    run(job(host, output={"table": "other_dim_zip"}))
    for act in ((), ("drop table other_dim_zip",)):  # who could read it by its name would read what has that next
        host.execute(*act)
        with pytest.raises(OutputError, match="which is a release with readers"):
            run(job(host, output={"table": "other"}, keep_dimensions=True))
    assert host.rows("select * from cohort_dim_zip") == before


@pytest.mark.sampled(4)
def test_a_release_of_another_source_is_replaced_only_where_the_job_says_so(host: Server) -> None:
    for table in ("people", "others"):
        host.fill(table, people(60), TYPES)
    run(job(host))
    old, other = released(host), job(host, source={"url": host.url, "table": "others"})
    for source in ({"url": host.url, "query": "select * from people"}, other["source"], None):
        another = job(host, source=source, output={"url": host.url, "table": "cohort"})
        with pytest.raises(OutputError, match=r"is a release of another source: give output.replace: true, or choose"):
            sc.run(another, frame=None if source else people(40), force=True)
    assert released(host) == old
    run({**other, "output": {"table": "cohort", "replace": True}})
    with pytest.raises(OutputError, match="another source"):
        run(job(host))
    # One that is not there any more is replaced by nothing.
    host.execute(f"drop {'view' if Url(host.url).kind.views_alone else 'table'} cohort")
    run(job(host))


def test_the_source_is_never_the_release(host: Server) -> None:
    host.fill("people", people(60), TYPES)
    before = host.rows("select * from people")
    folds = Url(host.url).kind.folds_names
    for name in ["people", "PEOPLE"] if folds else ["people"]:
        for output in ({"table": name}, {"url": host.url, "table": name}):
            with pytest.raises(OutputError, match="is the source, which a release must not replace"):
                run(job(host, output=output))
    if keeps_dimensions(host):
        dimension = "COHORT_dim_zip" if folds else "cohort_dim_zip"
        named = job(host, source={"url": host.url, "table": dimension}, keep_dimensions=True)
        with pytest.raises(OutputError, match="has the name of a dimension table"):
            run(named)
    assert host.rows("select * from people") == before and host.tables() == {"people"}


@pytest.mark.sampled(3)
def test_a_run_that_would_only_make_the_release_again_does_nothing(host: Server) -> None:
    host.fill("people", people(60), TYPES)
    assert [run(job(host), force=False).result.unchanged for _ in range(2)] == [False, True]
    host.fill("people", people(60)[1:], TYPES)
    assert not run(job(host), force=False).result.unchanged
    assert len(entries(host)) == 2


@pytest.mark.sampled(3)
def test_a_fault_after_the_ledger_is_written_leaves_the_old_release_and_its_ledger(
    host: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.fill("people", people(60), TYPES)
    kept = {"keep_dimensions": True} if keeps_dimensions(host) else {}
    run(job(host, **kept))
    old, told, tables = released(host), entries(host), host.tables()
    enter = Ledger.enter

    def failing(self: Ledger, *entry: Any) -> None:
        enter(self, *entry)
        raise OutputError("the disk is full")

    monkeypatch.setattr(Ledger, "enter", failing)
    with pytest.raises(OutputError, match="the disk is full"):
        run(job(host, 9, **kept))
    assert (released(host), entries(host), host.tables()) == (old, told, tables)


@pytest.mark.sampled(3)
def test_rows_of_elsewhere_go_there_with_their_ledger_and_dimension_tables(host: Server) -> None:
    kept = KEPT if keeps_dimensions(host) else set()
    described = job(host, source=None, output={"url": host.url, "table": "cohort"}, keep_dimensions=bool(kept))
    frame = people(60)
    release = sc.run(described, frame=frame)
    assert host.tables() == {"cohort", LEDGER, *kept}
    assert sum((released(host) or Counter()).values()) == 60
    assert entries(host) == [(release.k, 60, 0)]
    sc.run({**described, "requirement": {"k": 9}}, frame=frame)
    assert host.tables() == {"cohort", LEDGER, *kept}


@pytest.mark.sampled(3)
def test_a_ledger_tells_no_number_of_suppressed_rows_below_k(host: Server) -> None:
    frame = people(60)
    frame["sex"] = ["x"] * 3 + ["f"] * 57
    host.fill("people", frame, TYPES)
    roles = {"identifiers": ["name", "age", "zip"], "quasi_identifiers": {"sex": "suppress"}}
    release = run(job(host, **roles, requirement={"k": 5, "suppression": "0.1"}))
    assert release.result.suppressed_rows == 3
    assert entries(host) == [(57, 57, None)]


@pytest.mark.sampled(3)
def test_a_run_asks_once_what_kind_of_place_it_is_given(host: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    host.fill("people", people(40), TYPES)
    asked: list[str] = []
    named = urls.kind_named
    monkeypatch.setattr(urls, "kind_named", lambda name: (asked.append(name), named(name))[1])
    run(job(host, keep_dimensions=not kinds()[host.name].views_alone))
    assert [named(name).names[0] for name in asked] == [host.name]


def test_what_stands_are_tables_and_others_of_one_schema(host: Server) -> None:
    """Whether a schema is there, a table, something else of its name, a ledger, something else of the ledger's."""
    kind = Url(host.url).kind
    if kind.views_alone:
        pytest.skip("a release is a view there")
    ward = {"duckdb": "schema", "postgresql": "schema", "mariadb": "database"}.get(host.name)
    host.execute("create table one (a integer)", "create view seen as select * from one")
    if ward is not None:
        host.execute(
            f"create {ward} ward", "create table ward.other (a integer)", "create view ward.afar as select * from one"
        )
    if host.name == "postgresql":
        host.execute("create type mood as enum ('x')", "create type ward.far as enum ('x')")
    with opening(host) as (session, tables):
        schema = tables.current_schema()
        if host.name == "duckdb":
            for each in ("attach ':memory:' as beside", "create table beside.none (a integer)"):
                session.command(each)
            session.command("create view beside.far as select 1 as a")
        for name, ledger, told in [
            ("one", LEDGER, (1, 1, 0, 0, 0)),
            ("seen", LEDGER, (1, 0, 1, 0, 0)),
            ("none", "one", (1, 0, 0, 1, 0)),
            ("none", "seen", (1, 0, 0, 0, 1)),
            ("one", "seen", (1, 1, 0, 0, 1)),
            ("seen", "one", (1, 0, 1, 1, 0)),
            ("other", "afar", (1, 0, 0, 0, 0)),
            ("afar", "other", (1, 0, 0, 0, 0)),
            ("mood", "far", (1, 0, int(host.name == "postgresql"), 0, 0)),
            ("far", "mood", (1, 0, 0, 0, 0)),
        ]:
            assert tables.what_stands(schema, name, ledger) == told, (name, ledger)
        assert tables.what_stands("nowhere", "none", LEDGER)[0] == 0
        if ward is not None:
            assert tables.what_stands("ward", "other", "afar") == (1, 1, 0, 0, 1)


def test_a_ledger_has_its_entries_from_last_to_first_and_forgets_those_of_a_run(host: Server) -> None:
    """By their numbers, whatever the clocks say."""
    if Url(host.url).kind.views_alone:
        pytest.skip("entries are files there")

    def entry(run: str, at: str, release: str = "cohort", origin: str = "here") -> dict[str, Any]:
        told = {"released_at": at, "source": "people", "origin": origin, "job": "j", "requirement": "{}", "k": 4}
        return {**told, "run": number(run), "release": release, "starcloak": "1"}

    def number(run: str) -> str:
        return f"{run}0123456789abcdef0123456789abcde"

    def known(ledger: Ledger) -> list[str]:
        return [each.run for each in ledger.entries("cohort")]

    with opening(host) as (_, tables):
        schema = tables.current_schema()
        ledger = Ledger(tables, schema)
        ledger.open(there=False, strange=False)
        ledger.forget(number("a"))  # of none that is there
        assert ledger.entries("cohort") == []
        for run, at in (("a", "2003"), ("b", "2001"), ("c", "2002")):
            ledger.enter(entry(run, at), {"cohort_dim_zip": '["level_0"]'})
        assert known(ledger) == [number(run)[:12] for run in "cba"]
        assert ledger.entries("cohort_dim_zip")[0] == Entry(
            number("c")[:12], False, "", "cohort", columns='["level_0"]'
        )
        again = Ledger(tables, schema)
        again.open(there=True, strange=False)
        again.enter(entry("d", "2004", "cohort"), {})
        again.enter(entry("f", "2000", "third", "there"), {})
        assert not any("released before" in told for told in tables.warnings)
        again.enter(entry("e", "2000", "other"), {})
        assert any("released before" in told for told in tables.warnings)
        assert known(again) == [number(run)[:12] for run in "dcba"]
        assert again.entries("cohort")[0] == Entry(number("d")[:12], True, "here", "", 4)
        again.forget(number("d"))
        assert known(again) == [number(run)[:12] for run in "cba"]
        assert len(again.entries("other")) == 1 and len(again.entries("cohort_dim_zip")) == 3
        again.open(there=False, strange=False)  # somebody dropped it
        assert again.entries("cohort") == []


@pytest.mark.parametrize("name", ["duckdb", "postgresql", "mariadb"])
def test_ledgers_of_other_schemas_are_listed_with_whether_they_can_be_read(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """One that lacks a column, or has policies, cannot; another table or view is none."""
    duck = File(name, f"duckdb:///{tmp_path}/clinic.duckdb")
    host: Server = duck if name == "duckdb" else request.getfixturevalue(name)
    kind, shape = "database" if name == "mariadb" else "schema", "(origin varchar(9), source varchar(9), a integer)"
    host.execute(
        f"create table {LEDGER} {shape}", *(f"create {kind} {each}" for each in ("lab", "ward", "seen", "far"))
    )
    host.execute(f"create table ward.{LEDGER} {shape}", f"create table lab.{LEDGER} (source integer, a integer)")
    host.execute(f"create view seen.{LEDGER} as select * from ward.{LEDGER}", f"create table far.other {shape}")
    known = [("lab", False), ("ward", True)]
    if name == "postgresql":
        host.execute("create schema gone", "create schema trap", f"create table trap.{LEDGER} {shape}")
        host.execute(f"create table gone.{LEDGER} {shape}", f"alter table gone.{LEDGER} drop column origin")
        host.execute(f"alter table trap.{LEDGER} enable row level security")
        known = [("gone", False), ("lab", False), ("trap", False), ("ward", True)]
    with opening(host) as (session, tables):
        if isinstance(tables, Database) and name == "postgresql":
            tables.command(f"create temporary table {LEDGER} {shape}")
        if name == "duckdb":
            for each in ("attach ':memory:' as beside", "create schema beside.afar"):
                session.command(each)
            session.command(f"create table beside.afar.{LEDGER} {shape}")
        found = tables.ledgers("public" if name == "postgresql" else tables.current_schema(), LEDGER)
    assert [(schema, bool(readable)) for schema, readable in found] == known


def test_capabilities_are_what_the_database_does(host: Server) -> None:
    kind = Url(host.url).kind
    host.execute("create table one (a integer)")
    with opening(host) as (session, tables):
        command = tables.command if isinstance(tables, Database) else session.command
        within = ("begin", "create table two (a integer)", "rollback")
        for each in within[1:2] if kind.views_alone else within:
            command(each)
        schema = tables.current_schema()
        assert kind.default_schema in (None, schema)
        # Where a view is the release, a table is something else.
        place = 2 if kind.views_alone else 1
        there = tables.what_stands(schema, "ONE", LEDGER)[place]
        assert (bool(there), there == 0) == (kind.folds_names, not kind.folds_names)
        assert tables.what_stands(schema, "one", LEDGER)[place] == tables.what_stands(schema, "one", LEDGER)[0] == 1
        assert tables.what_stands("nowhere", "one", LEDGER)[0] == 0
    assert ("two" in host.tables()) == (not kind.transactional)


def test_every_kind_is_told_by_its_urls_and_no_other_is() -> None:
    for kind in kinds().values():
        assert Url(kind.example).kind is kind
        assert kind.embedded <= (Url(kind.example).file is not None)
    with pytest.raises(SourceError, match="urls of oracle are not supported: give a url such as") as told:
        _ = Url("oracle://scott:tiger@host/x").kind
    assert all(example in str(told.value) for example in examples()) and "tiger" not in str(told.value)
    with pytest.raises(SourceError, match="Did you mean 'postgresql'"):
        _ = Url("postgresq://host/x").kind


def of_the_user(host: Server) -> tuple[sqlalchemy.Engine, list[int]]:
    """An engine of the user's, and its connections so far."""
    made: list[int] = []
    engine = sqlalchemy.create_engine(servers.with_driver(host.url))
    sqlalchemy.event.listen(engine, "connect", lambda *_: made.append(1))
    return engine, made


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["postgresql", "mariadb", "sqlite"])
def test_an_engine_or_a_connection_of_the_users_is_source_and_output(name: str, request: pytest.FixtureRequest) -> None:
    host: Server = request.getfixturevalue(name)
    host.fill("people", people(60), TYPES)
    expected = run(job(host)).measures
    engine, made = of_the_user(host)
    with engine.connect() as connection:
        before = connection.execute(sqlalchemy.text("select count(*) from people")).scalar()
        connection.rollback()
        for url in (engine, connection):
            output = {"table": "cohort", "replace": True}
            release = run(job(host, source={"url": url, "table": "people"}, output=output))
            assert release.measures == expected and len(release.to_pandas()) == 60
            sc.run(job(host, source=None, output={**output, "url": url}), frame=people(60))
            assert sc.check({"url": url, "table": "cohort"}, ["age", "zip", "sex"], k=release.k).holds
        # What a run had of the engine never goes back to its pool.
        assert connection.execute(sqlalchemy.text("select count(*) from people")).scalar() == before == 60
    assert len(made) > 4
    engine.dispose()
    assert "secretpw" not in str(release.to_dict())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["postgresql", "mariadb", "sqlite"])
def test_a_database_that_holds_source_and_release_is_opened_once(name: str, request: pytest.FixtureRequest) -> None:
    host: Server = request.getfixturevalue(name)
    host.fill("people", people(40), TYPES)
    engine, made = of_the_user(host)
    run(job(host, source={"url": engine, "table": "people"}, keep_dimensions=True))
    assert len(made) == 1
    engine.dispose()


def test_an_engine_of_another_driver_is_refused(postgresql: Server) -> None:
    engine = sqlalchemy.create_engine(servers.with_driver(postgresql.url))
    engine.dialect.driver = "psycopg2"
    with pytest.raises(SourceError, match=r"has the driver psycopg2: make the engine for postgresql\+psycopg://"):
        sc.check({"url": engine, "table": "people"}, ["age"], k=2)
    engine.dispose()
