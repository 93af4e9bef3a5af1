"""What the job and the place of its release alone decide is refused before the first row of the source is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import InputError, SourceError
from tests.commands.refusals.refusing import contents
from tests.people import TYPES, Server, job, people

#: Sources that fail as soon as they are looked at: a file without an end of its quotes, and a table that is not there.
TORN = {"path": "torn.csv"}
ABSENT = "nobody"

ANOTHER = "is a release of another source: give output.replace"
#: A requirement of a release that is there: by the same job, equal rows in another place would be no change.
OTHER = {"requirement": {"k": 3}}
REFRESH: dict[str, Any] = {"refresh": True, "algorithm": {"name": "sweep"}}
FOREIGN = "is there already and is not a release of starcloak"


@pytest.fixture(autouse=True)
def torn(work: Path) -> Path:
    """A folder with a source that is read, and one that is not."""
    people(40).to_csv("people.csv", index=False)
    Path("torn.csv").write_text('name,age,zip,sex,illness\nx,"1,2\n')
    with pytest.raises(SourceError, match=r"torn\.csv"):
        sc.run(described(TORN, {"path": "fine.csv"}))
    return work


def described(source: dict[str, Any], output: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    roles = {"identifiers": ["name"], "quasi_identifiers": dict.fromkeys(("age", "zip", "sex"), "suppress")}
    usable = {"sensitive": ["illness"], "insight": "off", "requirement": {"k": 2}}
    return {"source": source, "output": output, **roles, **usable, **more}


def refused(source: dict[str, Any], output: dict[str, Any] | None, says: str, **more: Any) -> None:
    """Assert that a job is refused for its place, and that nothing is written."""
    before = contents(Path())
    with pytest.raises(InputError, match=says):
        sc.run(described(source, output, **more), joint=False)
    assert contents(Path()) == before


@pytest.mark.parametrize("path", ["cohort.csv", "cohort.parquet"])
def test_a_file_is_refused_first(path: str) -> None:
    refused(TORN, {"path": f"nowhere/{path}"}, "is not a writable folder")
    Path(path).write_text("somebody's work")
    refused(TORN, {"path": path}, FOREIGN)
    Path(path).unlink()
    sc.run(described({"path": "people.csv"}, {"path": path}, **OTHER))
    refused(TORN, {"path": path}, ANOTHER)
    refused(TORN, {"path": path, "replace": True}, "was released without refresh", **REFRESH)
    refused(TORN, None, "a release in memory", **REFRESH)


def test_a_table_of_a_file_is_refused_first() -> None:
    with duckdb.connect("clinic.duckdb") as connection:
        connection.execute("create table people as from 'people.csv'; create table other (a int)")
        connection.execute("create table cohort_dim_zip (a int)")
    url = "duckdb:///clinic.duckdb"
    there, absent = ({"url": url, "table": table} for table in ("people", ABSENT))
    for source in (TORN, absent):
        refused(source, {"url": url, "table": "other"}, FOREIGN)
        refused(source, {"url": url, "table": "nowhere.cohort"}, "has no schema 'nowhere'")
        refused(source, {"url": url, "table": "cohort"}, f"cohort_dim_zip .* {FOREIGN}", keep_dimensions=True)
    sc.run(described(there, {"table": "cohort"}, **OTHER))
    for source in (TORN, absent):
        refused(source, {"url": url, "table": "cohort"}, ANOTHER)


@pytest.mark.any_database
def test_a_table_of_a_database_is_refused_first(server: Server) -> None:
    server.fill("people", people(40), TYPES)
    server.execute("create table other (a integer)")
    sc.run(job(server, insight="off", k=3))
    for source in (TORN, {"url": server.url, "table": ABSENT}):
        for table, says in (("other", FOREIGN), ("nowhere.cohort", "'nowhere'"), ("cohort", ANOTHER)):
            refused(source, {"url": server.url, "table": table}, says)
        refreshed = {"url": server.url, "table": "cohort", "replace": True}
        refused(source, refreshed, "was released without refresh", **REFRESH)


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_a_schema_without_the_right_to_make_a_table_is_refused_first(name: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(name)
    server.fill("people", people(9), TYPES)
    at = "@'127.0.0.1'" if server.name == "mariadb" else ""
    kind, password = ("user", "identified by") if server.name == "mariadb" else ("role", "login password")
    table = "test.people" if server.name == "mariadb" else "people"
    server.execute(f"create {kind} clerk{at} {password} 'secretpw8'", f"grant select on {table} to clerk{at}")
    clerk = server.as_user("clerk")
    for source in (TORN, {"url": clerk.url, "table": ABSENT}):
        refused(source, {"url": clerk.url, "table": "cohort"}, "may not create a table in")
