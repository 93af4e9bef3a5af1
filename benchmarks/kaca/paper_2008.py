"""Li, Wong, Fu, Pei 2008, Figures 4 and 5: four measures by k and by size of the quasi-identifier."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.shared import adult
from benchmarks.shared.clusterings import (
    ATTRIBUTES_2008,
    HEIGHT_WEIGHTS,
    INCOGNITO,
    SCHEMA_2008,
    anonymized,
    grid,
    mean,
)
from benchmarks.shared.settings import Settings

SEEDS = 10
KS = (2, 5, 10, 20, 50)
FIXED_SIZE = 6
SIZES = (3, 4, 5, 6, 7, 8)
FIXED_K = 10
MAX_INCONSISTENCY = "0.1"
# Multi in the paper, where it has no hierarchies; here it cuts along them.
MONDRIAN = "Mondrian"
# What the report calls the measures of the panels.
MEASURES = {
    "distortion ratio": "height_distortion_ratio",
    "DM": "discernibility",
    "CAVG": "average_class_size",
    "inconsistency": "inconsistency",
}
SECONDS = "seconds"
_QUICK_KS, _QUICK_SIZES, _QUICK_FIXED = (2, 10), (3,), 3
_ALGORITHMS: dict[str, dict[str, Any]] = {
    "KACA1": {"name": "kaca", "variant": "kaca1", "execution": "neighbours", "weights": HEIGHT_WEIGHTS},
    "KACA2": {
        "name": "kaca",
        "variant": "kaca2",
        "execution": "neighbours",
        "weights": HEIGHT_WEIGHTS,
        "max_inconsistency": MAX_INCONSISTENCY,
    },
    INCOGNITO: {"name": "witness"},
    MONDRIAN: {"name": "mondrian"},
}


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Measure every cell once, though both figures have the one of six attributes and k = 10."""
    if adult.environment() is None:
        return {"skipped": adult.MISSING}
    fixed = _QUICK_FIXED if settings.quick else FIXED_SIZE
    ks = _QUICK_KS if settings.quick else KS
    sizes = _QUICK_SIZES if settings.quick else SIZES
    seeds = 1 if settings.quick else SEEDS
    places = dict.fromkeys([*((fixed, k) for k in ks), *((size, FIXED_K) for size in sizes)])
    cells = []
    for size, k in places:
        for name, algorithm in _ALGORITHMS.items():
            runs = anonymized(
                name,
                SCHEMA_2008,
                ATTRIBUTES_2008[:size],
                algorithm,
                k=k,
                seeds=1 if name in (INCOGNITO, MONDRIAN) else seeds,
                folder=folder,
                settings=settings,
            )
            measured = {} if runs.skipped else {key: mean(runs.measured(of)) for key, of in MEASURES.items()}
            measured |= {} if runs.skipped else {SECONDS: mean(runs.seconds())}
            cells.append({"algorithm": name, "k": k, "size": size, "skipped": runs.skipped, "means": measured})
    return {
        "attributes": ATTRIBUTES_2008,
        "seeds": seeds,
        "limit_seconds": settings.limit,
        "max_inconsistency": MAX_INCONSISTENCY,
        "k_at_fixed": ks,
        "fixed_size": fixed,
        "sizes_at_fixed": sizes,
        "fixed_k": FIXED_K,
        "cells": cells,
    }


def table(body: Mapping[str, Any]) -> str:
    """The figures as Markdown tables, one per measure."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    cells = {(cell["algorithm"], cell["size"], cell["k"]): cell for cell in body["cells"]}
    names = list(dict.fromkeys(name for name, _, _ in cells))
    seeds = f"means of {body['seeds']} seeds" if body["seeds"] > 1 else "one seed"
    lines = [
        f"Adult, height weights with beta = 1, {seeds}; KACA2 with a maximum inconsistency of "
        f"{body['max_inconsistency']}, which is that of the worst attribute. Incognito's best node is chosen by its "
        "uniform distortion, and has no chance in it. The panels' distortion is shown as a ratio; seconds, which have "
        "no panel, are compress, star and search. KACA clusters by neighbours."
    ]
    known = {measure for cell in body["cells"] for measure in cell["means"]}
    for measure in (each for each in (*MEASURES, SECONDS) if each in known):
        for title, across, columns, places in (
            (
                f"Figure 4: {measure} by k, {body['fixed_size']} attributes",
                "k",
                body["k_at_fixed"],
                [(body["fixed_size"], k) for k in body["k_at_fixed"]],
            ),
            (
                f"Figure 5: {measure} by size of the quasi-identifier, k = {body['fixed_k']}",
                "attributes",
                body["sizes_at_fixed"],
                [(size, body["fixed_k"]) for size in body["sizes_at_fixed"]],
            ),
        ):
            rows = {name: [_shown(cells[name, *place], measure) for place in places] for name in names}
            lines += grid(title, across, columns, rows)
    return "\n".join(lines)


def _shown(cell: Mapping[str, Any], measure: str) -> str:
    if cell["skipped"]:
        return str(cell["skipped"])
    return f"{cell['means'][measure]:,.0f}" if measure == "DM" else f"{cell['means'][measure]:.4f}"
