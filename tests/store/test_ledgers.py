"""What the ledger of a database knows, keeps and tells."""

from __future__ import annotations

import pytest

import starcloak as sc
from starcloak.base.errors import OutputError
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, client, job, people, released, run, scripted

# What the ledger knows.


@pytest.mark.any_database
def test_the_ledger_does_not_tell_where_the_population_is(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    requirement = {"k": 2, "k_map": 2, "population": {"url": server.url, "table": "people"}}
    run(job(server, requirement=requirement))
    asked = {text for (text,) in server.rows("select requirement from starcloak_releases")}
    assert asked == {'{"k":2,"k_map":[{"k":2}]}'}


@pytest.mark.any_database
def test_the_ledger_names_no_value(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    named = [{"attribute": "illness", "alpha": 0.9, "values": ["cold"]}]
    run(job(server, requirement={"k": 2, "alpha": named}))
    asked = {text for (text,) in server.rows("select requirement from starcloak_releases")}
    assert asked == {'{"k":2,"alpha":[{"attribute":"illness","alpha":0.9}]}'}


@pytest.mark.any_database
def test_the_last_entry_of_the_ledger_counts_whatever_the_clock_said(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    server.fill("others", people(40, seed=2), TYPES)
    one = job(server)
    other = {**one, "source": {"url": server.url, "table": "others"}}
    for this, next_one in ((one, other), (other, one), (one, other)):
        run({**this, "output": {"table": "cohort", "replace": True}})
        with pytest.raises(OutputError, match="another source"):
            run(next_one)
        server.execute("update starcloak_releases set released_at = '2999-01-01T00:00:00+00:00'")


@pytest.mark.parametrize(
    ("server", "made"), some_daily(SERVERS, ["table {} (a integer)", "view {} as select * from people"], each=2),
    indirect=["server"],
)  # fmt: skip
def test_what_has_the_ledgers_name_and_is_none_is_refused(server: Server, made: str) -> None:
    server.fill("people", people(40), TYPES)
    server.execute(f"create {made.format('starcloak_releases')}")
    with pytest.raises(
        OutputError, match="is not the list of releases that starcloak keeps under this name: rename the table"
    ):
        run(job(server))
    assert "cohort" not in server.tables()


def test_what_has_the_ledgers_name_and_cannot_even_be_read_is_refused(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    server.execute(
        *(
            ["create table gone (a integer)", "create view starcloak_releases as select * from gone", "drop table gone"]
            if server.name == "mariadb"
            else ["create index starcloak_releases on people (age)"]
        )
    )
    with pytest.raises(
        OutputError, match="is not the list of releases that starcloak keeps under this name: rename the table"
    ):
        run(job(server))


@pytest.mark.sampled(3)
def test_a_ledger_that_does_not_keep_its_entries_is_told(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    run(job(server))
    old = released(server)
    server.execute(*FORGETFUL[server.name])
    server.fill("people", people(40, seed=2), TYPES)
    with pytest.raises(OutputError, match="loses new entries: look for triggers"):
        run(job(server))
    assert released(server) == old
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


FORGETFUL = {
    "postgresql": [
        "create or replace function forget() returns trigger language plpgsql as 'begin return null; end'",
        "create trigger forget before insert on starcloak_releases for each row execute function forget()",
    ],
    "mariadb": ["create trigger forget before insert on starcloak_releases for each row set new.origin = 'y'"],
    "sqlite": [
        "create trigger forget after insert on starcloak_releases begin "
        "delete from starcloak_releases where rowid = new.rowid; end"
    ],
}


def test_a_release_into_another_schema_is_known(postgresql: Server, mariadb: Server) -> None:
    for server, schema in ((postgresql, "schema"), (mariadb, "database")):
        server.execute(
            "drop table if exists cohort, starcloak_releases" + (" cascade" if schema == "schema" else ""),
            *(f"drop {schema} if exists ward{end}" for end in ("" if schema == "database" else " cascade",)),
            f"create {schema} ward",
            "create table ward.visits (origin varchar(9))",  # beside the ledger
        )
        server.fill("people", people(60), TYPES)
        server.fill("others", people(60), TYPES)
        there = {"table": "ward.cohort"}
        first = run(job(server, output=there)).result
        assert not any("released before" in warning for warning in first.warnings)
        assert any("released before" in warning for warning in run(job(server)).result.warnings)
        # One of the same name that is elsewhere, and one of another name that is somewhere, are not this one.
        label = first.source.replace("people", "others")
        server.execute(
            f"insert into ward.starcloak_releases (source, origin) values ('{label}', 'elsewhere'), ('another', null)"
        )
        other = {"url": server.url, "table": "others"}
        again = run(job(server, source=other, output={"table": "third"}))
        assert not any("released before" in warning for warning in again.result.warnings)
        server.execute("alter table ward.starcloak_releases drop column origin")
        told = [warning for warning in run(job(server)).result.warnings if "are not known" in warning]
        assert "schemas ward" in told[0]
        server.execute(f"drop {schema} ward" + (" cascade" if schema == "schema" else ""))


def test_a_ledger_that_may_not_be_read_is_told(postgresql: Server, mariadb: Server) -> None:
    postgresql.execute(
        "drop table if exists cohort, starcloak_releases cascade",
        *(f"drop schema if exists {name} cascade" for name in ("ward", "desk", "lab", "sight", "trap")),
        "drop owned by clerk" if postgresql.rows("select 1 from pg_roles where rolname = 'clerk'") else "select 1",
        "drop role if exists clerk",
        "create role clerk login password 'secretpw8'",
        *(f"create schema {name}" for name in ("ward", "desk", "lab", "sight", "trap")),
        "grant usage, create on schema ward, trap to clerk",
        "create table desk.starcloak_releases (origin text, source text)",
        "grant usage on schema desk to clerk",
        "create view sight.starcloak_releases as select * from desk.starcloak_releases",  # which is no ledger
    )
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("grant select on people to clerk")
    run(job(postgresql, output={"table": "lab.cohort"}))
    postgresql.execute("grant select on lab.starcloak_releases to clerk")  # but not its schema
    # Policies run what somebody else wrote, as whoever reads the table.
    postgresql.execute(
        "create table trap.starcloak_releases (origin text, source text)",
        "create function trap.caught() returns boolean language plpgsql as 'begin raise exception ''caught''; end'",
        "create policy trap on trap.starcloak_releases using (trap.caught())",
        "alter table trap.starcloak_releases enable row level security",
        "grant select on trap.starcloak_releases to clerk",
    )
    with postgresql.engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.connection.cursor().execute("create temporary table starcloak_releases (origin text, source text)")
        warnings = run(job(postgresql.as_user("clerk"), output={"table": "ward.cohort"})).result.warnings
    (told,) = [warning for warning in warnings if "are not known" in warning]
    assert "in the schemas desk, lab, trap are not known, as starcloak_releases there may not be read" in told
    postgresql.execute(*(f"drop schema {name} cascade" for name in ("ward", "desk", "lab", "sight", "trap")))

    mariadb.execute(
        "drop table if exists cohort, starcloak_releases",
        *(f"drop database if exists {name}" for name in ("ward", "lab", "sight")),
        "drop user if exists clerk@'127.0.0.1'",
        *(f"create database {name}" for name in ("ward", "lab", "sight")),
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant create temporary tables, create, insert, select, delete, alter, drop on ward.* to clerk@'127.0.0.1'",
    )
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb, output={"table": "lab.cohort"}))
    mariadb.execute(
        "grant select on test.people to clerk@'127.0.0.1'",
        "grant insert on lab.starcloak_releases to clerk@'127.0.0.1'",
        "create view sight.starcloak_releases as select * from lab.starcloak_releases",
        "grant insert on sight.starcloak_releases to clerk@'127.0.0.1'",
    )
    url = mariadb.as_user("clerk").url.replace("/test", "/ward")
    described = job(mariadb, source={"url": url, "table": "test.people"})
    (told,) = [warning for warning in run(described).result.warnings if "are not known" in warning]
    assert "in the schemas lab are not known, as starcloak_releases there may not be read" in told
    mariadb.execute(*(f"drop database {name}" for name in ("ward", "lab", "sight")), "drop user clerk@'127.0.0.1'")


def test_a_release_is_known_wherever_the_search_path_finds_it(postgresql: Server) -> None:
    """Of a release, a check shows no count below its k."""
    postgresql.execute("create schema mine", "create schema ward")
    postgresql.fill("people", people(40).assign(illness=["rare", "rare", *["flu"] * 38]), TYPES)
    run(job(postgresql, output={"table": "ward.cohort"}))
    reader = {"url": f"{postgresql.url}?options=-csearch_path%3Dmine,ward", "table": "cohort"}
    for place in ({"url": postgresql.url, "table": "ward.cohort"}, reader):
        verdict = sc.check(place, ["illness"], k=4)
        assert not verdict.holds and verdict.qids[0].violating_rows is None


def test_a_script_and_a_run_list_columns_alike_whatever_their_names_are(mariadb: Server) -> None:
    """Each takes the place of a release of the other."""
    named = {"illness": 'größe, "日付" c\\d/e'}
    mariadb.fill("people", people(60).rename(columns=named), {**TYPES, named["illness"]: "varchar(99)"})
    described = job(mariadb, sensitive=[named["illness"]])
    script = sc.compile(described)
    run(described)
    for _ in range(2):
        done = scripted(client(mariadb), script)
        assert not done.returncode, done.stderr
    run(described)
    listed = {columns for (columns,) in mariadb.rows("select column_names from starcloak_releases")}
    assert len(listed) == 1
