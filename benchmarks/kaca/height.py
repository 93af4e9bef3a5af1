"""Li, Wong, Fu, Pei 2006, Figure 2, by the height weights of their paper of 2008: the distortion ratio alone."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.kaca.paper_2006 import KS, PAPER_FACTOR, SCHEMA, SIZES
from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2006, HEIGHT_WEIGHTS, INCOGNITO, anonymized, grid
from benchmarks.shared.settings import Settings

_MEASURE = "height_distortion_ratio"
_ALGORITHMS: dict[str, dict[str, Any]] = {
    "KACA": {"name": "kaca", "variant": "kaca", "execution": "neighbours", "weights": HEIGHT_WEIGHTS},
    INCOGNITO: {"name": "witness"},
}


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure every size and k; KACA with as many seeds as there are runs."""
    if adult.environment() is None:
        yield {"skipped": adult.MISSING}
        return
    cells: list[dict[str, Any]] = []
    for k in KS[:1] if settings.quick else KS:
        for size in SIZES[:1] if settings.quick else SIZES:
            for name, algorithm in _ALGORITHMS.items():
                seeds = settings.runs if name == "KACA" else 1
                attributes = ATTRIBUTES_2006[:size]
                runs = anonymized(
                    name, SCHEMA, attributes, algorithm, k=k, seeds=seeds, folder=folder, settings=settings
                )
                cells.append(
                    {"algorithm": name, "k": k, "size": size, "ratio": statistics.fmean(runs.measured(_MEASURE))}
                )
            yield {"paper_factor": PAPER_FACTOR, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """The ratios, and Incognito's over KACA's by the means of the sizes."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    ratios = {(cell["algorithm"], cell["k"], cell["size"]): cell["ratio"] for cell in body["cells"]}
    sizes = list(dict.fromkeys(size for _, _, size in ratios))
    lines = [
        f"Adult, height weights with beta = 1. The paper's factor, with weights that it does not name: {PAPER_FACTOR}."
    ]
    for k, factor in factors(body).items():
        rows = {
            name: [f"{ratios[name, k, size]:.4f}" for size in sizes if (name, k, size) in ratios]
            for name in _ALGORITHMS
        }
        lines += grid(f"Distortion ratio, k = {k}: Incognito's is {factor:.2f} times KACA's", "attributes", sizes, rows)
    return "\n".join(lines)


def factors(body: Mapping[str, Any]) -> dict[int, float]:
    """Incognito's mean ratio over KACA's, by k."""

    def mean(name: str, k: int) -> float:
        return statistics.fmean(each["ratio"] for each in body["cells"] if (each["algorithm"], each["k"]) == (name, k))

    return {k: mean(INCOGNITO, k) / mean("KACA", k) for k in dict.fromkeys(each["k"] for each in body["cells"])}
