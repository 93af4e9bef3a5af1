"""Other groupings of marital status and education than those that ``taxonomies`` goes on with, to seven attributes.

Every grouping of marital status that fits the counts of four attributes, with every pair of contiguous groupings of
education that fits those of five; with each, all groupings of the ten regions of native country, and of those that fit
some, drawn at random, with all groupings of work class. It ends after so many minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.classification import labelled
from benchmarks.incognito.groupings import Asked, Attribute, Grouping, K, cuts, outcomes
from benchmarks.incognito.taxonomies import (
    Column,
    Stage,
    columns_of,
    first_attributes,
    of_country,
    of_marital,
    of_work,
    ranks_of,
)
from benchmarks.shared import adult
from benchmarks.shared.settings import Settings

# So many of the groupings of native country that fit are asked with work class, of each pair of education.
_DRAWN = 4
_SEED = 1


@dataclass
class _Found:
    """What was tried of one grouping of marital status, and what of it has the paper's counts, by attribute."""

    groups: list[list[str]]
    pairs: int
    pairs_tried: int = 0
    stages: dict[str, list[int]] = field(default_factory=lambda: {"native-country": [0, 0], "workclass": [0, 0]})
    nearest: int | None = None
    taxonomy: dict[str, list[list[list[str]]]] | None = None

    def add(self, stage: Stage) -> None:
        counts = self.stages[stage.attribute]
        counts[0] += stage.tried
        counts[1] += stage.fitting
        if stage.size == 7 and stage.nearest is not None:
            paper = stage.paper[1]
            known = [each for each in (self.nearest, stage.nearest) if each is not None]
            self.nearest = min(known, key=lambda each: abs(each - paper))


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Try them in a random order, the groupings of marital status in turn."""
    table = labelled.load("Adult") if adult.environment() else None
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    columns = columns_of(table.frame)
    first, marital, education = first_attributes(columns), columns["marital-status"], columns["education"]
    ranks = ranks_of(education, table.frame)
    random = np.random.default_rng(_SEED)
    rows: list[_Found] = []
    left: list[tuple[list[Attribute], list[tuple[int, int]]]] = []
    for groups in of_marital(first, marital)[1]:
        four = [*first, marital.with_levels(groups)]
        fitting = _fitting_pairs(Asked(four, education.cells), ranks)
        rows.append(_Found(marital.named(groups), len(fitting)))
        left.append((four, [fitting[at] for at in random.permutation(len(fitting))]))
    every, started = cuts(int(ranks.max()) + 1), time.monotonic()
    most = 1 if settings.quick else max(row.pairs for row in rows)
    for turn in range(most):
        for row, (four, pairs) in zip(rows, left, strict=True):
            if turn < len(pairs) and not _over(settings, started):
                five = [*four, education.with_levels(*every[list(pairs[turn])][:, ranks])]
                row.pairs_tried += 1
                for stage, together in _stages(five, columns, random):
                    row.add(stage)
                    if together and row.taxonomy is None:
                        row.taxonomy = _taxonomy(columns, row.groups, five[-1].levels[1:-1], together[0])
        click.echo(f"further: {turn + 1} of {most} pairs of each grouping of marital status", err=True)
        minutes = round((time.monotonic() - started) / 60, 1)
        shown = [{**vars(row)} for row in rows]
        yield {"k": K, "seed": _SEED, "drawn": _DRAWN, "minutes": minutes, "marital": shown}
        if _over(settings, started):
            return


def _over(settings: Settings, started: float) -> bool:
    return settings.minutes is not None and time.monotonic() - started > 60 * settings.minutes


def _fitting_pairs(asked: Asked, ranks: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The numbers of contiguous groupings, and of those made of their groups, that have the paper's counts."""
    size = int(ranks.max()) + 1
    verdicts, places = outcomes(asked.of(cuts(size)[:, ranks]))
    found: list[tuple[int, int]] = []
    of = [np.flatnonzero(places == outcome) for outcome in range(len(verdicts))]
    stage = Stage("education", 5)
    for lower, below in enumerate(of):
        for upper, above in enumerate(of):
            beneath = np.argwhere(above & ~below[:, np.newaxis] == 0)
            if len(beneath) and stage.fits(asked.whole(verdicts[lower], verdicts[upper]), len(beneath)):
                found += [(int(below[at]), int(above[to])) for at, to in beneath]
    return found


def _taxonomy(
    columns: Mapping[str, Column],
    marital: list[list[str]],
    education: Sequence[Grouping],
    others: tuple[Grouping, Grouping],
) -> dict[str, list[list[list[str]]]]:
    """The groupings between the values and one group, of each attribute that has a taxonomy."""
    country, work = others
    return {
        "marital-status": [marital],
        "education": [columns["education"].named(level) for level in education],
        "native-country": [columns["native-country"].named(country)],
        "workclass": [columns["workclass"].named(work)],
    }


def _stages(
    five: Sequence[Attribute], columns: Mapping[str, Column], random: np.random.Generator
) -> Iterator[tuple[Stage, list[tuple[Grouping, Grouping]]]]:
    country = columns["native-country"]
    stage, fitting = of_country(five, country)
    yield stage, []
    some: Grouping = fitting[random.permutation(len(fitting))[:_DRAWN]]
    if len(some):
        yield of_work(five, country, some, columns["workclass"])


def table(body: Mapping[str, Any]) -> str:
    """What was tried and what fits, by the grouping of marital status."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"In {body['minutes']:g} minutes of one process; {body['drawn']} groupings of native country that fit, drawn, "
        "with each pair of education.",
        "",
        "| marital status | pairs of education that fit | tried | native country tried | fit | work class tried | fit "
        "| nearest of Basic Incognito |",
        "|---" + "|---:" * 7 + "|",
    ]
    for row in body["marital"]:
        groups = "; ".join(", ".join(group) for group in row["groups"])
        counts = [row["pairs"], row["pairs_tried"], *row["stages"]["native-country"], *row["stages"]["workclass"]]
        cells = [f"{count:,}" for count in counts]
        lines.append(f"| {groups} | {' | '.join(cells)} | {row['nearest'] or '-'} |")
    return "\n".join(lines)
