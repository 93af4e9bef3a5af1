"""A copy of the checkout, in which files are changed and tests run."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.shared.process import ROOT, BenchmarkError

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
#: What stands alone in processes of tests.
INSIDE = Path(__file__).parent / "inside"
_MOST_MEMORY = 3 * 2**30
_GRACE = 10
_NONE_FOUND = 5  # pytest's code where no test was found

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
        self._forks: subprocess.Popen[bytes] | None = None

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
            **self._environment,
            "STARCLOAK_MUTANTS_TOLD": str(told),
            # What is known must not hang on a table that only some machines have.
            "STARCLOAK_DATA": str(scratch),
            "TMPDIR": str(scratch),
        }
        options = ["-p", "starcloak_mutants", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line"]
        arguments = [*options, "--basetemp", str(scratch / "base"), *files]
        if tests is not None:
            (scratch / "tests.json").write_text(json.dumps(tests))
            environment["STARCLOAK_MUTANTS_TESTS"] = str(scratch / "tests.json")
            arguments.append("-x")
        if trace is not None:
            environment |= {"STARCLOAK_TRACE": str(trace), "STARCLOAK_TRACE_ENGINE": f"{self.path}/"}
        started, output = time.monotonic(), scratch / "output"
        ended, code = (self._forked if trace is None else self._traced)(arguments, environment, output, limit)
        printed = output.read_bytes()[-4000:].decode(errors="replace")
        seconds = time.monotonic() - started
        if ended == "passed" and code == _NONE_FOUND:
            raise BenchmarkError(f"no test of {', '.join(files)} was found")
        if ended == "passed" and code:
            ended = "failed"
        known = json.loads(told.read_text()) if told.exists() else {}
        shutil.rmtree(scratch, ignore_errors=True)
        return Ran(ended, seconds, known, printed)

    @property
    def _environment(self) -> dict[str, str]:
        """Of every process: the copy is what they import, and none writes a compiled module that may be a mutant's."""
        path = os.pathsep.join(map(str, [INSIDE, self.path / "engine", self.path]))
        return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    def _traced(
        self, arguments: Sequence[str], environment: Mapping[str, str], output: Path, limit: float
    ) -> tuple[Ended, int]:
        """In a process that is traced from its beginning."""
        command = [sys.executable, "-m", "pytest", *arguments]
        with open(output, "wb") as printed:
            process = subprocess.Popen(
                command, cwd=self.path, env=environment, stdout=printed, stderr=printed, start_new_session=True
            )
        try:
            return _watch(process.pid, lambda: process.poll() is not None, limit), process.poll() or 0
        finally:
            _end(process.pid, lambda: process.poll() is not None)
            process.wait()

    def _forked(
        self, arguments: Sequence[str], environment: Mapping[str, str], output: Path, limit: float
    ) -> tuple[Ended, int]:
        """In a process that forks from one that has imported what is not the copy's own."""
        forks = self._forks or self._prepare()
        assert forks.stdin is not None and forks.stdout is not None
        # That modules were imported before pytest could have its way with them is no error: none is the copy's own.
        quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        asked = {"arguments": [*quiet, *arguments], "environment": dict(environment), "output": str(output)}
        forks.stdin.write(f"{json.dumps(asked)}\n".encode())
        forks.stdin.flush()
        process, told = int(forks.stdout.readline()), forks.stdout

        def has_ended() -> bool:
            return bool(select.select([told], [], [], 0)[0])

        try:
            ended = _watch(process, has_ended, limit)
        finally:
            _end(process, has_ended)
            code = int(told.readline())
        return ended, code

    def _prepare(self) -> subprocess.Popen[bytes]:
        """Start the process that others fork from. The tests are compiled before, which no mutant changes."""
        with open(os.devnull, "wb") as nothing:
            environment = {**self._environment, "PYTHONDONTWRITEBYTECODE": ""}
            compiled = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", "tests"]
            subprocess.run(compiled, cwd=self.path, env=environment, stdout=nothing, stderr=nothing, check=False)
        command = [sys.executable, str(INSIDE / "starcloak_forks.py")]
        self._forks = subprocess.Popen(
            command, cwd=self.path, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        return self._forks


def _watch(process: int, has_ended: Callable[[], bool], limit: float) -> Ended:
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        if has_ended():
            return "passed"
        if _memory(process) > _MOST_MEMORY:
            return "too much memory"
        time.sleep(0.05)
    return "too long"


def _memory(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _end(process: int, has_ended: Callable[[], bool]) -> None:
    """End the tests and all that they started; servers first by what ends tests, so that they remove their files."""
    if not has_ended():
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGINT)
        deadline = time.monotonic() + _GRACE
        while not has_ended() and time.monotonic() < deadline:
            time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
