"""All results on one page of the documentation: made of the JSON files that benchmarks leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import memory
from benchmarks.classification import sections as classification
from benchmarks.incognito import sections as incognito
from benchmarks.kaca import sections as kaca
from benchmarks.local import sections as local
from benchmarks.models import sections as models
from benchmarks.mutants import campaign
from benchmarks.shared import sections
from benchmarks.shared.result import RESULTS, figures

BENCHMARKS: Mapping[str, Mapping[str, sections.Measured]] = {
    "incognito": incognito.SECTIONS,
    "kaca": kaca.SECTIONS,
    "local": local.SECTIONS,
    "classification": classification.SECTIONS,
    "models": models.SECTIONS,
    "memory": memory.SECTIONS,
}
#: What comes under a heading of the page, by the name that the page has for it.
GROUPS = (*BENCHMARKS, "peers", "databases", "speed", "correctness")


def groups(folder: Path = RESULTS) -> dict[str, str]:
    """The results of each group in Markdown: a command with its machine, a table, and the plots."""
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    plots = sorted(folder.glob("*.svg"))
    for file in sorted(folder.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        group = file.stem.partition("-")[0]
        # A figure of several goes by its own number: incognito-figure-10.svg is of incognito-figures.json.
        of = [plot for plot in plots if plot.stem == file.stem or plot.stem.startswith(f"{file.stem.rstrip('s')}-")]
        drawn = [f"![{plot.stem}](../../benchmarks/results/{plot.name})" for plot in of]
        told = "\n\n".join([f"{sections.heading(document)}.", table(document), *drawn])
        found[group if group in found else "correctness"].append(told)
    return {group: "\n\n".join(told) or "Nothing was measured yet." for group, told in found.items()}


def table(document: Mapping[str, Any]) -> str:
    """What a result tells, in Markdown."""
    benchmark, _, section = str(document["benchmark"]).partition("-")
    if section in BENCHMARKS.get(benchmark, {}):
        return BENCHMARKS[benchmark][section].table(document)
    if benchmark == "mutants":
        return campaign.markdown({**document, "survived": []}).partition("\n\n")[2]
    if "table" in document:
        return str(document["table"])
    if "entries" in document:
        return figures(document["entries"])
    told = {name: value for name, value in document.items() if isinstance(value, int | float) and name != "clean"}
    return "\n".join(f"- {name.replace('_', ' ')}: {value:,}" for name, value in told.items())
