"""Whether a run stays within the memory that it is given, whatever its rows are like; or is refused in one line."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks import growth
from benchmarks.shared import adult
from benchmarks.shared.process import anonymize, helper, run, starcloak
from benchmarks.shared.result import Entry, Figure, figures
from benchmarks.shared.sections import Measured
from benchmarks.shared.settings import Settings

_SEED = 1
_LIMIT, _BYTES = "1GB", 1e9
_GOAL = 1.25 * _BYTES + 3e8  # what the process may take at most
_COLUMNS, _VALUES, _K = 9, 64, 5
_WIDTHS = [4, 16]  # of intervals
_QUICK_ROWS = 20_000
#: Rows and columns of the tables by which the arrays of searches are measured.
ARRAYS, WIDE = 100_000, (9, 16)
_MILLION = 1_000_000

# How much more frequent small numbers are than large ones.
_UNIFORM, _SKEWED = 1, 6


@dataclass(frozen=True)
class _Tables:
    """Tables that are measured one after the other; what was measured is written as soon as it is."""

    entries: Mapping[str, Callable[[str, Settings], Entry]]

    def measure(self, folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
        """Measure them, in order."""
        done = list[dict[str, Any]]()
        for name, measured in self.entries.items():
            done.append(measured(name, settings).to_dict())
            yield {"entries": [*done]}

    def table(self, body: Mapping[str, Any]) -> str:
        """Each figure of each table."""
        return figures(body["entries"])


def _census(name: str, settings: Settings, *, rows: int) -> Entry:
    """Adult's census, drawn: nine columns, of which many rows are alike."""
    rows = _QUICK_ROWS if settings.quick else rows

    def drawn(folder: Path) -> dict[str, Any]:
        helper("shared.people", "mixed", str(rows), str(_SEED), "table.parquet", folder=folder)
        return adult.job(_COLUMNS, k=_K) | {"identifiers": []}

    return _entry(name, f"{rows:,} rows of the census", settings.runs, drawn)


def _spread(name: str, settings: Settings, *, rows: int, power: int, algorithm: str | None = None) -> Entry:
    """Whole numbers, drawn column by column: hardly any two rows alike, or many."""
    rows = _QUICK_ROWS if settings.quick else rows

    def drawn(folder: Path) -> dict[str, Any]:
        numbers = (rows, _COLUMNS, _VALUES, power, _SEED)
        helper("shared.spread", *map(str, numbers), "table.parquet", folder=folder)
        return {
            "quasi_identifiers": {f"c{number}": "suppress" for number in range(_COLUMNS)},
            "requirement": {"k": _K},
            **({"algorithm": algorithm} if algorithm else {}),
        }

    kind = "all values as frequent" if power == _UNIFORM else "few values frequent"
    return _entry(name, f"{rows:,} rows, {kind}{f', {algorithm}' if algorithm else ''}", settings.runs, drawn)


def _arrays(name: str, settings: Settings, *, algorithm: dict[str, Any]) -> Entry:
    """What the arrays of a search take where all combinations are different: what its process takes more in it."""
    rows = _QUICK_ROWS if settings.quick else ARRAYS
    measured = []
    for wide in WIDE:
        with tempfile.TemporaryDirectory(prefix="benchmarks-") as place:
            folder = Path(place)
            numbers = (rows, wide, _VALUES, _UNIFORM, _SEED)
            helper("shared.spread", *map(str, numbers), "table.parquet", folder=folder)
            job = {
                "source": {"path": str(folder / "table.parquet")},
                "quasi_identifiers": {f"c{number}": {"intervals": _WIDTHS} for number in range(wide)},
                "requirement": {"k": _K},
                "algorithm": algorithm,
            }
            taken = []
            for turn in range(settings.runs):
                click.echo(f"{name}, {wide} columns: run {turn + 1} of {settings.runs}", err=True)
                done = anonymize(job, folder=folder, output="release.parquet", sample=True)
                taken.append(float(done.stage_peaks["search"] - done.stage_peaks["star"]))
            measured.append(Figure(f"{wide} columns: arrays", "bytes", tuple(taken)))
    return Entry(name, f"{algorithm['name']}, {rows:,} rows, hardly two alike", tuple(measured), facts={"seed": _SEED})


def _entry(name: str, what: str, runs: int, drawn: Callable[[Path], dict[str, Any]]) -> Entry:
    done, reports = [], list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as place:
        folder = Path(place)
        click.echo(f"{name}: drawing {what}", err=True)
        job = drawn(folder) | {"source": {"path": "table.parquet"}, "output": {"path": "release.parquet"}}
        (folder / "job.yaml").write_text(json.dumps(job), encoding="utf-8")
        for turn in range(runs):
            click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
            asked = [*starcloak(), "run", "job.yaml", "--json", "--memory-limit", _LIMIT]
            done.append(run(asked, folder=folder, environment={}, may_refuse=True))
            reports += [] if done[-1].refused else [json.loads(done[-1].output)]
        facts = {"file_bytes": (folder / "table.parquet").stat().st_size, "seed": _SEED, "memory_limit": _LIMIT}
    measured = (
        Figure("peak memory of the process", "bytes", tuple(each.peak_memory for each in done), _GOAL, judged="max"),
        Figure("process seconds", "s", tuple(each.seconds for each in done)),
    )
    outcome = {"refused": done[-1].refused} if done[-1].refused else {"released_rows": reports[-1]["released_rows"]}
    return Entry(name, f"{what}, {_COLUMNS} columns, k = {_K}", measured, facts=facts | outcome)


def _by_rows(rows: int, *algorithms: str) -> _Tables:
    """Tables of so many rows; the one whose rows are hardly alike by some algorithms more."""
    uniform = partial(_spread, rows=rows, power=_UNIFORM)
    return _Tables(
        {
            "census": partial(_census, rows=rows),
            "skewed": partial(_spread, rows=rows, power=_SKEWED),
            "uniform": uniform,
            **{algorithm: partial(uniform, algorithm=algorithm) for algorithm in algorithms},
        }
    )


SECTIONS: dict[str, Measured] = {
    "arrays": _Tables(
        {
            "mondrian": partial(_arrays, algorithm={"name": "mondrian"}),
            "kaca": partial(_arrays, algorithm={"name": "kaca"}),
            "cell-suppression": partial(_arrays, algorithm={"name": "cell-suppression"}),
            "sweep": partial(_arrays, algorithm={"name": "sweep", "time_limit": 60}),
        }
    ),
    "10-million": _by_rows(10 * _MILLION, "mondrian", "sweep"),
    "50-million": _by_rows(50 * _MILLION),
    "growth": growth,
}
NAMES = tuple(SECTIONS)
#: Sections measured only by name.
APART = ("growth",)
