"""The audits for SQLMesh: run by SQLMesh itself, and held against an oracle in exact numbers."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from starcloak.base import installation
from starcloak.job import load_requirement
from tests.exports.test_dbt_oracle import ASKED, NEAR, TEXTS, classes, refuse_macros, tables

PLACE = Path(sys.prefix) / "sqlmesh" / "bin"

RENDER = """
import json
from sqlmesh import Context
context = Context(paths=".")
model = context.get_model("clinic.people")
rendered = [
    [audit.name, model.render_audit_query(audit, **given).sql("duckdb")] for audit, given in model.audits_with_args
]
open("rendered.json", "w").write(json.dumps(rendered))
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not PLACE.exists(), reason="SQLMesh is not installed: make test-long installs it"),
]


def written(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case list():
            return f"ARRAY[{', '.join(map(written, value))}]"
    return str(value)


def audit(model: Any, attributes: list[str]) -> str:
    """A model of the requirement as an audit, with the arguments of its test in dbt."""
    ((name, test),) = model.dbt_test(attributes).items()
    given = dict(test["arguments"])
    given.pop("quasi_identifiers")
    given.pop("distance", None)
    sensitive = given.pop("sensitive", None)
    kind = name.removeprefix("starcloak.")
    told = [f"quasi_identifiers := ({', '.join(attributes)})", *([f"sensitive := {sensitive}"] if sensitive else [])]
    told += [f"{key} := {written(value)}" for key, value in given.items()]
    return f"{kind}({', '.join(told)})"


def project(audits: list[str], rows: str) -> None:
    Path("models").mkdir(exist_ok=True)
    for name in ("audits", "macros"):
        shutil.copytree(installation.sql() / "sqlmesh" / name, name, dirs_exist_ok=True)
    connection = {"type": "duckdb", "database": "warehouse.duckdb"}
    described = {
        "gateways": {"local": {"connection": connection}},
        "model_defaults": {"dialect": "duckdb", "start": "2020-01-01"},
    }
    Path("config.yaml").write_text(yaml.safe_dump(described))
    model = f"MODEL (name clinic.people, kind FULL, audits ({', '.join(audits)}));\n{rows}\n"
    Path("models/people.sql").write_text(model)


def sqlmesh(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "1", "COLUMNS": "200"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def known() -> dict[str, str]:
    """The audits of what the oracle knows, but for those that only a test of dbt asks."""
    found = {}
    for name, (values, asked, _) in ASKED.items():
        (model,) = (each for each in load_requirement({"k": 1, **asked}).models if each.key != "k")
        if values is TEXTS and getattr(model, "distance", "equal") == "equal":
            found[name] = audit(model, ["one", "two"])
    return found


def test_the_audits_say_what_an_oracle_says(work: Path) -> None:
    audits = known()
    counted = ["k_anonymous(quasi_identifiers := (one), k := 2)"]
    project([*audits.values(), *counted], "SELECT 'a' AS one, 1 AS two, 'b' AS disease")
    done = sqlmesh(str(PLACE / "python"), "-c", RENDER)
    assert done.returncode == 0, done.stderr[-2000:]
    rendered = json.loads(Path("rendered.json").read_text())
    assert [name for name, _ in rendered] == [each.partition("(")[0] for each in (*audits.values(), *counted)]
    drawn, told = random.Random(13), Counter[tuple[str, bool]]()
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("attach ':memory:' as warehouse; create schema warehouse.clinic")
        for rows in tables(TEXTS, drawn, 40):
            connection.execute("create or replace table warehouse.clinic.people (one text, two int, disease text)")
            connection.executemany("insert into warehouse.clinic.people values (?, ?, ?)", rows)
            found, table = classes(rows), Counter(value for *_, value in rows)
            for name, (_, query) in zip(audits, rendered, strict=False):
                holds, passes = ASKED[name][2], connection.execute(query).fetchall() == []
                told[name, passes] += 1
                if name in NEAR:
                    assert not passes or all(holds(each, table) for each in found), (name, rows)
                    assert passes or not all(NEAR[name](each, table) for each in found), (name, rows)
                else:
                    assert passes == all(holds(each, table) for each in found), (name, rows)
    refuse_macros([query for _, query in rendered], "warehouse.clinic.people")
    assert {name for name, passes in told if passes} == {name for name, passes in told if not passes} == set(audits)


def test_sqlmesh_runs_each_audit(work: Path) -> None:
    audits = {
        "k_anonymous": "k_anonymous(quasi_identifiers := (one), k := 2)",
        "l_diverse": "l_diverse(quasi_identifiers := (one), sensitive := disease, l := 2)",
        **{each.partition("(")[0]: each.replace("(one, two)", "(one)") for each in known().values()},
    }
    values = "['flu', 'b', 'c', 'd', 'flu', 'b', 'c', 'd']"
    good = f"SELECT UNNEST([1, 1, 1, 1, 2, 2, 2, 2]) AS one, UNNEST({values}) AS disease"
    project(list(audits.values()), good)
    done = sqlmesh(str(PLACE / "sqlmesh"), "plan", "--auto-apply", "--no-prompts")
    assert f"audits passed {len(audits)}" in done.stdout, done.stdout
    bad = "SELECT UNNEST([1, 2, 2, 2, 2]) AS one, UNNEST(['flu', 'flu', 'b', 'b', 'b']) AS disease"
    for name, each in audits.items():
        project([each], bad)
        done = sqlmesh(str(PLACE / "sqlmesh"), "plan", "--auto-apply", "--no-prompts")
        assert f"'{name}' audit error: 1 row failed" in done.stdout, done.stdout
