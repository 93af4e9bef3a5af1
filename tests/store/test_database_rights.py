"""What a user may do in a database and has to, what stays of grants and views, what is told of passwords."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pandas
import pytest
import sqlalchemy

import starcloak as sc
from starcloak.base.errors import InputError, OutputError, SourceError
from tests import servers
from tests.daily import drawn_today
from tests.people import TYPES, Server, client, job, people, run, scripted
from tests.store.breaking import ALGORITHMS


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
        assert any("without the old grants" in warning for warning in release.result.warnings)
    # What depends on columns of the old table keeps it.
    postgresql.execute("create view seen as select age from cohort")
    before = released_columns(postgresql)
    with pytest.raises(OutputError, match="other columns than the previous one, and views or other objects depend"):
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
    clerk = postgresql.as_user("clerk")
    assert "superuser" in run(job(postgresql)).result.warnings[0]
    for algorithm in ALGORITHMS:
        release = run(job(clerk, output={"table": "ward.cohort"}, algorithm=algorithm))
        assert not any("superuser" in warning for warning in release.result.warnings)
    assert postgresql.rows("select count(*) from ward.cohort") == [(100,)]
    with pytest.raises(InputError, match="lacks a right"):
        run(job(clerk, output={"table": "public.other"}))
    postgresql.execute("revoke select on people from clerk")
    with pytest.raises(SourceError, match="SELECT on the source"):
        run(job(clerk, output={"table": "ward.cohort"}))


def test_a_user_of_mariadb_who_may_do_everything_is_told(mariadb: Server) -> None:
    mariadb.fill("people", people(60), TYPES)
    mariadb.execute(
        "drop database if exists ward",
        "drop user if exists clerk@'127.0.0.1'",
        "create database ward",
        "create user clerk@'127.0.0.1' identified by 'secretpw8'",
        "grant select on test.people to clerk@'127.0.0.1'",
        "grant select on mysql.* to clerk@'127.0.0.1'",  # who sees what others may do
        "grant create temporary tables, create, insert, select, delete, alter, drop on ward.* to clerk@'127.0.0.1'",
    )
    url = mariadb.as_user("clerk").url.replace("/test", "/ward")
    told = [
        any("has all rights" in warning for warning in run(described).result.warnings)
        for described in (job(mariadb), job(mariadb, source={"url": url, "table": "test.people"}))
    ]
    assert told == [True, False]
    mariadb.execute("drop database ward", "drop user clerk@'127.0.0.1'")


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
        "insight": "off",
    }
    for kind, (one, other) in drawn_today(values.items(), every=4):
        frame = pandas.DataFrame([(1, one), (1, other), (1, None)], columns=["a", "b"], dtype=object)
        mariadb.fill("people", frame, {"a": "int", "b": kind})
        # A dimension by itself and within a recoding; types of which the joins lose nothing are in the first alone.
        lost = kind.startswith(("decimal", "date", "timestamp"))
        for k, algorithm in ((1, "kaca"), (3, "full-subtree"))[: 1 + lost]:
            asked = {**described, "requirement": {"k": k}, "algorithm": {"name": algorithm}}
            release = sc.run(asked, force=True, joint=False)
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
    url = mariadb.as_user("clerk").url.replace("/test", "/ward")
    assert "has all rights" in run(job(mariadb)).result.warnings[0]
    described = job(mariadb, source={"url": url, "table": "test.people"})
    for algorithm in ALGORITHMS:
        release = run({**described, "algorithm": algorithm})
        assert not any("everything" in warning for warning in release.result.warnings)
    assert mariadb.rows("select count(*) from ward.cohort") == [(100,)]
    with pytest.raises(InputError, match="may not create a table in test"):
        run({**described, "output": {"table": "test.other"}})
    mariadb.execute("revoke select on test.people from clerk@'127.0.0.1'")
    with pytest.raises(SourceError, match="SELECT on the source"):
        run(described)
    mariadb.execute("drop database ward", "drop user clerk@'127.0.0.1'")


@pytest.mark.any_database
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


@pytest.mark.sampled(3)
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
        # What the host is called is no reason.
        "postgresql://owner@/postgres?host=/nowhere/database": "check the url and the server",
    }.items():
        with pytest.raises(SourceError, match=says) as error:
            run(job(Server("postgresql", url)))
        assert "pw" not in str(error.value) and "\n" not in str(error.value)
