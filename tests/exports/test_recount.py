"""A script of SQLite without its recount, as after an interrupt of this statement alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import starcloak as sc

JOB = {
    "source": {"url": "sqlite:///clinic.sqlite", "table": "people"},
    "quasi_identifiers": {"zip": "suppress"},
    "requirement": {"k": 2},
    "output": {"table": "cohort"},
}


def test_a_script_without_its_recount_releases_no_row(work: Path) -> None:
    with closing(sqlite3.connect("clinic.sqlite")) as connection:
        connection.executescript("create table people (zip text); insert into people values ('1'), ('1');")
    parts = sc.compile(JOB).split("\n\n")
    left = [part for part in parts if not part.startswith("-- releases/recount: ")]
    assert len(left) == len(parts) - 1
    for script, is_whole in ((left, False), (parts, True)):
        with closing(sqlite3.connect("clinic.sqlite")) as connection:
            if is_whole:
                connection.executescript("\n\n".join(script))
            else:
                with pytest.raises(sqlite3.OperationalError, match="integer overflow"):
                    connection.executescript("\n\n".join(script))
        with closing(sqlite3.connect("clinic.sqlite")) as connection:
            tables = {name for (name,) in connection.execute("select name from sqlite_master")}
        assert ("cohort" in tables) is is_whole


@pytest.mark.parametrize("rows", [["1", "1", "1.0", "1.0"], ["1.0", "1.0", "1", "1"]])
def test_equal_values_that_read_otherwise_are_not_one_class(rows: list[str], work: Path) -> None:
    with closing(sqlite3.connect("clinic.sqlite")) as connection:
        connection.execute("create table people (zip)")
        connection.execute("insert into people values (1), (1), (1), (1)")
        connection.commit()
    script = sc.compile({**JOB, "requirement": {"k": 4}})
    with closing(sqlite3.connect("clinic.sqlite")) as connection:
        connection.execute("delete from people")
        connection.execute(f"insert into people values ({'), ('.join(rows)})")
        connection.commit()
        with pytest.raises(sqlite3.IntegrityError, match="not the source that this script was made for"):
            connection.executescript(script)
