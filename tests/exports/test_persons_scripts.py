"""A script, or a dbt model, counts persons before it publishes what does not tell them apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import starcloak as sc
from starcloak.commands import pipeline
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, client, people, scripted

SECRET = "SECRETx7"
QUASI = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"}
#: Everybody is one person but for this one: as many rows as before, and classes of fewer persons.
ONE_PERSON = f"update people set whose = '{SECRET} 0' where whose <> '{SECRET} 1'"


def visits() -> Any:
    """Rows of persons who differ in case or in a space at the end, each with a note of its own."""
    rows = people(90)
    rows["whose"] = [f"{SECRET} {'pP'[place % 2]}{place % 23}{' ' * (place % 3 == 0)}" for place in range(90)]
    rows["note"] = [f"{place}" for place in range(90)]
    return rows


def asked(place: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "source": place,
        "identifiers": ["name"],
        "person": "whose",
        "quasi_identifiers": QUASI,
        "sensitive": ["illness"],
        "keep": ["note"],
        "requirement": {"k": 4},
        "output": {"table": "cohort"},
        **more,
    }


def persons_of(rows: list[tuple[str, ...]], whose: dict[str, str]) -> list[int]:
    """How many persons each class has, of rows of age, zip, sex and note."""
    classes: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for *cells, note in rows:
        classes[tuple(map(str, cells))].add(whose[note])
    return list(map(len, classes.values()))


def filled(server: Server) -> Any:
    server.execute("drop table if exists cohort", "drop table if exists starcloak_releases")
    rows = visits()
    server.fill("people", rows, {**TYPES, "whose": "varchar(40)", "note": "varchar(9)"})
    return rows


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "algorithm"), some_daily(SERVERS, ["witness", "kaca"], each=2), indirect=["server"])
def test_every_databases_own_client_counts_persons(server: Server, algorithm: str) -> None:
    rows = filled(server)
    described = asked({"url": server.url, "table": "people"}, algorithm={"name": algorithm})
    script = sc.compile(described)
    assert SECRET not in script
    done = scripted(client(server), script)
    assert (done.returncode, done.stderr) == (0, "")
    assert server.tables() == {"people", "cohort", "starcloak_releases"}
    found = [tuple(map(str, row)) for row in server.rows("select age, zip, sex, note from cohort")]
    assert Counter(note for *_, note in found) == Counter(rows["note"])
    assert min(persons_of(found, dict(zip(rows["note"], rows["whose"], strict=True)))) >= 4
    with pytest.raises(Exception, match="whose"):
        server.rows("select whose from cohort")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("server", "change"),
    some_daily(SERVERS, [ONE_PERSON, "update people set whose = null where note = '7'"], each=2),
    indirect=["server"],
)
def test_a_script_publishes_nothing_where_the_persons_are_others(server: Server, change: str) -> None:
    filled(server)
    goes_on = {"postgresql": ["-v", "ON_ERROR_STOP=0"], "mariadb": ["--force"], "sqlite": []}[server.name]
    script = sc.compile(asked({"url": server.url, "table": "people"}))
    server.execute(change)
    for more in ([], goes_on):
        done = scripted(client(server, *more), script.replace("\\set ON_ERROR_STOP on", "") if more else script)
        assert "not the source" in done.stderr
        assert server.tables() == {"people"}


MODELS: dict[str, dict[str, Any]] = {
    "k": {},
    "distinct": {"l_diversity": [{"attribute": "illness", "l": 2}]},
    "shares": {"alpha": [{"attribute": "illness", "alpha": "0.6"}]},
}


def in_duckdb(folder: Path, *, alike: bool) -> Path:
    """A DuckDB file with the rows; where ``alike``, each person has the same quasi-identifiers in all of them."""
    rows = visits()
    if alike:
        first = rows.groupby("whose").transform("first")
        rows = rows.assign(**{name: first[name] for name in QUASI})
    with duckdb.connect(str(path := folder / "hospital.duckdb")) as connection:
        connection.register("visited", rows)
        connection.execute("create table people as from visited")
    return path


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", MODELS)
def test_duckdb_counts_persons_and_their_values(model: str, tmp_path: Path) -> None:
    path = in_duckdb(tmp_path, alike=model == "shares")
    described = asked({"url": f"duckdb:///{path}", "table": "people"}, requirement={"k": 4, **MODELS[model]})
    script = pipeline.compile(described)
    pipeline.run({**described, "output": {"path": str(tmp_path / "cohort.parquet")}})
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
        made, ran = (
            connection.execute(f"describe from {place}").fetchall()
            + sorted(connection.execute(f"from {place}").fetchall(), key=str)
            for place in ("cohort", f"'{tmp_path / 'cohort.parquet'}'")
        )
        assert made == ran
        connection.execute("drop table cohort")
        for table in ("starcloak_source", "starcloak_release", *_dimensions(script)):
            connection.execute(f"drop table temp.{table}")
        connection.execute(ONE_PERSON)
        with pytest.raises(duckdb.Error, match="not the source"):
            connection.execute(script)
        connection.execute("rollback")
        assert connection.execute("select count(*) from duckdb_tables() where table_name = 'cohort'").fetchone() == (0,)


def _dimensions(script: str) -> list[str]:
    return re.findall(r'create temporary table ("starcloak_(?:dimension|outliers|mapping)[^"]*")', script)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", MODELS)
def test_a_dbt_model_counts_persons_itself(model: str, tmp_path: Path) -> None:
    """Its data tests can only count rows: those of which persons' counts imply what they say."""
    path = in_duckdb(tmp_path, alike=model == "shares")
    (tmp_path / "dbt_project.yml").write_text("name: clinic\n")
    described = asked({"url": f"duckdb:///{path}", "table": "people"}, requirement={"k": 4, **MODELS[model]})
    *_, statement, properties = pipeline.compile_dbt(described, tmp_path)
    text = re.sub(r"{{ config.*? }}", "", statement.read_text())
    values = list(tmp_path.glob("starcloak_values/*/*.csv"))
    text = re.sub(r"{{ adapter.*? }}", str(tmp_path), text)
    assert values and all(SECRET not in file.read_text() for file in (statement, properties, *values))
    ((made,),) = (each["models"] for each in [yaml.safe_load(properties.read_text())])
    assert [next(iter(test)) for test in made["data_tests"]] == [
        "starcloak.k_anonymous",
        *(["starcloak.l_diverse"] if model == "distinct" else []),
    ]
    with duckdb.connect(str(path)) as connection:
        whose = dict(connection.execute("select note, whose from people").fetchall())
        connection.execute(f"create view made as {text}")
        names = [name for name, *_ in connection.execute("select * from made limit 0").description or ()]
        assert "whose" not in names
        rows = connection.execute("select age, zip, sex, note from made").fetchall()
        assert len(rows) == 90 and min(persons_of(rows, whose)) >= 4
        connection.execute(ONE_PERSON)
        with pytest.raises(duckdb.Error, match="not the source"):
            connection.execute("select * from made").fetchall()


def test_what_a_script_publishes_is_in_no_order_of_persons(tmp_path: Path) -> None:
    """Whoever knows the seed could try persons against the place of a row."""
    path = in_duckdb(tmp_path, alike=False)
    script = pipeline.compile(asked({"url": f"duckdb:///{path}", "table": "people"}))
    *_, published = script.split('create or replace table "main"."cohort"')
    rows, recounted, _ = published.partition(") as recounted")
    order = re.search(r"order by (hash\(.*\))", rows)
    assert recounted and order and "whose" not in rows
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
        hashes = connection.execute(f"select {order[1]} from cohort").fetchall()
        assert len(set(hashes)) > 10 and hashes == sorted(hashes)
