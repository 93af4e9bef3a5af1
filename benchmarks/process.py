"""Whole processes: their seconds, their peak memory, and what starcloak reported.

What allocates runs in a process of its own. A child's peak counts from the fork, so it is never below that of the
process that started it: this one stays small and opens no database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# getrusage counts kibibytes, on macOS bytes.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


class BenchmarkError(Exception):
    """A benchmark cannot be measured: a process that it runs failed."""


@dataclass(frozen=True)
class Outcome:
    """A process that ended well: wall-clock seconds, peak resident set in bytes, standard output."""

    seconds: float
    peak_memory: int
    output: str


@dataclass(frozen=True)
class Anonymized:
    """A run of ``starcloak run --json``: the whole process, and its report (``schemas/report.json``)."""

    seconds: float
    peak_memory: int
    report: dict[str, Any]


def starcloak() -> list[str]:
    """The command as a user types it, or the module where the command is not installed."""
    command = Path(sysconfig.get_path("scripts")) / "starcloak"
    return [str(command)] if command.exists() else [sys.executable, "-m", "starcloak"]


def helper(module: str, *arguments: str, folder: Path) -> Any:
    """The JSON that a module of this package prints, run in a process of its own."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    return json.loads(run(command, folder=folder, environment={"PYTHONPATH": str(ROOT)}).output)


def anonymize(
    job: Mapping[str, Any],
    *options: str,
    folder: Path,
    output: str,
    environment: Mapping[str, str] | None = None,
) -> Anonymized:
    """Run a job with ``starcloak run``, its ``output`` in a new folder inside ``folder`` that is removed again.

    Raises :class:`BenchmarkError` where it fails.
    """
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        path = Path(fresh) / "job.yaml"
        # JSON is YAML.
        path.write_text(json.dumps({**job, "output": {"path": output}}, indent=2), encoding="utf-8")
        command = [*starcloak(), "run", str(path), "--json", *options]
        outcome = run(command, folder=Path(fresh), environment=environment or {})
    return Anonymized(outcome.seconds, outcome.peak_memory, json.loads(outcome.output))


def run(command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> Outcome:
    """Run a command in a folder, to its end. Raises :class:`BenchmarkError` where it fails."""
    with open(folder / "stdout", "w+b") as output, open(folder / "stderr", "w+b") as errors:
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise BenchmarkError(f"{_shown(command)} ended with {child.returncode}: {_last_line(errors)}")
        output.seek(0)
        return Outcome(seconds, usage.ru_maxrss * _PEAK_UNIT, output.read().decode())


def _shown(command: Sequence[str]) -> str:
    return " ".join(Path(word).name if os.path.isabs(word) else word for word in command)


def _last_line(errors: Any) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "no message")
