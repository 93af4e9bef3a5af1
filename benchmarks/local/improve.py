"""What seconds after a sweep gain: its loss by k on ARX's Adult, improved for so many seconds."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.local import arx_adult
from benchmarks.local.recodings import KS
from benchmarks.shared.process import anonymize
from benchmarks.shared.settings import Settings

SECONDS = (0, 20, 120)
_QUICK_SECONDS = (0, 1)
_QUICK_KS = (10,)
# What loses so much less than ARX is the aim.
AIM = 0.1


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Measure every k with every number of seconds, with as many seeds as there are runs."""
    place = arx_adult.folder()
    if place is None:
        yield {"skipped": arx_adult.MISSING}
        return
    seconds = _QUICK_SECONDS if settings.quick else SECONDS
    cells: list[dict[str, Any]] = []
    for k in _QUICK_KS if settings.quick else KS:
        for each in seconds:
            told = []
            for seed in range(1, 1 + settings.runs):
                click.echo(f"improve: k = {k}, {each} s, seed {seed}", err=True)
                asked = {"requirement": {"k": k}, "algorithm": {"name": "sweep", "improve": each}, "seed": seed}
                job = {**arx_adult.job(place), **asked}
                report = anonymize(job, "--no-joint", folder=folder, output="release.csv").report
                swept = report["search"]["sweep"]
                told.append(
                    {
                        "loss": report["measures"]["loss"],
                        "classes": report["measures"]["classes"],
                        "regions": swept["regions"],
                        "moves": swept["moves"],
                        "search_seconds": report["seconds"]["search"],
                    }
                )
            cells.append({"k": k, "improve": each, "runs": told})
            yield {"seeds": settings.runs, "aim": AIM, "arx_loss": arx_adult.LOSS, "seconds": seconds, "cells": cells}


def table(body: Mapping[str, Any]) -> str:
    """Medians over the seeds, by k and seconds."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    ks = sorted({cell["k"] for cell in body["cells"]})
    known = {(cell["k"], cell["improve"]): cell["runs"] for cell in body["cells"]}
    lines = [
        "ARX's Adult, eight attributes, all rows kept: the sweep, improved for some seconds; medians of "
        f"{body['seeds']} seeds. Beside each loss how much less than ARX's local recoding it is, and how many regions "
        "were assigned anew.",
        "",
        f"| improve | {' | '.join(f'k = {k}' for k in ks)} |",
        "|---:" * (len(ks) + 1) + "|",
    ]
    for seconds in body["seconds"]:
        shown = []
        for k in ks:
            runs = known.get((k, seconds))
            if runs is None:
                shown.append("")
                continue
            loss, regions = (statistics.median(run[of] for run in runs) for of in ("loss", "regions"))
            shown.append(f"{loss:.4f}, {1 - loss / arx_adult.LOSS[k]:.1%}, {regions:g}")
        lines.append(f"| {seconds} s | {' | '.join(shown)} |")
    return "\n".join(lines)
