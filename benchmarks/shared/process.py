"""Whole processes: their seconds, their peak memory, and what starcloak reported.

What allocates runs in a process of its own. A child's peak counts from the fork, so it is never below that of the
process that started it: this one stays small and opens no database.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# getrusage counts kibibytes, on macOS bytes.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


# How long a process may take to end once it is asked to, and how often its memory is looked at.
_GRACE = 10.0
_SAMPLE = 0.02
_REFUSED = 2  # the exit code of a job that cannot be used
_STAGE = re.compile(rb"^starcloak: (\w+): [0-9.]+ s$", re.MULTILINE)


class BenchmarkError(Exception):
    """A benchmark cannot be measured: a process that it runs failed."""


class TooLong(BenchmarkError):
    """A process was ended because it took longer than it may."""


@dataclass(frozen=True)
class Outcome:
    """A process that ended as it may: wall-clock and CPU seconds, peak resident set in bytes, standard output.

    ``read_bytes`` and ``written_bytes`` count all files, also in the system's cache; 0 where the system does not say.
    ``refused`` is what it said where it ended with another code than 0. ``stage_peaks`` are the peaks of the stages
    that it told of on standard error, where memory was sampled.
    """

    seconds: float
    cpu_seconds: float
    peak_memory: int
    output: str
    read_bytes: int = 0
    written_bytes: int = 0
    stage_peaks: Mapping[str, int] = field(default_factory=dict)
    refused: str = ""


@dataclass(frozen=True)
class Anonymized:
    """A run of ``starcloak run --json``: the whole process, and its report (``schemas/report.json``)."""

    seconds: float
    cpu_seconds: float
    peak_memory: int
    report: dict[str, Any]
    stage_peaks: Mapping[str, int]


def starcloak() -> list[str]:
    """The command as a user types it, or the module where the command is not installed."""
    command = Path(sysconfig.get_path("scripts")) / "starcloak"
    return [str(command)] if command.exists() else [sys.executable, "-m", "starcloak"]


def helper(
    module: str,
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limit: float | None = None,
) -> Any:
    """The JSON that a module of the benchmarks prints, run in a process of its own. Raises as :func:`run` does."""
    return json.loads(run_module(module, *arguments, folder=folder, environment=environment, limit=limit).output)


def run_module(
    module: str,
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    limit: float | None = None,
) -> Outcome:
    """Run a module of the benchmarks in a process of its own. Raises as :func:`run` does."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    # Beside the folders that are already looked in.
    search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return run(command, folder=folder, environment={**(environment or {}), "PYTHONPATH": search}, limit=limit)


def anonymize(
    job: Mapping[str, Any],
    *options: str,
    folder: Path,
    output: str,
    environment: Mapping[str, str] | None = None,
    limit: float | None = None,
    sample: bool = False,
) -> Anonymized:
    """Run a job with ``starcloak run``, its ``output`` in a new folder inside ``folder`` that is removed again.

    Raises as :func:`run` does.
    """
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        path = Path(fresh) / "job.yaml"
        # JSON is YAML.
        path.write_text(json.dumps({**job, "output": {"path": output}}, indent=2), encoding="utf-8")
        command = [*starcloak(), "run", str(path), "--json", *options, *(["--verbose"] if sample else [])]
        outcome = run(command, folder=Path(fresh), environment=environment or {}, limit=limit, sample=sample)
    report = json.loads(outcome.output)
    return Anonymized(outcome.seconds, outcome.cpu_seconds, outcome.peak_memory, report, outcome.stage_peaks)


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limit: float | None = None,
    sample: bool = False,
    may_refuse: bool = False,
) -> Outcome:
    """Run a command in a folder, to its end, or for ``limit`` seconds. It ``may_refuse`` with exit code 2.

    It finds no release of another run that it would be measured with, and its modules compiled, as a user has them.
    With ``sample``, its memory is looked at all the time, by the stages that it tells of. Raises
    :class:`BenchmarkError` where it fails, :class:`TooLong` where it reaches the limit.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with (
        open(folder / "stdout", "w+b") as output,
        open(folder / "stderr", "w+b") as errors,
        tempfile.TemporaryDirectory() as state,
    ):
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**kept, "XDG_STATE_HOME": state, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        # Asked first: what ends by itself cleans up.
        timers = [threading.Timer(limit, child.terminate), threading.Timer(limit + _GRACE, child.kill)] if limit else []
        peaks: dict[str, int] = {}
        sampler = threading.Thread(target=_sample, args=(child.pid, folder / "stderr", peaks), daemon=True)
        for thread in [*timers, *([sampler] if sample else [])]:
            thread.start()
        try:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            moved = _moved(child.pid)
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        finally:
            for timer in timers:
                timer.cancel()
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if sample:
            sampler.join()
        if child.returncode and limit and seconds >= limit:
            raise TooLong(f"{_shown(command)} took more than {limit:g} s")
        if child.returncode and not (may_refuse and child.returncode == _REFUSED):
            raise BenchmarkError(f"{_shown(command)} ended with {child.returncode}: {_last_line(errors)}")
        refused = _last_line(errors) if child.returncode else ""
        output.seek(0)
        cpu_seconds = usage.ru_utime + usage.ru_stime
        peak, told = usage.ru_maxrss * _PEAK_UNIT, output.read().decode()
        return Outcome(seconds, cpu_seconds, peak, told, *moved, stage_peaks=peaks, refused=refused)


def _moved(pid: int) -> tuple[int, int]:
    """The bytes that an ended process read and wrote; it is still known to the system."""
    try:
        counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    except OSError:
        return 0, 0
    return int(counts["rchar"]), int(counts["wchar"])


def _sample(pid: int, errors: Path, peaks: dict[str, int]) -> None:
    """Look at a process's resident set until it ends; a stage's peak is that since the stage before it was told of.

    Finds nothing where the system has no /proc.
    """
    status, page = Path(f"/proc/{pid}/statm"), os.sysconf("SC_PAGE_SIZE")
    peak = told = 0
    while True:
        try:
            peak = max(peak, int(status.read_text().split()[1]) * page)
        except (OSError, IndexError):
            return
        stages = _STAGE.findall(errors.read_bytes())
        if len(stages) > told:
            peaks[stages[-1].decode()] = peak
            peak, told = 0, len(stages)
        time.sleep(_SAMPLE)


def _shown(command: Sequence[str]) -> str:
    return " ".join(Path(word).name if os.path.isabs(word) else word for word in command)


def _last_line(errors: Any) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "no message")
