"""The CPU seconds of a whole run, part by part and statement by statement, beside DuckDB's client alone.

The table is Adult with nine quasi-identifiers. Its floor reads, groups, recodes and writes the same CSV file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import click

from benchmarks import gate, peers
from benchmarks.shared.process import helper
from starcloak.statements.statement_examples import headlines

PAIR = peers.PAIRS["anjana-adult"]
_WITHOUT_FILE = {"set": "Change a setting of DuckDB", "drop": "Drop a table that is no longer needed"}


def measure(*, runs: int, quick: bool) -> dict[str, Any]:
    """Medians over runs: the floor, the parts of a run, and calls and seconds of every statement."""
    floors, traces = list[float](), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as name:
        folder = Path(name)
        if peers.prepare(PAIR, folder, quick=quick) is None:
            return {"skipped": f"{PAIR.table} is not at hand"}
        for turn in range(runs):
            click.echo(f"run {turn + 1} of {runs}", err=True)
            floors.append(gate.floor(folder, folder / "rows.csv", PAIR.quasi_identifiers, len(PAIR.quasi_identifiers)))
            (folder / "starcloak.csv").unlink(missing_ok=True)
            traces.append(helper("shared.traced", "job.yaml", folder=folder, environment={}))
    parts = {part: round(median(trace["parts"][part] for trace in traces), 4) for part in traces[0]["parts"]}
    described = headlines() | _WITHOUT_FILE
    statements = [
        {
            "statement": path,
            "purpose": described[path],
            "calls": calls,
            "seconds": round(median(trace["statements"][path][1] for trace in traces), 4),
        }
        for path, (calls, _) in traces[0]["statements"].items()
    ]
    found = {"floor": round(median(floors), 4), "run": round(sum(parts.values()), 4), "parts": parts}
    return {"runs": runs, **found, "statements": statements, "table": table(found, statements)}


def table(found: dict[str, Any], statements: list[dict[str, Any]]) -> str:
    """Parts and statements as two tables, in the order of their first use."""
    floor = found["floor"]
    lines = ["| part of the run | CPU s | ÷ floor |", "|---|---:|---:|"]
    lines += [f"| {part} | {seconds:.3f} | {seconds / floor:.2f} |" for part, seconds in found["parts"].items()]
    lines += [f"| **the whole run** | {found['run']:.3f} | {found['run'] / floor:.2f} |"]
    lines += [f"| DuckDB's client alone (the floor) | {floor:.3f} | 1 |", ""]
    lines += ["| statement | what it is for | calls | CPU ms |", "|---|---|---:|---:|"]
    lines += [
        f"| {each['statement']} | {each['purpose']} | {each['calls']:.0f} | {1000 * each['seconds']:.1f} |"
        for each in statements
    ]
    return "\n".join(lines)
