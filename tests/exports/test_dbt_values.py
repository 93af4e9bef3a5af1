"""Raw values in what readers of a dbt model get: none, in no table and in no byte of its file."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from starcloak.base import installation
from starcloak.commands import pipeline
from tests.exports.test_dbt import dbt, needs_dbt

LEFT_OUT = "RAWZIP999"  # of one row, whose other cells are those of a class


@pytest.fixture
def project(work: Path) -> Path:
    """A dbt project that builds a file which readers get, of rows that lie elsewhere."""
    Path("dbt_project.yml").write_text("name: clinic\nversion: 1.0.0\nprofile: clinic\n")
    target = {"type": "duckdb", "path": "release.duckdb", "threads": 1}
    Path("profiles.yml").write_text(yaml.safe_dump({"clinic": {"target": "here", "outputs": {"here": target}}}))
    Path("packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(installation.sql() / "dbt")}]}))
    rows = [(f"RAWZIP{row % 4:03}", "fm"[row % 2]) for row in range(80)] + [(LEFT_OUT, "m")]
    Path("people.csv").write_text("zip,sex\n" + "".join(f"{zipcode},{sex}\n" for zipcode, sex in rows))
    return work


JOBS: dict[str, dict[str, Any]] = {
    "mapped": {"algorithm": {"name": "sweep"}},
    "levelled": {"algorithm": {"name": "witness"}, "objective": {"minimize": "loss"}},
}
TREE = {"north": ["RAWZIP000", "RAWZIP001"], "south": ["RAWZIP002", "RAWZIP003"], "far": [LEFT_OUT]}


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_readers_of_a_dbt_model_get_no_raw_values(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    for name, more in JOBS.items():
        described = {
            "source": {"path": "people.csv"},
            "quasi_identifiers": {"zip": {"tree": TREE}, "sex": "suppress"},
            "requirement": {"k": 15, "suppression": "0.1"},
            "output": {"table": name},
            **more,
        }
        files = pipeline.compile_dbt(described, project)
        values = [path for path in files if path.suffix == ".csv"]
        assert any(LEFT_OUT in path.read_text() for path in values)
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in values)
    deps, built = dbt(["deps"], ["build"])
    assert deps[0] and built[0], built
    with duckdb.connect("release.duckdb", read_only=True) as connection:
        listed = "select table_name from information_schema.tables order by all"
        tables = [name for (name,) in connection.execute(listed).fetchall()]
        assert tables == sorted(JOBS)
        shown = {name: connection.execute(f"from {name}").fetchall() for name in tables}
    assert all(len(rows) == 80 for rows in shown.values())
    beside = [path for path in Path().glob("release.duckdb*")]
    assert beside and all(LEFT_OUT.encode() not in path.read_bytes() for path in beside)


@pytest.mark.sampled(3, among="dbt")
@needs_dbt
def test_a_model_finds_its_values_wherever_dbt_is_started(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    described = {
        "source": {"path": str(project / "people.csv")},
        "quasi_identifiers": {"zip": {"tree": TREE}, "sex": "suppress"},
        "requirement": {"k": 15, "suppression": "0.1"},
        "output": {"table": "mapped"},
    }
    pipeline.compile_dbt(described, project)
    elsewhere = project / "it's elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    place = ["--project-dir", "..", "--profiles-dir", ".."]
    (deps, built) = dbt(["deps", *place], ["build", *place])
    assert deps[0] and built[0], built
