"""A report in Chromium: by mouse and keyboard, on a screen and on paper."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli
from tests.browser import PYTHON, chromium
from tests.exports.test_report import census


@pytest.mark.long
def test_a_browser_shows_and_operates_a_report(work: Path) -> None:
    """By mouse and keyboard, light and dark, printed, narrow and wide: no error, no request but for the file itself."""
    sc.run(census()).report("full.html")
    sc.run(census(algorithm={"name": "mondrian"})).report("local.html")
    for name in ("full.html", "local.html"):
        in_browser(name, os.environ.get("STARCLOAK_SHOTS", "shots"))


def in_browser(*arguments: str) -> None:
    script, program = Path(__file__).with_name("browser.py"), chromium()
    # Its socket lies among temporary files, and a socket's path is short.
    with tempfile.TemporaryDirectory(dir="/tmp") as near:
        done = subprocess.run(
            [PYTHON, script, program, *arguments],
            env={**os.environ, "TMPDIR": near},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.long
def test_a_browser_prints_the_first_page_on_one_page_of_a4(
    work: Path, adult_job: Callable[..., dict[str, Any]]
) -> None:
    """Of the demo, of a draft for 30 columns, and of a job with long names, cleaning and earlier releases."""
    sc.run(adult_job(6, 10, "0.01", sensitive=["salary-class"], insight="auto")).report("adult.html")
    chance = random.Random(1)
    wide = {f"measure_{column}": [chance.randrange(9) for _ in range(600)] for column in range(22)}
    frame = pandas.DataFrame({"patient": [f"p{row % 200}" for row in range(600)], **long_names(600), **wide})
    frame.to_csv("wide.csv", index=False)
    assert CliRunner().invoke(cli, ["init", "wide.csv"]).exit_code == 0
    sc.run("job.yaml").report("wide.html")
    frame[frame["patient"] != "p7"].to_csv("wide.csv", index=False)
    for path in ("one", "two"):  # the second one has the first one beside it
        release = sc.run({**CROWDED, "source": {"path": "wide.csv"}, "output": {"path": f"{path}.csv"}})
        frame.to_csv("wide.csv", index=False)
    release.report("crowded.html", profile="hipaa")
    in_browser("adult.html", "wide.html", "crowded.html")


LONG = [f"{kind} of a person as the registry has it, part {part}" for kind in ("age", "code", "note") for part in "ab"]


def long_names(rows: int) -> dict[str, list[str]]:
    """Two columns each of ages, codes and notes, with names of fifty characters."""
    values = [lambda row: f" {20 + row % 60}", lambda row: f"{row * 7 % 90 + 10}", lambda row: f"note {row % 40}"]
    return {name: [values[at // 2](row + at) for row in range(rows)] for at, name in enumerate(LONG)}


CROWDED: dict[str, Any] = {
    "others": "identifiers",
    "person": "patient",
    "clean": {name: {"trim": True, "valid": [0, 70]} for name in LONG[:2]},
    "quasi_identifiers": {
        **{name: {"intervals": [20, 40]} for name in LONG[:2]},
        LONG[2]: {"tree": {"few": ["10", "17"]}, "nonconforming": "missing"},
        **{f"measure_{column}": "suppress" for column in range(3)},
    },
    "keep": LONG[3:5],
    "sensitive": [LONG[5]],
    "requirement": {"k": 3, "suppression": 0.1, "l_diversity": [{"attribute": LONG[5], "l": 2}]},
}
