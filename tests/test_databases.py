"""Tables of real database servers: rows stay there, the release is that of the working store, whole or not at all."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest
import sqlalchemy
from tests import servers
from tests.people import TYPES, Server, client, job, people, released, run, scripted
from tests.traces import bare

import starcloak as sc
from starcloak.algorithms import algorithms
from starcloak.errors import InputError, OutputError, SourceError, VerificationError
from starcloak.hosts.registry import connect
from starcloak.release.resources import Resources
from starcloak.session import Session
from starcloak.statement import Statement
from starcloak.targets.database_table import DatabaseTable

ALGORITHMS: list[dict[str, Any]] = [{"name": "witness"}, {"name": "kaca"}, {"name": "mondrian"}]
EVERY_ALGORITHM: list[dict[str, Any]] = [
    {"name": each.name, **({"class": "kept"} if "class" in each.options else {})} for each in algorithms()
]
LEAVES_ROWS_OUT = ("witness", "incognito", "samarati", "bottom-up", "datafly", "attribute-suppression")


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm["name"])
def test_a_release_has_the_rows_of_the_working_stores(server: Server, algorithm: dict[str, Any]) -> None:
    frame = people(300)
    server.fill("people", frame, TYPES)
    described = job(server, algorithm=algorithm)
    release = run(described)
    here = sc.run({**described, "source": None, "output": None}, frame=frame)
    rows = here.to_pandas().astype(object)
    expected = Counter(tuple(map(str, row)) for row in rows.where(rows.notna(), None).itertuples(index=False))
    assert released(server) == expected
    assert release.k == here.k
    assert release.measures == here.measures
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


def random_job(server: Server, seed: int) -> tuple[dict[str, Any], pandas.DataFrame]:
    """A job on a small table with odd values, of any algorithm."""
    chance = random.Random(seed)
    rows = chance.randrange(12, 80)
    letters = ["a", "A", "a ", "á", "a\u0301", "", "ab", "*", None, "b'\"%s\\", "ß", "ss", "é\n;--"]
    frame = pandas.DataFrame(
        {
            "number": [chance.choice([1, 2, 3, 7, -5, 40, None]) for _ in range(rows)],
            "text": [chance.choice(letters) for _ in range(rows)],
            "day": [f"19{chance.randrange(70, 80)}-0{chance.randrange(1, 9)}-11" for _ in range(rows)],
            "kept": [chance.choice(letters) for _ in range(rows)],
            "also": [chance.choice([3, 4, 5, None]) for _ in range(rows)],
        },
        dtype=object,
    )
    algorithm: dict[str, Any] = chance.choice(EVERY_ALGORITHM)
    ranges = ["numeric"] if algorithm["name"] in ("tdr", "mondrian") else []
    hierarchies = {
        "number": chance.choice(["suppress", {"intervals": [5, 10]}, *ranges]),
        "text": "suppress",
        "day": {"dates": ["month", "year", "decade"]},
    }
    chosen = chance.sample(sorted(hierarchies), chance.randrange(1, 4))
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": {name: hierarchies[name] for name in chosen},
        "keep": [name for name in frame.columns if name not in chosen],
        "requirement": {"k": chance.randrange(1, 6), "suppression": chance.choice(["0", "0.1"])},
        "algorithm": algorithm,
        "output": {"table": "cohort"},
        "seed": seed,
    }
    if algorithm["name"] not in LEAVES_ROWS_OUT:
        described["requirement"]["suppression"] = "0"
    return described, frame


RANDOM = {"number": "integer", "text": "varchar(20)", "day": "date", "kept": "varchar(20)", "also": "bigint"}


def compare(server: Server, seed: int) -> None:
    described, frame = random_job(server, seed)
    server.fill("people", frame, RANDOM)
    script = run(described).sql()
    rows = server.rows("select * from cohort")
    typed = frame.assign(
        number=frame["number"].astype("Int64"),
        also=frame["also"].astype("Int64"),
        day=pandas.to_datetime(frame["day"]).dt.date,
    )
    here = sc.run({**described, "source": None, "output": None}, frame=typed).to_pandas().astype(object)
    expected = Counter(tuple(map(str, row)) for row in here.where(here.notna(), None).itertuples(index=False))
    assert Counter(tuple(map(str, row)) for row in rows) == expected, seed
    server.execute("drop table cohort", "drop table starcloak_releases")
    if (command := client(server)) is not None:
        done = scripted(command, script)
        assert (done.returncode, done.stderr) == (0, ""), seed
        assert Counter(tuple(map(str, row)) for row in server.rows("select * from cohort")) == expected, seed
        server.execute("drop table cohort")


def test_random_jobs_release_the_same_rows_everywhere(server: Server) -> None:
    for seed in range(2):
        compare(server, seed)


@pytest.mark.long
def test_300_random_jobs_release_the_same_rows_everywhere(server: Server) -> None:
    for seed in range(100, 400):
        compare(server, seed)


def test_only_the_group_by_comes_home(postgresql: Server) -> None:
    frame = people(3000).assign(zip="53700")
    postgresql.execute("drop table if exists cohort, starcloak_releases cascade")
    postgresql.fill("people", frame, TYPES)
    postgresql.execute("create extension if not exists pg_stat_statements")
    postgresql.rows("select pg_stat_statements_reset()")
    release = run(job(postgresql))
    counted = postgresql.rows(
        "select sum(rows) from pg_stat_statements "
        "where query like '/* starcloak %' and query ~ '^[^*]*[*] starcloak [^*]*[*]/ (copy [(]|select)'"
    )
    combinations = len(frame[["age", "zip", "sex"]].drop_duplicates())
    # The frequency set, the recounted classes, and a few rows of the catalog.
    assert counted[0][0] <= combinations + release.measures.classes + 40 < 1000 < len(frame)


def test_a_fault_before_any_statement_leaves_the_old_release(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server, 2))
    old = released(server)
    server.fill("people", people(60, seed=2), TYPES)
    for point in itertools.count(start=8, step=11):
        if _ends(server, job(server, 2), "error before", point):
            break
        assert released(server) == old
        assert server.tables() == {"people", "cohort", "starcloak_releases"}
    assert released(server) != old


def test_a_kill_leaves_one_whole_release(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    run(job(server, 2))
    old = released(server)
    server.fill("people", people(60, seed=2), TYPES)
    alone = sc.run({**job(server, 2), "source": None, "output": None}, frame=people(60, seed=2)).to_pandas()
    new = as_texts(alone[["age", "zip", "sex", "illness"]])
    for point in itertools.count(start=22, step=18):
        if _ends(server, job(server, 2), "kill", point):
            break
        # MariaDB looks once more at what it published.
        assert released(server) in ((old, new) if server.name == "mariadb" else (old,))
    _waiting(job(server, 3))
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


def _cut(server: Server) -> None:
    """End the connections of runs, on the side of the server."""
    others, end = {
        "postgresql": (
            "select pid from pg_stat_activity where application_name = 'starcloak'",
            "select pg_terminate_backend({})",
        ),
        "mariadb": (
            "select id from information_schema.processlist where user = 'owner' and id <> connection_id()",
            "kill {}",
        ),
    }[server.name]
    for connection in server.rows(others):
        server.execute(end.format(*connection))


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_lost_connection_is_one_clear_line(name: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(name)
    server.fill("people", people(60), TYPES)
    server.execute(*(f"drop table if exists {table}" for table in ("cohort", "starcloak_releases")))
    for point in range(12, 30, 8):
        with pytest.raises(InputError, match="was lost"):
            run(job(server), at(point, partial(_cut, server)))
        assert released(server) is None
    run(job(server))
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


def at(point: int, fault: Callable[[], None], *, after: bool = False) -> Callable[[str], None]:
    """A trace that faults before a numbered statement to the database; or after it, before any other statement."""
    seen = itertools.count()
    due = False

    def trace(sql: str) -> None:
        nonlocal due
        if due:
            due = False
            fault()
        if "/* starcloak" in sql and next(seen) == point:
            due = after
            if not after:
                fault()

    return trace


def _fail() -> None:
    raise RuntimeError("a fault")


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _ends(server: Server, described: dict[str, Any], fault: str, point: int) -> bool:
    """Whether a run with a fault at a numbered statement comes to its end."""
    if fault == "kill":
        process = multiprocessing.get_context("fork").Process(target=run, args=(described, at(point, _kill)))
        process.start()
        process.join(120)
        assert process.exitcode in (0, -signal.SIGKILL)
        return process.exitcode == 0
    cut = partial(_cut, server) if fault == "lost connection" else _fail
    try:
        run(described, at(point, cut, after=fault == "error after"))
    except (RuntimeError, InputError):
        return False
    return True


def _waiting(described: dict[str, Any], *, force: bool = True) -> None:
    """Run, as soon as the database has noticed that a run before was killed."""
    for _ in range(50):
        try:
            run(described, force=force)
            return
        except OutputError as error:
            assert "another run" in str(error)
            time.sleep(0.1)
    raise AssertionError("the database still waits for a run that was killed")


@pytest.mark.long
@pytest.mark.parametrize("fault", ["error before", "error after", "lost connection", "kill"])
@pytest.mark.parametrize("algorithm", EVERY_ALGORITHM, ids=lambda algorithm: algorithm["name"])
def test_a_fault_at_every_statement_of_every_algorithm(server: Server, algorithm: dict[str, Any], fault: str) -> None:
    """The old release or the new one, whole; and the next run leaves nothing but its own."""
    if fault == "lost connection" and server.name == "sqlite":
        pytest.skip("a file has no connection to lose")
    described = job(server, 3, algorithm=algorithm, sensitive=[], keep=["illness"])
    described["output"]["replace"] = True  # of two sources
    if "class" in algorithm:
        described["algorithm"] = {**algorithm, "class": "illness"}
    jobs, wholes = [], []
    for seed, table in enumerate(("older", "newer")):
        server.fill(table, people(30, seed), TYPES)
        jobs.append({**described, "source": {"url": server.url, "table": table}})
        run(jobs[-1])
        wholes.append(released(server))
    assert wholes[0] != wholes[1]
    new, published = 0, 0
    for point in itertools.count():
        ends = _ends(server, jobs[new], fault, point)
        found = released(server)
        assert found in wholes, f"statement {point}"
        if ends:
            break
        published += found == wholes[new]
        if found == wholes[new] or fault == "kill" or server.name == "mariadb":  # else it is rolled back by now
            _waiting(jobs[new])
            assert released(server) == wholes[new], f"after statement {point}"
            new = 1 - new
        assert server.tables() == {"older", "newer", "cohort", "starcloak_releases"}, f"after statement {point}"
    assert point > 15 + published
    assert published <= 3


def test_kept_cells_of_a_row_that_change_columns_are_not_published(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verifier reads them back, and knows their order. What else can be forged is in test_forgeries."""
    server.fill("people", people(40), TYPES)
    described = job(server, 2, quasi_identifiers={"sex": "suppress"}, keep=["name"], identifiers=["age", "zip"])
    run(described)
    rows = "select name, sex, illness from cohort order by name"
    old = server.rows(rows)
    server.fill("people", people(40).assign(illness="cold"), TYPES)
    honest = DatabaseTable.stage

    def stage(self: DatabaseTable, session: Session, release: Statement) -> None:
        honest(self, session, release)
        staged, copy = self.staged.sql(), "create temporary table copy as select name, sex, illness from"
        for command in (
            f"{copy} {staged}",
            f"delete from {staged}",
            f"insert into {staged} (name, sex, illness) select illness, sex, name from copy",
        ):
            self.database.command(command)

    monkeypatch.setattr(DatabaseTable, "stage", stage)
    with pytest.raises(VerificationError, match="was not published") as refused:
        run(described)
    assert refused.value.clause == "kept"
    assert server.rows(rows) == old
    assert server.tables() == {"people", "cohort", "starcloak_releases"}


def test_a_concurrent_writer_cannot_break_k(server: Server) -> None:
    server.fill("people", people(400), TYPES)
    stop = threading.Event()
    written: list[int] = []

    def write() -> None:
        with server.engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            while not stop.is_set():
                number = len(written)
                values = f"'x', {number % 97}, '5{number % 9999:04}', 's{number}', 'flu'"
                connection.exec_driver_sql(f"insert into people values ({values})")
                written.append(number)
                time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for runs, algorithm in enumerate(itertools.cycle(ALGORITHMS[:2])):
            if runs >= 2 and len(written) > 20:
                break
            assert writer.is_alive()
            release = run(job(server, 5, algorithm=algorithm))
            assert sc.check({"url": server.url, "table": "cohort"}, ["age", "zip", "sex"], 5).holds
            assert release.result.rows == release.result.released_rows
    finally:
        stop.set()
        writer.join()


def test_a_polling_reader_sees_the_old_release_or_the_new(server: Server) -> None:
    server.fill("people", people(200), TYPES)
    run(job(server, 2))
    wholes = [released(server)]
    stop = threading.Event()
    seen: list[Any] = []

    def poll() -> None:
        while not stop.is_set():
            seen.append(released(server))

    reader = threading.Thread(target=poll)
    reader.start()
    try:
        for k in (20, 3):
            run(job(server, k))
            wholes.append(released(server))
    finally:
        stop.set()
        reader.join()
    assert len(seen) > 5
    assert all(each in wholes for each in seen)


@pytest.mark.parametrize(("own", "used"), [("64MB", "128MB"), ("256MB", "256MB")])
def test_a_statement_has_128_mb_or_what_the_server_gives_it(postgresql: Server, own: str, used: str) -> None:
    postgresql.execute(f"alter role owner set work_mem = '{own}'")
    try:
        with Session() as session:
            assert connect(postgresql.url, session).connection.execute("show work_mem").fetchone() == (used,)
    finally:
        postgresql.execute("alter role owner reset work_mem")


def test_the_order_of_a_release_is_not_that_of_the_source(postgresql: Server) -> None:
    """Nor does it depend on it, whatever the types of columns."""
    frame = people(200)
    seen = []
    for rows in (frame, frame[::-1]):
        postgresql.execute("drop table if exists cohort, starcloak_releases cascade")
        postgresql.fill("people", rows, TYPES)
        postgresql.execute(
            "alter table people add visits json, add place point, add codes integer[], add stay interval",
            "update people set visits = json_build_array(age), place = point(age, 1), codes = array[age, null], "
            "stay = age * interval '1 day'",
        )
        run(job(postgresql, keep=["visits", "place", "codes", "stay"]))
        found = postgresql.rows(
            "select age, zip, sex, illness, visits::text, place::text, codes::text, stay from cohort"
        )
        assert Counter(row[-1:] for row in found) == Counter(postgresql.rows("select stay from people"))
        seen.append(found)
    assert seen[0] == seen[1]


def test_grants_and_views_of_the_release_stay(postgresql: Server) -> None:
    postgresql.execute("drop table if exists cohort, starcloak_releases cascade", "drop role if exists analyst")
    postgresql.fill("people", people(100), TYPES)
    run(job(postgresql, 4))
    postgresql.execute(
        "create role analyst", "grant select on cohort to analyst", "create view seen as select * from cohort"
    )
    before = postgresql.rows("select relacl::text from pg_class where relname = 'cohort'")
    postgresql.fill("people", people(100, seed=3), TYPES)
    run(job(postgresql, 4))
    assert postgresql.rows("select relacl::text from pg_class where relname = 'cohort'") == before
    assert postgresql.rows("select count(*) from seen") == [(100,)]


def test_grants_that_go_with_a_table_of_other_columns_are_told(postgresql: Server) -> None:
    postgresql.execute("drop table if exists cohort, starcloak_releases cascade", "drop role if exists analyst")
    postgresql.fill("people", people(100), TYPES)
    run(job(postgresql))
    fewer = job(postgresql, identifiers=["name", "illness"], sensitive=[])
    assert not any("grants" in warning for warning in run(fewer).result.warnings)
    for granted in ("select", "select (age)"):
        postgresql.execute(
            "drop role if exists analyst", "create role analyst", f"grant {granted} on cohort to analyst"
        )
        release = run(job(postgresql) if granted == "select" else fewer)
        assert any("without the grants" in warning for warning in release.result.warnings)
    # What depends on columns of the old table keeps it.
    postgresql.execute("create view seen as select age from cohort")
    before = released_columns(postgresql)
    with pytest.raises(OutputError, match="other columns than the one before, on which others depend"):
        run(job(postgresql))
    assert released_columns(postgresql) == before


def released_columns(server: Server) -> list[str]:
    return [column["name"] for column in sqlalchemy.inspect(server.engine()).get_columns("cohort")]


def test_a_role_that_may_read_the_source_and_create_in_one_schema_is_enough(postgresql: Server) -> None:
    postgresql.execute(
        "drop table if exists cohort, starcloak_releases cascade",
        "drop schema if exists ward cascade",
        "drop role if exists clerk",
        "create role clerk login password 'secretpw8'",
        "create schema ward",
        "revoke create on schema public from public",
        "revoke temporary on database postgres from public",
        "grant usage, create on schema ward to clerk",
    )
    postgresql.fill("people", people(100), TYPES)
    postgresql.execute("grant select on people to clerk")
    url = postgresql.url.replace("owner:secretpw7", "clerk:secretpw8")
    clerk = Server("postgresql", url)
    assert "superuser" in run(job(postgresql)).result.warnings[0]
    for algorithm in ALGORITHMS:
        release = run(job(clerk, output={"table": "ward.cohort"}, algorithm=algorithm))
        assert not any("superuser" in warning for warning in release.result.warnings)
    assert postgresql.rows("select count(*) from ward.cohort") == [(100,)]
    with pytest.raises(InputError, match="may not do that"):
        run(job(clerk, output={"table": "public.other"}))
    postgresql.execute("revoke select on people from clerk")
    with pytest.raises(SourceError, match="SELECT on the source"):
        run(job(clerk, output={"table": "ward.cohort"}))


def test_missing_values_of_every_type_find_their_member_in_mariadb(mariadb: Server) -> None:
    """Its hashed joins lose a missing decimal or time: they compare the bytes that stand in the place of the value."""
    days = ["2001-02-03", "1976-01-21 04:05:06"]
    values: dict[str, list[Any]] = {
        "tinyint": [1, -2],
        "int": [1, -2],
        "bigint unsigned": [2**64 - 1, 0],
        "double": [0.5, -35.0],
        "decimal(9,2)": ["0.50", "-35.00"],
        "decimal(38,18)": ["0.5", "-35"],
        "date": days,
        "datetime": days,
        "datetime(6)": [f"{days[1]}.000001", days[0]],
        "timestamp null": days,
        "year": [1976, 2001],
        "varchar(9)": ["", "a"],
        "longtext": ["", "a"],
    }
    described = {
        "source": {"url": mariadb.url, "table": "people"},
        "quasi_identifiers": {"a": "suppress", "b": "suppress"},
        "output": {"table": "cohort"},
    }
    mariadb.clear()
    for kind, (one, other) in values.items():
        frame = pandas.DataFrame([(1, one), (1, other), (1, None)], columns=["a", "b"], dtype=object)
        mariadb.fill("people", frame, {"a": "int", "b": kind})
        for k, algorithm in ((1, "kaca"), (3, "full-subtree"), (3, "kaca")):
            release = run({**described, "requirement": {"k": k}, "algorithm": {"name": algorithm}})
            made = Counter(mariadb.rows("select * from cohort"))
            assert sum(made.values()) == 3, kind
            assert {b for _, b in made} >= {None if k == 1 else "*"}
            mariadb.execute("drop table cohort")
            assert scripted(client(mariadb), release.sql()).returncode == 0, kind
            assert Counter(mariadb.rows("select * from cohort")) == made
            mariadb.execute("drop table cohort")


def test_a_mariadb_user_who_may_read_the_source_and_fill_one_schema_is_enough(mariadb: Server) -> None:
    mariadb.execute(
        "drop database if exists ward",
        "drop user if exists clerk@'127.0.0.1'",
        "create database ward",
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant create temporary tables, create, insert, select, alter, drop on ward.* to clerk@'127.0.0.1'",
    )
    mariadb.fill("people", people(100), TYPES)
    mariadb.execute("grant select on test.people to clerk@'127.0.0.1'")
    url = mariadb.url.replace("owner:secretpw7", "clerk:secretpw8").replace("/test", "/ward")
    assert "may do everything" in run(job(mariadb)).result.warnings[0]
    described = job(mariadb, source={"url": url, "table": "test.people"})
    for algorithm in ALGORITHMS:
        release = run({**described, "algorithm": algorithm})
        assert not any("everything" in warning for warning in release.result.warnings)
    assert mariadb.rows("select count(*) from ward.cohort") == [(100,)]
    with pytest.raises(InputError, match="may not do that"):
        run({**described, "output": {"table": "test.other"}})
    mariadb.execute("revoke select on test.people from clerk@'127.0.0.1'")
    with pytest.raises(SourceError, match="SELECT on the source"):
        run(described)
    mariadb.execute("drop database ward", "drop user clerk@'127.0.0.1'")


def test_what_is_no_release_is_left_alone(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    server.execute("create table cohort (a integer)")
    with pytest.raises(OutputError, match="is not a release"):
        run(job(server))
    with pytest.raises(OutputError, match="is the source"):
        run(job(server, output={"table": "people"}))
    assert server.rows("select * from cohort") == []


def test_a_second_run_on_one_table_fails_fast(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    refused = []

    def again(sql: str) -> None:
        if "count(*) as frequency" in sql and not refused:
            command = [sys.executable, "-c", f"import starcloak as sc; sc.run({job(server)!r})"]
            environment = {**os.environ, "TMPDIR": str(os.environ["ELSEWHERE"])}
            refused.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=False))

    os.environ["ELSEWHERE"] = servers.tempfile.mkdtemp()
    run(job(server), again)
    assert "another run" in refused[0].stderr


def test_a_second_different_release_of_a_source_is_warned_of(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    assert not any("released before" in warning for warning in run(job(server)).result.warnings)
    assert not any("released before" in warning for warning in run(job(server)).result.warnings)
    assert any("released before" in warning for warning in run(job(server, 6)).result.warnings)
    entries = server.rows("select k, released_rows, suppressed_rows from starcloak_releases")
    assert len(entries) == 3 and all(entry[1:] == (40, 0) for entry in entries)


def test_errors_and_traces_have_no_password_and_no_value(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    server.fill("people", people(60), TYPES)
    shown: list[str] = []
    release = run(job(server), shown.append)
    texts = [release.result.model_dump_json(), *caplog.messages, *shown]
    for wrong in (
        job(server, source={"url": server.url, "table": "nothing"}),
        job(server, source={"url": server.url, "query": "select * from people where cast(name as integer) = 1"}),
        job(server, output={"table": "nowhere.cohort"}),
        job(server, quasi_identifiers={"age": "suppress", "zip": {"digits": 4}, "sex": "suppress"}),
    ):
        with pytest.raises(InputError) as error:
            run(wrong)
        texts.append(str(error.value))
        assert "\n" not in str(error.value)
    assert not any("secretpw" in text or "SECRETx7" in text or "grippé" in text for text in texts)


def test_refused_connections_are_one_clear_line(postgresql: Server) -> None:
    for url, says in {
        postgresql.url.replace("secretpw7", "wrongpw"): "password is wrong",
        postgresql.url.replace("/postgres", "/nothing"): "database is not there",
        "postgresql://owner:secretpw7@127.0.0.1:1/postgres": "cannot be reached",
    }.items():
        with pytest.raises(SourceError, match=says) as error:
            run(job(Server("postgresql", url)))
        assert "pw" not in str(error.value) and "\n" not in str(error.value)


def test_hostile_names(server: Server) -> None:
    """Also in the script that the database's own client runs, whose comments name columns, and whose lines may be
    commands of the client.
    """
    names = [
        'a"b',
        "drop table x; --",
        "Ünïcode ☃",
        "select",
        "$k",
        "two\nlines; drop table people; --",
        "{hole}",
        "%s",
        ":k",
        "x\n//\n/\ngo\n;",
        "\\q\n\\! false\n.quit",
        "a\rreturn",
        "value_1",
        "level_1",
        "code",
        "copy",
    ]
    frame = pandas.DataFrame({name: [str(row % 3) for row in range(30)] for name in names})
    server.fill("people", frame, dict.fromkeys(names, "varchar(9)"))
    for algorithm, first in zip(ALGORITHMS[:2], (0, 2), strict=True):
        chosen = names[first::3]
        described = job(server, quasi_identifiers=dict.fromkeys(chosen, "suppress"), algorithm=algorithm, k=11)
        described |= {"identifiers": [], "sensitive": [], "keep": [name for name in names if name not in chosen]}
        release = run(described)
        assert list(release.to_pandas().columns) == names
        rows = Counter(server.rows("select * from cohort"))
        server.execute("drop table cohort", "drop table starcloak_releases")
        if (command := client(server)) is not None:
            done = scripted(command, release.sql())
            assert (done.returncode, done.stderr) == (0, "")
            assert Counter(server.rows("select * from cohort")) == rows
            assert server.tables() == {"people", "cohort"}
            server.execute("drop table cohort")


@pytest.mark.parametrize("name", [" lead", "\nlead", "\x01lead"])
def test_a_name_that_mariadb_changes_is_refused(mariadb: Server, name: str) -> None:
    mariadb.fill("people", pandas.DataFrame({name: ["a", "a"], "b": ["c", "c"]}), {name: "varchar(9)", "b": "char(1)"})
    for quasi, kept in ((name, "b"), ("b", name)):
        described = {**job(mariadb, 2), "quasi_identifiers": {quasi: "suppress"}, "keep": [kept]}
        with pytest.raises(SourceError, match="begins with a space"):
            run({**described, "identifiers": [], "sensitive": []})
    with pytest.raises(SourceError, match="begins with a space"):
        sc.check({"url": mariadb.url, "table": "people"}, [name], 2)
    run({**job(mariadb, 2), "identifiers": [name], "quasi_identifiers": {"b": "suppress"}, "sensitive": []})


def test_values_that_a_collation_merges_are_told_apart(postgresql: Server) -> None:
    postgresql.execute(
        "drop table if exists people, cohort, starcloak_releases cascade",
        "drop collation if exists blind",
        "create collation blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
        "create table people (a text collate blind, b char(5), c float8)",
        "insert into people select case when i % 4 = 0 then 'x' else 'X' end, 'q', 0.5 from generate_series(1, 8) i",
    )
    described = {
        "source": {"url": postgresql.url, "table": "people"},
        "quasi_identifiers": {"a": "suppress", "b": "suppress", "c": "suppress"},
        "requirement": {"k": 3},
        "output": {"table": "cohort"},
    }
    release = run(described)
    assert release.result.recoding.levels == {"a": 1, "b": 0, "c": 0}
    assert not sc.check({"url": postgresql.url, "table": "people"}, ["a"], 3).holds
    postgresql.execute("update people set c = '-0'")
    with pytest.raises(SourceError, match="negative zero"):
        run(described)


def test_a_dimension_table_of_the_database(server: Server) -> None:
    server.fill("people", people(80), TYPES)
    ages = pandas.DataFrame({"age": range(20, 60), "half": [f"{age // 20 * 20}+" for age in range(20, 60)], "top": "*"})
    server.fill("ages", ages, {"age": "integer", "half": "varchar(9)", "top": "varchar(9)"})
    described = job(server, 10)
    described["quasi_identifiers"] = {"age": {"table": "ages"}, "zip": {"digits": 5}, "sex": "suppress"}
    assert run(described).result.recoding.heights["age"] == 2
    server.execute("drop table ages")


def test_a_query_is_a_source(server: Server) -> None:
    server.fill("people", people(80), TYPES)
    query = "select age, zip, sex, illness, name from people where age > 25 -- some\n;"
    release = run(job(server, source={"url": server.url, "query": query}))
    assert release.result.rows == len(server.rows("select * from people where age > 25"))
    started = time.monotonic()
    assert sc.check({"url": server.url, "query": query}, ["illness"], 1).holds
    assert time.monotonic() - started < 30


def test_the_compiled_script_makes_the_release_in_the_databases_own_client(server: Server) -> None:
    frame = people(120)
    frame.loc[frame["zip"] == "53700", "zip"] = "5\\'70"  # a backslash is no escape, a quote ends no text
    for algorithm in ALGORITHMS[:2]:
        server.fill("people", frame, TYPES)
        described = job(server, algorithm=algorithm)
        script = sc.compile(described)
        release = run(described)
        assert release.sql() == script
        expected = released(server)
        server.execute("drop table cohort", "drop table starcloak_releases")
        done = scripted(client(server), script)
        assert (done.returncode, done.stderr) == (0, "")
        assert released(server) == expected
        assert server.tables() == {"people", "cohort"}
        # A release that is there already stays, and nothing is left beside it.
        assert scripted(client(server), script).returncode != 0
        assert released(server) == expected
        assert server.tables() == {"people", "cohort"}
        server.execute("drop table cohort")


def test_tables_of_a_release_are_joined_by_hash(postgresql: Server) -> None:
    # Through the suppressed tuples one by one for each row, a million rows would take hours.
    postgresql.execute("drop table if exists cohort, starcloak_releases cascade")
    postgresql.fill("people", people(3000), TYPES)
    script = sc.compile(
        job(postgresql, 6, requirement={"k": 6, "suppression": "0.9"}, objective={"weights": {"age": 9}})
    )
    release = 'create temporary table "starcloak_release" as'
    assert "not exists" in script and script.count(release) == 1
    before, _, after = script.partition(release)
    plan = scripted(client(postgresql), f"{before}explain {release}{after.partition(';')[0]};")
    assert "Hash Anti Join" in plan.stdout and "Hash Join" in plan.stdout
    assert "Nested Loop" not in plan.stdout and "Merge" not in plan.stdout
    # A column that stays as it is asks its dimension for nothing.
    assert 'join "starcloak' in script and 'join "starcloak' not in sc.compile(job(postgresql, 1))


def test_a_compiled_script_publishes_nothing_that_is_not_what_was_searched(server: Server) -> None:
    described = job(server)
    goes_on = {"postgresql": ["-v", "ON_ERROR_STOP=0"], "mariadb": ["--force"], "sqlite": []}[server.name]
    for change in (
        "insert into people values ('x', 20, '53700', 'f', 'flu')",  # one row more
        "insert into people values ('x', 99, '53700', 'f', 'flu')",  # one that has no leaf
        "update people set age = 20, zip = '53700', sex = 'f' where name <> 'SECRETx7 0'",  # as many, one of them alone
    ):
        alone = people(120)
        alone.loc[0, ["age", "zip", "sex"]] = [59, "53707", "m"]
        server.fill("people", alone, TYPES)
        script = sc.compile(described)
        server.execute(change)
        done = scripted(client(server), script)
        assert "not the source" in done.stderr
        assert done.returncode != 0
        done = scripted(client(server, *goes_on), script.replace("\\set ON_ERROR_STOP on", ""))
        assert "not the source" in done.stderr
        assert server.tables() == {"people"}


def as_texts(frame: pandas.DataFrame) -> Counter[tuple[str, ...]]:
    rows = frame.astype(object)
    return Counter(tuple(map(str, row)) for row in rows.where(rows.notna(), None).itertuples(index=False))


@pytest.mark.parametrize("algorithm", ALGORITHMS[:2], ids=lambda algorithm: algorithm["name"])
def test_a_release_of_a_database_goes_to_a_file_or_a_frame(
    server: Server, algorithm: dict[str, Any], tmp_path: Path
) -> None:
    frame = people(120)
    server.fill("people", frame, TYPES)
    described = job(server, algorithm=algorithm)
    expected = as_texts(sc.run({**described, "source": None, "output": None}, frame=frame).to_pandas())
    outputs: list[Any] = [None, {"path": str(tmp_path / "r.parquet")}, {"path": str(tmp_path / "r.csv")}]
    outputs.append({"url": f"duckdb:///{tmp_path / 'r.duckdb'}", "table": "cohort"})
    for output in outputs:
        release = run({**described, "output": output})
        assert as_texts(release.to_pandas()) == expected
        assert server.tables() == {"people"}
        if output is not None:
            with pytest.raises(OutputError, match="a script runs in one database"):
                release.sql()
            with pytest.raises(OutputError, match="a script runs in one database"):
                sc.compile({**described, "output": output})


def odd() -> pandas.DataFrame:
    """A value of each type that goes to a database, and of each that might change on the way."""
    frame = people(90).drop(columns="name")
    frame["day"] = pandas.to_datetime(frame["age"].map(lambda age: f"19{age}-02-03")).dt.date
    frame["when"] = pandas.to_datetime("2001-02-03 04:05:06.700000").as_unit("us")
    frame["price"] = [0.1 + row / 3 for row in range(90)]
    frame["well"] = frame["age"] % 2 == 0
    frame["cost"] = [Decimal(row) / 8 for row in range(90)]
    frame["text"] = [["", None, "\\N", '"', "a\nb,", "007", "1e3", " "][row % 8] for row in range(90)]
    return frame


def test_a_release_of_a_frame_goes_to_a_table(server: Server) -> None:
    frame = odd()
    described = job(server, source=None, identifiers=[], output={"url": server.url, "table": "cohort"})
    described["quasi_identifiers"] |= {"day": {"dates": ["year", "decade"]}}
    described["keep"] = ["when", "price", "well", "cost", "text"]
    for k in (4, 2):  # the second one replaces the first
        described["requirement"] = {"k": k}
        release = sc.run(described, frame=frame)
        here = sc.run({**described, "output": None}, frame=frame)
        assert release.k == here.k and release.measures == here.measures
        assert server.tables() == {"cohort", "starcloak_releases"}
        names = ", ".join(server.quoted(name) for name in ("age", "zip", "sex", "illness", "text"))
        plain = here.to_pandas()[["age", "zip", "sex", "illness", "text"]]
        assert Counter(tuple(map(str, row)) for row in server.rows(f"select {names} from cohort")) == as_texts(plain)
    with pytest.raises(OutputError, match="a script runs in one database"):
        release.sql()
    assert server.rows("select count(*) from starcloak_releases") == [(2,)]


def test_diversity_is_counted_on_numbers_that_became_texts(server: Server) -> None:
    server.fill("people", people(120), TYPES)
    described = job(server, 2, requirement={"k": 2, "l_diversity": [{"attribute": "illness", "l": 3}]})
    for algorithm in ALGORITHMS:
        release = run({**described, "algorithm": algorithm})
        (qid,) = release.result.requirement.qids
        rows = server.rows("select age, zip, sex, illness from cohort")
        diversity = {row[:3]: set[Any]() for row in rows}
        for row in rows:
            diversity[row[:3]] |= {row[3]} - {None}
        assert [model.achieved for model in qid.models] == [min(map(len, diversity.values()))]


def test_decimals_of_a_frame_keep_their_digits(server: Server) -> None:
    exact = [Decimal(f"{whole}.{at:018}") for at, whole in enumerate(["1", "1", "9" * 20, "9" * 20, "0", "-40"], 1)]
    frame = pandas.DataFrame({"sex": ["f", "m"] * 3, "cost": exact})
    described = {"quasi_identifiers": {"sex": "suppress"}, "keep": ["cost"], "requirement": {"k": 2}}
    for _ in range(2):  # the second time into a table that is there
        sc.run({**described, "output": {"url": server.url, "table": "cohort"}}, frame=frame)
        assert sorted(Decimal(cost) for (cost,) in server.rows("select cost from cohort")) == sorted(exact)
        frame = frame[::-1]


def test_a_table_of_a_frame_is_the_old_release_or_the_new(server: Server) -> None:
    described = job(server, k=2, source=None, output={"url": server.url, "table": "cohort"})
    sc.run(described, frame=people(60, seed=2))
    new = released(server)
    sc.run(described, frame=people(60))
    old = released(server)
    for point in itertools.count(start=5, step=4):
        try:
            sc.run(described, frame=people(60, seed=2), resources=Resources(trace=at(point, _fail)))
            break
        except RuntimeError:
            published = released(server) == new  # then what is left to do is sweeping, which the next run does
            assert published or released(server) == old
            assert published or server.tables() == {"cohort", "starcloak_releases"}
    assert point > 10
    assert released(server) == new
    assert server.tables() == {"cohort", "starcloak_releases"}
    assert new != old


def test_a_release_goes_from_one_database_to_another(postgresql: Server, sqlite: Server) -> None:
    postgresql.execute("drop table if exists people, cohort, starcloak_releases cascade")
    for one, other in ((postgresql, sqlite), (sqlite, postgresql)):
        one.fill("people", people(60), TYPES)
        run(job(one, output={"url": other.url, "table": "cohort"}))
        run(job(one))
        assert released(other) == released(one)
        for server in (one, other):
            server.execute("drop table cohort", "drop table starcloak_releases")


def test_what_another_place_would_change_is_refused(postgresql: Server, tmp_path: Path) -> None:
    postgresql.execute("drop table if exists people, cohort, starcloak_releases cascade")
    postgresql.fill("people", people(60), TYPES)
    postgresql.execute("alter table people add column extra json")
    output = {"path": str(tmp_path / "r.csv")}
    with pytest.raises(SourceError, match="'extra' is of type json, which does not leave its database"):
        run(job(postgresql, keep=["extra"], output=output))
    frame = people(60).assign(extra=[[1]] * 60)
    with pytest.raises(SourceError, match="'extra' holds Python objects of type list: convert it"):
        sc.run(job(postgresql, source=None, keep=["extra"], output={"url": postgresql.url, "table": "x"}), frame=frame)
    long = "x" * 64  # cut by PostgreSQL
    with pytest.raises(OutputError, match="shorten"):
        frame = people(60).assign(**{long: 1})
        sc.run(job(postgresql, source=None, keep=[long], output={"url": postgresql.url, "table": "x"}), frame=frame)
    assert postgresql.tables() == {"people"} and not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize("algorithm", [{"name": "witness"}, {"name": "mondrian"}], ids=lambda each: each["name"])
def test_dimension_tables_may_be_kept_and_used_again(server: Server, algorithm: dict[str, Any]) -> None:
    server.fill("people", people(80), TYPES)
    described = job(server, algorithm=algorithm, keep_dimensions=True)
    for k in (4, 3):  # the second run replaces the tables of the first
        described["requirement"] = {"k": k}
        release = run(described)
        assert not any("released before" in warning for warning in release.result.warnings) or k == 3
        kept = {f"cohort_dim_{name}" for name in ("age", "zip", "sex")}
        assert server.tables() == {"people", "cohort", "starcloak_releases", *kept}
        assert ("25", "[25, 30)", "[20, 30)", "[20, 40)", "*") in server.rows("select * from cohort_dim_age")
        assert sorted(server.rows("select * from cohort_dim_sex"), key=str)[-1] == (None, "*")
    tables = {name: {"table": f"cohort_dim_{name}"} for name in ("age", "zip", "sex")}
    again = run({**described, "quasi_identifiers": tables, "output": {"table": "other"}, "keep_dimensions": False})
    assert again.measures == release.measures
    # Another's table of such a name stays.
    server.execute("drop table cohort_dim_zip", "delete from starcloak_releases where source is null")
    server.execute("create table cohort_dim_zip (a integer)")
    old = released(server)
    with pytest.raises(OutputError, match=r"cohort_dim_\w+ in .* is not a release"):
        run(described)
    assert server.rows("select * from cohort_dim_zip") == []
    assert released(server) == old


def test_dimension_tables_are_kept_in_databases_only(tmp_path: Path) -> None:
    described = job(Server("", ""), source=None, output={"path": str(tmp_path / "r.csv")}, keep_dimensions=True)
    with pytest.raises(OutputError, match="leave keep_dimensions out"):
        sc.run(described, frame=people(40))
    assert list(tmp_path.iterdir()) == []


def test_a_run_in_one_database_with_nothing_changed_is_a_no_op(server: Server) -> None:
    frame = people(60)
    frame.loc[:3, ["age", "zip", "sex"]] = [25, "53701", "f"]
    frame.loc[:3, "illness"] = ["flu", "cold", None, "b"]
    server.fill("people", frame, TYPES)
    described = job(server, 2, keep=["name"], identifiers=[])

    def unchanged(**more: Any) -> bool:
        return run({**described, **more}, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    seen: list[str] = []
    before, entries = released(server), server.rows("select * from starcloak_releases")
    run(described, seen.append, force=False)
    written = [sql for sql in seen if bare(sql).startswith(("insert", "delete", "create table"))]
    assert [sql for sql in written if '_source"\n' not in sql] == []  # MariaDB's copy of the source
    assert (released(server), server.rows("select * from starcloak_releases")) == (before, entries)
    server.fill("people", frame[::-1], TYPES)
    assert unchanged()
    for change in (
        "update people set illness = 'measles' where name = 'SECRETx7 7'",
        "update people set illness = '' where illness is null",
        "update people set age = 26 where name = 'SECRETx7 1'",
        # Two people of one class exchange what is kept: every column by itself has the values that it had.
        "update people set illness = case name when 'SECRETx7 0' then 'cold' else 'flu' end "
        "where name in ('SECRETx7 0', 'SECRETx7 1')",
        "insert into people select * from people",
        "update cohort set illness = 'x' where illness = 'flu'",
        "delete from cohort where illness = 'cold'",
        "drop table cohort",
    ):
        server.execute(change)
        assert [unchanged(), unchanged()] == [False, True], change
    assert not unchanged(requirement={"k": 3})
    assert [unchanged(keep_dimensions=True) for _ in range(2)] == [False, False]


def test_a_no_op_knows_dimension_tables_and_leaves_nothing_of_a_killed_run(server: Server) -> None:
    server.fill("people", people(60), TYPES)
    server.fill(
        "sexes",
        pandas.DataFrame({"leaf": ["f", "m", "F", None], "top": ["*"] * 4}),
        dict.fromkeys(("leaf", "top"), "varchar(9)"),
    )
    hierarchies = {"age": "suppress", "sex": {"table": "sexes"}}
    described = job(server, 2, quasi_identifiers=hierarchies, identifiers=["name", "zip"])

    def unchanged() -> bool:
        return run(described, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    for point in itertools.count(start=8, step=4):
        if _ends(server, described, "kill", point):
            break
        _waiting(described, force=False)
        assert server.tables() == {"people", "sexes", "cohort", "starcloak_releases"}
    assert point > 16
    server.execute("update sexes set top = 'any'")
    assert [unchanged(), unchanged()] == [False, True]


def test_a_run_between_two_places_with_nothing_changed_is_a_no_op(server: Server, tmp_path: Path) -> None:
    frame = people(60)
    server.fill("people", frame, TYPES)
    described = job(server, 2, output={"path": str(tmp_path / "r.csv")})

    def unchanged() -> bool:
        return run(described, force=False).result.unchanged

    assert [unchanged(), unchanged()] == [False, True]
    released = (tmp_path / "r.csv").read_text()
    server.execute("update people set name = 'another'")  # which is not released
    assert unchanged()
    for change in ("update people set illness = 'measles' where age < 30", "insert into people select * from people"):
        server.execute(change)
        assert [unchanged(), unchanged()] == [False, True]
        assert (tmp_path / "r.csv").read_text() != released
    (tmp_path / "r.csv").write_text(released)
    with pytest.raises(OutputError, match="is not a release"):
        unchanged()


def test_a_run_of_a_frame_to_a_table_with_nothing_changed_is_a_no_op(server: Server) -> None:
    frame = odd()
    described = job(server, source=None, identifiers=[], output={"url": server.url, "table": "cohort"})
    described["keep"] = ["day", "when", "price", "well", "cost", "text"]

    def unchanged(frame: pandas.DataFrame) -> bool:
        return sc.run(described, frame=frame, resources=Resources(threads=1)).result.unchanged

    assert [unchanged(frame), unchanged(frame), unchanged(frame[::-1])] == [False, True, True]
    assert not unchanged(frame.assign(price=[*frame["price"][1:], 0.25]))
    assert not unchanged(frame)
    for change in ("update cohort set illness = 'x' where price < 5", "delete from cohort where price < 5"):
        server.execute(change)
        assert [unchanged(frame), unchanged(frame)] == [False, True]
    server.execute("drop table cohort")
    assert [unchanged(frame), unchanged(frame)] == [False, True]


@pytest.mark.parametrize(
    ("variable", "value"),
    [("sql_select_limit", "5"), ("max_join_size", "10"), ("optimizer_switch", "'derived_merge=off'")],
)
def test_a_servers_own_settings_neither_cut_an_answer_nor_refuse_a_run(
    mariadb: Server, variable: str, value: str
) -> None:
    mariadb.clear()
    mariadb.fill("people", people(60), TYPES)
    ((before,),) = mariadb.rows(f"select @@global.{variable}")
    mariadb.execute(f"set global {variable} = {value}")
    try:
        assert run(job(mariadb)).result.rows == 60
        assert sc.check({"url": mariadb.url, "table": "cohort"}, ["age", "zip", "sex"], k=4).rows == 60
    finally:
        mariadb.execute(f"set global {variable} = {before!r}")
