"""The task of each orchestrator, as its page shows it, run by the orchestrator itself in an environment of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "orchestrators.md").read_text()
JOB = {
    "source": {"dataset": "patients"},
    "schema": "patients/incognito-2005",
    "requirement": {"k": 2},
    "output": {"path": "out.csv"},
}
MATERIALIZE = """

done = dagster.materialize([patients_k2], raise_on_error=False)
released = done.asset_materializations_for_node("patients_k2")
print("success:", done.success, [each.metadata["k"].value for each in released])
"""


def shown(word: str) -> str:
    """The page's snippet that has a word."""
    (found,) = (block for block in re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL) if word in block)
    return str(found)


def installed(name: str) -> Path:
    programs = Path(sys.prefix) / name / "bin"
    if not programs.exists():
        pytest.skip(f"{name} is not installed: make test-long installs it into .venv/{name}")
    return programs


def run(command: list[str], **more: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **more}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    return done.stdout + done.stderr


def write(k: int) -> None:
    Path("job.yaml").write_text(yaml.safe_dump({**JOB, "requirement": {"k": k}}))


def test_dagster_materializes_a_release_and_fails_without_another_try(work: Path) -> None:
    programs = installed("dagster")
    Path("assets.py").write_text(shown("dagster.asset") + MATERIALIZE)
    write(2)
    assert "success: True [2]" in run([str(programs / "python"), "assets.py"], DAGSTER_HOME="")
    assert Path("out.csv").is_file()
    write(99)
    told = run([str(programs / "python"), "assets.py"], DAGSTER_HOME="")
    assert "success: False []" in told and "fewer than 99 rows" in told and "STEP_UP_FOR_RETRY" not in told


def test_airflow_runs_a_release_and_fails_without_another_try(work: Path) -> None:
    airflow = str(installed("airflow") / "airflow")
    Path("dags").mkdir()
    Path("dags/flow.py").write_text(shown("airflow.sdk"))
    settings = {
        "AIRFLOW_HOME": str(work / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(work / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    for command in (["db", "migrate"], ["dags", "reserialize"]):
        run([airflow, *command], **settings)
    write(2)
    assert "state=success, run_type=manual" in run([airflow, "dags", "test", "releases"], **settings)
    assert Path("out.csv").is_file()
    write(99)
    told = run([airflow, "dags", "test", "releases"], **settings)
    assert "state=failed, run_type=manual" in told and "fewer than 99 rows" in told and "up_for_retry" not in told
