"""The address of a studio is nobody else's: not in the list of processes, and not in a file that others read."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser import PYTHON, chromium
from tests.commands.studios import Studio, drafted, started

__all__ = ["started"]  # a fixture

pytest.importorskip("starlette")
pytest.importorskip("ruamel.yaml")


@pytest.fixture
def browser(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A browser that stays and tells its own arguments, as everybody sees them."""
    drafted(Path("people.csv"))
    folder = tmp_path_factory.mktemp("browser")
    program = folder / "browser"
    program.write_text(
        f"#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline > {folder}/writing\nmv {folder}/writing {folder}/seen\nsleep 2\n"
    )
    program.chmod(0o755)
    return program


def seen_by(browser: Path) -> str:
    """The arguments of the browser's process."""
    over, seen = time.monotonic() + 60, browser.with_name("seen")
    while not seen.exists():
        assert time.monotonic() < over
        time.sleep(0.02)
    return seen.read_text()


def page_of(arguments: str) -> Path:
    (path,) = re.findall(r"file://(\S+)", arguments)
    return Path(path)


def test_the_browser_is_given_a_file_that_its_owner_alone_reads(browser: Path, started: Callable[..., Studio]) -> None:
    studio = started("job.yaml", browser=f"{browser} %s")
    arguments = seen_by(browser)
    assert studio.token not in arguments and studio.host not in arguments
    page = page_of(arguments)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert f"url={studio.address}" in page.read_text()
    studio.enter()
    assert studio.ask("/table")[0] == 200
    assert studio.ask(f"/enter/{studio.token}", Cookie="")[0] == 403  # once
    studio.end()
    assert not page.exists() and not page.parent.exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_file_is_gone_when_the_studio_is_ended(
    browser: Path, started: Callable[..., Studio], number: signal.Signals
) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # nohup ignores one of them
    try:
        studio = started("job.yaml", browser=f"{browser} %s")
    finally:
        signal.signal(number, before)
    page = page_of(seen_by(browser))
    assert page.exists() and studio.process.pid is not None
    os.kill(studio.process.pid, number)
    studio.process.join(30)
    assert not page.parent.exists()


def test_a_killed_studio_leaves_a_file_that_the_next_one_removes(browser: Path, started: Callable[..., Studio]) -> None:
    first = started("job.yaml", browser=f"{browser} %s")
    page = page_of(seen_by(browser))
    first.kill()
    assert page.exists()
    browser.with_name("seen").unlink()
    started("job.yaml", browser=f"{browser} %s")
    assert page_of(seen_by(browser)).exists() and not page.parent.exists()


@pytest.mark.long
def test_a_real_browser_gets_from_the_file_into_the_studio(
    work: Path, browser: Path, started: Callable[..., Studio]
) -> None:
    """Its cookie is for requests of this site alone, and it comes from a file."""
    program, script = chromium(), Path(__file__).with_name("entrance_browser.py")
    started(browser=f"{browser} %s")
    page = page_of(seen_by(browser)).as_uri()
    # Its socket lies among temporary files, and a socket's path is short.
    with tempfile.TemporaryDirectory(dir="/tmp") as near:
        done = subprocess.run(
            [
                PYTHON,
                script,
                program,
                page,
                "A table from this computer",
                work / "people.csv",
                "Nothing is left to decide",
            ],
            env={**os.environ, "TMPDIR": near},
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr[-3000:]
