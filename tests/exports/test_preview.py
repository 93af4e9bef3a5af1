"""A script in another dialect: marked, without what would be translated wrongly; and what it says is the release."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
import yaml
from click.testing import CliRunner

from starcloak.base.errors import JobError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli

DIALECTS = ("snowflake", "bigquery", "trino", "databricks")

LOCAL = {"algorithm": {"name": "kaca"}, "objective": {"minimize": "height"}}

# What stands for the functions of the others where their script is translated back to be run.
MACROS = """
create macro fail(t) as error(t);
create macro raise_error(t) as error(t);
create macro to_number(t) as error(t);
create macro to_char(t) as t;
"""


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    odd = ["a'b", "a\\b", "a\\'b", "--c", "a\nb", '"q"', "ü☃", "%s", "{x}", "", None]
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute('create table people (name text, zip text, "se""x" text, born date, visits integer)')
        rows = [(f"n{i}", odd[i % 11], "fm"[i % 2], f"19{70 + i % 3}-01-01", i) for i in range(66)]
        connection.executemany("insert into people values (?, ?, ?, ?, ?)", [*rows, ("n", "a'b", "o", "1990-01-01", 1)])
    return work


def job(**more: Any) -> dict[str, Any]:
    return {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "identifiers": ["name"],
        "quasi_identifiers": {
            "zip": "suppress",
            'se"x': {"suppress": True, "importance": 100},
            "born": {"dates": ["year"]},
        },
        "keep": ["visits"],
        "requirement": {"k": 3, "suppression": "0.05"},
        "objective": {"minimize": "height"},
        "output": {"table": "release"},
        **more,
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_preview_is_marked_and_carries_nothing_that_is_translated_wrongly(dialect: Any) -> None:
    script = pipeline.compile(job(), dialect=dialect)
    first, *_ = script.splitlines()
    assert first.startswith(f"-- Translated to {dialect} by sqlglot and NOT RUN there")
    wrong = (
        r"\bhash\(|group by all|//|or replace|\bdecode\(|\bencode\(|read_csv|\bbegin\b|\bcommit\b|attach|\banti join\b"
    )
    assert not re.search(wrong, script, re.IGNORECASE)
    assert not re.search(r"\berror\(", script, re.IGNORECASE) or dialect == "bigquery"
    assert not re.search(r"\btemporary\b", script, re.IGNORECASE) or dialect in ("snowflake", "bigquery")
    assert "view" not in script.lower()
    made, dropped = (re.findall(rf"^{verb} .*?(starcloak_\w+)", script, re.M) for verb in ("CREATE", "DROP"))
    assert sorted(made) == sorted(dropped) and len(made) > 4


@pytest.mark.sampled(2)
@pytest.mark.parametrize("more", [{}, {**LOCAL, "requirement": {"k": 3}}], ids=["full-domain", "local"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_preview_translated_back_makes_the_release(dialect: Any, more: dict[str, Any]) -> None:
    """That is no run on the warehouse; but no value, name, join or count got lost on the way."""
    expected = pipeline.run({key: value for key, value in job(**more).items() if key != "output"})
    assert expected.result.suppressed_rows == (0 if more else 1)
    back = sqlglot.transpile(pipeline.compile(job(**more), dialect=dialect), read=dialect, write="duckdb")
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(MACROS)
        for statement in back:
            connection.execute(statement)
        tables = {name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()}
        assert tables == {"people", "release"}
        found = connection.sql("from release").to_arrow_table()
    released = expected.to_arrow()
    assert sorted(map(str, found.to_pylist())) == sorted(map(str, released.to_pylist()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_preview_counts_again_before_it_publishes(dialect: Any) -> None:
    back = sqlglot.transpile(pipeline.compile(job(), dialect=dialect), read=dialect, write="duckdb")
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(MACROS)
        connection.execute("insert into people values ('n', 'new', 'f', '1970-01-01', 1)")
        with pytest.raises(duckdb.Error, match="not the source"):
            for statement in back:
                connection.execute(statement)
        assert ("release",) not in connection.execute("select table_name from duckdb_tables()").fetchall()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"quasi_identifiers": {"zip": "suppress", 'se"x': "suppress"}, "others": "identifiers", **LOCAL,
          "requirement": {"k": 2}}, "window cannot be translated"),
        ({"clean": {"zip": {"trim": True}}}, "decode cannot be translated"),
        ({"source": {"url": "duckdb:///hospital.duckdb", "query": "from people"}}, "source.table"),
        ({"output": {"path": "release.csv"}}, "output.table"),
    ],
)  # fmt: skip
def test_what_has_no_sure_translation_is_refused(more: dict[str, Any], says: str) -> None:
    """A local recoding has none where rows of one tuple go to several classes."""
    with pytest.raises(JobError, match=says):
        pipeline.compile(job(**more), dialect="trino")


def test_without_sqlglot_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(JobError, match=r"starcloak\[preview\]"):
        pipeline.compile(job(), dialect="trino")


def test_the_command_prints_a_preview() -> None:
    Path("job.yaml").write_text(yaml.safe_dump(job(), sort_keys=False))
    done = CliRunner().invoke(cli, ["compile", "job.yaml", "--dialect", "snowflake"])
    assert done.exit_code == 0
    assert done.output.startswith("-- Translated to snowflake")
    assert CliRunner().invoke(cli, ["compile", "job.yaml", "--dialect", "oracle"]).exit_code == 2
