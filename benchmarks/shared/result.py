"""What a benchmark leaves: figures with all of their runs, and where and of what they were measured."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from benchmarks.shared.process import ROOT

RESULTS = ROOT / "benchmarks" / "results"

Unit = Literal["s", "bytes", "ratio"]
Verdict = Literal["met", "missed"]


@dataclass(frozen=True)
class Figure:
    """One thing measured, in every run.

    ``goal`` is the most that ``judged`` of the runs may be, or with ``at_least`` the least.
    """

    name: str
    unit: Unit
    runs: tuple[float, ...]
    goal: float | None = None
    judged: Literal["median", "max"] = "median"
    at_least: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def verdict(self) -> Verdict | None:
        """Whether the goal is met; None without one."""
        if self.goal is None:
            return None
        judged = self.median if self.judged == "median" else max(self.runs)
        return "met" if (judged >= self.goal if self.at_least else judged <= self.goal) else "missed"

    def to_dict(self) -> dict[str, Any]:
        """The figure as plain data, rounded: seconds and ratios to 4 decimals, bytes to whole ones."""
        decimals = None if self.unit == "bytes" else 4
        bound = "at least" if self.at_least else "at most"
        judged = {"goal": self.goal, "bound": bound, "judged": self.judged, "verdict": self.verdict}
        goal = judged if self.goal is not None else {}
        return {
            "name": self.name,
            "unit": self.unit,
            "runs": [round(run, decimals) for run in self.runs],
            "min": round(min(self.runs), decimals),
            "median": round(self.median, decimals),
            "max": round(max(self.runs), decimals),
            **goal,
        }


@dataclass(frozen=True)
class Entry:
    """One benchmark: what was run, its figures, and facts that are the same in every run. Or why it was skipped.

    ``stages`` are the seconds of the stages of the process that the figures are of.
    """

    name: str
    what: str
    figures: tuple[Figure, ...] = ()
    stages: tuple[Figure, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    skipped: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        if self.skipped:
            return {"name": self.name, "what": self.what, "skipped": self.skipped}
        return {
            "name": self.name,
            "what": self.what,
            "facts": dict(self.facts),
            "figures": [figure.to_dict() for figure in self.figures],
            "stages": [stage.to_dict() for stage in self.stages],
        }


def stamp(benchmark: str, options: Sequence[str]) -> dict[str, Any]:
    """Where, when and of what a result is: taken before measuring."""
    return {
        "benchmark": benchmark,
        "command": " ".join(["python -m benchmarks", benchmark, *options]),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "clean": _clean(),
        "machine": {
            "cores": cores(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "cpu": _cpu(),
            "load_average": round(os.getloadavg()[0], 2),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        },
        "versions": {
            "python": platform.python_version(),
            "duckdb": version("duckdb"),
            "starcloak": version("starcloak"),
        },
    }


def still_clean(stamp: Mapping[str, Any]) -> bool | None:
    """Whether the checkout was clean when a stamp was taken and is now, at the same commit; None outside of one.

    A statement file is read when it is first used, so a change while measuring may mix two versions.
    """
    if stamp["clean"] is None:
        return None
    return bool(stamp["clean"] and _clean() and _git("rev-parse", "HEAD") == stamp["commit"])


def write(folder: Path, document: Mapping[str, Any]) -> Path:
    """Write a result into a folder, as the benchmark's name with .json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{document['benchmark']}.json"
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def table(entries: Sequence[Entry]) -> str:
    """The entries as a Markdown table, one row per figure; below it the medians of the stages, and the facts."""
    lines = ["| benchmark | figure | median | min … max | runs | goal | |", "|---|---|---:|---:|---:|---:|---|"]
    for entry in entries:
        if entry.skipped:
            lines.append(f"| {entry.what} | skipped: {entry.skipped} | | | | | |")
        for figure in entry.figures:
            extent = (min(figure.runs), figure.median, max(figure.runs))
            least, middle, most = (_shown(value, figure.unit) for value in extent)
            goal = (
                "" if figure.goal is None else f"{'≥' if figure.at_least else '≤'} {_shown(figure.goal, figure.unit)}"
            )
            cells = [entry.what, figure.name, middle, f"{least} … {most}", str(len(figure.runs)), goal]
            lines.append(f"| {' | '.join(cells)} | {figure.verdict or ''} |")
    lines.append("")
    for entry in entries:
        if entry.stages:
            stages = ", ".join(f"{stage.name} {_shown(stage.median, stage.unit)}" for stage in entry.stages)
            lines.append(f"- {entry.name}, stages: {stages}")
        if entry.facts:
            lines.append(f"- {entry.name}, facts: {_facts(entry.facts)}")
    return "\n".join(lines)


def figures(entries: Sequence[Mapping[str, Any]]) -> str:
    """The figures of entries that a result has, in Markdown; a run that was refused says so."""
    lines = ["| benchmark | figure | median | min … max | runs |", "|---|---|---:|---:|---:|"]
    for entry in entries:
        what = entry["what"] + (", refused" if "refused" in entry.get("facts", ()) else "")
        for figure in entry.get("figures", ()):
            middle, least, most = (_shown(figure[each], figure["unit"], 2) for each in ("median", "min", "max"))
            cells = [what, figure["name"], middle, f"{least} … {most}", str(len(figure["runs"]))]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shown(value: float, unit: Unit, decimals: int = 3) -> str:
    if unit == "bytes":
        return f"{value / 1e9:.2f} GB"
    return f"{value:.2f}" if unit == "ratio" else f"{value:.{decimals}f} s"


def _facts(facts: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:,}" if isinstance(value, int) else f"{name.replace('_', ' ')} {value}"
        for name, value in facts.items()
    )


def _clean() -> bool | None:
    """Whether the checkout has no change but to results; None outside of one."""
    changes = _git("status", "--porcelain", "--", ".", ":!benchmarks/results")
    return None if changes is None else not changes


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown")
