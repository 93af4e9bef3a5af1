"""A usable source in a working folder, and the command line that has to refuse."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from starcloak.commands import cli
from tests.commands.refusals.refusing import PEOPLE, Refused, assert_refused, contents


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    """A working folder with a usable source."""
    (work / "people.csv").write_text(PEOPLE)
    return work


@pytest.fixture
def refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> Refused:
    """Runs the command line in this process and asserts a refusal; returns the line."""

    def refuse(*arguments: str, code: int = 2, says: tuple[str, ...] = ()) -> str:
        before = contents(folder)
        capfd.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["starcloak", *arguments])
            with pytest.raises(SystemExit) as ended:
                cli.main()
        out, err = capfd.readouterr()
        assert_refused(ended.value.code, out, err, code=code, says=says)
        assert contents(folder) == before
        assert not list(folder.parent.glob("private/starcloak-*/run-*"))
        return err

    return refuse


@pytest.fixture
def in_time() -> Iterator[None]:
    """Ends a test that goes on for too long."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
