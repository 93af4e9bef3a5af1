"""A copy of the checkout, in which files are changed and tests run."""

from __future__ import annotations

import json
import os
import re
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
from typing import Any, BinaryIO, Literal

from benchmarks.mutants.probes import with_probes
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
_LIMIT = 7200.0  # seconds of a trace
_NONE_FOUND = 5  # pytest's code where no test was found
_OPTIONS = ["-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line", "-rf"]

Ended = Literal["passed", "failed", "too long", "too much memory"]


@dataclass(frozen=True)
class Ran:
    """What became of some tests: ``by`` is the one that failed."""

    ended: Ended
    seconds: float
    by: str


@dataclass(frozen=True)
class Planned:
    """A test that is to run, and its patience: the seconds after which it counts as one that fails."""

    name: str
    file: str
    patience: float
    needs_server: bool


@dataclass(frozen=True)
class Changed:
    """A file that differs from what it was before."""

    file: str
    before: bytes


@dataclass(frozen=True)
class _Forks:
    process: subprocess.Popen[bytes]
    asked: BinaryIO
    told: BinaryIO


class Checkout:
    """A copy of its own, by a number."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.path = PLACE / f"copy-{number}"
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        for part in _PARTS:
            if (ROOT / part).is_dir():
                ignored = shutil.ignore_patterns("build", "results")
                shutil.copytree(ROOT / part, self.path / part, ignore=ignored, symlinks=True)
            elif (ROOT / part).exists():
                shutil.copy(ROOT / part, self.path / part)
        (self.path / ".venv").symlink_to(Path(sys.prefix).absolute())
        (PLACE / "nowhere").mkdir(exist_ok=True)
        # What the compiled modules of the copy are of is told by size and time: they are made here, and never again.
        folders = [str(self.path / part) for part in ("engine", "tests", "benchmarks")]
        subprocess.run([sys.executable, "-m", "compileall", "-q", *folders], check=False, capture_output=True)
        self._forks: _Forks | None = None

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

    def probe(self, lines: Sequence[str]) -> None:
        """Put probes into its engine: into every statement of some files, into the functions of all others."""
        for path in sorted((self.path / "engine").rglob("*.py")):
            name = path.relative_to(self.path).as_posix()
            path.write_text(with_probes(name, path.read_text(), lines=name in lines))
        subprocess.run([sys.executable, "-m", "compileall", "-q", "engine"], cwd=self.path, check=False)

    def trace(self, files: Sequence[str], into: Path, *, processes: int) -> None:
        """Run files of tests, each in one of some processes, noting what each test reaches."""
        more = {"STARCLOAK_REACHED": str(into), "PYTHONDONTWRITEBYTECODE": ""}
        spread = ["--numprocesses", str(processes), "--dist", "loadfile"]
        # Files whose every test is of another environment, or long, have none.
        self._anew(["-p", "starcloak_traced", *spread, *files], more, _LIMIT, may_be_none=True)

    def test_anew(self, tests: Sequence[Planned], *, limit: float) -> Ran:
        """Run tests in a process that imports all of the engine: what runs when a module is imported was changed."""
        return self._anew(["-x", *(test.name for test in tests)], {}, limit)

    def _anew(
        self, arguments: Sequence[str], more: Mapping[str, str], limit: float, *, may_be_none: bool = False
    ) -> Ran:
        with self._scratch("anew") as scratch:
            output = scratch / "output"
            environment = {**self._environment, "TMPDIR": str(scratch), **more}
            base = ["--basetemp", str(scratch / "base")]
            command = [sys.executable, "-m", "pytest", *_OPTIONS, *base, *arguments]
            started = time.monotonic()
            with open(output, "wb") as printed:
                process = subprocess.Popen(
                    command, cwd=self.path, env=environment, stdout=printed, stderr=printed, start_new_session=True
                )
            try:
                ended = _watch(process.pid, lambda: process.poll() is not None, limit)
            finally:
                _end(process.pid, lambda: process.poll() is not None)
                code = process.wait()
            seconds = time.monotonic() - started
            by = "".join(re.findall(r"^FAILED (.*?)(?: - .*)?$", _last(output), re.MULTILINE)[:1])
            if ended == "passed" and code == _NONE_FOUND and not may_be_none:
                raise BenchmarkError(f"no test was found: {' '.join(arguments)}")
            return Ran("failed" if ended == "passed" and code else ended, seconds, by)

    def found(self, files: Sequence[str], *, servers: bool) -> None:
        """Start the process that runs of the tests of some files fork from, and servers for all of them."""
        if self._forks is not None:
            return
        (asks, asked), (told, tells) = os.pipe(), os.pipe()
        environment = {**self._environment, "STARCLOAK_MUTANTS_PIPES": f"{asks},{tells}"}
        environment["STARCLOAK_MUTANTS_SERVERS"] = "yes" if servers else ""
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        output = PLACE / f"forks-{self._number}.log"
        command = [sys.executable, "-m", "pytest", "-p", "starcloak_forks", *_OPTIONS, *files]
        with open(output, "wb") as printed:
            process = subprocess.Popen(
                command, cwd=self.path, env=environment, stdout=printed, stderr=printed, stdin=subprocess.DEVNULL,
                pass_fds=(asks, tells),
            )  # fmt: skip
        os.close(asks)
        os.close(tells)
        self._forks = _Forks(process, os.fdopen(asked, "wb", buffering=0), os.fdopen(told, "rb", buffering=0))
        if self._forks.told.readline() != b"ready\n":
            raise BenchmarkError(f"the tests cannot be run: {_last(output)}")

    def test(self, tests: Sequence[Planned], changed: Changed | None, *, limit: float) -> Ran:
        """Run tests, up to the first that fails or takes too long, in a process that forks off.

        What was ``changed`` in Python takes the place of what was imported; where it cannot, all is imported anew.
        """
        from benchmarks.mutants.inside.starcloak_forks import ONLY_ANEW, TOO_LONG  # with pytest, which docs have not

        assert self._forks is not None
        with self._scratch() as scratch:
            asked: dict[str, Any] = {"tests": [(test.name, test.patience) for test in tests], "scratch": str(scratch)}
            if changed is not None:
                (scratch / "before").write_bytes(changed.before)
                asked |= {"file": str(self.path / changed.file), "before": str(scratch / "before")}
            started = time.monotonic()
            self._forks.asked.write(f"{json.dumps(asked)}\n".encode())
            process, told = int(self._forks.told.readline()), self._forks.told

            def has_ended() -> bool:
                return bool(select.select([told], [], [], 0)[0])

            try:
                ended = _watch(process, has_ended, limit)
            finally:
                _end(process, has_ended)
                code = int(told.readline())
            seconds = time.monotonic() - started
            failed = scratch / "failed"
            by = failed.read_text() if failed.exists() else ""
        if code == ONLY_ANEW:
            return self.test_anew([test for test in tests if not test.needs_server] or tests, limit=limit)
        if ended == "passed" and code:
            ended = "too long" if code == TOO_LONG else "failed"
        return Ran(ended, seconds, by)

    def close(self) -> None:
        """End the process that runs fork from, with its servers."""
        if self._forks is not None:
            self._forks.asked.close()
            self._forks.process.wait(60)
            self._forks.told.close()
            self._forks = None

    @contextmanager
    def _scratch(self, name: str = "scratch") -> Iterator[Path]:
        scratch = PLACE / f"{name}-{self._number}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    @property
    def _environment(self) -> dict[str, str]:
        """Of every process: the copy is what they import, and none writes a compiled module that may be a mutant's.

        All cases of all tests run: the fate of a mutant depends neither on the day's draw of cases, nor on a table of
        some machines alone.
        """
        path = os.pathsep.join(map(str, [INSIDE, self.path / "engine", self.path]))
        nowhere = str(PLACE / "nowhere")
        more = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "STARCLOAK_DATA": nowhere}
        return {**os.environ, "STARCLOAK_DRAW": "every", **more}


def _last(output: Path) -> str:
    return output.read_bytes()[-4000:].decode(errors="replace")


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
