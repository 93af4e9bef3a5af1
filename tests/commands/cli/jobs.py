"""The people of the command line's tests: a job on them, their data frame, what a command says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pandas
import yaml

from starcloak.base import installation

PEOPLE = """name,zip,age,sex,illness
Ann,53715,21,f,flu
Bob,53715,22,m,cold
Cem,53703,33,m,flu
Dee,53703,35,f,flu
Eva,53703,38,f,"measles, ""mild"" ones"
Fay,53706,39,f,cold
Gus,53706,64,,
"""


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


def job(**changes: Any) -> dict[str, Any]:
    usable = {
        "source": {"path": "people.csv"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": {"digits": 5}, "age": {"intervals": [10, 20]}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
    }
    return {key: value for key, value in (usable | changes).items() if value is not None}


def write(described: dict[str, Any]) -> str:
    Path("job.yaml").write_text(yaml.safe_dump(described, sort_keys=False))
    return "job.yaml"


def validate(result: object, schema: str) -> None:
    described = json.loads((installation.schemas() / f"{schema}.json").read_text())
    checker = jsonschema.Draft202012Validator
    checker.check_schema(described)
    checker(described).validate(result)


# ------------------------------------------------------------------------------------------------------ help and demo


def python(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | environment)


# ------------------------------------------------------------------------------------------------------------ compile

DATABASE = "duckdb:///hospital.duckdb"


SOURCES: dict[str, dict[str, str]] = {
    "csv": {"path": "people.csv"},
    "parquet": {"path": "people.parquet"},
    "table": {"url": DATABASE, "table": "people"},
    "table of a schema": {"url": DATABASE, "table": "ward.people"},
    "table named source": {"url": DATABASE, "table": "source"},
    "table named as a dimension": {"url": DATABASE, "table": "dimension_zip"},
    "view": {"url": DATABASE, "table": "patients"},
    "query": {"url": DATABASE, "query": "select * from people where name is not null"},
    "query with remarks": {"url": DATABASE, "query": "-- all\nselect *\nfrom people -- really\n"},
    "query with a semicolon": {"url": DATABASE, "query": "from people;"},
    "query with a semicolon and a remark": {"url": DATABASE, "query": "from people; -- done"},
    "query with a cte": {"url": DATABASE, "query": "with adults as (from people where age > 18) from adults"},
    "query of a table named source": {"url": DATABASE, "query": "from source"},
}


# ------------------------------------------------------------------------------------------------------------- Python


def frame() -> pandas.DataFrame:
    """Eight people with a column of every common type."""
    return pandas.DataFrame(
        {
            "name": [f"person {number}" for number in range(8)],
            "sex": pandas.Categorical(["f", "f", "m", "m", "f", "f", "m", None], categories=["f", "m", "unused"]),
            "born": pandas.to_datetime(["2001-01-05", "2001-01-20", "2001-02-03", None] * 2),
            "age": pandas.Series([31, 32, 38, 39, 31, 32, 38, 39], dtype="int64"),
            "weight": [60.5, float("nan"), 71.25, 80.0, 60.5, None, 71.25, 80.0],
            "smokes": [True, False, True, False, True, False, True, False],
            "city": ["a", None, "b", "b", "a", None, "b", "b"],
            "visits": pandas.array([1, 2, 3, None, 5, 6, 7, 8], dtype="Int64"),
        }
    )
