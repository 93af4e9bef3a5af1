"""Which taxonomies of Adult fit the node counts of section 4.2.1 (LeFevre, DeWitt, Ramakrishnan 2005)?

The paper prints heights (Figure 9) and counts, no taxonomies. Attribute by attribute, in the figure's order, a family
of groupings is tried whole, each attribute with groupings before it that fit the counts so far:

* marital status: all groupings of its seven values.
* education: all pairs of contiguous groupings in the order of education-num, the second made of groups of the first.
* native country: all groupings of ten regions.
* work class: all groupings of its seven values, with every grouping of native country that fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas
from numpy.typing import NDArray

from benchmarks.classification import labelled
from benchmarks.incognito.algorithms import BASIC, BOTTOM_UP
from benchmarks.incognito.counts import PAPER
from benchmarks.incognito.groupings import Asked, Attribute, Grouping, Searched, Verdicts, chains, outcomes, partitions
from benchmarks.shared import adult
from benchmarks.shared.process import ROOT
from benchmarks.shared.settings import Settings

_K = 2
# Married against not: of the groupings of marital status that fit it is the one that a reader would guess.
MARRIED = ("Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent")
REGIONS = (
    ("United-States", "Outlying-US(Guam-USVI-etc)"),
    ("Canada",),
    ("Mexico", "El-Salvador", "Guatemala", "Honduras", "Nicaragua"),
    ("Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Puerto-Rico", "Trinadad&Tobago"),
    ("Columbia", "Ecuador", "Peru"),
    ("England", "Ireland", "Scotland", "France", "Germany", "Holand-Netherlands"),
    ("Greece", "Italy", "Portugal", "Yugoslavia", "Hungary", "Poland"),
    ("China", "Hong", "Japan", "South", "Taiwan"),
    ("Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"),
    ("India", "Iran"),
)
_QUICK = 3


@dataclass(frozen=True)
class Column:
    """An attribute of Adult: its distinct values, and of each row the place of its own among them."""

    values: NDArray[Any]
    cells: NDArray[np.int64]

    @classmethod
    def of(cls, frame: pandas.DataFrame, name: str) -> Column:
        values, cells = np.unique(frame[name].to_numpy(), return_inverse=True)
        return cls(values, cells)

    def flat(self) -> Attribute:
        """Its values, and one group of all."""
        return self.with_levels()

    def with_levels(self, *groupings: Grouping) -> Attribute:
        """Its values, some groupings, and one group of all."""
        places = np.arange(len(self.values))
        return Attribute(self.cells, (places, *groupings, np.zeros_like(places)))

    def grouped(self, groups: Mapping[Any, Any]) -> Grouping:
        """The grouping that a mapping of the values makes."""
        return np.unique([groups[value] for value in self.values], return_inverse=True)[1]


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Try the families; each has what was tried, what fits, and the counts of the taxonomy that goes on."""
    table = labelled.load("Adult") if adult.environment() else None
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    frame = table.frame
    columns = {name: Column.of(frame, "class" if name == "salary-class" else name) for name in adult.ATTRIBUTES}
    first = _first(columns)
    rows: list[dict[str, Any]] = []
    for row in _stages(first, columns, frame, quick=settings.quick):
        rows.append(row)
        yield {"k": _K, "stages": list(rows)}


def _stages(
    first: Sequence[Attribute], columns: Mapping[str, Column], frame: pandas.DataFrame, *, quick: bool
) -> Iterator[dict[str, Any]]:
    marital = columns["marital-status"]
    everything = list(partitions(len(marital.values)))
    yield _row("marital-status", 4, len(everything), len(_fitting(first, marital)))
    if quick:
        return
    four = [*first, marital.with_levels(marital.grouped({each: each in MARRIED for each in marital.values}))]
    education = columns["education"]
    asked = Asked(four, education.cells, _K)
    ranks = frame.groupby("education")["education-num"].first().loc[education.values].to_numpy().astype(np.int64)
    yield _row("education", 5, *chains(asked, ranks - ranks.min(), lambda verdicts: _fits(verdicts, 5)))
    five = [*four, education.with_levels(*_printed(education, "education-3"))]
    country = columns["native-country"]
    region = {name: at for at, names in enumerate(REGIONS) for name in names}
    places = np.array([region[value] for value in country.values])
    asked, tried = Asked(five, country.cells, _K), 0
    fitting: list[tuple[Grouping, Verdicts]] = []
    for outcome, each in outcomes(asked, (grouping[places] for grouping in partitions(len(REGIONS)))).items():
        tried += len(each)
        verdicts = asked.whole(np.frombuffer(outcome, bool).reshape(asked.bottom.shape))
        if _fits(verdicts, 6):
            fitting += [(grouping, verdicts) for grouping in each]
    yield _row("native-country", 6, tried, len(fitting))
    work = columns["workclass"]
    everything = list(partitions(len(work.values)))
    fits, nearest = 0, (0, 0)
    for done, (grouping, known) in enumerate(fitting):
        asked = Asked([*five, country.with_levels(grouping)], work.cells, _K, known)
        for outcome, each in outcomes(asked, iter(everything)).items():
            searched = Searched(asked.whole(np.frombuffer(outcome, bool).reshape(asked.bottom.shape)))
            if searched.bottom_up == PAPER[BOTTOM_UP.name][7]:
                fits += len(each) * (searched.incognito == PAPER[BASIC.name][7])
                nearest = min(nearest, (searched.bottom_up, searched.incognito), key=lambda found: _off(found, 7))
        if done % 100 == 0:
            click.echo(f"taxonomies: work class, {done} of {len(fitting)} groupings of native country", err=True)
    yield {**_row("workclass", 7, len(fitting) * len(everything), fits), "nearest": list(nearest)}


def of_marital_status(frame: pandas.DataFrame) -> tuple[NDArray[Any], list[Grouping]]:
    """The values of marital status, and their groupings that fit the counts of four attributes."""
    columns = {name: Column.of(frame, name) for name in ("age", "sex", "race", "marital-status")}
    marital = columns["marital-status"]
    return marital.values, _fitting(_first(columns), marital)


def _first(columns: Mapping[str, Column]) -> list[Attribute]:
    """The attributes that need no taxonomy."""
    return [_age(columns["age"]), columns["sex"].flat(), columns["race"].flat()]


def _fitting(first: Sequence[Attribute], marital: Column) -> list[Grouping]:
    asked = Asked(first, marital.cells, _K)
    return [each for each in partitions(len(marital.values)) if _fits(asked.whole(asked.of(each)), 4)]


def _row(attribute: str, size: int, tried: int, fitting: int) -> dict[str, Any]:
    click.echo(f"taxonomies: {attribute}: {fitting} of {tried} fit", err=True)
    return {"attribute": attribute, "size": size, "paper": _paper(size), "tried": tried, "fitting": fitting}


def _paper(size: int) -> list[int]:
    return [PAPER[BOTTOM_UP.name][size], PAPER[BASIC.name][size]]


def _off(found: tuple[int, int], size: int) -> int:
    return sum(abs(ours - theirs) for ours, theirs in zip(found, _paper(size), strict=True))


def _fits(verdicts: Verdicts, size: int) -> bool:
    searched = Searched(verdicts)
    bottom_up, incognito = _paper(size)
    return searched.bottom_up == bottom_up and searched.incognito == incognito


def _age(column: Column) -> Attribute:
    return column.with_levels(*(np.unique(column.values // width, return_inverse=True)[1] for width in (5, 10, 20)))


def _printed(column: Column, name: str) -> list[Grouping]:
    """The levels of a hierarchy of the schema, between its values and ``*``."""
    path = ROOT / "schemas" / "adult" / "hierarchies" / f"{name}.csv"
    table = pandas.read_csv(path, sep=";", header=None, dtype=str, index_col=0)
    return [column.grouped(table[level].to_dict()) for level in table.columns[:-1]]


def table(body: Mapping[str, Any]) -> str:
    """What was tried and what fits, as a Markdown table."""
    if "skipped" in body:
        return f"skipped: {body['skipped']}"
    lines = [
        f"| attributes | the last one | paper: {BOTTOM_UP.name} | paper: {BASIC.name} | groupings tried | fit |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for row in body["stages"]:
        bottom_up, incognito = row["paper"]
        cells = (
            row["size"],
            row["attribute"],
            f"{bottom_up:,}",
            f"{incognito:,}",
            f"{row['tried']:,}",
            f"{row['fitting']:,}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    nearest = [row for row in body["stages"] if row.get("nearest")]
    lines += [
        f"\nThe nearest of {row['size']} attributes: {row['nearest'][0]:,} and {row['nearest'][1]:,}."
        for row in nearest
    ]
    return "\n".join(lines)
