"""SQL of a job with a limit on joint k: none before the run, which alone counts a release with earlier ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import JobError
from starcloak.commands import pipeline


def job(into: str, **quasi_identifiers: Any) -> dict[str, Any]:
    return {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "quasi_identifiers": quasi_identifiers,
        "requirement": {"k": 2},
        "output": {"table": into},
    }


def test_what_a_run_refuses_beside_an_earlier_release_has_no_script_and_no_dbt_model(work: Path) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(
            "create table people as select * from (values ('m', 1), ('m', 2), ('f', 1), ('f', 2)) t(s, z)"
        )
    top = {"suppress": True, "from": 1}
    first = sc.run(job("first", s="suppress", z=top))
    later = {**job("later", s=top, z="suppress"), "against": ["first"]}
    with pytest.raises(sc.RequirementError, match="joint k with first"):
        sc.run(later)
    (work / "dbt_project.yml").write_text("name: clinic\n")
    with pytest.raises(JobError, match=r"^against: only a run counts joint k with earlier releases"):
        sc.compile(later)
    with pytest.raises(JobError, match=r"^against: only a run counts joint k"):
        pipeline.compile_dbt(later, work)
    assert not (work / "models").exists()
    # A release that a run has counted with the earlier one has its script, also if the run kept none.
    alike = {**job("alike", s="suppress", z=top), "against": ["first"]}
    release = sc.run(alike, keep_script=False)
    assert first.k == release.k == 2 and "joint" not in release.sql()
