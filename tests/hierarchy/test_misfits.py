"""Values without a leaf are shown by a statement, which holds none of them, in the client of their database."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.base import installation
from tests.people import Server, client, scripted

HIERARCHIES: dict[str, Any] = {
    "zip": {"digits": 3},
    "age": {"intervals": [10]},
    "day": {"dates": ["month"]},
    "score": {"tree": {"low": [1, 2, 3], "high": [10, 11]}},
}
FITTING = {
    "zip": {"111", "äöü", " 1 ", None},
    "age": {"7", "-3", "1e2", None},
    "day": {"2024-02-29", "1999-12-31", None},
    "score": {1, 2, 3, 10, 11},
}
ODD = {
    "zip": {"11", "SECRET", "Ä", "ä", "z", "~", "", "2222", "1 ", "1", "\U0001f600", "\uffee"},
    "age": {"SECRET", "", "7a", "ff"},
    "day": {"SECRET", "2023-02-29", "31.12.1999"},
    "score": {-7, 0, 4, 5, 99, 100, None},
}
OPTIONS = {"postgresql": ["-A", "-t", "-F", "|"], "mariadb": ["-N", "-B"], "sqlite": []}


def people(rows: int = 200) -> pandas.DataFrame:
    drawn = random.Random(7)
    return pandas.DataFrame(
        {
            name: pandas.Series(
                [drawn.choice(sorted(FITTING[name] | ODD[name], key=str)) for _ in range(rows)], dtype=object
            )
            for name in HIERARCHIES
        }
    )


def refused(source: dict[str, Any], **more: Any) -> sc.HierarchyError:
    described = {"source": source, "quasi_identifiers": HIERARCHIES, "requirement": {"k": 2}, **more}
    with pytest.raises(sc.HierarchyError) as error:
        sc.run(described)
    assert not any(ord(each) < 32 for each in str(error.value))
    assert "the SQL of this error shows them in the database's own client" in str(error.value)
    assert "SECRET" not in f"{error.value}{error.value.sql}"
    return error.value


def wrong(frame: pandas.DataFrame) -> Counter[tuple[str | None, int]]:
    """The values without a leaf, and how many rows have each."""
    return Counter(
        (
            None if value is None else str(value),
            int((frame[name].isna() if value is None else frame[name] == value).sum()),
        )
        for name in HIERARCHIES
        for value in ODD[name]
    )


def read(text: str, separator: str) -> Counter[tuple[str | None, int]]:
    lines = [line.rpartition(separator) for line in text.splitlines() if line]
    return Counter((None if value == "NULL" else value, int(rows)) for value, _, rows in lines)


@pytest.mark.sampled(3)
def test_the_statement_runs_in_the_client_of_each_database(server: Server) -> None:
    frame = people()
    types = {"zip": "varchar(20)", "age": "varchar(9)", "day": "varchar(12)", "score": "integer"}
    server.fill("people", frame, types)
    command = client(server, *OPTIONS[server.name])
    nulls = {"postgresql": "\\pset null NULL\n", "sqlite": ".nullvalue NULL\n", "mariadb": ""}[server.name]
    separator = "\t" if server.name == "mariadb" else "|"
    sources: list[dict[str, Any]] = [
        {"table": "people"},
        {"query": "select * from people -- all of them\n where 'a -- b' <> ';'"},
    ]
    for source in sources:
        error = refused({"url": server.url, **source})
        assert error.sql is not None
        done = scripted(command, nulls + error.sql)
        assert (done.returncode, done.stderr) == (0, "")
        assert read(done.stdout, separator) == wrong(frame)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["table", "query", "csv", "packed", "parquet"])
def test_the_statement_runs_in_duckdb(kind: str, work: Path) -> None:
    frame, source = people(), dict[str, Any]()
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("create table people as from frame")
    match kind:
        case "table":
            source = {"url": "duckdb:///hospital.duckdb", "table": "people"}
        case "query":
            source = {"url": "duckdb:///hospital.duckdb", "query": "from people -- all of them"}
        case "parquet":
            frame.to_parquet("people.parquet")
            source = {"path": "people.parquet"}
        case _:
            path = "people.csv.gz" if kind == "packed" else "people.csv"
            frame.to_csv(path, index=False, sep=";", na_rep="NA", encoding="utf-8")
            source = {"path": path, "null": "NA"}
    error = refused(source)
    assert error.sql is not None
    with duckdb.connect("hospital.duckdb") as connection:
        shown = [
            row for each in connection.extract_statements(error.sql) for row in connection.execute(each).fetchall()
        ]
    told = Counter((None if value is None else str(value), rows) for value, rows in shown)
    assert told == wrong(frame)


@pytest.mark.sampled(3)
def test_values_of_any_type_keep_their_places(server: Server) -> None:
    """In the order of the working store and in that of the database, whatever its own would be."""
    kinds = {"postgresql": "uuid", "mariadb": "uuid", "sqlite": "text"}  # MariaDB has an order of its own for them
    drawn = random.Random(3)
    keys = [str(uuid.UUID(int=drawn.getrandbits(128), version=drawn.choice([1, 4]))) for _ in range(60)]
    values = {
        "key": (kinds[server.name], keys),
        "part": ("double precision" if server.name != "sqlite" else "real", [drawn.uniform(-9, 9) for _ in keys]),
        "at": ("date" if server.name != "sqlite" else "text", [f"{drawn.randint(1000, 2999)}-01-01" for _ in keys]),
    }
    frame = pandas.DataFrame({name: pandas.Series(some, dtype=object) for name, (_, some) in values.items()})
    server.fill("people", frame, {name: kind for name, (kind, _) in values.items()})
    lines = frame.sort_values("key").iloc[5:-5]  # nearly all, so that every other one is shown
    hierarchies = {name: {"levels": {str(each): ["x"] for each in lines[name]}} for name in values}
    described = {
        "source": {"url": server.url, "table": "people"},
        "quasi_identifiers": hierarchies,
        "requirement": {"k": 1},
    }
    with pytest.raises(sc.HierarchyError) as error:
        sc.run(described)
    assert error.value.sql is not None
    separator = "\t" if server.name == "mariadb" else "|"
    done = scripted(client(server, *OPTIONS[server.name]), error.value.sql)
    shown = read(done.stdout, separator)
    left = frame.drop(lines.index)
    named = {str(value) for name in ("key", "at") for value in left[name]}
    parts = {round(value, 4) for value in left["part"]}
    assert sum(shown.values()) == 30
    found = {str(value) for value, _ in shown}
    assert named <= found
    assert {round(float(value), 4) for value in found - named} == parts


def test_only_the_first_of_very_many_are_named(work: Path) -> None:
    values = [f"{number:04}{'x' * (number % 2)}" for number in range(400)]
    Path("people.csv").write_text("zip\n" + "\n".join(values))
    with pytest.raises(sc.HierarchyError) as error:
        sc.run({"source": {"path": "people.csv"}, "quasi_identifiers": {"zip": {"digits": 4}}, "requirement": {"k": 2}})
    assert error.value.sql is not None and "-- Values of zip that have no leaf, the first of them:\n" in error.value.sql
    assert duckdb.sql(error.value.sql).fetchall() == [(value, 1) for value in values[1:40:2]]


def test_the_command_line_has_the_statement_in_its_json_alone(work: Path) -> None:
    Path("people.csv").write_text("zip\n11\n1x7\n11\n")
    described = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"zip": {"digits": 2}},
        "requirement": {"k": 2},
        "output": {"path": "out.csv"},
    }
    Path("job.yaml").write_text(yaml.safe_dump(described))
    command = [sys.executable, "-m", "starcloak", "run", "job.yaml", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line, end = done.stderr.split("\n")
    assert done.returncode == 2 and line.startswith("starcloak: hierarchy of 'zip': 1 values") and end == ""
    told = json.loads(done.stdout)
    jsonschema.validate(told, json.loads((installation.schemas() / "error.json").read_text()))
    assert duckdb.sql(told["error"]["sql"]).fetchall() == [("1x7", 1)]
    assert f"starcloak: {told['error']['message']}" == line


def test_a_data_frame_has_no_client() -> None:
    with pytest.raises(sc.HierarchyError) as error:
        sc.anonymize(pandas.DataFrame({"zip": ["1"]}), quasi_identifiers={"zip": {"digits": 2}}, k=1)
    assert error.value.sql is None and str(error.value).endswith("writes these values to a file that only you can read")
