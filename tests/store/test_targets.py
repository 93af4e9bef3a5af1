"""Where a release goes in a database: what stands there, and what others do there meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pandas
import pyarrow
import pytest

import starcloak as sc
from starcloak.base.errors import InputError, OutputError
from tests import servers
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, job, people, released, run
from tests.store.breaking import cut_connections


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


# Dimension tables beside releases.


def test_a_dimension_table_whose_name_is_too_long_is_refused(postgresql: Server) -> None:
    """A name of 63 bytes is the release's; that of its dimension table would be cut to it, or to another's."""
    postgresql.fill("people", people(20), TYPES)
    with pytest.raises(OutputError, match="is longer than 63 bytes: leave keep_dimensions out"):
        run(job(postgresql, output={"table": "r" * 63}, keep_dimensions=True))
    assert postgresql.tables() == {"people"}


@pytest.mark.sampled(3)
def test_a_dimension_table_of_another_release_stays(server: Server) -> None:
    frame = people(80).rename(columns={"sex": "b_dim_c"})
    frame["c"] = frame["b_dim_c"]
    server.fill("people", frame, {**TYPES, "b_dim_c": "varchar(9)", "c": "varchar(9)"})
    described = job(server, 3, identifiers=["name", "age", "zip"], keep_dimensions=True)
    one = {**described, "quasi_identifiers": {"b_dim_c": "suppress"}, "keep": ["c"], "output": {"table": "a"}}
    other = {**described, "quasi_identifiers": {"c": "suppress"}, "keep": ["b_dim_c"], "output": {"table": "a_dim_b"}}
    run(one)
    with pytest.raises(OutputError, match=r"a_dim_b_dim_c in .* a dimension table of another release"):
        run(other)
    run(one)
    assert server.tables() == {"people", "a", "a_dim_b_dim_c", "starcloak_releases"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "kept"), some_daily(SERVERS, [False, True], each=2), indirect=["server"])
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
    with pytest.raises(OutputError, match="which is a release with readers"):
        run(job(sqlite, output={"table": "kd"}, keep_dimensions=True))


@pytest.mark.parametrize(
    ("other", "problem"), [("a ", "ends with a space, which test does not"), ("\u0130", "test takes as equal")]
)
def test_names_of_columns_that_mariadb_alone_refuses_are_told(mariadb: Server, other: str, problem: str) -> None:
    """The message named the rows of the source."""
    rows = pandas.DataFrame({name: ["a", "a"] for name in ("q", "i", other)})
    output = {"url": mariadb.url, "table": "cohort"}
    with pytest.raises(OutputError, match=problem):
        sc.anonymize(rows, quasi_identifiers={"q": "suppress"}, keep=["i", other], k=2, output=output)


@pytest.mark.parametrize("kept", [True, False])
def test_dates_that_mariadb_cannot_store_are_told(mariadb: Server, kept: bool) -> None:
    """The message named the rows of the source; day 3,663,448 is in the year 12000."""
    days = pyarrow.array([3_663_448, 3_663_448], pyarrow.int32()).cast(pyarrow.date32())
    rows = pyarrow.table({"q": ["a", "a"], "day": days})
    quasi_identifiers, keep = ({"q": "suppress"}, ["day"]) if kept else ({"day": "suppress"}, ["q"])
    output = {"url": mariadb.url, "table": "cohort"}
    with pytest.raises(OutputError, match="test cannot store dates or times that are infinite or outside"):
        sc.anonymize(rows, quasi_identifiers=quasi_identifiers, keep=keep, k=2, output=output)


def test_names_that_differ_in_case_are_two_on_a_mariadb_that_says_so(mariadb: Server) -> None:
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    assert mariadb.rows("select @@lower_case_table_names") == [(0,)]
    mariadb.execute("create table COHORT (a integer)")
    run(job(mariadb))
    with pytest.raises(OutputError, match="is not a release"):
        run(job(mariadb, output={"table": "COHORT"}))
    assert mariadb.tables() == {"people", "cohort", "COHORT", "starcloak_releases"}


def test_names_that_differ_in_case_are_one_on_a_mariadb_that_says_so() -> None:
    """Servers on Windows and macOS compare them without case."""
    if servers.mariadb_program() is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    with servers.mariadb("--lower-case-table-names=1") as url:
        server = Server("mariadb", url)
        server.fill("people", people(60), TYPES)
        server.fill("others", people(60, seed=2), TYPES)
        first = run(job(server, output={"table": "Cohort"})).result
        (known,) = run(job(server, output={"table": "COHORT"})).result.joint
        assert known.run == first.run and server.tables() == {"people", "others", "cohort", "starcloak_releases"}
        run(job(server, output={"table": "another"}))
        with pytest.raises(OutputError, match="is a release of another source"):
            run(job(server, source={"url": url, "table": "others"}, output={"table": "cohorT"}))
        server.execute("create table own (a integer)")
        with pytest.raises(OutputError, match="is there already and is not a release of starcloak"):
            run(job(server, output={"table": "OWN"}))


# Others at the same time.


def staged(server: Server) -> list[str]:
    return sorted(table for table in server.tables() if table.startswith("starcloak_") and table.endswith("_new"))


TAMPERED = {
    # Whichever row comes first, also one without a value, it is another one then.
    "a class": "update {staged} set sex = concat(coalesce(sex, ''), 'x') limit 1",
    "a kept cell": "update {staged} set illness = concat(illness, 'x') limit 1",
    "a row less": "delete from {staged} limit 1",
    "another table": "create or replace table {staged} as select age, zip, sex, illness from people",
    "other columns": "alter table {staged} add column a integer",
}


# Each of them once, on a first release or on a second; the long tests take the other, too.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(("tampered", "there"), some_daily(TAMPERED, [False, True], each=2))
def test_what_mariadb_publishes_is_what_was_verified(mariadb: Server, tampered: str, there: bool) -> None:
    """Others may write to the staging: by its name, which only somebody knows who looks for it."""
    mariadb.fill("people", people(60), TYPES)
    if there:
        run(job(mariadb))
    old, entries = released(mariadb), mariadb.rows("select * from starcloak_releases") if there else []
    mariadb.fill("people", people(60, seed=2), TYPES)

    def tamper() -> None:
        (name,) = staged(mariadb)
        mariadb.execute(TAMPERED[tampered].format(staged=name))

    with pytest.raises(
        OutputError, match="changed cohort in test while it was published, so the release was withdrawn"
    ):
        run(job(mariadb), before("rename table", tamper))
    assert released(mariadb) == old
    assert mariadb.tables() == {"people", "starcloak_releases", *(["cohort"] if there else [])}
    assert mariadb.rows("select * from starcloak_releases") == entries
    run(job(mariadb))
    assert released(mariadb) != old


def test_a_staging_that_is_gone_is_one_clear_line(mariadb: Server) -> None:
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
    mariadb.fill("people", people(60), TYPES)
    script = sc.compile(job(mariadb))
    seen = []
    for _ in range(2):
        run(job(mariadb), before("rename table", lambda: seen.extend(staged(mariadb))))
    assert len(set(seen)) == 2
    assert not any(name in script for name in seen)
    assert script.count('rename table "test"."cohort" to "test"."starcloak_') == 1


HOLDS = {"postgresql": "select count(*) from cohort", "mariadb": "select count(*) from cohort"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HOLDS)
def test_a_run_waits_for_an_idle_reader_and_then_tells(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server: Server = request.getfixturevalue(name)
    for module in ("postgresql", "mariadb"):
        monkeypatch.setattr(f"starcloak.store.databases.{module}.database.PATIENCE", 1)
    server.fill("people", people(60), TYPES)
    run(job(server))
    old, entries = released(server), server.rows("select * from starcloak_releases")
    # Without a column, so that PostgreSQL has to make another table.
    fewer = job(server, identifiers=["name", "illness"], sensitive=[], keep_dimensions=True)
    with idle(server, HOLDS[name]):
        started = time.monotonic()
        with pytest.raises(
            OutputError, match=r"another session of .* has locked a table for longer than this run waits"
        ) as error:
            run(fewer)
        assert time.monotonic() - started < 30
        assert "\n" not in str(error.value)
        assert released(server) == old
    assert server.tables() == {"people", "cohort", "starcloak_releases"}
    assert server.rows("select * from starcloak_releases") == entries
    run(fewer)
    assert len(server.rows("select * from starcloak_releases")) == 5


def test_readers_of_the_old_release_are_let_in_while_the_new_one_is_verified(postgresql: Server) -> None:
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
    mariadb.fill("people", people(60), TYPES)
    with pytest.raises(InputError, match=r"^cohort in test may be published already: the connection to test was lost"):
        run(job(mariadb, keep_dimensions=True), before("rename table", partial(cut_connections, mariadb)))
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


def test_what_is_dropped_while_a_run_is_under_way_need_not_be_there_to_be_replaced(mariadb: Server) -> None:
    mariadb.fill("people", people(60), TYPES)
    described = job(mariadb, keep_dimensions=True)
    run(described)
    there = mariadb.tables()
    assert "cohort_dim_zip" in there
    mariadb.fill("people", people(60, seed=2), TYPES)
    run(described, before("as size", lambda: mariadb.execute("drop table cohort, cohort_dim_zip")))
    assert mariadb.tables() == there


def test_a_run_that_is_ended_while_it_reads_what_it_renamed_takes_it_back(mariadb: Server) -> None:
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    old = released(mariadb)
    mariadb.fill("people", people(60, seed=2), TYPES)
    seen: list[str] = []

    def end(sql: str) -> None:
        if "rename table" in sql or len(seen) == 1:
            seen.append(sql)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(job(mariadb), end)
    assert released(mariadb) == old
    run(job(mariadb))
    assert released(mariadb) != old
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}


def test_a_release_that_cannot_be_taken_back_is_told_and_stays_known(mariadb: Server) -> None:
    """What was verified is not what is there, and the names are taken that its tables had."""
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    mariadb.fill("people", people(60, seed=2), TYPES)
    names: list[str] = []

    def tamper(sql: str) -> None:
        if "rename table" in sql:
            names.extend(staged(mariadb))
        elif len(names) == 1:
            names.append("taken")
            mariadb.execute(f"create table {names[0]} (a integer)", "delete from cohort limit 1")

    with pytest.raises(
        OutputError, match=r"changed cohort in test .*, and the release could not be withdrawn: drop the table"
    ):
        run(job(mariadb), tamper)
    assert mariadb.rows("select count(*) from cohort") == [(59,)]
    assert len(mariadb.rows("select * from starcloak_releases")) == 2


def test_a_run_does_not_wait_long_for_who_reads_what_a_killed_one_left(
    mariadb: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither before it stages anything, nor where nothing changed since the release."""
    monkeypatch.setattr("starcloak.store.databases.mariadb.database.PATIENCE", 1)
    mariadb.fill("people", people(60), TYPES)
    for already in (False, True):
        if already:
            run(job(mariadb))
        with pytest.raises(InputError, match="was lost"):
            run(job(mariadb), before("rename table", partial(cut_connections, mariadb)))
        (left,) = staged(mariadb)
        with mariadb.setting("lock_wait_timeout", "60"), idle(mariadb, f"select count(*) from {left}"):
            started = time.monotonic()
            with pytest.raises(
                OutputError, match=r"another session of .* has locked a table for longer than this run waits"
            ):
                run(job(mariadb), force=not already)
            assert time.monotonic() - started < 40
    assert run(job(mariadb), force=False).result.unchanged
    assert mariadb.tables() == {"people", "cohort", "starcloak_releases"}


def test_policies_and_children_of_an_old_release_keep_no_old_rows_in_the_new_one(postgresql: Server) -> None:
    postgresql.execute(
        "drop role if exists clerk", "create role clerk login password 'secretpw8'", "create schema ward",
        "grant usage, create on schema ward to clerk",
    )  # fmt: skip
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("grant select on people to clerk")
    clerk = postgresql.as_user("clerk")
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
    with pytest.raises(OutputError, match="other objects depend"):
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


ADDED = {
    "unique index": "create unique index added on cohort (illness)",
    "constraint": "alter table cohort add check (illness < 'g')",
}


@pytest.mark.parametrize("added", ADDED)
def test_a_constraint_that_was_added_to_a_release_is_named_as_the_cause(postgresql: Server, added: str) -> None:
    postgresql.fill("people", people(8).assign(illness=[f"a{row}" for row in range(8)]), TYPES)
    run(job(postgresql))
    postgresql.execute(ADDED[added], "update people set illness = 'zz'")
    with pytest.raises(OutputError, match=r"violate a constraint, a unique index .* added to cohort in postgres after"):
        run(job(postgresql))
    assert postgresql.rows("select count(distinct illness) from cohort") == [(8,)]


def test_a_release_whose_kept_column_has_more_digits_now_is_a_new_table(postgresql: Server) -> None:
    """In the old table, its values would be rounded to whole seconds."""
    frame = people(40).assign(seen="2020-01-02 03:04:05.678")
    postgresql.fill("people", frame, {**TYPES, "seen": "timestamp(0)"})
    run(job(postgresql, keep=["seen"]))
    postgresql.fill("people", frame, {**TYPES, "seen": "timestamp(3)"})
    run(job(postgresql, keep=["seen"]))
    assert postgresql.rows("select distinct cast(seen as text) from cohort") == [("2020-01-02 03:04:05.678",)]


def test_a_dimension_table_that_loses_its_grants_or_has_a_view_is_told(postgresql: Server) -> None:
    postgresql.fill("people", people(60), TYPES)
    described = job(postgresql, keep_dimensions=True)
    assert not [told for told in run(described).result.warnings if "grants" in told]
    postgresql.execute("grant select on cohort, cohort_dim_zip to public")
    (told,) = [told for told in run(described).result.warnings if "grants" in told]
    assert told.startswith("cohort_dim_zip is a dimension table, so each run makes a new table without the old grants")
    postgresql.execute("create view seen as select * from cohort_dim_zip")
    with pytest.raises(OutputError, match=r"makes dimension tables anew, .*, and views or other objects depend on"):
        run(described)


def test_a_release_that_a_foreign_key_refers_to_is_not_renamed(mariadb: Server) -> None:
    """The key would go along with the old release, which could never be dropped then."""
    mariadb.fill("people", people(60), TYPES)
    run(job(mariadb))
    old = released(mariadb)
    kind = "varchar(99) character set utf8mb4 collate utf8mb4_nopad_bin"
    mariadb.execute(
        "alter table cohort add index (illness)",
        f"create table notes (illness {kind}, foreign key (illness) references cohort (illness))",
    )
    with pytest.raises(OutputError, match=r"as a foreign key of test\.notes refers to it: drop the foreign key"):
        run(job(mariadb))
    assert released(mariadb) == old and mariadb.tables() == {"people", "cohort", "notes", "starcloak_releases"}


@pytest.mark.any_database
def test_a_table_of_another_program_under_the_name_of_a_dropped_release_stays(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server))
    run(job(server, sensitive=[], identifiers=["name", "illness"]))  # a job's own columns may change
    server.execute("drop table cohort", "create table cohort (own integer)", "insert into cohort values (7)")
    with pytest.raises(
        OutputError, match=r"other columns than the releases .* so it may be the table of another program"
    ):
        run(job(server))
    assert server.rows("select * from cohort") == [(7,)]


@pytest.mark.any_database
def test_a_table_of_another_program_under_the_name_of_a_dropped_dimension_table_stays(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    run(described := job(server, keep_dimensions=True))
    run({**described, "quasi_identifiers": {"zip": "suppress"}, "identifiers": ["name", "age", "sex"]})
    run(described)  # with more levels
    old = released(server)
    for made in ("(own integer)", "(value integer, own integer)"):
        server.execute("drop table if exists cohort_dim_zip", f"create table cohort_dim_zip {made}")
        with pytest.raises(OutputError, match=r"cohort_dim_zip in .* so it may be the table of another program"):
            run(described)
        assert released(server) == old
        assert server.rows("select count(own) from cohort_dim_zip") == [(0,)]
    server.execute("drop table cohort_dim_zip")
    run(described)
