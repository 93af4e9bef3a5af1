"""Li, Wong, Fu, Pei 2006, Figure 2: time and distortion ratio by size of the quasi-identifier, KACA and Incognito."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.shared import adult
from benchmarks.shared.clusterings import ATTRIBUTES_2006, INCOGNITO, anonymized, grid, mean
from benchmarks.shared.settings import Settings

SCHEMA = "adult/kaca-2006"
# KACA's distortion ratio is so many times lower than Incognito's on average, says the paper.
PAPER_FACTOR = 5.57
KS = (2, 10)
SIZES = (3, 4, 5, 6, 7, 8, 9)
_QUICK_SIZES = (3, 4)
_BY_ITSELF = "Incognito itself"
_ALGORITHMS = {
    "KACA": {"name": "kaca", "variant": "kaca", "execution": "neighbours"},
    INCOGNITO: {"name": "witness"},
    _BY_ITSELF: {"name": "incognito"},
}
# Sizes of which the mean at k = 10 comes near the paper's.
_FROM = 4


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Measure every size and k; KACA with as many seeds as there are runs."""
    if adult.environment() is None:
        return {"skipped": adult.MISSING}
    cells = []
    for k in KS[:1] if settings.quick else KS:
        for size in _QUICK_SIZES if settings.quick else SIZES:
            for name, algorithm in _ALGORITHMS.items():
                attributes = ATTRIBUTES_2006[:size]
                runs = anonymized(
                    name, SCHEMA, attributes, algorithm, k=k, seeds=settings.runs, folder=folder, settings=settings
                )
                cells.append(
                    {
                        "algorithm": name,
                        "k": k,
                        "size": size,
                        "seconds": runs.seconds(),
                        "cpu_seconds": [round(each.cpu_seconds, 3) for each in runs.done],
                        "distortion_ratio": runs.measured("distortion_ratio"),
                        "skipped": runs.skipped,
                    }
                )
    return {
        "attributes": ATTRIBUTES_2006,
        "limit_seconds": settings.limit,
        "paper_factor": PAPER_FACTOR,
        "factor": _factor(cells),
        "factor_of_means": _factor_of_means(cells),
        "cells": cells,
    }


def table(body: Mapping[str, Any]) -> str:
    """The figure as Markdown tables, and the average factor beside the paper's."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    cells = {(cell["algorithm"], cell["k"], cell["size"]): cell for cell in body["cells"]}
    names, ks, sizes = (list(dict.fromkeys(key[place] for key in cells)) for place in range(3))
    lines = [
        "Adult with uniform weights. Seconds are compress, star and search, medians; distortion ratios are means of "
        "the seeds. Incognito's best node is that of the lowest distortion among all k-anonymous full-domain "
        "generalizations: the default search looks for it, and, where it has a row, Incognito itself, which finds the "
        "same. CPU seconds are those of the whole process."
    ]
    for k in ks:
        for what, shown in (("seconds", _seconds), ("CPU seconds", _cpu_seconds), ("distortion ratio", _ratio)):
            if what == "CPU seconds" and not any(cell.get("cpu_seconds") for cell in cells.values()):
                continue
            rows = {name: [shown(cells[name, k, size]) for size in sizes] for name in names}
            lines += grid(f"Figure 2: {what}, k = {k}", "attributes", sizes, rows)
    factor, of_means = ("-" if body[key] is None else f"{body[key]:.2f}" for key in ("factor", "factor_of_means"))
    lines += [
        "",
        f"Incognito's distortion ratio / KACA's: {factor} is the mean of all cells, {of_means} the ratio of the means; "
        f"the paper says {body['paper_factor']} on average, and not which of them.",
        "",
        "The ratio of the means by k: " + "; ".join(_by_k(body["cells"], ks)) + ".",
    ]
    return "\n".join(lines)


def _by_k(cells: Sequence[Mapping[str, Any]], ks: Sequence[int]) -> Iterator[str]:
    """The factor of the mean ratios of one k, of all sizes and of those where it is near the paper's."""
    for k in ks:
        mine = [cell for cell in cells if cell["k"] == k]
        larger = _factor_of_means([cell for cell in mine if cell["size"] >= _FROM])
        told = ", ".join(
            f"{factor:.2f} for {of}"
            for factor, of in ((_factor_of_means(mine), "all sizes"), (larger, f"{_FROM} attributes and more"))
            if factor
        )
        yield f"k = {k}: {told or '-'}"


def _seconds(cell: Mapping[str, Any]) -> str:
    return cell["skipped"] or f"{statistics.median(cell['seconds']):.2f}"


def _cpu_seconds(cell: Mapping[str, Any]) -> str:
    return cell["skipped"] or f"{statistics.median(cell['cpu_seconds']):.2f}"


def _ratio(cell: Mapping[str, Any]) -> str:
    return cell["skipped"] or f"{statistics.fmean(cell['distortion_ratio']):.4f}"


def _factor(cells: Sequence[Mapping[str, Any]]) -> float | None:
    """The mean of the factors of all sizes and k where KACA changes anything."""
    factors = [theirs / ours for ours, theirs in _ratios(cells) if ours]
    return mean(factors) if factors else None


def _factor_of_means(cells: Sequence[Mapping[str, Any]]) -> float | None:
    """The factor of the mean ratios of all sizes and k."""
    pairs = _ratios(cells)
    total = sum(ours for ours, _ in pairs)
    return round(sum(theirs for _, theirs in pairs) / total, 6) if total else None


def _ratios(cells: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """KACA's ratio and Incognito's, at each size and k that both have."""
    ratios = {
        (cell["algorithm"], cell["k"], cell["size"]): statistics.fmean(cell["distortion_ratio"])
        for cell in cells
        if not cell["skipped"]
    }
    return [
        (ratio, ratios[INCOGNITO, k, size])
        for (name, k, size), ratio in ratios.items()
        if name == "KACA" and (INCOGNITO, k, size) in ratios
    ]
