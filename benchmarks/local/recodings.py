"""What each recoding loses, and what it takes, by k: on Adult with our hierarchies, and as ARX ships it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.local import arx_adult
from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2008, SCHEMA_2008, grid
from benchmarks.shared.process import TooLong, anonymize
from benchmarks.shared.settings import Settings

KS = (2, 5, 10, 25, 50, 100)
_QUICK_KS = (10,)
ALGORITHMS: dict[str, dict[str, Any]] = {
    "sweep": {"name": "sweep"},
    "kaca": {"name": "kaca"},
    "mondrian": {"name": "mondrian"},
    "full-subgraph": {"name": "full-subgraph"},
    "unrestricted-multi": {"name": "unrestricted-multi"},
    "cell-suppression": {"name": "cell-suppression"},
    "ordered-set": {"name": "ordered-set"},
    "full-subtree": {"name": "full-subtree"},
    "unrestricted": {"name": "unrestricted"},
    "tdr": {"name": "tdr", "class": "salary-class"},
    "attribute-suppression": {"name": "attribute-suppression"},
    "full-domain": {"name": "witness"},
}
# Those that the seed decides are run with as many seeds as there are runs.
SEEDED = ("sweep", "kaca", "unrestricted-multi", "cell-suppression")
MEASURES = {
    "loss": "loss",
    "classes": "classes",
    "DM": "discernibility",
    "CAVG": "average_class_size",
    "distortion ratio": "distortion_ratio",
}
#: The largest loss that the sweep may have on ARX's Adult, by k.
GOAL = {2: 0.0207, 5: 0.0501, 10: 0.0737, 25: 0.1109, 50: 0.1446, 100: 0.1877}
SECONDS = ("search, s", "process, s", "CPU, s", "peak memory, GB")


@dataclass(frozen=True)
class Recodings:
    """All recodings of one table."""

    of_arx: bool

    def measure(self, folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
        """Measure every algorithm for every k."""
        described, environment = self._job()
        if described is None:
            yield {"skipped": arx_adult.MISSING if self.of_arx else adult.MISSING}
            return
        cells: list[dict[str, Any]] = []
        for k in _QUICK_KS if settings.quick else KS:
            for name, algorithm in ALGORITHMS.items():
                job = {
                    **described,
                    # ARX's own job has no column of its class.
                    **(
                        {"identifiers": [], "keep": [algorithm["class"]]}
                        if self.of_arx and "class" in algorithm
                        else {}
                    ),
                    "requirement": {"k": k},
                    "algorithm": algorithm,
                    "objective": {"minimize": "loss"},
                }
                cells.append({"algorithm": name, "k": k, **self._cell(name, k, job, environment, folder, settings)})
                yield self._body(cells, settings)

    def _job(self) -> tuple[dict[str, Any] | None, dict[str, str] | None]:
        if self.of_arx:
            place = arx_adult.folder()
            return None if place is None else arx_adult.job(place), None
        environment = adult.environment()
        job = {"source": {"dataset": "adult"}, "schema": SCHEMA_2008, "quasi_identifiers": list(ATTRIBUTES_2008)}
        return None if environment is None else job, environment

    def _cell(
        self,
        name: str,
        k: int,
        job: Mapping[str, Any],
        environment: Mapping[str, str] | None,
        folder: Path,
        settings: Settings,
    ) -> dict[str, Any]:
        done = []
        for seed in range(1, 1 + (settings.runs if name in SEEDED else 1)):
            click.echo(f"{'arx-adult' if self.of_arx else 'adult'}: {name}, k = {k}, seed {seed}", err=True)
            try:
                done.append(
                    anonymize(
                        {**job, "seed": seed},
                        folder=folder,
                        output="release.csv",
                        environment=environment,
                        limit=settings.limit,
                    )
                )
            except TooLong:
                return {"skipped": f"> {settings.limit:g} s"}
        measured = {key: [each.report["measures"][of] for each in done] for key, of in MEASURES.items()}
        measured |= {
            "search, s": [each.report["seconds"]["search"] for each in done],
            "process, s": [round(each.seconds, 3) for each in done],
            "CPU, s": [round(each.cpu_seconds, 3) for each in done],
            "peak memory, GB": [round(each.peak_memory / 1e9, 3) for each in done],
        }
        return {"skipped": None, "runs": measured}

    def _body(self, cells: Sequence[Mapping[str, Any]], settings: Settings) -> dict[str, Any]:
        body: dict[str, Any] = {
            "table_of": "ARX's Adult, eight attributes" if self.of_arx else "Adult, eight attributes, our hierarchies",
            "attributes": arx_adult.ATTRIBUTES if self.of_arx else ATTRIBUTES_2008,
            "seeds": settings.runs,
            "limit_seconds": settings.limit,
            "cells": cells,
        }
        return {**body, "goal": GOAL, "arx_loss": arx_adult.LOSS} if self.of_arx else body

    def table(self, body: Mapping[str, Any]) -> str:
        """A table for each measure: medians by algorithm and k."""
        if "skipped" in body:
            return f"skipped: {body['skipped']}"
        ks = sorted({cell["k"] for cell in body["cells"]})
        cells = {(cell["algorithm"], cell["k"]): cell for cell in body["cells"]}
        lines = [
            f"{body['table_of']}, all rows kept; medians of {body['seeds']} seeds for {', '.join(SEEDED)}, one run "
            "of the others. full-domain is the generalization of the least loss."
        ]
        for measure in (*MEASURES, *SECONDS):
            rows = {
                name: [_shown(cells.get((name, k)), measure) for k in ks]
                for name in ALGORITHMS
                if (name, ks[0]) in cells
            }
            if measure == "loss" and "goal" in body:
                for told, losses in (("ARX 3.9.2", body["arx_loss"]), ("the sweep's goal", body["goal"])):
                    by_k = {int(k): loss for k, loss in losses.items()}  # keys of JSON are texts
                    rows[told] = [f"{by_k[k]:.4f}" for k in ks]
            lines += grid(measure, "k", ks, rows)
        return "\n".join(lines)


def median(cell: Mapping[str, Any], measure: str) -> float | None:
    """The median of a cell's runs."""
    return None if cell["skipped"] else float(statistics.median(cell["runs"][measure]))


def _shown(cell: Mapping[str, Any] | None, measure: str) -> str:
    if cell is None:
        return ""
    value = median(cell, measure)
    if value is None:
        return str(cell["skipped"])
    if measure in ("classes", "DM"):
        return f"{value:,.0f}"
    return f"{value:.2f}" if measure in SECONDS else f"{value:.4f}"
