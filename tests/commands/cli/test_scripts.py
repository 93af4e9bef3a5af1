"""The compiled script makes the release that a run makes, wherever the source is."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import weighed
from tests.commands.cli.jobs import DATABASE, SOURCES, Command, job, write
from tests.daily import drawn_today


def rows_of(file: str) -> Counter[tuple[Any, ...]]:
    return Counter(duckdb.sql(f"from '{file}'").fetchall())


def run_and_compile(starcloak: Command, described: dict[str, Any], *, warns: str = "") -> str:
    """Assert that the compiled script, run by DuckDB alone, makes the release that the run made; returns the script.

    Each line on the standard error begins with what the run ``warns`` of.
    """
    path = write(described)
    compiled = starcloak("compile", path)
    assert (compiled.code, compiled.err) == (0, "")
    output = described["output"]
    assert not Path(output.get("path", "nowhere")).exists()
    done = starcloak("run", path, "--no-joint")
    assert done.code == 0
    assert all(warns and line.startswith(f"starcloak: warning: {warns}") for line in done.err.splitlines()), done.err
    database = described["source"].get("url", "").removeprefix("duckdb:///")
    if "path" in output:
        released = rows_of(output["path"])
        Path(output["path"]).unlink()
    else:
        held = output.get("url", DATABASE).removeprefix("duckdb:///")
        with duckdb.connect(held) as connection:
            released = Counter(connection.execute(f"from {output['table']}").fetchall())
            connection.execute(f"drop table {output['table']}")
    with duckdb.connect(database or ":memory:") as connection:
        connection.execute(compiled.out)
        if "table" in output and "url" not in output:
            assert Counter(connection.execute(f"from {output['table']}").fetchall()) == released
    if "path" in output:
        assert rows_of(output["path"]) == released
        Path(output["path"]).unlink()
    elif "url" in output:
        with duckdb.connect(output["url"].removeprefix("duckdb:///")) as connection:
            assert Counter(connection.execute(f"from {output['table']}").fetchall()) == released
    assert released
    return compiled.out


@pytest.mark.sampled(6)
@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_the_compiled_script_makes_the_release(starcloak: Command, sources: None, source: str) -> None:
    run_and_compile(starcloak, job(source=SOURCES[source]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "important"),
    [("csv", "zip"), ("csv", "age"), ("csv", "sex"), ("parquet", "age"), ("table", "zip"), ("query", "sex")],
)
def test_the_compiled_script_leaves_out_what_is_suppressed(
    starcloak: Command, sources: None, source: str, important: str
) -> None:
    """With an important attribute at level 0, and a missing sex, among the released and the suppressed rows."""
    described = job(source=SOURCES[source], requirement={"k": 2, "suppression": "0.43"})
    script = run_and_compile(starcloak, weighed.by_height(described, {important: 100}))
    assert "outliers" in script


def test_the_compiled_script_refuses_a_source_with_a_row_that_has_no_leaf(starcloak: Command) -> None:
    """The row would be lost, and the release be as large as before."""
    assert starcloak("run", write(job())).code == 0
    script = starcloak("compile", write(job())).out
    Path("release.csv").unlink()
    people = Path("people.csv")
    people.write_text(people.read_text() + "Zoe,99999,99,unheard of,flu\n")
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match="not the source"):
        connection.execute(script)
    assert not Path("release.csv").exists()


def test_the_compiled_script_keeps_missing_values_at_any_level(starcloak: Command) -> None:
    table = "(values (null, null, 1), (null, null, 2), ('2001-02-03', 'a', 3), ('2001-02-04', 'a', 4))"
    duckdb.sql(f"copy (from {table} as people (born, sex, visits)) to 'people.parquet'")
    rules: list[dict[str, Any]] = [{"dates": ["month"]}, {"digits": 10}]
    for hierarchy in [*rules, {"tree": {"all": [None, "2001-02-03", "2001-02-04"]}}]:
        described = job(
            source={"path": "people.parquet"},
            identifiers=[],
            quasi_identifiers={"born": hierarchy, "sex": {"tree": {"all": ["a", None]}}},
            sensitive=None,
            keep=["visits"],
        )
        run_and_compile(starcloak, described)
        run_and_compile(starcloak, described | {"output": {"path": "release.parquet"}})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "output",
    [
        {"path": "out.parquet"},
        {"table": "released"},
        {"table": "ward.released"},
        {"url": "duckdb:///other.duckdb", "table": "released"},
    ],
    ids=repr,
)
def test_the_compiled_script_writes_where_the_run_does(
    starcloak: Command, sources: None, output: dict[str, str]
) -> None:
    run_and_compile(starcloak, job(source=SOURCES["table"], output=output))


TYPED = """
select
    cast(i % 2 = 0 as boolean) as truth,
    cast(i % 3 as tinyint) as small,
    cast(i % 3 as hugeint) as huge,
    cast(i % 3 as ubigint) as natural,
    cast(i % 3 / 10 as decimal(9, 2)) as price,
    i % 3 + 0.1 as real,
    cast(i % 3 + 0.1 as float) as single,
    date '2001-01-01' + cast(i % 3 as integer) as day,
    timestamp '2001-01-01 10:00:00.123456' + interval (i % 3) hour as moment,
    time '10:00:00' + interval (i % 3) minute as clock,
    cast('00000000-0000-0000-0000-00000000000' || (i % 3) as uuid) as uuid,
    cast(['a''b', 'c"d', 'e;f'][i % 3 + 1] as varchar) as "te""xt;--",
    ['{x}', 'ü', chr(10)][i % 3 + 1] as "{braces} $1 %s",
    i as visits
from range(24) as many (i)
"""


def test_the_compiled_script_keeps_every_type_and_hostile_name(starcloak: Command) -> None:
    """At level 0 and at the top; k = 4 holds at most one column at level 0, so each has its turn."""
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f"create table people as {TYPED}")
        names = [row[0] for row in connection.execute("describe people").fetchall()][:-1]
    for name in drawn_today(names, every=5):
        described = job(
            source=SOURCES["table"],
            identifiers=[other for other in names if other not in (name, "truth")],
            quasi_identifiers={name: "suppress"} | ({"truth": "suppress"} if name != "truth" else {}),
            sensitive=None,
            keep=["visits"],
            requirement={"k": 8},
            output={"table": "released"},
        )
        run_and_compile(starcloak, described, warns="a person may have several rows")
        with duckdb.connect("hospital.duckdb") as connection:
            quoted = name.replace('"', '""')
            column = f'select distinct "{quoted}" from'
            released = connection.execute(f"{column} released").fetchall()
            assert sorted(released) == sorted(connection.execute(f"{column} people").fetchall())
            connection.execute("drop table released; drop table starcloak_releases")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "algorithm"),
    [("path", "witness"), *(("table", name) for name in ("witness", "kaca", "mondrian", "tdr", "full-subtree"))],
)
def test_names_of_several_lines_leave_no_comment_of_a_script(starcloak: Command, source: str, algorithm: str) -> None:
    quasi, kept = "zip\n; drop table people; --", "kept\r\n); drop table people; --"
    with duckdb.connect("hospital.duckdb") as connection:
        rows = "select i % 4 as a, i // 9 as b from range(36) as many (i)"
        connection.execute(f'create table people as select a as "{quasi}", b as "{kept}" from ({rows})')
        connection.execute('create table "wa\nrd" as from people')
        connection.execute("copy people to 'pe\nople.parquet'")
    described = job(
        source={"url": DATABASE, "table": "wa\nrd"} if source == "table" else {"path": "pe\nople.parquet"},
        identifiers=None,
        quasi_identifiers={quasi: "suppress"},
        sensitive=None,
        keep=[kept],
        requirement={"k": 12},
        algorithm={"name": algorithm} | ({"class": kept} if algorithm == "tdr" else {}),
        output={"path": "release.parquet"} if source == "path" else {"table": "released"},
    )
    script = run_and_compile(starcloak, described)
    heading = script.partition("\n\n")[0].splitlines()
    assert all(line.startswith("-- ") for line in heading)
    assert any("zip ; drop table people" in line for line in heading)


def test_compile_writes_nothing(starcloak: Command, folder: Path) -> None:
    path = write(job())
    before = sorted(os.listdir(folder))
    assert starcloak("compile", path).code == 0
    assert sorted(os.listdir(folder)) == before
