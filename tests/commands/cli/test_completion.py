"""Completion in the shells themselves, after the lines that the documentation shows."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "commands.rst"
COMMAND = Path(sys.executable).with_name("starcloak")
SHELLS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not COMMAND.exists(), reason="starcloak is not installed beside this Python"),
]


def shown(shell: str) -> str:
    """The lines of the page for a shell."""
    lines = PAGE.read_text().partition("Completion\n")[2].splitlines()
    found = [line.strip() for line in lines if f"{shell}_source" in line or (shell == "zsh" and "compinit" in line)]
    return "; ".join(line for line in found if line.startswith(("eval", "autoload", "_STARCLOAK")))


def environment(work: Path) -> dict[str, str]:
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(work), "PS1": "$ ", "TERM": "dumb"}


@contextmanager
def terminal(command: list[str], work: Path) -> Iterator[int]:
    """A shell in a terminal of its own; the terminal's descriptor."""
    process, descriptor = pty.fork()
    if not process:
        os.execvpe(command[0], command, environment(work))
    try:
        yield descriptor
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(descriptor)


def until(descriptor: int, pattern: str, seconds: float = 60) -> str:
    """What the terminal shows until a pattern is there."""
    seen, end = "", time.monotonic() + seconds
    while not re.search(pattern, seen):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"no {pattern!r} in {seen!r}"
        seen += os.read(descriptor, 65536).decode(errors="replace")
    return seen


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("starcloak ru\t", "starcloak run"),
        ("starcloak run --qui\t", "starcloak run --quiet"),
        ("starcloak run jo\t", "starcloak run job.yaml"),
        ("starcloak compile --format db\t", "starcloak compile --format dbt"),
    ],
)
def test_the_tab_key_completes_commands_options_values_and_files(shell: str, typed: str, line: str, work: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    Path("job.yaml").write_text("")
    with terminal(SHELLS[shell], work) as descriptor:
        # In two halves, lest the typed line be taken for what it prints.
        os.write(descriptor, f"{shown(shell)}; echo rea''dy\n".encode())
        until(descriptor, "ready")
        os.write(descriptor, typed.encode())
        until(descriptor, re.escape(line.rpartition(" ")[2]))
        # The line is not run but told.
        os.write(descriptor, b"\x01echo 'line:' \x05.\n")
        until(descriptor, rf"line: {re.escape(line)} ?\.\s")


def test_fish_completes_commands_options_values_and_files(work: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed: apt-get install fish")
    Path("job.yaml").write_text("")
    asked = {"starcloak ru": "run", "starcloak run --qui": "--quiet", "starcloak run jo": "job.yaml",
             "starcloak compile --format db": "dbt"}  # fmt: skip
    for typed, found in asked.items():
        script = f"{shown('fish')}; complete --do-complete {typed!r}"
        done = subprocess.run(
            ["fish", "--no-config", "--command", script],
            env=environment(work), capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert found in done.stdout.split(), (typed, done)
