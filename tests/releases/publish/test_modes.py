"""Whatever a command writes that holds values of the source is its owner's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from starcloak.commands.cli import cli

#: What readers of a release may have; all else is the custodian's.
FOR_READERS = {"release.csv", "release.csv.starcloak.json", "report.html", "event.json"}
OURS = ("patients.csv", "job.yaml", "dbt_project.yml")


@pytest.fixture
def folder(work: Path) -> Iterator[Path]:
    before = os.umask(0o022)
    ages = [20 + number % 40 for number in range(80)]
    rows = "\n".join(f"{age},5370{age % 3},{'fm'[age % 2]}" for age in ages)
    Path("patients.csv").write_text(f"age,zip,sex\n{rows}\n")
    Path("dbt_project.yml").write_text("name: clinic\n")
    hierarchies = {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"}
    described = {
        "source": {"path": "patients.csv"},
        "quasi_identifiers": hierarchies,
        "requirement": {"k": 5},
        "output": {"path": "release.csv"},
        "algorithm": {"name": "incognito", "variant": "cube", "cube": "kept.cube"},
    }
    Path("job.yaml").write_text(yaml.safe_dump(described))
    Path("plain.yaml").write_text(yaml.safe_dump({**described, "algorithm": {"name": "witness"}}))
    yield work
    os.umask(before)


def test_what_holds_values_of_the_source_is_its_owners_alone(folder: Path) -> None:
    there = {path.name for path in Path().iterdir()}
    for asked in (
        ("run", "job.yaml", "--openlineage", "event.json"),
        ("report", "release.csv", "--into", "report.html"),
        ("compile", "job.yaml", "--format", "dbt", "--into", "."),
        ("compare", "plain.yaml", "--k", "5", "--csv", "compared.csv", "--plot", "compared.png"),
        ("compare", "plain.yaml", "--k", "5", "--plot", "compared.svg"),
        ("init", "patients.csv", "--into", "drafted.yaml"),
    ):
        done = CliRunner().invoke(cli, asked)
        assert done.exit_code == 0, (asked, done.output, done.exception)
    files = {path: stat.S_IMODE(path.stat().st_mode) for path in Path().rglob("*") if path.name not in there}
    names = {path.name for path in files if path.is_file()}
    assert {"kept.cube", "compared.csv", "compared.png", "compared.svg", "drafted.yaml"} <= names
    assert any(path.parts[0] == "starcloak_values" and path.suffix == ".csv" for path in files)
    for path, mode in files.items():
        if path.parts[0] == "starcloak":  # the package of the tests, which has no values
            continue
        if path.is_file() and path.name not in {*FOR_READERS, ".gitignore", "packages.yml"}:
            assert mode & 0o077 == 0, path
        if path.is_dir() and len(path.parts) == 2:  # of the model's own, made by the command
            assert mode == 0o700, path


def test_the_state_is_its_owners_alone(folder: Path) -> None:
    done = CliRunner().invoke(cli, ["run", "job.yaml"])
    assert done.exit_code == 0
    state = Path(os.environ["XDG_STATE_HOME"]) / "starcloak"
    kept = [state, *state.rglob("*")]
    assert len(kept) > 2
    assert not [path for path in kept if path.is_dir() and path.stat().st_mode & 0o077]
    assert not [path for path in kept if path.is_file() and path.stat().st_mode & 0o077]
