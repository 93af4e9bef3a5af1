"""The materialization of dbt's package: a table that is counted before it takes the place of the one before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy
import yaml

from starcloak.base import installation
from tests.exports import test_dbt
from tests.exports.test_dbt import dbt, needs_dbt
from tests.people import Server

RELEASED = [("1*", "f"), ("1*", "f"), (None, "m"), (None, "m")]


@pytest.fixture(params=["duckdb", pytest.param("postgresql", marks=pytest.mark.long)])
def server(request: pytest.FixtureRequest, work: Path, monkeypatch: pytest.MonkeyPatch) -> Server | None:
    """A project on DuckDB, or on a server."""
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    found: Server | None = None
    target: dict[str, Any] = {"type": "duckdb", "path": "hospital.duckdb", "threads": 1}
    if request.param == "postgresql":
        if not list(test_dbt.PYTHON.parents[1].glob("lib/*/site-packages/dbt/adapters/postgres")):
            pytest.skip("dbt-postgres is not installed: make test installs it into .venv/dbt")
        found = request.getfixturevalue("postgresql")
        assert found is not None
        found.clear()
        url = sqlalchemy.make_url(found.url)
        target = {"type": "postgres", "host": url.host, "port": url.port, "user": url.username,
                  "password": str(url.password), "dbname": url.database, "schema": "public", "threads": 1}  # fmt: skip
    Path("dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    Path("profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    Path("packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(installation.sql() / "dbt")}]}))
    Path("models").mkdir()
    return found


def rows(server: Server | None, statement: str) -> list[tuple[Any, ...]]:
    if server is not None:
        return server.rows(statement)
    with duckdb.connect("hospital.duckdb") as connection:
        return connection.execute(statement).fetchall()


def model(values: list[tuple[Any, ...]], config: str = "quasi_identifiers=['zip', 'Sex'], k=2") -> dict[str, str]:
    """A model of some rows, whose column goes by a name that has to be quoted."""
    selected = " union all ".join(
        f"select cast({'null' if zip is None else repr(zip)} as varchar(9)) as zip, '{sex}' as \"Sex\""
        for zip, sex in values
    )
    return {"models/cohort.sql": f"{{{{ config(materialized='k_anonymized', {config}) }}}}\n{selected}\n"}


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_what_is_not_k_anonymous_never_takes_the_place_of_what_is(server: Server | None) -> None:
    build = ["build"]
    deps, first, refused, again, full, *wrong = dbt(
        ["deps"],
        model(RELEASED),
        build,
        model([*RELEASED, ("2*", "SECRETx7")]),
        build,
        model([*RELEASED, ("1*", "f")]),
        build,
        # Whatever is said of it, it is counted.
        model([("1*", "f")]),
        ["build", "--full-refresh"],
        model(RELEASED, "quasi_identifiers='zip', k=2"),
        build,
        model(RELEASED, "quasi_identifiers=['zip'], k=2, unique_key='zip'"),
        build,
    )
    assert deps[0] and first[0] and again[0], (deps, first, again)
    assert not refused[0] and not full[0]
    for _, told in (refused, full):
        status, message = told["cohort"]
        assert status == "error" and "a class of zip, Sex has fewer than 2 rows: the table of before stays" in message
        assert "SECRETx7" not in message
    for (done, told), says in zip(wrong, ["needs quasi_identifiers, a list", "has no incremental form"], strict=True):
        assert not done and says in told["cohort"][1], told
    assert sorted(map(str, rows(server, "select * from cohort"))) == sorted(map(str, [*RELEASED, ("1*", "f")]))
    tables = "select table_name from information_schema.tables where table_schema in ('main', 'public')"
    assert rows(server, tables) == [("cohort",)]


@needs_dbt
@pytest.mark.long
def test_a_view_in_its_place_stays_where_the_count_refuses(server: Server | None) -> None:
    view = {"models/cohort.sql": "{{ config(materialized='view') }} select 'old' as zip, 'x' as \"Sex\""}
    _, first, refused = dbt(["deps"], view, ["build"], model([("1*", "f")]), ["build"])
    assert first[0] and not refused[0]
    assert rows(server, "select zip from cohort") == [("old",)]
    (built,) = dbt(model(RELEASED), ["build"])
    assert built[0], built
    assert len(rows(server, "select * from cohort")) == len(RELEASED)
