"""What other sessions write while a run or a check is under way, and rows that a user does not see."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import psycopg
import pytest

import starcloak as sc
from starcloak.base.errors import InputError, SourceError
from tests.people import TYPES, Server, job, people, run

PARTITIONED = (
    "create table people (name text, age int, zip text, sex text, illness text) partition by list (sex)",
    "create table people_f partition of people for values in ('f')",
    "create table people_m partition of people for values in ('m')",
    "insert into people select 'n' || g, 30 + g % 2, '5370' || g % 2, case when g % 2 = 0 then 'f' else 'm' end, 'flu' "
    "from generate_series(1, 40) as g",
)
LOADED = "truncate people_m; insert into people values ('u', 99, '99999', 'm', 'cold')"


def before(mark: str, then: Callable[[], None]) -> Callable[[str], None]:
    """A trace that does something once, before the first statement to the database that has the mark."""
    done = False

    def trace(sql: str) -> None:
        nonlocal done
        if not done and "/* starcloak" in sql and mark in sql:
            done = True
            then()

    return trace


@contextmanager
def loading(server: Server) -> Iterator[Callable[[], None]]:
    """Begins, where it is called, to load a partition anew; ends it as soon as somebody waits for that."""
    waiting = "select count(*) from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0"
    threads = []
    with psycopg.connect(server.url, autocommit=True) as connection:

        def end() -> None:
            for _ in range(600):
                if server.rows(waiting) != [(0,)]:
                    break
                time.sleep(0.05)
            connection.execute("commit")

        def begin() -> None:
            connection.execute(f"begin; {LOADED}")
            threads.append(threading.Thread(target=end))
            threads[0].start()

        yield begin
        threads[0].join()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mark", ["store/existing", "frequency/", "verify/sizes", "store/ledger#entry"])
@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_no_row_of_another_session_stays_in_a_release(name: str, mark: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(name)
    server.fill("people", people(60), TYPES)
    run(job(server))
    wait = "set lock_timeout = '100ms'" if name == "postgresql" else "set session lock_wait_timeout = 0"

    def write() -> None:
        with suppress(Exception):  # the table may be held
            server.execute(wait, "insert into cohort values ('1', '53799', 'x', 'cold')")

    run(job(server), before(mark, write))
    classes = Counter(server.rows("select age, zip, sex from cohort"))
    assert min(classes.values()) >= 4 and classes.total() == 60


@pytest.mark.sampled(3)
@pytest.mark.parametrize("isolation", ["READ UNCOMMITTED", "SERIALIZABLE"])
@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_release_is_of_one_state_whatever_is_written_between_its_statements(
    name: str, isolation: str, request: pytest.FixtureRequest
) -> None:
    """Also where the server has another isolation for everybody who asks for none."""
    server: Server = request.getfixturevalue(name)
    server.fill("people", people(60).assign(state=0), {**TYPES, "state": "integer"})
    level = isolation.lower() if name == "postgresql" else isolation.replace(" ", "-")
    setting, reset = {
        "postgresql": (f"alter role owner set default_transaction_isolation = '{level}'", "alter role owner reset all"),
        "mariadb": (f"set global tx_isolation = '{level}'", "set global tx_isolation = 'REPEATABLE-READ'"),
    }[name]
    change = "update people set state = state + 1, age = 20 + (age + 7) % 40"

    def write(sql: str) -> None:
        if "/* starcloak" in sql:
            server.execute(change)

    server.execute(setting)
    try:
        run(job(server, keep=["state"]), write)
    finally:
        server.execute(reset)
    classes = Counter(server.rows("select age, zip, sex from cohort"))
    assert min(classes.values()) >= 4 and classes.total() == 60
    ((states, state),) = server.rows("select count(distinct state), max(state) from cohort")
    assert states == 1 and state < server.rows("select max(state) from people")[0][0]


def test_a_file_of_sqlite_is_read_in_one_state_whatever_others_try_to_write(sqlite: Server) -> None:
    """A release that goes elsewhere takes no lock to write."""
    sqlite.fill("people", people(60).assign(state=0), {**TYPES, "state": "integer"})
    tried: list[str] = []

    def write(sql: str) -> None:
        if "/* starcloak" in sql:
            tried.append(sql)
            file = sqlite.url.removeprefix("sqlite:///")
            # It is locked.
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, timeout=0)) as connection:
                connection.execute("update people set state = state + 1, age = 20 + (age + 7) % 40")
                connection.commit()

    release = run(job(sqlite, keep=["state"], output=None), write)
    assert len(tried) > 2 and release.to_pandas()["state"].nunique() == 1 and release.result.requirement.k >= 4


def test_a_check_that_waits_for_a_load_has_no_verdict_on_a_part_of_the_rows(postgresql: Server) -> None:
    postgresql.execute(*PARTITIONED)
    place = {"url": postgresql.url, "table": "people"}
    assert sc.check(place, ["age", "zip", "sex"], 5).holds
    with loading(postgresql) as begin:
        begin()
        with pytest.raises(SourceError, match="or recreated the source before its rows were read: run again"):
            sc.check(place, ["age", "zip", "sex"], 5)
    assert not sc.check(place, ["age", "zip", "sex"], 5).holds


def test_a_run_that_waits_for_a_load_releases_no_part_of_the_rows(postgresql: Server) -> None:
    postgresql.execute(*PARTITIONED)
    described = job(postgresql)
    with (
        loading(postgresql) as begin,
        pytest.raises(SourceError, match="or recreated the source before its rows were read: run again"),
    ):
        run(described, before("frequency/", begin))
    assert "cohort" not in postgresql.tables()
    run({**described, "requirement": {"k": 4, "suppression": 0.1}})
    assert postgresql.rows("select count(*) from cohort") == [(20,)]


@pytest.fixture
def clerk(postgresql: Server) -> Server:
    """A user who may read the people, and make tables."""
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute(
        "create role clerk login password 'secretpw8'",
        "grant select on people to clerk",
        "create schema released",
        "grant usage, create on schema released to clerk",
    )
    return postgresql.as_user("clerk")


def test_no_row_stays_in_a_release_that_a_policy_hides_from_who_runs(postgresql: Server, clerk: Server) -> None:
    described = {"output": {"table": "released.cohort"}, "keep": ["sex"]}
    described["quasi_identifiers"] = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}}
    run(job(postgresql, **described))
    table = "released.cohort"
    old = postgresql.rows(f"select * from {table} order by 1, 2, 3, 4")
    postgresql.execute(
        "delete from people where sex = 'f'",
        "grant all on all tables in schema released to clerk",
        f"alter table {table} enable row level security",
        f"create policy others on {table} for all to clerk using (sex is distinct from 'f') with check (true)",
    )
    with pytest.raises(InputError, match="whose table and ledger it owns"):
        run(job(clerk, **described))
    assert postgresql.rows(f"select * from {table} order by 1, 2, 3, 4") == old


def test_who_sees_a_part_of_the_rows_is_told(
    postgresql: Server, clerk: Server, caplog: pytest.LogCaptureFixture
) -> None:
    told = "may hide rows of people in postgres from this user"
    assert not any(told in warning for warning in run(job(clerk, output={"table": "released.a"})).result.warnings)
    postgresql.execute(
        "alter table people enable row level security",
        "create policy young on people for all to clerk using (age < 40)",
    )
    release = run(job(clerk, output={"table": "released.a"}))
    assert any(told in warning for warning in release.result.warnings)
    ((young,),) = postgresql.rows("select count(*) from people where age < 40")
    assert release.result.rows == young < 60
    assert sc.check({"url": clerk.url, "table": "people"}, ["sex"], 2).rows == young
    assert told in caplog.text
