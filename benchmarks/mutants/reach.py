"""Which tests reach which code: every file of tests is run once, and what it calls is noted."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchmarks.mutants.checkout import PLACE, Checkout
from benchmarks.mutants.mutant import Mutant
from benchmarks.shared.process import ROOT, BenchmarkError

# Seconds until the first test runs, and that a file of tests may take while it is traced.
_STARTS = 2.0
_COLLECTED = 0.002  # seconds to find a test of a file
_LIMIT = 3600.0
_DOCTESTS = "engine"

# They hold the code to its form, not to what it does.
_OF_FORM = {"tests/project/test_docs.py", "tests/project/test_benchmarks.py"}


@dataclass(frozen=True)
class Test:
    """A test: its file, its seconds, what it needs that others share, and how much of the engine it reaches."""

    name: str
    file: str
    seconds: float
    needs: frozenset[str]
    reached: int


@dataclass(frozen=True)
class Reach:
    """What was traced: all tests that pass, the seconds of what they share, and by code the tests that reach it.

    Code goes by ``engine/starcloak/verify.py:verify``, a statement by ``sql:verify/classes:postgresql``.
    """

    tests: Mapping[str, Test]
    shared: Mapping[str, float]
    of: Mapping[str, set[str]]

    def tests_of(self, mutant: Mutant) -> list[Test]:
        """The tests that reach a mutant, the most telling first: those that reach little else, in little time."""
        names = {name for key in self._keys(mutant) for name in self.of[key]}
        files = Counter(test.file for test in self.tests.values())

        def cost(test: Test) -> float:
            return test.reached * (test.seconds + 0.1 + _COLLECTED * files[test.file])

        return sorted((self.tests[name] for name in names), key=cost)

    def _keys(self, mutant: Mutant) -> list[str]:
        if mutant.file.startswith("sql/"):
            return [key for key in self.of if key.startswith("sql:") and _statement_file(key) == mutant.file]
        exact = f"{mutant.file}:{mutant.change.function}"
        if exact in self.of:
            return [exact]
        # What runs when the module is imported, or is called otherwise than it is named.
        return [key for key in self.of if key.startswith(f"{mutant.file}:")]

    def seconds(self, tests: Iterable[Test]) -> float:
        """How long some tests take in a process of their own."""
        listed = list(tests)
        return _STARTS + sum(test.seconds for test in listed) + self.shared_by(listed)

    def shared_by(self, tests: Iterable[Test]) -> float:
        """How long it takes to make what some tests share with others."""
        return sum(self.shared.get(need, 0) for need in {need for test in tests for need in test.needs})


def _statement_file(key: str) -> str:
    """A section and a dialect's own text are parts of their statement's file."""
    return f"sql/{key.split(':')[1].partition('#')[0]}.sql"


def test_files(only: Iterable[str] = ()) -> list[str]:
    """The files of tests, or those that are named; ``engine`` stands for all doctests."""
    found = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("tests/**/test_*.py"))]
    found = [_DOCTESTS, *(file for file in found if file not in _OF_FORM)]
    asked = list(only)
    return [file for file in found if not asked or file in asked]


def trace(files: Iterable[str], *, copies: list[Checkout], again: bool, tell: Callable[[str], None]) -> Reach:
    """Trace files of tests that were not yet traced as they are, or all of them ``again``; returns what all reach."""
    folder = PLACE / "traced"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = list(files)
    stale = [file for file in wanted if again or _known(file) is None]
    free: SimpleQueue[Checkout] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(file: str) -> None:
        copy = free.get()
        try:
            traced = _traced(copy, file)
        finally:
            free.put(copy)
        _place(file).write_text(json.dumps(traced))
        tell(f"traced {file}: {len(traced['seconds'])} tests, of which {len(traced['failed'])} fail or are skipped")

    with ThreadPoolExecutor(len(copies)) as pool:
        list(pool.map(one, stale))
    return _gathered(wanted)


def _traced(copy: Checkout, file: str) -> dict[str, Any]:
    place = PLACE / f"reached-{hashlib.sha256(file.encode()).hexdigest()[:12]}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    ran = copy.test([file], None, limit=_LIMIT, trace=place)
    if not ran.told.get("seconds"):
        raise BenchmarkError(f"{file} cannot be traced: {ran.output[-400:]}")
    reached: dict[str, set[str]] = defaultdict(set)
    for lines in place.glob("*.reached"):
        for line in lines.read_text().splitlines():
            test, _, code = line.partition("\t")
            reached[ast.literal_eval(test)].add(code)
    shutil.rmtree(place)
    told = {name: sorted(codes) for name, codes in reached.items() if name in ran.told["seconds"]}
    return {"digest": _digest(file), **ran.told, "reached": told}


def _gathered(files: Iterable[str]) -> Reach:
    tests: dict[str, Test] = {}
    shared: dict[str, float] = {}
    of: dict[str, set[str]] = defaultdict(set)
    for file, traced in _all(files):
        shared |= {f"{file}:{name}": seconds for name, seconds in traced["shared"].items()}
        for name, reached in traced["reached"].items():
            if name in traced["failed"]:
                continue
            needs = frozenset(f"{file}:{need}" for need in traced["needed"].get(name, []))
            tests[name] = Test(name, file, traced["seconds"][name], needs & shared.keys(), len(reached))
            for code in reached:
                of[code].add(name)
    if not any(code.startswith("sql:") for code in of):
        raise BenchmarkError("no test reaches a statement: look at how sitecustomize tells them")
    return Reach(tests, shared, of)


def _all(files: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in files:
        known = _known(file)
        if known is not None:
            yield file, known


def _known(file: str) -> dict[str, Any] | None:
    """What was traced of a file of tests, unless that changed."""
    try:
        traced: dict[str, Any] = json.loads(_place(file).read_text())
    except (OSError, ValueError):
        return None
    return traced if traced["digest"] == _digest(file) else None


def _place(file: str) -> Path:
    return PLACE / "traced" / f"{file.replace('/', '-')}.json"


def _digest(file: str) -> str:
    """Of a file of tests; doctests are those of the engine as it was when they were traced."""
    return "" if file == _DOCTESTS else hashlib.sha256((ROOT / file).read_bytes()).hexdigest()
