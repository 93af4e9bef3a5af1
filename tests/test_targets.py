"""Where a release goes in a database: what stands there, what others do there meanwhile, and what the ledger knows."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pandas
import pytest
from tests.people import TYPES, Server, client, job, people, released, run, scripted

import starcloak as sc
from starcloak.errors import InputError, OutputError


@contextmanager
def idle(server: Server, *statements: str) -> Iterator[None]:
    """A session of somebody else's that ran some statements and whose transaction stays open."""
    with server.engine().connect() as connection:
        for statement in statements:
            cursor = connection.connection.cursor()
            cursor.execute(statement)
            cursor.fetchall() if cursor.description else None
        yield
        connection.rollback()


def before(mark: str, act: Callable[[], None]) -> Callable[[str], None]:
    """A trace that acts once, before the first statement that has a mark."""
    done: list[str] = []

    def trace(sql: str) -> None:
        if mark in sql and not done:
            done.append(sql)
            act()

    return trace


# What the ledger knows.


def test_a_release_of_another_source_is_replaced_only_where_the_job_says_so(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    server.fill("others", people(40, seed=2), TYPES)
    run(job(server))
    old = released(server)
    other = job(server, source={"url": server.url, "table": "others"})
    with pytest.raises(OutputError, match=r"is a release of another source: give output.replace: true, or choose"):
        run(other)
    query = job(server, source={"url": server.url, "query": "select * from people"})
    with pytest.raises(OutputError, match="another source"):
        run(query)
    with pytest.raises(OutputError, match="another source"):
        sc.run({**job(server, source=None, output={"url": server.url, "table": "cohort"})}, frame=people(40))
    assert released(server) == old
    run({**other, "output": {"table": "cohort", "replace": True}})
    assert released(server) != old
    with pytest.raises(OutputError, match="another source"):
        run(job(server))
    run(other)


def test_the_last_entry_of_the_ledger_counts_whatever_the_clock_said(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    server.fill("others", people(40, seed=2), TYPES)
    run(job(server))
    server.execute("update starcloak_releases set released_at = '2999-01-01T00:00:00+00:00'")
    other = job(server, source={"url": server.url, "table": "others"}, output={"table": "cohort", "replace": True})
    run(other)
    run({**other, "output": {"table": "cohort"}})
    with pytest.raises(OutputError, match="another source"):
        run(job(server))


OLD_LEDGER = (
    "create table starcloak_releases (run varchar(32), released_at varchar(32), {release} varchar(64), "
    "source varchar(99), job varchar(64), requirement varchar(99), k bigint, released_rows bigint, "
    "suppressed_rows bigint, starcloak varchar(9))"
)


def old_ledger(server: Server, *entries: tuple[str, str | None]) -> None:
    """A ledger as it was before it knew where sources are, with entries of tables and sources."""
    server.execute("drop table if exists starcloak_releases", OLD_LEDGER.format(release=server.quoted("release")))
    for number, (table, source) in enumerate(entries):
        told = "null" if source is None else f"'{source}'"
        server.execute(
            f"insert into starcloak_releases values ('{number}', '2020-01-0{number + 1}', '{table}', {told}, 'j', "
            "'{}', 4, 60, 0, '1')"
        )


def test_a_ledger_of_an_older_starcloak_is_read_and_told_to_be_silent(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server))
    old_ledger(server, ("cohort", "people in the older name"), ("cohort_dim_zip", None))
    warnings = run(job(server)).result.warnings
    assert any("does not tell its source" in warning for warning in warnings)
    assert server.rows("select count(*), count(origin), count(number) from starcloak_releases") == [(3, 1, 1)]
    assert not any("does not tell" in warning for warning in run(job(server)).result.warnings)
    # Its dimension tables are known as such, and as nothing else.
    server.execute("create table cohort_dim_zip (a integer)")
    with pytest.raises(OutputError, match="is a dimension table of a release"):
        run(job(server, output={"table": "cohort_dim_zip"}))
    assert server.rows("select * from cohort_dim_zip") == []
    run(job(server, keep_dimensions=True))
    assert len(server.rows("select * from cohort_dim_zip")) > 5
    # The source of an older entry is known by its name alone.
    label = run(job(server)).result.source
    server.execute("drop table cohort")
    old_ledger(server, ("another", label))
    assert any("released before" in warning for warning in run(job(server)).result.warnings)


@pytest.mark.parametrize(
    "made",
    [
        "create table starcloak_releases (a integer)",
        "create view starcloak_releases as select * from people",
    ],
)
def test_what_has_the_ledgers_name_and_is_none_is_refused(server: Server, made: str) -> None:
    server.fill("people", people(40), TYPES)
    server.execute(made)
    with pytest.raises(OutputError, match="is not the ledger of starcloak: rename it"):
        run(job(server))
    assert "cohort" not in server.tables()
    server.execute("drop view starcloak_releases" if "view" in made else "drop table starcloak_releases")


def test_a_ledger_that_does_not_keep_its_entries_is_told(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    run(job(server))
    old = released(server)
    server.execute(*FORGETFUL[server.name])
    server.fill("people", people(40, seed=2), TYPES)
    with pytest.raises(OutputError, match="does not keep its entries: look for triggers"):
        run(job(server))
    assert released(server) == old
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


FORGETFUL = {
    "postgresql": [
        "create or replace function forget() returns trigger language plpgsql as 'begin return null; end'",
        "create trigger forget before insert on starcloak_releases for each row execute function forget()",
    ],
    "mariadb": [
        "create trigger forget before insert on starcloak_releases for each row set new.run = 'x', new.origin = 'y'"
    ],
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
        )
        server.fill("people", people(60), TYPES)
        server.fill("others", people(60), TYPES)
        there = {"table": "ward.cohort"}
        assert not any("released before" in warning for warning in run(job(server, output=there)).result.warnings)
        assert any("released before" in warning for warning in run(job(server)).result.warnings)
        other = {"url": server.url, "table": "others"}
        again = run(job(server, source=other, output={"table": "third"}))
        assert not any("released before" in warning for warning in again.result.warnings)
        # A ledger of before knows a source by its name alone.
        server.execute(
            "drop table starcloak_releases", "drop table cohort", "drop table third",
            "update ward.starcloak_releases set origin = null",
        )  # fmt: skip
        assert any("released before" in warning for warning in run(job(server)).result.warnings)
        server.execute("alter table ward.starcloak_releases drop column origin")
        told = [warning for warning in run(job(server)).result.warnings if "is not known" in warning]
        assert "schemas ward" in told[0]
        server.execute(f"drop {schema} ward" + (" cascade" if schema == "schema" else ""))


def test_a_ledger_that_may_not_be_read_is_told(postgresql: Server, mariadb: Server) -> None:
    postgresql.execute(
        "drop table if exists cohort, starcloak_releases cascade",
        *(f"drop schema if exists {name} cascade" for name in ("ward", "lab", "trap")),
        "drop owned by clerk" if postgresql.rows("select 1 from pg_roles where rolname = 'clerk'") else "select 1",
        "drop role if exists clerk",
        "create role clerk login password 'secretpw8'",
        *(f"create schema {name}" for name in ("ward", "lab", "trap")),
        "grant usage, create on schema ward, trap to clerk",
    )
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("grant select on people to clerk")
    run(job(postgresql, output={"table": "lab.cohort"}))
    # Policies run what somebody else wrote, as whoever reads the table.
    postgresql.execute(
        "create table trap.starcloak_releases (origin text, source text)",
        "create function trap.caught() returns boolean language plpgsql as 'begin raise exception ''caught''; end'",
        "create policy trap on trap.starcloak_releases using (trap.caught())",
        "alter table trap.starcloak_releases enable row level security",
        "grant select on trap.starcloak_releases to clerk",
    )
    url = postgresql.url.replace("owner:secretpw7", "clerk:secretpw8")
    warnings = run(job(Server("postgresql", url), output={"table": "ward.cohort"})).result.warnings
    (told,) = [warning for warning in warnings if "is not known" in warning]
    assert "for the schemas lab, trap, whose starcloak_releases may not be read" in told
    postgresql.execute(*(f"drop schema {name} cascade" for name in ("ward", "lab", "trap")))

    mariadb.execute(
        "drop table if exists cohort, starcloak_releases",
        "drop database if exists ward",
        "drop database if exists lab",
        "drop user if exists clerk@'127.0.0.1'",
        "create database ward",
        "create database lab",
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant create temporary tables, create, insert, select, delete, alter, drop on ward.* to clerk@'127.0.0.1'",
    )
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb, output={"table": "lab.cohort"}))
    mariadb.execute(
        "grant select on test.people to clerk@'127.0.0.1'",
        "grant insert on lab.starcloak_releases to clerk@'127.0.0.1'",
    )
    url = mariadb.url.replace("owner:secretpw7", "clerk:secretpw8").replace("/test", "/ward")
    described = job(mariadb, source={"url": url, "table": "test.people"})
    (told,) = [warning for warning in run(described).result.warnings if "is not known" in warning]
    assert "for the schemas lab, whose starcloak_releases may not be read" in told
    mariadb.execute("drop database ward", "drop database lab", "drop user clerk@'127.0.0.1'")


# Dimension tables beside releases.


def test_neither_a_release_nor_a_dimension_table_takes_the_place_of_the_other(server: Server) -> None:
    server.fill("people", people(80), TYPES)
    run(job(server, 3, output={"table": "kd_r_dim_zip"}))
    granted = server.rows("select * from kd_r_dim_zip")
    kept = job(server, output={"table": "kd_r"}, keep_dimensions=True)
    for _ in range(2):
        with pytest.raises(OutputError, match=r"kd_r_dim_zip in .* is the name of a release, whose readers"):
            run(kept)
        assert server.rows("select * from kd_r_dim_zip") == granted
        assert server.tables() == {"people", "kd_r_dim_zip", "starcloak_releases"}
        assert len(server.rows("select * from starcloak_releases")) == 1
    # Who could read a release by its name would read what has that name next.
    server.execute("drop table kd_r_dim_zip")
    with pytest.raises(OutputError, match="is the name of a release"):
        run(kept)
    run({**kept, "output": {"table": "kd"}})
    dimension = server.rows("select * from kd_dim_zip")
    with pytest.raises(OutputError, match=r"kd_dim_zip in .* is a dimension table of a release: choose another name"):
        run(job(server, output={"table": "kd_dim_zip", "replace": True}))
    assert server.rows("select * from kd_dim_zip") == dimension


def test_a_dimension_table_of_another_release_stays(server: Server) -> None:
    frame = people(80).rename(columns={"sex": "b_dim_c"})
    frame["c"] = frame["b_dim_c"]
    server.fill("people", frame, {**TYPES, "b_dim_c": "varchar(9)", "c": "varchar(9)"})
    described = job(server, 3, identifiers=["name", "age", "zip"], keep_dimensions=True)
    one = {**described, "quasi_identifiers": {"b_dim_c": "suppress"}, "keep": ["c"], "output": {"table": "a"}}
    other = {**described, "quasi_identifiers": {"c": "suppress"}, "keep": ["b_dim_c"], "output": {"table": "a_dim_b"}}
    run(one)
    with pytest.raises(OutputError, match=r"a_dim_b_dim_c in .* is a dimension table of another release"):
        run(other)
    run(one)
    assert server.tables() == {"people", "a", "a_dim_b_dim_c", "starcloak_releases"}


def test_the_source_is_no_dimension_table(server: Server) -> None:
    server.fill("people", people(80), TYPES)
    run(job(server, keep_dimensions=True))
    rows = server.rows("select * from cohort_dim_zip")
    described = job(
        server,
        source={"url": server.url, "table": "COHORT_dim_zip" if server.name == "sqlite" else "cohort_dim_zip"},
        quasi_identifiers={"level_0": "suppress", "zip": "suppress"},
        output={"table": "cohort", "replace": True},
        keep_dimensions=True,
    )
    with pytest.raises(OutputError, match=r"_dim_zip, the source, has the name of a dimension table of cohort"):
        run(described)
    assert server.rows("select * from cohort_dim_zip") == rows


@pytest.mark.parametrize("kept", [False, True])
def test_what_has_the_name_of_a_release_or_a_dimension_table_and_is_no_table_stays(server: Server, kept: bool) -> None:
    server.fill("people", people(40), TYPES)
    name = "cohort_dim_zip" if kept else "cohort"
    made = [f"create view {name} as select zip from people"]
    more = {
        "postgresql": ["sequence {}", "type {} as (a integer)", "domain {} as integer"],
        "mariadb": ["sequence {}"],
        "sqlite": [],
    }
    made += ["create " + each.format(name) for each in more[server.name]]
    for statement in made:
        server.execute(statement)
        with pytest.raises(OutputError, match="is not a release of starcloak"):
            run(job(server, keep_dimensions=kept))
        assert server.tables() - {name} == {"people"}
        server.execute("drop " + statement.split()[1] + " " + name)


def test_names_that_differ_in_case_are_one_where_the_database_says_so(sqlite: Server) -> None:
    sqlite.fill("people", people(60), TYPES)
    run(job(sqlite))
    with pytest.raises(OutputError, match="is the source"):
        run(job(sqlite, output={"table": "PEOPLE"}))
    run(job(sqlite, output={"table": "Cohort"}))
    assert sqlite.tables() == {"people", "Cohort", "starcloak_releases"}
    with pytest.raises(OutputError, match="another source"):
        run(job(sqlite, source={"url": sqlite.url, "query": "select * from people"}, output={"table": "COHORT"}))
    run(job(sqlite, output={"table": "KD_DIM_ZIP"}))
    with pytest.raises(OutputError, match="is the name of a release"):
        run(job(sqlite, output={"table": "kd"}, keep_dimensions=True))


def test_names_that_differ_in_case_are_two_on_a_mariadb_that_says_so(mariadb: Server) -> None:
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    assert mariadb.rows("select @@lower_case_table_names") == [(0,)]
    mariadb.execute("create table COHORT (a integer)")
    run(job(mariadb))
    with pytest.raises(OutputError, match="is not a release"):
        run(job(mariadb, output={"table": "COHORT"}))
    assert mariadb.tables() == {"people", "cohort", "COHORT", "starcloak_releases"}


# Others at the same time.


def staged(server: Server) -> list[str]:
    return sorted(table for table in server.tables() if table.startswith("starcloak_") and table.endswith("_new"))


TAMPERED = {
    "a class": "update {staged} set sex = 'f' where illness = 'flu' limit 1",
    "a kept cell": "update {staged} set illness = 'x' limit 1",
    "a row less": "delete from {staged} limit 1",
    "another table": "create or replace table {staged} as select age, zip, sex, illness from people",
    "other columns": "alter table {staged} add column a integer",
}


@pytest.mark.parametrize("there", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("tampered", TAMPERED)
def test_what_mariadb_publishes_is_what_was_verified(mariadb: Server, tampered: str, there: bool) -> None:
    """Others may write to the staging: by its name, which only somebody knows who looks for it."""
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    if there:
        run(job(mariadb))
    old, entries = released(mariadb), mariadb.rows("select * from starcloak_releases") if there else []
    mariadb.fill("people", people(60, seed=2), TYPES)

    def tamper() -> None:
        (name,) = staged(mariadb)
        mariadb.execute(TAMPERED[tampered].format(staged=name))

    with pytest.raises(OutputError, match="changed cohort in test while it was published: it was taken back"):
        run(job(mariadb), before("rename table", tamper))
    assert released(mariadb) == old
    assert mariadb.tables() == {"people", "starcloak_releases", *(["cohort"] if there else [])}
    assert mariadb.rows("select * from starcloak_releases") == entries
    run(job(mariadb))
    assert released(mariadb) != old


def test_a_staging_that_is_gone_is_one_clear_line(mariadb: Server) -> None:
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    old = released(mariadb)
    for mark in ("as size", "rename table"):
        with pytest.raises(InputError) as error:
            run(job(mariadb), before(mark, lambda: mariadb.execute(f"drop table {staged(mariadb)[0]}")))
        assert "\n" not in str(error.value)
        assert released(mariadb) == old
        assert len(mariadb.rows("select * from starcloak_releases")) == 1


def test_a_script_and_a_run_of_one_target_share_no_staging(mariadb: Server) -> None:
    """Those of any two runs differ, too."""
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    script = sc.compile(job(mariadb))
    seen = []
    for _ in range(2):
        run(job(mariadb), before("rename table", lambda: seen.extend(staged(mariadb))))
    assert len(set(seen)) == 2
    assert not any(name in script for name in seen)
    assert 'create table "test"."cohort" as' in script and script.count("create table ") == 1


HOLDS = {"postgresql": "select count(*) from cohort", "mariadb": "select count(*) from cohort"}


@pytest.mark.parametrize("name", HOLDS)
def test_a_run_waits_for_an_idle_reader_and_then_tells(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server: Server = request.getfixturevalue(name)
    server.clear()
    for module in ("postgresql", "mariadb"):
        monkeypatch.setattr(f"starcloak.hosts.{module}.PATIENCE", 1)
    server.fill("people", people(60), TYPES)
    run(job(server))
    old, entries = released(server), server.rows("select * from starcloak_releases")
    # Without a column, so that PostgreSQL has to make another table.
    fewer = job(server, identifiers=["name", "illness"], sensitive=[], keep_dimensions=True)
    with idle(server, HOLDS[name]):
        started = time.monotonic()
        with pytest.raises(OutputError, match=r"another session of .* holds a table that this run needs") as error:
            run(fewer)
        assert time.monotonic() - started < 30
        assert "\n" not in str(error.value)
        assert released(server) == old
    assert server.tables() == {"people", "cohort", "starcloak_releases"}
    assert server.rows("select * from starcloak_releases") == entries
    run(fewer)
    assert len(server.rows("select * from starcloak_releases")) == 5


def test_readers_of_the_old_release_are_let_in_while_the_new_one_is_verified(postgresql: Server) -> None:
    postgresql.clear()
    postgresql.fill("people", people(60), TYPES)
    run(job(postgresql))
    read: list[Any] = []

    def reads() -> None:
        reader = threading.Thread(target=lambda: read.append(postgresql.rows("select count(*) from cohort")))
        reader.start()
        reader.join(20)

    run(job(postgresql, identifiers=["name", "illness"], sensitive=[]), before("as size", reads))
    assert read == [[(60,)]]


def test_a_kill_between_ledger_and_rename_leaves_no_entry_for_good(mariadb: Server) -> None:
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    kill = "select concat('kill ', id) from information_schema.processlist where user = 'owner' and id <> "

    def cut() -> None:
        for (statement,) in mariadb.rows(f"{kill} connection_id()"):
            mariadb.execute(statement)

    with pytest.raises(InputError, match="was lost"):
        run(job(mariadb, keep_dimensions=True), before("rename table", cut))
    assert len(mariadb.rows("select * from starcloak_releases")) == 4
    assert len(staged(mariadb)) == 1 and "cohort" not in mariadb.tables()
    # A table of somebody else's that has the name meanwhile is none of starcloak's.
    mariadb.execute("create table cohort (a integer)")
    with pytest.raises(OutputError, match="is not a release"):
        run(job(mariadb))
    assert mariadb.rows("select * from cohort") == []
    mariadb.execute("drop table cohort")
    run(job(mariadb))
    assert len(mariadb.rows("select * from starcloak_releases")) == 1
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}


def test_policies_and_children_of_an_old_release_keep_no_old_rows_in_the_new_one(postgresql: Server) -> None:
    postgresql.clear()
    postgresql.execute(
        "drop role if exists clerk", "create role clerk login password 'secretpw8'", "create schema ward",
        "grant usage, create on schema ward to clerk",
    )  # fmt: skip
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("grant select on people to clerk")
    clerk = Server("postgresql", postgresql.url.replace("owner:secretpw7", "clerk:secretpw8"))
    there = job(clerk, output={"table": "ward.cohort"})
    run(there)
    clerk.execute(
        "create policy half on ward.cohort for select using (sex = 'f')",
        "create policy takes on ward.cohort for insert with check (true)",
        "create policy removes on ward.cohort for delete using (true)",
        "alter table ward.cohort enable row level security",
        "alter table ward.cohort force row level security",
    )
    assert any("grants and policies" in warning for warning in run(there).result.warnings)
    assert postgresql.rows("select count(*) from ward.cohort") == [(60,)]
    clerk.execute("create table ward.more () inherits (ward.cohort)", "insert into ward.more select * from ward.cohort")
    with pytest.raises(OutputError, match="on which others depend"):
        run(there)
    assert postgresql.rows("select count(*) from ward.more") == [(60,)]
    clerk.execute("drop table ward.more")
    # What waits for the end of the transaction would write after the verifier has read.
    run(there)
    clerk.execute(
        "create function ward.later() returns trigger language plpgsql as "
        "'begin update ward.cohort set sex = ''f'' where ctid = new.ctid; return null; end'",
        "create constraint trigger later after insert on ward.cohort deferrable initially deferred "
        "for each row execute function ward.later()",
    )
    before_that = postgresql.rows("select sex, count(*) from ward.cohort group by 1 order by 1")
    with pytest.raises(sc.VerificationError):
        run(there)
    assert postgresql.rows("select sex, count(*) from ward.cohort group by 1 order by 1") == before_that
    postgresql.execute("drop schema ward cascade")


# Scripts, in the databases' own clients.

TEXTS = [
    "a\rb", "a\r\nb", "\r\n", "a\r", "a\n", "\0", "a\0b'", "a//b", "x\n//\ny", "\\g", "\\! ls \\", "\\", "'", "\\'",
    "x\ndelimiter ;;\ny", "\ufeffa", "a\u2028b", "a\x85b", "a\x1ab", ":n :'n' :\"n\"", "a\n\\echo hi\n\\q\nb", "a;\nb;",
    "-- a /* b", "`y`", "x\n.quit\n.bail on\ny", "x\ngo\n/\nquit\n\\r\nsource x\n", "\U0001f600",
    "x\n# y\nz", "$$", "%s", "{a}",
]  # fmt: skip


@pytest.mark.parametrize("algorithm", ["witness", "kaca"])
def test_a_script_brings_every_text_to_its_client(server: Server, algorithm: str) -> None:
    texts = [text for text in TEXTS if server.name != "postgresql" or "\0" not in text]
    rows = [(str(number // 3 % 2), text, text) for number, text in enumerate(texts * 3)]
    frame = pandas.DataFrame([*rows, ("2", "alone", "x"), ("2", None, None)], columns=["zip", "text", "kept"])
    server.fill("people", frame, dict.fromkeys(frame.columns, "varchar(99)"))
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"zip": "suppress", "text": "suppress"},
        "keep": ["kept"],
        "requirement": {"k": 2} if algorithm == "kaca" else {"k": 3, "suppression": 0.5},
        "algorithm": {"name": algorithm},
        "objective": {"weights": {"text": 9, "zip": 1}},
        "output": {"table": "cohort"},
    }
    script = run(described).sql()
    expected = Counter(server.rows("select * from cohort"))
    assert len({text for _, text, _ in expected}) >= len(texts)  # they are there as they are
    server.execute("drop table cohort")
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert Counter(server.rows("select * from cohort")) == expected


NAMES = [
    "it's", "a//b", "x\n//\ny", "x\ndelimiter ;;\ny", "a\\", "\\g", "a\n\\q\nb", "a\n.quit\nb", ":n", "-- a", "/* a",
    "$$", "a\nselect 1; drop table people; --", "a\rselect 1; drop table people; --", "\ufeffa", "a\u2028b", "`y`",
    "x\n# y",
]  # fmt: skip


def test_no_name_leaves_the_comments_of_a_script_or_the_quotes(server: Server) -> None:
    frame = pandas.DataFrame({name: [str(row % 3) for row in range(30)] for name in NAMES})
    table = server.quoted("peo\nple';\ndrop table people; --")
    server.fill("people", frame, dict.fromkeys(NAMES, "varchar(9)"))
    server.execute(f"create table {table} as select * from people")
    described = {
        "source": {"url": server.url, "table": "peo\nple';\ndrop table people; --"},
        "quasi_identifiers": dict.fromkeys(NAMES, "suppress"),
        "requirement": {"qids": [{"attributes": [name], "k": 10} for name in NAMES]},
        "output": {"table": "cohort"},
        "algorithm": {"name": "datafly"},
    }
    script = sc.compile(described)
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.rows("select count(*) from cohort") == server.rows("select count(*) from people") == [(30,)]
    assert list(pandas.read_sql("select * from cohort", server.engine()).columns) == NAMES


def test_what_a_client_would_change_in_a_name_is_refused_by_compile_alone(server: Server) -> None:
    frame = people(40).rename(columns={"illness": "ill\r\nness"})
    server.fill("people", frame, {**TYPES, "ill\r\nness": "varchar(99)"})
    described = job(server, sensitive=["ill\r\nness"])
    release = run(described)
    if server.name == "postgresql":
        expected = Counter(server.rows("select * from cohort"))
        server.execute("drop table cohort")
        assert scripted(client(server), release.sql()).returncode == 0
        assert Counter(server.rows("select * from cohort")) == expected
        return
    for text in (release.sql, lambda: sc.compile(described)):
        with pytest.raises(OutputError, match="only run can make this release"):
            text()


def test_a_script_ends_its_client_with_an_error_and_no_option_is_needed(server: Server) -> None:
    command = client(server)
    if command is None:
        pytest.skip("the database's own client is not installed")
    bare = [part for part in command if part not in ("-v", "ON_ERROR_STOP=1")]
    server.fill("people", people(60), TYPES)
    script = sc.compile(job(server))
    assert scripted(bare, script).returncode == 0
    assert scripted(bare, script).returncode != 0  # it is there
    server.execute("drop table cohort", "insert into people values ('x', 20, '53700', 'f', 'flu')")
    done = scripted(bare, script)
    assert done.returncode != 0 and "not the source" in done.stderr
    assert server.tables() == {"people"}


def test_many_long_texts_go_to_a_client_in_statements_that_it_takes(server: Server) -> None:
    frame = pandas.DataFrame({"text": [f"{number}{'x' * 200_000}" for number in range(120)], "zip": "1"})
    server.fill("people", frame, {"text": "longtext" if server.name == "mariadb" else "text", "zip": "varchar(9)"})
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {"text": "suppress", "zip": "suppress"},
        "requirement": {"k": 1},
        "algorithm": {"name": "kaca"},
        "output": {"table": "cohort"},
    }
    script = sc.compile(described)
    assert max(map(len, script.split("\n\n"))) < 4_000_000
    if server.name == "mariadb":
        server.execute("set global max_allowed_packet = 16777216")
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.rows("select count(*), count(distinct text) from cohort") == [(120, 120)]


# One clear line each.

ODD_NAMES = {
    "postgresql": ["x" * 64, "é" * 32, "a.b.c", "pg_catalog.x", "information_schema.x", "pg_temp.x", "nowhere.x"],
    "mariadb": [
        "x" * 65,
        "cohort\t",
        "cohort ",
        "\U0001f600",
        "#mysql50#x",
        "mysql.x",
        "information_schema.x",
        "a.b.c",
    ],
    "sqlite": ["sqlite_stat1", "temp.x", "nowhere.x", "SQLite_x", "a.b.c"],
}


def test_names_that_no_table_can_have_are_refused_before_the_search(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    for name in [*ODD_NAMES[server.name], "starcloak_x", "STARCLOAK_releases"]:
        seen: list[str] = []
        with pytest.raises(OutputError, match=r"choose another|name another") as error:
            run(job(server, output={"table": name}), seen.append)
        assert "\n" not in str(error.value)
        assert not any("count(*) as frequency" in sql for sql in seen), name
    assert server.tables() == {"people"}


def test_names_that_a_table_may_have_are_taken_as_they_are(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    names = [
        "select",
        "%s",
        "$k",
        "{a}",
        "`",
        "'",
        "\\",
        'a"b',
        " x",
        "co\nhort",
        "tab\tle",
        "#sql-x",
        "é" * 31,
        "x" * 63,
    ]
    for name in names:
        run(job(server, output={"table": name}))
        run(job(server, output={"table": name}))
    assert server.tables() == {"people", "starcloak_releases", *names}


def test_a_value_that_the_target_does_not_hold_is_refused_in_one_line(server: Server) -> None:
    for value in (float("-inf"), -0.0, "a\0b"):
        frame = people(40).drop(columns="name").assign(extra=[value] * 20 + [value] * 20)
        described = job(
            server, source=None, identifiers=[], keep=["extra"], output={"url": server.url, "table": "cohort"}
        )
        lacking = {"postgresql": ["a\0b"], "mariadb": [float("-inf"), -0.0], "sqlite": [-0.0]}
        if value not in lacking[server.name]:
            sc.run(described, frame=frame)
            assert len(server.rows("select * from cohort")) == 40
            server.execute("drop table cohort", "drop table starcloak_releases")
            continue
        with pytest.raises(OutputError, match=r"column 'extra' has .* does not keep: replace it, or") as error:
            sc.run(described, frame=frame)
        assert "\n" not in str(error.value)
        assert server.tables() == set()


def test_a_table_that_mariadb_cannot_make_is_one_clear_line(mariadb: Server) -> None:
    mariadb.clear()
    names = [f"c{number}" for number in range(150)]
    shape = ", ".join(f"{name} char(60)" for name in names)
    mariadb.execute(
        f"create table people (zip varchar(9), {shape}) engine = aria", "insert into people (zip) values (1), (1)"
    )
    described = job(mariadb, 2, quasi_identifiers={"zip": "suppress"}, identifiers=[], sensitive=[], keep=names)
    with pytest.raises(OutputError, match="cannot have rows so wide"):
        run(described)
    mariadb.fill("people", people(40), TYPES)
    mariadb.execute("set global innodb_force_primary_key = on")
    try:
        with pytest.raises(OutputError, match="wants a primary key in every table"):
            run(job(mariadb))
    finally:
        mariadb.execute("set global innodb_force_primary_key = off")
    assert mariadb.tables() == {"people"}


SETTINGS = {
    "sql_mode": "'EMPTY_STRING_IS_NULL,PAD_CHAR_TO_FULL_LENGTH,NO_UNSIGNED_SUBTRACTION,ORACLE'",
    "sql_select_limit": "3",
    "max_join_size": "1",
    "max_sort_length": "8",
    "character_set_server": "'latin1'",
    "collation_server": "'latin1_general_ci'",
    "default_storage_engine": "'Aria'",
    "div_precision_increment": "0",
    "tx_isolation": "'SERIALIZABLE'",
    "autocommit": "off",
    "completion_type": "'CHAIN'",
    "time_zone": "'+05:00'",
    "sql_safe_updates": "on",
    "sql_auto_is_null": "on",
}


def test_what_a_mariadb_server_has_for_everybody_changes_no_release_and_no_script(mariadb: Server) -> None:
    mariadb.clear()
    frame = people(60)
    frame.loc[:4, "illness"] = ""
    mariadb.fill("people", frame, TYPES)
    script = run(job(mariadb)).sql()
    expected = released(mariadb)
    for name, value in SETTINGS.items():
        ((old,),) = mariadb.rows(f"select @@global.{name}")
        mariadb.execute(f"set global {name} = {value}")
        try:
            mariadb.execute("drop table cohort", "commit")
            run(job(mariadb))
            assert whole(mariadb) == expected, name
            mariadb.execute("drop table cohort", "commit")
            assert scripted(client(mariadb), script).returncode == 0, name
            assert whole(mariadb) == expected, name
            server_wide = sc.check({"url": mariadb.url, "table": "cohort"}, ["age", "zip", "sex"], 4)
            assert server_wide.holds and server_wide.rows == 60, name
            mariadb.execute("drop table cohort", "commit")
            run(job(mariadb))
        finally:
            mariadb.execute(f"set global {name} = {old!r}")


def whole(server: Server) -> Counter[tuple[str, ...]]:
    with server.engine().connect() as connection:
        cursor = connection.connection.cursor()
        cursor.execute("set session sql_select_limit = 1000, sql_big_selects = 1")
        cursor.execute("select age, zip, sex, illness from cohort")
        return Counter(tuple(map(str, row)) for row in cursor.fetchall())


def test_a_server_that_gives_no_time_or_no_right_to_write_is_told(postgresql: Server) -> None:
    postgresql.clear()
    postgresql.fill("people", people(40), TYPES)
    postgresql.execute("drop role if exists hurried", "create role hurried superuser login password 'secretpw8'")
    hurried = Server("postgresql", postgresql.url.replace("owner:secretpw7", "hurried:secretpw8"))
    for setting, told in {
        "statement_timeout = 1": "statement_timeout",
        "default_transaction_read_only = on": "read-only",
    }.items():
        postgresql.execute(f"alter role hurried set {setting}")
        with pytest.raises(InputError, match=told) as error:
            run(job(hurried))
        assert "\n" not in str(error.value)
        postgresql.execute("alter role hurried reset all")
    run(job(hurried))
    postgresql.execute("drop owned by hurried", "drop role hurried")


def test_a_mariadb_that_gives_no_time_or_no_right_to_write_is_told(mariadb: Server) -> None:
    mariadb.clear()
    mariadb.fill("people", people(40), TYPES)
    mariadb.execute(
        "drop user if exists clerk@'127.0.0.1'",
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant all on test.* to clerk@'127.0.0.1'",
    )
    clerk = Server("mariadb", mariadb.url.replace("owner:secretpw7", "clerk:secretpw8"))

    def asked(options: str = "") -> None:
        run(job(Server("mariadb", clerk.url + options)))

    cure = "?init_command=set tx_read_only=0"
    for setting, told in (
        ("read_only", "read-only"),
        ("tx_read_only", rf"only read unless.*: add \{cure} to the url$"),
    ):
        mariadb.execute(f"set global {setting} = on")
        try:
            with pytest.raises(InputError, match=told) as error:
                asked()
            assert "\n" not in str(error.value)
            if setting == "tx_read_only":
                asked(cure)
        finally:
            mariadb.execute(f"set global {setting} = off")
    mariadb.execute("drop table cohort", "alter user clerk@'127.0.0.1' with max_statement_time 0.0001")
    cure = "?init_command=set max_statement_time=0"
    with pytest.raises(
        InputError, match=rf"too little time .*: raise max_statement_time, such as by \{cure} in"
    ) as error:
        asked()
    assert "\n" not in str(error.value)
    asked(cure)
    mariadb.execute("drop table cohort, starcloak_releases")
    mariadb.execute("drop user clerk@'127.0.0.1'")
    assert mariadb.tables() == {"people"}
