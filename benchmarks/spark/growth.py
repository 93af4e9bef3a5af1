"""A table of a lake that grows: whole runs on a standalone master with one worker of two cores, on this machine.

The executor has 4 GB; the driver's process has 512 MB for Spark, and the search in it 600 MB for its store. A run reads
Parquet files and leaves a table of the catalog: all statements but those of the search's own store are Spark's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import yaml

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008
from benchmarks.shared.grown import exponent, known_rows
from benchmarks.shared.process import ROOT, TooLong, helper, run
from benchmarks.shared.result import cores
from benchmarks.shared.settings import Settings
from benchmarks.spark import simulation
from starcloak.base import installation

_ROWS = (1_000_000, 10_000_000, 100_000_000)
_LARGEST = 10_000_000
_QUICK_ROWS = (2_000, 4_000)
_SEED = 1
_K = 10
# The search's part of the whole run, of a table whose combinations come home.
GOAL_SHARE = 0.3
# Statements that start jobs, of a table whose combinations stay where they are.
GOAL_ACTIONS = 12
_PYTHON = ROOT / ".venv" / "spark" / "bin" / "python"
_HOURS = {"hours-per-week": {"intervals": [10, 20, 40]}}

TABLES = ("census", "combinations")


@dataclass(frozen=True)
class Growth:
    """One kind of table: a census, whose combinations come home, or one whose rows are nearly all different."""

    kind: str

    def measure(self, folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
        """One run for each number of rows; the first that takes too long is the last."""
        environment = adult.environment()
        if not _PYTHON.exists():
            yield {"skipped": "PySpark is not installed: make .venv/installed-spark"}
            return
        if environment is None:
            yield {"skipped": adult.MISSING}
            return
        sizes = _QUICK_ROWS if settings.quick else [rows for rows in _ROWS if rows <= (settings.largest or _LARGEST)]
        known = known_rows(f"spark-{self.kind}", settings)
        tables = list(known.values())
        for rows in sizes:
            if rows in known:
                continue
            click.echo(f"spark: {self.kind}, {rows:,} rows", err=True)
            tables.append(self._measured(rows, folder, environment, limit=settings.limit))
            yield self._body(tables)
            if tables[-1]["skipped"]:
                return

    def _measured(self, rows: int, folder: Path, environment: Mapping[str, str], *, limit: float) -> dict[str, Any]:
        file, job = folder / "rows.parquet", folder / "job.json"
        names: Sequence[str]
        described: dict[str, Any]
        if self.kind == "census":
            names = adult.ATTRIBUTES
            helper("shared.people", "mixed", str(rows), str(_SEED), str(file), folder=folder)
            described = {"schema": adult.SCHEMA, "quasi_identifiers": list(names)}
        else:
            names = (*ATTRIBUTES_2008, *_HOURS)
            helper("shared.blown_up", str(rows), str(_SEED), str(file), *names, folder=folder, environment=environment)
            described = {"quasi_identifiers": _hierarchies() | _HOURS}
        described |= {"identifiers": [], "sensitive": [], "requirement": {"k": _K}}
        job.write_text(json.dumps(described), encoding="utf-8")
        counted = helper("shared.bare", str(file), "4GB", str(cores()), *names, folder=folder)
        command = [str(_PYTHON), "-m", "benchmarks.spark.cluster", str(file), str(job)]
        found = {"PYTHONPATH": f"{ROOT / 'engine'}:{ROOT}", **environment}
        try:
            done = run(command, folder=folder, environment=found, limit=limit)
        except TooLong:
            return {"rows": rows, "skipped": f"> {limit:g} s"}
        finally:
            file.unlink()
        told = {"combinations": counted["combinations"], **json.loads(done.output)}
        return {"rows": rows, "skipped": None, **told}

    def _body(self, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        last = next((table for table in reversed(tables) if not table["skipped"]), None)
        goal = {"share": GOAL_SHARE} if self.kind == "census" else {"actions": GOAL_ACTIONS}
        return {
            "seed": _SEED,
            "k": _K,
            "goal": goal,
            "exponents": {of: exponent(tables, of, "rows") for of in ("process_seconds", "shuffled_bytes")},
            "simulated": None if last is None else simulation.simulated(last),
            "tables": list(tables),
        }

    def table(self, body: Mapping[str, Any]) -> str:
        """What runs took, in Markdown."""
        if "skipped" in body:
            return f"skipped: {body['skipped']}"
        what = {
            "census": "people drawn from a census, 9 attributes",
            "combinations": "Adult blown up, 9 attributes, rows that are nearly all different",
        }
        lines = [
            f"{what[self.kind]}, k = {body['k']}; one worker of two cores, 4 GB for its executor, 512 MB for the "
            "driver's heap and 600 MB for the search's store; one run each.",
            "",
            "| rows | combinations | process, s | compress | search | recode | verify | search's share | actions "
            "| MB home | GB read | GB shuffled | peak memory of driver and search, GB |",
            "|---:" * 13 + "|",
        ]
        for each in body["tables"]:
            if each["skipped"]:
                lines.append(f"| {each['rows']:,} | | {each['skipped']} |" + " |" * 10)
                continue
            seconds = each["seconds"]
            cells = [
                f"{each['rows']:,}",
                f"{each['combinations']:,}",
                f"{each['process_seconds']:.1f}",
                *(f"{seconds[stage]:.1f}" for stage in ("compress", "search", "recode", "verify")),
                f"{seconds['search'] / each['process_seconds']:.0%}",
                f"{each['actions']}",
                f"{each['home_bytes'] / 1e6:.1f}",
                f"{each['read_bytes'] / 1e9:.2f}",
                f"{each['shuffled_bytes'] / 1e9:.2f}",
                f"{each['peak_memory'] / 1e9:.2f}",
            ]
            lines.append("| " + " | ".join(cells) + " |")
        told = [f"{name.replace('_', ' ')} {value}" for name, value in body["exponents"].items() if value is not None]
        if told:
            lines += ["", f"Growth with the rows, as exponents: {', '.join(told)}."]
        if (larger := body["simulated"]) is not None:
            lines += [
                "",
                f"Simulated from the tasks of the largest, {larger['rows']:,} rows on {larger['cores']:,} cores: "
                f"{larger['seconds']:.0f} s for all actions, the longest stage {larger['longest_stage']:.0f} s, "
                f"{larger['task_seconds'] / 3600:.1f} core hours, {larger['read_bytes'] / 1e9:,.0f} GB read, "
                f"{larger['shuffled_bytes'] / 1e9:,.0f} GB shuffled; network and others' jobs are not in it.",
            ]
        return "\n".join(lines)


def _hierarchies() -> dict[str, Any]:
    """Those of the schema of 2008, by the paths of their files."""
    place = installation.schemas() / f"{SCHEMA_2008}.yaml"
    known: dict[str, Any] = yaml.safe_load(place.read_text(encoding="utf-8"))["quasi_identifiers"]
    return {name: {"csv": str(place.parent / each["csv"])} if "csv" in each else each for name, each in known.items()}
