"""What a complete answer costs with each model, beside k alone: Adult, eight attributes, occupation sensitive."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchmarks.shared import adult
from benchmarks.shared.process import TooLong, anonymize
from benchmarks.shared.settings import Settings
from starcloak.base import installation

K = 5
SENSITIVE = "occupation"
#: At most so many times the CPU seconds of k alone, by the share of rows that may be left out.
GOALS = {"0": 3.0, "0.01": 10.0}
_TREE = f"adult/hierarchies/{SENSITIVE}-2.csv"
_ORDER = [
    "Priv-house-serv", "Handlers-cleaners", "Other-service", "Farming-fishing", "Machine-op-inspct",
    "Transport-moving", "Craft-repair", "Armed-Forces", "Protective-serv", "Adm-clerical", "Sales", "Tech-support",
    "Prof-specialty", "Exec-managerial",
]  # fmt: skip


def _of(key: str, **given: Any) -> dict[str, Any]:
    return {key: [{"attribute": SENSITIVE, **given}]}


def models() -> dict[str, dict[str, Any]]:
    """Requirements beside k, by what they are called."""
    tree = str(installation.schemas() / _TREE)
    return {
        "k alone": {},
        "distinct l": _of("l_diversity", l=3),
        "p-sensitive": _of("p_sensitive", p=3),
        "entropy l": _of("l_diversity", kind="entropy", l=3),
        "recursive": _of("l_diversity", kind="recursive", c=3, l=3),
        "alpha": _of("alpha", alpha=0.5),
        "t, equal": _of("t_closeness", t=0.4),
        "t, ordered": _of("t_closeness", t=0.2, distance="ordered", order=_ORDER),
        "t, hierarchical": _of("t_closeness", t=0.3, distance="hierarchical", hierarchy={"csv": tree}),
        "beta": _of("beta_likeness", beta=4),
        "enhanced beta": _of("beta_likeness", beta=4, enhanced=True),
        "delta": _of("delta_disclosure", delta=4),
    }


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Run each requirement in turn, so many times."""
    environment = adult.environment()
    if environment is None:
        yield {"skipped": adult.MISSING}
        return
    chosen = models()
    if settings.quick:
        chosen = {name: chosen[name] for name in ("k alone", "t, equal")}
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for run in range(settings.runs):
        for name, asked in chosen.items():
            for share in GOALS:
                click.echo(f"models: {name}, suppression {share}, run {run + 1}", err=True)
                job = {
                    "source": {"dataset": "adult"},
                    "schema": adult.SCHEMA,
                    "quasi_identifiers": [each for each in adult.ATTRIBUTES if each != SENSITIVE][
                        : 4 if settings.quick else 8
                    ],
                    "sensitive": [SENSITIVE],
                    "requirement": {"k": K, **asked, "suppression": share},
                    "insight": "off",
                }
                cell = cells.setdefault(
                    (share, name), {"suppression": share, "model": name, "cpu": [], "search": [], "skipped": None}
                )
                if cell["skipped"]:
                    continue
                try:
                    done = anonymize(
                        job, folder=folder, output="release.csv", environment=environment, limit=settings.limit
                    )
                except TooLong:
                    cell["skipped"] = f"> {settings.limit:g} s"
                    continue
                search = done.report["search"]
                cell["cpu"].append(round(done.cpu_seconds, 3))
                cell["search"].append(round(done.report["seconds"]["search"], 3))
                cell |= {"nodes": search["anonymous_nodes"], "checked": search["checked"], "pruned": search["pruned"]}
                yield {"k": K, "goals": GOALS, "cells": list(cells.values())}


def table(body: Mapping[str, Any]) -> str:
    """CPU seconds of whole processes as a Markdown table, and times those of k alone."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    alone = {
        cell["suppression"]: statistics.median(cell["cpu"])
        for cell in body["cells"]
        if cell["model"] == "k alone" and cell["cpu"]
    }
    measured = sorted(body["cells"], key=lambda cell: list(GOALS).index(cell["suppression"]))
    lines = [
        f"Adult, eight attributes, {SENSITIVE} sensitive, k = {body['k']}: all generalizations that satisfy the "
        "requirement. CPU seconds of whole processes, medians; goals are of these.",
        "",
        "| left out | requirement | generalizations | nodes asked | search, s | CPU, s | times k alone | goal |",
        "|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for cell in measured:
        goal = body["goals"][cell["suppression"]]
        said = [f"{float(cell['suppression']):.0%}", cell["model"]]
        if cell["skipped"]:
            lines.append(f"| {' | '.join([*said, '', '', '', cell['skipped'], '', f'{goal:g}'])} |")
            continue
        cpu, search = statistics.median(cell["cpu"]), statistics.median(cell["search"])
        said += [f"{cell['nodes']:,}", f"{cell['checked']:,}", f"{search:.2f}", f"{cpu:.2f}"]
        said += [f"{cpu / alone[cell['suppression']]:.2f}", f"{goal:g}"]
        lines.append(f"| {' | '.join(said)} |")
    return "\n".join(lines)
