"""A copy of the checkout, in which files are changed and tests run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.process import ROOT, BenchmarkError

#: Of everything that a campaign keeps: copies, what was traced, what became of each mutant.
PLACE = ROOT / "build" / "mutants"

_PARTS = [
    "engine",
    "sql",
    "schemas",
    "tests",
    "benchmarks",
    "docs",
    "README.md",
    "LICENSE",
    "Makefile",
    "pyproject.toml",
]
_INSIDE = Path(__file__).parent / "inside"
_MOST_MEMORY = 3 * 2**30
_GRACE = 10

Ended = Literal["passed", "failed", "too long", "too much memory"]


@dataclass(frozen=True)
class Ran:
    """What became of some tests. ``told`` is what the plugin said; ``output`` the end of what they printed."""

    ended: Ended
    seconds: float
    told: Mapping[str, Any]
    output: str


class Checkout:
    """A copy of its own, by a number."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.path = PLACE / f"copy-{number}"
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        for part in _PARTS:
            if (ROOT / part).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "build")
                shutil.copytree(ROOT / part, self.path / part, ignore=ignored, symlinks=True)
            elif (ROOT / part).exists():
                shutil.copy(ROOT / part, self.path / part)
        (self.path / ".venv").symlink_to(Path(sys.prefix).absolute())
        # What the compiled modules of the copy are of is told by size and time: they are made here, and never again.
        folders = [str(self.path / part) for part in ("engine", "tests", "benchmarks")]
        subprocess.run([sys.executable, "-m", "compileall", "-q", *folders], check=False, capture_output=True)

    @contextmanager
    def changed(self, file: str, content: bytes) -> Iterator[None]:
        """With other bytes in a file."""
        path = self.path / file
        before, seen = path.read_bytes(), path.stat()
        path.write_bytes(content)
        os.utime(path, (seen.st_atime, seen.st_mtime + 86_400))  # so that no compiled module passes for it
        try:
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, (seen.st_atime, seen.st_mtime))

    def test(
        self, files: Sequence[str], tests: Sequence[str] | None, *, limit: float, trace: Path | None = None
    ) -> Ran:
        """Run tests, ending at the first that fails where they are named, and as soon as they take too long."""
        scratch = PLACE / f"scratch-{self._number}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        told = scratch / "told.json"
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, [_INSIDE, self.path / "engine", self.path])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "STARCLOAK_MUTANTS_TOLD": str(told),
            # What is known must not hang on a table that only some machines have.
            "STARCLOAK_DATA": str(scratch),
            "TMPDIR": str(scratch),
        }
        options = ["-p", "starcloak_mutants", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--basetemp"]
        command = [sys.executable, "-m", "pytest", *options, str(scratch / "base"), "--tb=line"]
        if tests is not None:
            (scratch / "tests.json").write_text(json.dumps(tests))
            environment["STARCLOAK_MUTANTS_TESTS"] = str(scratch / "tests.json")
            command.append("-x")
        if trace is not None:
            environment |= {"STARCLOAK_TRACE": str(trace), "STARCLOAK_TRACE_ENGINE": f"{self.path}/"}
        started = time.monotonic()
        with open(scratch / "output", "w+b") as output:
            process = subprocess.Popen(
                [*command, *files], cwd=self.path, env=environment, stdout=output, stderr=output, start_new_session=True
            )
            try:
                ended = _watch(process, limit)
            finally:
                _end(process)
            output.seek(0)
            printed = output.read()[-4000:].decode(errors="replace")
        seconds = time.monotonic() - started
        if ended == "passed" and process.returncode == 5:
            raise BenchmarkError(f"no test of {', '.join(files)} was found")
        if ended == "passed" and process.returncode:
            ended = "failed"
        known = json.loads(told.read_text()) if told.exists() else {}
        shutil.rmtree(scratch, ignore_errors=True)
        return Ran(ended, seconds, known, printed)


def _watch(process: subprocess.Popen[bytes], limit: float) -> Ended:
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.25)
            return "passed"
        if _memory(process.pid) > _MOST_MEMORY:
            return "too much memory"
    return "too long"


def _memory(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the tests and all that they started; servers first by what ends tests, so that they remove their files."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
