"""The line of a command's progress: the step, the next one, and the time by the last run of the same job."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import starcloak as sc
from starcloak.commands import cli
from tests.commands.cli.jobs import Command

DESCRIBED = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}


def test_the_time_left_is_that_of_the_last_run_as_long_as_this_one_is_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(cli.time, "monotonic", lambda: now)
    last = sc.run(DESCRIBED).result
    times = {"open": 10.0, "compress": 20.0, "star": 5.0, "search": 300.0, "verify": 30.0, "total": 365.0}
    last = last.model_copy(update={"seconds": type(last.seconds)(**times), "rows": 271_458})
    took = "last run: 6 min, 271,458 rows"
    shown = cli.Progress()
    assert shown.line == "opening the source, 0 s, in all 0 s; next: counting equal rows"
    shown.expect(last)
    shown.update("compress")
    assert shown.line.endswith(
        f"; next: comparing with the previous release; {took}"
    )  # which may be all there is to do
    shown.update("search: 3 of 12 nodes are not yet judged")
    now = 270.0
    assert shown.line.endswith(f"; about 60 s left ({took})")
    now = 700.0
    assert shown.line.endswith(f"; next: writing the release to a temporary place; {took}")
    shown.update("publish")
    assert shown.line.endswith(took)


def test_a_run_shows_how_long_the_last_one_of_its_job_took(starcloak: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "PAUSE", 0.001)
    Path("job.yaml").write_text(yaml.safe_dump(DESCRIBED | {"output": {"path": "release.csv"}}))
    assert "last run" not in starcloak("run", "job.yaml").err
    assert re.search(r"; last run: \d+ s, 6 rows\n", starcloak("run", "job.yaml", "--force").err)
    assert "last run" not in starcloak("run", "job.yaml", "--set", "requirement.k=3", "--force").err
