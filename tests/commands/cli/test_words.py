"""Words of lines on the terminal: options that a command has, and one thing of which others are several."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner

from starcloak.commands.cli import cli
from starcloak.commands.cli.commands import run
from starcloak.job.result import Result


@pytest.mark.parametrize("names", ["zip,sex,", ",zip", "zip,,sex", " "])
@pytest.mark.parametrize("flag", ["--qi", "--qid"])
def test_an_empty_name_of_a_column_is_said_to_be_in_its_option(names: str, flag: str, work: Path) -> None:
    Path("t.csv").write_text("zip,sex\n1,f\n1,f\n")
    named = ["--qi", names, "--k", "2"] if flag == "--qi" else ["--qid", f"{names}:2"]
    done = CliRunner().invoke(cli, ["check", "t.csv", *named], standalone_mode=False)
    assert f"{flag} has no name before or after a comma" in str(done.exception)


@pytest.mark.parametrize("command", [["init"], ["check", "--qi", "a", "--k", "2"], ["audit", "--qi", "a"], ["forget"]])
def test_a_database_without_a_table_is_answered_by_the_option(command: list[str], work: Path) -> None:
    done = CliRunner().invoke(cli, [*command, "sqlite:///clinic.sqlite"], standalone_mode=False)
    assert "in a command: --table patients" in str(done.exception)


def test_one_earlier_release_is_not_called_all(work: Path) -> None:
    together = SimpleNamespace(
        runs=["a"], attributes=["zip"], required=False, exact=True, k=5, rows=8, rows_below=0, rows_gone=1, rows_new=2
    )
    result = SimpleNamespace(joint=[], joint_together=[together], never_given=0)
    (line,) = run._joint(cast(Result, result))
    assert line == ("joint       k = 5 with the earlier release: 0 of 8 rows in smaller groups than k, 1 gone, 2 new")


def test_one_search_of_an_explanation_is_not_called_each(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starcloak.commands.explanation.explain.searches", lambda job: 1)
    Path("t.csv").write_text("zip\n1\n1\n")
    described: dict[str, Any] = {"quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    Path("job.yaml").write_text(json.dumps({"source": {"path": "t.csv"}, **described, "output": {"path": "o.csv"}}))
    done = CliRunner().invoke(cli, ["explain", "job.yaml"])
    assert done.stderr.startswith("starcloak: one search by witness, about as long as the search of a run\n")
