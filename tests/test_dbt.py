"""A compiled release as a dbt model, with the package's test: run by dbt itself, in an environment of its own."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner

from starcloak import paths, pipeline
from starcloak.cli import cli
from starcloak.errors import JobError, OutputError
from starcloak.pipeline import Resources

PYTHON = Path(sys.prefix) / "dbt" / "bin" / "python"

# Runs commands of dbt, or of the database, in one process; tells whether each succeeded, and what its nodes said.
DRIVER = """
import json, sys
import duckdb
from dbt.cli.main import dbtRunner
told = []
for command in json.loads(sys.argv[1]):
    if isinstance(command, str):
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute(command)
        continue
    done = dbtRunner().invoke([*command, "--quiet"])
    nodes = getattr(done.result, "results", None) or []
    told.append([done.success, {each.node.name: [str(each.status), each.message or ""] for each in nodes}])
open("told.json", "w").write(json.dumps(told))
"""

# Texts that a reader of seeds may take for something else.
ODD = [
    "",
    "null",
    "NULL",
    "01",
    "1",
    "1.0",
    "true",
    "2001-01-01",
    " a ",
    'q"q,',
    "two\nlines",
    "{{ a }}",
    "ünï ☃",
    None,
]

JOBS: dict[str, dict[str, Any]] = {
    "odd": {"requirement": {"k": 3, "suppression": "0.2"}, "objective": {"minimize": "loss"}},
    "local": {"requirement": {"k": 3}, "algorithm": {"name": "kaca"}},
}


@pytest.fixture
def project(work: Path) -> Path:
    """A dbt project whose database holds the source."""
    (work / "dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    target = {"type": "duckdb", "path": "hospital.duckdb", "threads": 1}
    (work / "profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    (work / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(paths.sql() / "dbt")}]}))
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute('create table people (zip varchar, sex varchar, age integer, "{{ note }}" varchar)')
        rows = [
            (ODD[i % 13 if i % 4 else 13], "fm"[i % 2], 20 + i % 3 if i % 5 else None, f"note {i}") for i in range(90)
        ]
        connection.executemany("insert into people values (?, ?, ?, ?)", rows)
        connection.execute("create table small as select 'SECRETx7' as name, i // 3 as zip from range(10) r (i)")
    return work


def job(name: str) -> dict[str, Any]:
    return {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "quasi_identifiers": {
            "zip": {"tree": {"some": ODD[:7], "others": ODD[7:]}},
            "sex": "suppress",
            "age": {"tree": {"young": ["20", "21"], "old": ["22", None]}},
        },
        "keep": ["{{ note }}"],
        "output": {"table": name},
        **JOBS[name],
    }


def dbt(*commands: list[str] | str) -> list[tuple[bool, dict[str, tuple[str, str]]]]:
    """Whether each command succeeded, and the status and message of every node."""
    done = subprocess.run(
        [str(PYTHON), "-c", DRIVER, json.dumps(commands)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told: list[tuple[bool, dict[str, tuple[str, str]]]] = json.loads(Path("told.json").read_text())
    return told


@pytest.mark.skipif(not PYTHON.exists(), reason="dbt is not installed: make test installs it into .venv/dbt")
def test_dbt_builds_the_release_and_tests_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    released = {}
    # One reads its source by a ref, the other by a source.
    Path("models").mkdir()
    Path("models/staged.sql").write_text("select * from {{ source('clinic', 'people') }}")
    tables = [{"name": "clinic", "schema": "main", "tables": [{"name": "people"}]}]
    Path("models/sources.yml").write_text(yaml.safe_dump({"sources": tables}))
    for name, upstream in zip(JOBS, ("staged", "clinic.people"), strict=True):
        files = pipeline.compile_dbt(job(name), project, upstream=upstream, resources=Resources(threads=1))
        assert '"people"' not in files[-2].read_text()
        kept = {key: value for key, value in job(name).items() if key != "output"}
        frame = pipeline.run(kept).to_pandas().astype(object)
        released[name] = list(frame.where(frame.notna(), None).itertuples(index=False, name=None))
    assert (project / "seeds/odd/odd_outliers.csv").exists()
    Path("models/few.sql").write_text("select zip from small\n")
    gate = {
        "starcloak.k_anonymous": {
            "arguments": {"quasi_identifiers": ["zip"], "k": 2},
            "config": {"store_failures": True},
        }
    }
    Path("models/few.yml").write_text(yaml.safe_dump({"models": [{"name": "few", "data_tests": [gate]}]}))
    deps, built, again = dbt(
        ["deps"],
        ["build", "--exclude", "few"],
        "insert into people select 'unheard of', 'f', 20, 'note'",
        ["build", "--select", "odd+", "few+"],
    )
    assert deps[0]
    assert built[0], built
    assert len([name for name in built[1] if "k_anonymous" in name]) == 2
    with duckdb.connect("hospital.duckdb") as connection:
        for name, rows in released.items():
            found = connection.execute(f'from "{name}"').fetchall()
            assert sorted(map(str, found)) == sorted(map(str, rows))
        kept = "select schema_name || '.' || table_name from duckdb_tables() where schema_name like '%audit'"
        ((stored,),) = connection.execute(kept).fetchall()
        failures = connection.execute(f"from {stored}").fetchall()
    # A source that is not the one that was searched is an error, and the release of before stays.
    assert not again[0]
    assert again[1]["odd"][0] == "error"
    assert "not the source that this script was made for" in again[1]["odd"][1]
    # One class of one row fails the test, which tells no count between 1 and k - 1.
    (status,) = (told[0] for name, told in again[1].items() if name.startswith("starcloak_k_anonymous_few"))
    assert status == "fail"
    assert failures == [(2, None, None)]


def test_the_command_writes_where_the_readme_says(project: Path) -> None:
    Path("job.yaml").write_text(yaml.safe_dump(job("odd"), sort_keys=False))
    done = CliRunner().invoke(cli, ["compile", "job.yaml", "--format", "dbt", "--into", "."])
    assert done.exit_code == 0
    assert {Path(line).parts[0] for line in done.output.split()} == {"models", "seeds"}
    assert CliRunner().invoke(cli, ["compile", "job.yaml", "--format", "dbt"]).exit_code == 2
    tests = yaml.safe_load(Path("models/odd/odd.yml").read_text())["models"][0]["data_tests"]
    assert tests == [{"starcloak.k_anonymous": {"arguments": {"quasi_identifiers": ["zip", "sex", "age"], "k": 3}}}]


def test_an_upstream_that_is_no_name_is_refused(project: Path) -> None:
    for name in ("a b", "a.b.c", "') }}", ""):
        with pytest.raises(JobError, match="the upstream is a dbt model"):
            pipeline.compile_dbt(job("odd"), project, upstream=name)
    assert not (project / "seeds").exists()


def test_seeds_tell_texts_from_missing_values(project: Path) -> None:
    files = pipeline.compile_dbt(job("odd"), project)
    assert [path.relative_to(project).as_posix() for path in files[-2:]] == ["models/odd/odd.sql", "models/odd/odd.yml"]
    with open(project / "seeds/odd/odd_dimension_1.csv", newline="") as lines:
        values = [line["value"] for line in csv.DictReader(lines)]
    assert sorted(values) == sorted("" if value is None else f"={value}" for value in ODD)


def test_a_second_model_leaves_no_seed_of_the_first(project: Path) -> None:
    pipeline.compile_dbt(job("odd"), project)
    pipeline.compile_dbt({**job("odd"), "requirement": {"k": 1}}, project)
    assert not (project / "seeds/odd/odd_outliers.csv").exists()
    assert not [path for path in project.rglob("*") if "staging" in path.name]


def test_what_is_not_ours_is_left_alone(project: Path) -> None:
    with pytest.raises(OutputError, match="not the folder of a dbt project"):
        pipeline.compile_dbt(job("odd"), project.parent)
    theirs = project / "models" / "odd" / "odd.sql"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("select 1")
    with pytest.raises(OutputError, match=r"the dbt model would replace .*odd\.sql, which is something else"):
        pipeline.compile_dbt(job("odd"), project)
    assert theirs.read_text() == "select 1"
    assert not (project / "seeds").exists()


def test_seeds_replace_nothing_but_their_own(project: Path) -> None:
    """Seeds of a project may well be a source, or somebody's that have such a name."""
    seeds = project / "seeds" / "odd"
    seeds.mkdir(parents=True)
    theirs = {seeds / "odd_people.csv": "zip,sex\n1,f\n1,f\n", seeds / "odd_outliers.csv": "a\n1\n"}
    for path, text in theirs.items():
        path.write_text(text)
    pipeline.compile_dbt({**job("odd"), "requirement": {"k": 1}}, project)
    with pytest.raises(OutputError, match=r"the seed would replace .*odd_outliers"):
        pipeline.compile_dbt(job("odd"), project)
    theirs.pop(seeds / "odd_outliers.csv")
    (seeds / "odd_outliers.csv").unlink()
    pipeline.compile_dbt(job("odd"), project)
    described = {
        "source": {"path": str(seeds / "odd_dimension_1.csv")},
        "quasi_identifiers": {"value": "suppress"},
        "identifiers": ["present", "level_1", "ancestor_1"],
        "requirement": {"k": 2},
        "output": {"table": "odd", "url": "duckdb:///release.duckdb"},
    }
    with pytest.raises(OutputError, match="the seed would take the place of the source,"):
        pipeline.compile_dbt(described, project)
    assert {path: path.read_text() for path in theirs} == theirs


def test_an_attribute_that_would_be_a_template_is_refused(project: Path) -> None:
    described = job("odd")
    described["quasi_identifiers"] = {"{{ note }}": "suppress"}
    described["keep"] = ["zip", "sex", "age"]
    with pytest.raises(JobError, match="template"):
        pipeline.compile_dbt(described, project)
