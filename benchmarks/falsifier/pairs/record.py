"""The record of a campaign: a file that gets a line for each scenario, by which a later stretch goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.falsifier.pairs.features import Outcome


@dataclass(frozen=True)
class Run:
    """One scenario that was run: its features, those that took effect, and the outcome."""

    names: list[str]
    facts: list[str]
    released: bool
    refusal: tuple[str, str, str] | None
    findings: list[str]
    skipped: list[str]

    @classmethod
    def of(cls, names: frozenset[str], outcome: Outcome) -> Run:
        """That of an outcome."""
        facts = sorted(names & outcome.facts)
        return cls(sorted(names), facts, outcome.released, outcome.refusal, outcome.findings, outcome.skipped)


@dataclass(frozen=True)
class Line:
    """One scenario of the schedule, then those that made it smaller; and the commit under which they were run.

    ``again`` is the case of a finding of another commit, of which this is the repetition. ``refused`` and ``shrunk``
    are the fewest features of its refusal and of its findings.
    """

    commit: str
    seed: int
    case: str
    again: str | None
    seconds: float
    refused: tuple[str, ...]
    shrunk: tuple[str, ...]
    runs: list[Run]


@dataclass(frozen=True)
class Record:
    """A file of lines."""

    path: Path

    def lines(self) -> Iterator[Line]:
        """All lines; one that a killed campaign left unfinished is none."""
        if not self.path.exists():
            return
        for text in self.path.read_text(encoding="utf-8").splitlines(keepends=True):
            if not text.endswith("\n"):
                return
            told = json.loads(text)
            yield Line(**{**told, "runs": [Run(**run) for run in told["runs"]]})

    def add(self, line: Line) -> None:
        """Add a line."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(line), ensure_ascii=False) + "\n")
