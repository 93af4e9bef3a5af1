"""The worked examples of docs/gallery: the lines of each page run, and print what the page shows."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.arx_tests import command as arx_tests

from starcloak.commands.cli import main
from tests import servers
from tests.people import Server

pytestmark = pytest.mark.sampled(2, among="gallery")
GALLERY = Path(__file__).parents[2] / "docs" / "gallery"
#: Mark of a command for the long tests.
MINUTES = "# takes a minute"


@dataclass(frozen=True)
class Command:
    """A line of a page, its exit code, and the lines that the page shows of its output; ``…`` stands for any text."""

    words: list[str]
    code: int
    shown: list[str]
    takes_long: bool


def commands(page: Path) -> list[Command]:
    """The commands of the console blocks, in order."""
    found: list[Command] = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                command, _, remark = line[2:].partition("#")
                code = re.search(r"exit code (\d+)", remark)
                found.append(Command(shlex.split(command), int(code[1]) if code else 0, [], MINUTES in line))
            else:
                found[-1].shown.append(line)
    return found


def output(words: list[str]) -> tuple[int, str]:
    """The exit code and the printed text of a command, run in this process."""
    printed, code = io.StringIO(), None
    program, *arguments = map(os.path.expandvars, words)
    if program == "psql":
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        patch.setattr(sys, "argv", [program, *arguments] if program == "starcloak" else arguments)
        try:
            if program == "starcloak":
                main()
            else:
                runpy.run_path(arguments[0], run_name="__main__")
        except SystemExit as ended:
            code = ended.code
    return int(code or 0), printed.getvalue()


def follow(name: str, folder: Path, *, long: bool = False) -> None:
    """Run the commands of a page in a folder with its files, as a reader does."""
    shutil.copytree(GALLERY / name, folder, dirs_exist_ok=True)
    with contextlib.chdir(folder):
        for command in commands(GALLERY / name / "index.md"):
            if command.takes_long and not long:
                continue
            code, printed = output(command.words)
            assert code == command.code, (command.words, printed)
            for line in command.shown:
                pattern = ".*".join(re.escape(part) for part in line.split("…"))
                assert re.search(f"^{pattern}$", printed, re.MULTILINE), (line, printed)


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["quick", "long"])
def long(request: pytest.FixtureRequest) -> bool:
    """True to run the commands that take a minute, too."""
    return bool(request.param)


def test_adult_beside_arx(tmp_path: Path, long: bool) -> None:
    place = arx_tests.folder()
    if place is None:
        pytest.skip(arx_tests.MISSING)
    for file in place.glob("adult*.csv"):
        (tmp_path / file.name).symlink_to(file)
    follow("adult", tmp_path, long=long)


def test_a_survey(tmp_path: Path, long: bool) -> None:
    follow("survey", tmp_path, long=long)


def test_a_table_released_every_night(postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAN_DATABASE", postgresql.url)
    monkeypatch.setenv("PATH", f"{servers.postgresql_programs()}{os.pathsep}{os.environ['PATH']}")
    follow("nightly", tmp_path)


def test_the_visits_of_a_hospital(tmp_path: Path) -> None:
    follow("hospital", tmp_path)
