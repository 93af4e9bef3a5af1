"""Adult blown up to several sizes, a run on each: what growth in time and memory is told by."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008
from benchmarks.shared.process import Anonymized, TooLong, anonymize, helper
from benchmarks.shared.result import cores
from benchmarks.shared.settings import Settings

SEED = 1
K = 10
ROWS = (100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000)
#: The largest table, unless another is asked for.
LARGEST = 1_000_000
MEMORY_LIMIT = "4GB"
QUICK_ROWS = (1_000, 2_000)

#: A column of a table: its head, and a row's cell. Numbers of the row itself come before those of its run.
Column = tuple[str, Callable[[Mapping[str, Any]], str]]
COSTS: tuple[Column, ...] = (
    ("search, s", lambda row: f"{row['search_seconds']:.1f}"),
    ("process, s", lambda row: f"{row['process_seconds']:.1f}"),
    ("its CPU, s", lambda row: f"{row['cpu_seconds']:.1f}"),
    ("peak memory, GB", lambda row: f"{row['peak_memory'] / 1e9:.2f}"),
)


@contextmanager
def blown_up(rows: int, folder: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """A file of Adult blown up, which goes afterwards."""
    file = folder / "blown_up.parquet"
    helper("shared.blown_up", str(rows), str(SEED), str(file), *ATTRIBUTES_2008, folder=folder, environment=environment)
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def job(file: Path, algorithm: str, attributes: Sequence[str] = ATTRIBUTES_2008) -> dict[str, Any]:
    """A job on such a file."""
    return {
        "source": {"path": str(file)},
        "schema": SCHEMA_2008,
        "identifiers": [],
        "sensitive": [],
        "quasi_identifiers": list(attributes),
        "requirement": {"k": K},
        "algorithm": {"name": algorithm},
    }


def rows_of_runs(
    algorithm: str,
    told: Callable[[Anonymized], Mapping[str, Any]],
    *,
    result: str,
    settings: Settings,
    attributes: Sequence[str] = ATTRIBUTES_2008,
    limit: float,
    folder: Path,
    environment: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """One run for each size: what is ``told`` of it, and its costs; the first that takes too long is the last.

    Where the settings resume it, sizes stay as they are that the file of the ``result`` has.
    """
    known = known_rows(result, settings, memory_limit=MEMORY_LIMIT)
    sizes = QUICK_ROWS if settings.quick else [rows for rows in ROWS if rows <= (settings.largest or LARGEST)]
    options = ("--memory-limit", MEMORY_LIMIT, "--threads", str(cores()))
    for rows in sizes:
        if rows in known:
            yield known[rows]
            continue
        click.echo(f"growth: {rows:,} rows", err=True)
        with blown_up(rows, folder, environment) as file:
            try:
                done = anonymize(
                    job(file, algorithm, attributes), *options, folder=folder, output="release.parquet", limit=limit
                )
            except TooLong:
                yield {"rows": rows, "skipped": f"> {limit:g} s"}
                return
        yield {
            "rows": rows,
            "skipped": None,
            **told(done),
            "search_seconds": done.report["seconds"]["search"],
            "process_seconds": round(done.seconds, 4),
            "cpu_seconds": round(done.cpu_seconds, 4),
            "peak_memory": done.peak_memory,
        }


def known_rows(result: str, settings: Settings, **told: Any) -> dict[int, dict[str, Any]]:
    """The runs that a result has which is gone on with, by their rows; those that took too long are tried again.

    None of a result that has other values of what is ``told``.
    """
    path = settings.resume / f"{result}.json" if settings.resume else None
    if path is None or not path.exists():
        return {}
    document = json.loads(path.read_text(encoding="utf-8"))
    if any(document.get(name) != value for name, value in {"quick": settings.quick, **told}.items()):
        return {}
    return {each["rows"]: each for each in document["tables"] if not each["skipped"]}


def exponent(rows: Sequence[Mapping[str, Any]], of: str, over: str) -> float | None:
    """How one number grows with another: the slope of the least-squares line through all logarithms.

    >>> rows = [{"skipped": None, "size": size, "seconds": 3 * size**1.5} for size in (10, 40, 90)]
    >>> exponent([*rows, {"skipped": "> 9 s"}], "seconds", "size")
    1.5
    """
    points = [(math.log(each[over]), math.log(each[of])) for each in rows if not each["skipped"]]
    if len(points) < 2:
        return None
    middle, height = (sum(values) / len(points) for values in zip(*points, strict=True))
    across = sum((x - middle) ** 2 for x, _ in points)
    return round(sum((x - middle) * (y - height) for x, y in points) / across, 4) if across else None


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> list[str]:
    """The lines of a Markdown table; a run that took too long has that in the first column of its costs."""
    heads = ["rows", *(head for head, _ in columns)]
    lines = ["| " + " | ".join(heads) + " |", "|---:" * len(heads) + "|"]
    costs = len(columns) - len(COSTS)
    for each in rows:
        cells = [f"{each['rows']:,}"]
        if each["skipped"]:
            cells += [each["skipped"] if place == costs else "" for place in range(len(columns))]
        else:
            cells += [cell(each) for _, cell in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
