"""The jobs that stand beside ARX's examples run, and do what stands beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import starcloak as sc

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "from-arx.md").read_text(encoding="utf-8")
_, EXAMPLES = PAGE.split("## ARX's 59 examples")
ROWS = re.findall(r"^\| (\d+)(?:(?:,| to) (\d+))? \|[^|]*\| (\w*) ?\| (.*) \|$", EXAMPLES, re.MULTILINE)
JOBS = [(int(number), table, re.match(r"`(\{.*?\})`", told)) for number, _, table, told in ROWS]


def test_every_example_has_a_job_or_a_reason() -> None:
    numbers = [number for first, last, *_ in ROWS for number in range(int(first), int(last or first) + 1)]
    assert numbers == list(range(1, 60))
    for number, table, job in JOBS:
        assert (job is not None) == bool(table), number
    assert all(table or told.startswith("none") for *_, table, told in ROWS)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arx")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(re.findall(r"```py\n(.*?)```", EXAMPLES, re.DOTALL)[0], {})
    with duckdb.connect(folder / "register.duckdb") as store:
        for name in ("people", "register"):
            store.execute(f"create table {name} as from read_csv('{folder / name}.csv', all_varchar = true)")
    return folder


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("number", "table", "job"), [job for job in JOBS if job[2]])
def test_the_job_of_an_example_runs(
    number: int, table: str, job: re.Match[str], tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tables)
    below = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", EXAMPLES, re.DOTALL)[0])[table]
    asked: dict[str, Any] = {**below, **yaml.safe_load(job[1]), "insight": "off"}
    result = sc.run({**asked, "output": {"path": f"{number}.csv"}}).result
    assert result.k is not None and result.k >= asked["requirement"]["k"]
    assert result.suppressed_rows <= asked["requirement"].get("suppression", 0) * result.rows
