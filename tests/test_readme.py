"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "patients.csv").write_text(blocks("csv")[0])
    (tmp_path / "job.yaml").write_text(blocks("yaml")[0])
    return tmp_path


def test_console_lines_run_in_order(folder: Path) -> None:
    commands = [line.split("#")[0].split()[1:] for block in blocks("console") for line in block.splitlines()]
    assert len(commands) > 5
    for command in commands:
        assert command[0] == "starcloak"
        done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    released = (folder / "patients-k2.csv").read_text().splitlines()
    assert released[0] == "birth,sex,zip,disease"
    assert len(released) == 7


def test_python_blocks_run_in_order(folder: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    for block in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_every_key_of_a_job_and_every_hierarchy_is_explained() -> None:
    from starcloak.job import _HIERARCHIES, ALGORITHMS, Job

    for name, field in Job.model_fields.items():
        assert f"`{field.alias or name}`" in README
    for kind in [*_HIERARCHIES, "suppress"]:
        assert re.search(rf"^\| `(\{{{kind}:|{kind}`)", README, re.MULTILINE), kind
    for name in {*ALGORITHMS} - {"kaca"}:
        assert f"| `{{name: {name}" in README, name


def test_exported_schemas_are_those_of_the_models() -> None:
    import json

    from starcloak import paths
    from starcloak.schema import exported

    for name, schema in exported().items():
        assert json.loads((paths.schemas() / f"{name}.json").read_text()) == schema, "run make schemas"


def test_the_readmes_job_is_valid_under_the_schema() -> None:
    import json

    import jsonschema
    import yaml

    from starcloak import paths

    schema = json.loads((paths.schemas() / "job.json").read_text())
    jsonschema.validate(yaml.safe_load(blocks("yaml")[0]), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"source": {"path": "x.csv"}, "requirement": {"k": 2}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(blocks("yaml")[0]) | {"surprise": 1}, schema)
