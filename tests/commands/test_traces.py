"""A trace: each statement under its name, as the database's own client runs it, with the values of its binds."""

from __future__ import annotations

import datetime
import itertools
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pytest

from starcloak.commands import pipeline
from starcloak.commands.pipeline import Resources
from starcloak.statements.sql_literals import literal
from starcloak.statements.statement import Bind, Name, Statement, heading
from starcloak.store.session import Session
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, client, job, people, run, scripted
from tests.traces import bare

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, -(2**31), 2**40, -(2**63), 2**63, 2**100, 0.1, -0.0, 1e300, 5e-324, -2.5,
    float("inf"), float("nan"), Decimal("0.01"), Decimal("0.10"), Decimal("-12.50"), Decimal("1E+3"), Decimal("0"),
    "", "it's", "''", "a\\b", "a\nb", "a\rb", "a\0b", "\0", "--", "/*", "$seed", "{hole}", "%s", ":k", "Ünïcode ☃ 😀",
    [], [1, 2], [None], ["a", None], [0.5, 1.0], [2**40], [["a'"], []], [Decimal("1.5"), Decimal("10.25")], (1, 2),
    datetime.date(1970, 1, 31), datetime.datetime(2026, 2, 3, 4, 5, 6, 7), b"", b"\0a'", numpy.array([1, 2]),
    numpy.float64(0.1),
]  # fmt: skip
TEXTS = [value for value in VALUES if isinstance(value, str)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:40])
def test_a_literal_is_of_the_type_and_value_that_the_bind_has(value: Any) -> None:
    with duckdb.connect() as connection:
        asked = "select typeof({0}), hash({0}), {0}"
        bound = connection.execute(asked.format("$value"), {"value": value}).fetchone()
        shown = connection.execute(asked.format(literal(value))).fetchone()
    assert repr(shown) == repr(bound)


def test_a_literal_stands_wherever_a_bind_does() -> None:
    with duckdb.connect() as connection:
        for value in (-1, -0.5, Decimal("-1.5")):
            ((shown,),) = connection.execute(f"select 3 -{literal(value)}").fetchall()
            ((bound,),) = connection.execute("select 3 -$value", {"value": value}).fetchall()
            assert shown == bound


def test_a_literal_is_what_a_databases_own_client_reads(server: Server) -> None:
    texts = [text for text in TEXTS if "\0" not in text or server.name != "postgresql"]
    # The driver reads what the client wrote down.
    server.execute("create table told (place integer, text varchar(99))")
    inserts = [f"insert into told values ({place}, {literal(text, server.name)});" for place, text in enumerate(texts)]
    settings = [] if server.name != "mariadb" else ["set names utf8mb4;", "set sql_mode = 'NO_BACKSLASH_ESCAPES';"]
    done = scripted(client(server), "\n".join([*settings, *inserts]) + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert [text for (text,) in server.rows("select text from told order by place")] == texts


@pytest.mark.parametrize("path", ["a\nselect 1", "a */ select 1 /*", "a /*! drop table a */", "a\r\n;b", "a\0b"])
def test_a_heading_stays_a_comment_whatever_a_statement_is_called(path: str) -> None:
    own = Statement.of_text(path, "-- A */ b /*! c */ /*/ d *//*/*\n-- e.\nselect 2")
    comment = heading(own)
    assert comment.startswith("-- a") and comment.endswith("\n")
    assert not re.search(r"/\*|\*/|[\r\0]|\n.", comment)
    with duckdb.connect() as connection:
        assert connection.execute(comment + own.sql()).fetchall() == [(2,)]
        assert connection.execute(f"/* {comment} */ {own.sql()}").fetchall() == [(2,)]


def test_binds_are_shown_where_they_stand_and_nowhere_else() -> None:
    seen: list[str] = []
    inner = Statement.of_text("inner", "select 7 as {name}, hash($seed) as hashed", name=Name("$seed"))
    outer = Statement.of_text("outer", "select *, {bind} as more\nfrom (\n    {rows}\n)", rows=inner, bind=Bind("more"))
    with Session() as session:
        session.trace(seen.append)
        session.create(Name("made"), outer, {"seed": 3, "more": "$seed"})
        made = session.run(Statement("store/relation", relation=Name("made")))
    assert seen[0] == (
        "-- outer\n"
        'create or replace table "made" as\n'
        "select *, '$seed' as more\n"
        'from (\n    select 7 as "$seed", hash(3) as hashed\n)'
    )
    with duckdb.connect() as connection:
        connection.execute(seen[0])
        assert connection.execute("from made").fetchall() == made


ALGORITHMS: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "incognito"},
    {"name": "kaca"},
    {"name": "mondrian"},
    {"name": "tdr", "class": "illness"},
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm["name"])
def test_a_trace_makes_the_release_again_in_duckdb(algorithm: dict[str, Any], work: Path) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.register("frame", people(60))
        connection.execute("create table people as from frame")
    described = {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "identifiers": ["name"],
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 4},
        "algorithm": algorithm,
        "seed": 5,
        "output": {"path": "cohort.csv"},
    }
    seen: list[str] = []
    pipeline.run(described, resources=Resources(trace=seen.append, threads=1))
    assert all(text.startswith("-- ") for text in seen if re.match(r"\s*(select|create|copy|insert|with)", bare(text)))
    copied = next(text for text in seen if bare(text).startswith("copy"))  # the second one keeps the recoding
    staged = re.search(r"to '([^']*)'", copied)
    assert staged is not None and not Path(staged[1]).exists()
    Path(staged[1]).parent.mkdir()
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        connection.execute(";\n".join(itertools.takewhile(lambda text: text is not copied, seen)))
        connection.execute(copied)
        made = Path(staged[1]).read_bytes()
        for text in seen[seen.index(copied) + 1 :]:
            if bare(text).startswith("copy"):
                Path(re.findall(r"to '([^']*)'", text)[0]).parent.mkdir(parents=True, exist_ok=True)
            connection.execute(text)
    assert made == Path("cohort.csv").read_bytes()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "algorithm"), some_daily(SERVERS, ["witness", "kaca"], each=2), indirect=["server"])
def test_the_trace_of_a_database_runs_in_its_own_client(server: Server, algorithm: str) -> None:
    server.fill("people", people(60), TYPES)
    seen: list[str] = []
    described = job(server, algorithm={"name": algorithm})
    if server.name == "sqlite":  # whose client has no function that tells texts apart in a number
        described |= {"identifiers": ["name", "illness"], "sensitive": []}
    run(described, trace=seen.append)
    there = [text for text in seen if text.startswith("/* starcloak ")]
    assert any("-- store/ledger#entry: " in text and f"'{algorithm}'" not in text for text in there)
    for table in server.tables() - {"people"}:
        server.execute(f"drop table {server.quoted(table)}")
    done = scripted(client(server), ";\n\n".join(there) + ";\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert server.tables() == {"people", "cohort", "starcloak_releases"}
    assert "SECRETx7" not in "".join(there)
