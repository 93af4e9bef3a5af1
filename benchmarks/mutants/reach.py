"""Which tests reach which code: every file of tests is run once, and what it calls is noted."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.mutants import places
from benchmarks.mutants.checkout import PLACE, Checkout
from benchmarks.mutants.mutant import Mutant, digest
from benchmarks.shared.process import ROOT, BenchmarkError

_TRACED = PLACE / "traced.jsonl"
_SERVERS = ("postgresql_server", "mariadb_server")  # started once for all tests of a campaign
_DOCTESTS = "engine"

_NEAR = 8  # lines before and after a mutant

# They hold the code to its form, or to a text of it, not to what it does; or they end servers that others share.
_OF_FORM = {
    "tests/project/test_docs.py",
    "tests/project/test_benchmarks.py",
    "tests/project/test_samples.py",
    "tests/project/test_servers.py",
}


@dataclass(frozen=True)
class Test:
    """A test: its file, its seconds with those of what it shares but servers, and how much of the engine it reaches."""

    name: str
    file: str
    seconds: float
    needs_server: bool
    reached: int


@dataclass(frozen=True)
class Reach:
    """What was traced: all tests that pass, and by code the tests that reach it.

    Code goes by ``engine/starcloak/verify.py:verify``, a line by ``engine/starcloak/verify.py:7``, a statement by
    ``sql:verify/recount:postgresql``. ``traced`` are the files of the engine whose lines are told, as they were.
    """

    tests: Mapping[str, Test]
    of: Mapping[str, set[str]]
    traced: Mapping[str, str]

    def tests_of(self, mutant: Mutant) -> list[Test]:
        """The tests that reach a mutant, the most telling first: those that reach little else, in little time.

        Of those that differ in their parameters alone, the second comes after all others' first.
        """
        names = {name for key in self._keys(mutant) for name in self.of.get(key, ())}
        if not mutant.file.startswith("sql/") and not mutant.change.function:
            # What runs when a module is imported is in no trace of a test.
            names |= {test.name for test in self.tests.values() if mutant.has_own(test.file)}
        ordered, alike = [], Counter[str]()
        for test in sorted((self.tests[name] for name in names), key=self._cost):
            function = test.name.partition("[")[0]
            alike[function] += 1
            ordered.append((alike[function], test))
        return [test for _, test in sorted(ordered, key=lambda each: (each[0] * self._cost(each[1]), each[1].name))]

    def rarity(self, mutant: Mutant) -> dict[str, int]:
        """By test how few reach the rarest line that it reaches near a mutant, as the power of two they are beyond.

        Few tests come to what stands after a condition, and these are the ones that know whether it is right.
        """
        if self.traced.get(mutant.file) != mutant.content:
            return {}
        first, last = mutant.change.within
        rarest: dict[str, int] = {}
        for line in range(first - _NEAR, last + _NEAR + 1):
            names = self.of.get(f"{mutant.file}:{line}", ())
            for name in names:
                rarest[name] = min(rarest.get(name, len(self.tests)), len(names))
        return {name: count.bit_length() for name, count in rarest.items()}

    def _cost(self, test: Test) -> float:
        return test.reached * (0.05 + test.seconds)

    def _keys(self, mutant: Mutant) -> list[str]:
        if mutant.file.startswith("sql/"):
            # What only a dialect runs is in its own section.
            return [key for key in self.of if key.startswith("sql:") and mutant.is_of_statement(*key.split(":")[1:])]
        if mutant.change.function and self.traced.get(mutant.file) == mutant.content:
            return [f"{mutant.file}:{mutant.change.within[0]}"]
        exact = f"{mutant.file}:{mutant.change.function}"
        if exact in self.of:
            return [exact]
        # What runs when the module is imported, or is called otherwise than it is named.
        return [key for key in self.of if key.startswith(f"{mutant.file}:")]


def test_files(only: Iterable[str] = ()) -> list[str]:
    """The files of tests, or those that are named; ``engine`` stands for all doctests."""
    found = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("tests/**/test_*.py"))]
    found = [_DOCTESTS, *(file for file in found if file not in _OF_FORM)]
    asked = list(only)
    return [file for file in found if not asked or file in asked]


def trace(
    files: Iterable[str], *, mutated: Iterable[str], again: bool, processes: int, tell: Callable[[str], None]
) -> Reach:
    """Trace files of tests that were not yet traced as they are, or all of them ``again``; returns what all reach.

    Of the files of groups and of those that are ``mutated`` the lines are traced.
    """
    wanted = list(files)
    PLACE.mkdir(parents=True, exist_ok=True)
    if again:
        _TRACED.unlink(missing_ok=True)
    done = {each["done"] for each in _told() if "done" in each and each["digest"] == _digest(each["done"])}
    stale = [file for file in wanted if file not in done]
    if stale:
        copy = Checkout(0)
        lines = [name for name in sorted({*places.of_groups(), *mutated}) if name.endswith(".py")]
        copy.probe(lines)
        with open(_TRACED, "a") as traced:
            told_of = {name: digest((ROOT / name).read_bytes()) for name in lines}
            traced.write(f"{json.dumps({'lines': told_of, 'files': {name: _digest(name) for name in stale}})}\n")
        tell(f"{len(stale)} files of tests are traced")
        copy.trace(stale, _TRACED, processes=processes)
    return _gathered(wanted, tell)


def _told() -> Iterator[dict[str, Any]]:
    """What was told, each line with the digest of its test's file as it was, and with the lines of the engine."""
    if not _TRACED.exists():
        return
    header: dict[str, Any] = {}
    for line in _TRACED.read_text().splitlines():
        told = json.loads(line)
        if "lines" in told:
            header = {"lines": told["lines"], "files": {**header.get("files", {}), **told["files"]}}
            continue
        if "done" in told:
            told["done"] = _file(told["done"].partition("/copy-0/")[2])
        file = told.get("done") or _file(told["test"])
        yield {**told, "file": file, "digest": header["files"].get(file), "lines": header["lines"]}


def _file(test: str) -> str:
    """The file of a test; all doctests are of the engine."""
    file = test.partition("::")[0]
    return _DOCTESTS if file.startswith(f"{_DOCTESTS}/") else file


def _gathered(files: Iterable[str], tell: Callable[[str], None]) -> Reach:
    wanted = {file: _digest(file) for file in files}
    tests: dict[str, dict[str, Any]] = {}
    as_it_was: dict[str, set[str]] = defaultdict(set)
    for told in _told():
        if "test" not in told or not told["test"] or wanted.get(told["file"]) != told["digest"]:
            continue
        known = tests.setdefault(
            told["test"],
            {"file": told["file"], "seconds": 0.0, "passed": [], "failed": False, "reached": set(), "needs": {}},
        )
        known["seconds"] = max(known["seconds"], told.get("seconds", 0.0))
        known["reached"].update(told.get("reached", ()))
        known["needs"] |= told.get("needs", {})
        if "passed" in told:
            known["passed"].append(told["passed"])
            known["failed"] |= told["failed"]
        for name, content in told["lines"].items():
            as_it_was[name].add(content)
    found: dict[str, Test] = {}
    of: dict[str, set[str]] = defaultdict(set)
    for name, known in tests.items():
        if known["passed"] and all(known["passed"]):
            needs = known["needs"]
            shared = sum(seconds for need, seconds in needs.items() if need not in _SERVERS)
            server = not needs.keys().isdisjoint(_SERVERS)
            found[name] = Test(name, known["file"], known["seconds"] + shared, server, len(known["reached"]))
            for code in known["reached"]:
                of[code].add(name)
        elif known["failed"]:
            tell(f"fails without a mutant, and is left out: {name}")
    if not any(code.startswith("sql:") for code in of):
        raise BenchmarkError("no test reaches a statement: look at how probes tell them")
    return Reach(found, of, {name: "".join(contents) for name, contents in as_it_was.items()})


def _digest(file: str) -> str:
    """Of a file of tests; doctests are those of the engine as it was when they were traced."""
    return hashlib.sha256((ROOT / file).read_bytes()).hexdigest() if (ROOT / file).is_file() else ""
