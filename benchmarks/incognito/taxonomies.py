"""Which taxonomies of Adult fit the node counts of section 4.2.1 (LeFevre, DeWitt, Ramakrishnan 2005)?

The paper prints heights (Figure 9) and counts, no taxonomies. Attribute by attribute, in the figure's order, a family
of groupings is tried whole, with one grouping of each attribute before it that fits the counts so far, so that what is
told holds for these alone:

* marital status: all groupings of its seven values.
* education: all pairs of contiguous groupings in the order of education-num, the second made of groups of the first.
* native country: all groupings of ten regions.
* work class: all groupings of its seven values, with every grouping of native country that fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas
from numpy.typing import NDArray

from benchmarks.classification import labelled
from benchmarks.incognito.algorithms import BASIC, BOTTOM_UP
from benchmarks.incognito.counts import PAPER
from benchmarks.incognito.groupings import (
    Asked,
    Attribute,
    Grouping,
    K,
    Searched,
    Verdicts,
    chains,
    outcomes,
    partitions,
)
from benchmarks.shared import adult
from benchmarks.shared.process import ROOT
from benchmarks.shared.settings import Settings

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
# Groupings of native country that are asked together.
_TOGETHER = 64


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

    def named(self, groups: Grouping) -> list[list[str]]:
        """The values of each group."""
        return [[str(value) for value in self.values[groups == group]] for group in np.unique(groups)]


@dataclass
class Stage:
    """The groupings of an attribute that were tried, the last of so many, and how many of them have the paper's counts.

    ``bottom_up`` have that of bottom-up search, ``fitting`` that of Basic Incognito as well; ``nearest`` is what this
    checks with the nearest of the former. ``groups`` are those of the first that fits, where others go on with it.
    """

    attribute: str
    size: int
    tried: int = 0
    bottom_up: int = 0
    fitting: int = 0
    nearest: int | None = None
    groups: list[list[str]] | None = None

    def fits(self, verdicts: Verdicts, many: int) -> bool:
        """Whether the verdicts of so many groupings have the paper's counts."""
        self.tried += many
        searched = Searched(verdicts)
        if searched.bottom_up != self.paper[0]:
            return False
        self.bottom_up += many
        off = searched.incognito - self.paper[1]
        if self.nearest is None or abs(off) < abs(self.nearest - self.paper[1]):
            self.nearest = searched.incognito
        self.fitting += many if off == 0 else 0
        return off == 0

    @property
    def paper(self) -> tuple[int, int]:
        """Nodes that the paper's bottom-up search and Basic Incognito check."""
        return PAPER[BOTTOM_UP.name][self.size], PAPER[BASIC.name][self.size]


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Try the families; each has what was tried, what fits, and the counts of the taxonomy that goes on."""
    table = labelled.load("Adult") if adult.environment() else None
    if table is None:
        yield {"skipped": adult.MISSING}
        return
    columns = columns_of(table.frame)
    first = first_attributes(columns)
    rows: list[dict[str, Any]] = []
    for stage in _stages(first, columns, table.frame, quick=settings.quick):
        click.echo(f"taxonomies: {stage.attribute}: {stage.fitting} of {stage.tried} fit", err=True)
        rows.append({**asdict(stage), "paper": stage.paper})
        yield {"k": K, "stages": list(rows)}


def _stages(
    first: Sequence[Attribute], columns: Mapping[str, Column], frame: pandas.DataFrame, *, quick: bool
) -> Iterator[Stage]:
    marital = columns["marital-status"]
    yield of_marital(first, marital)[0]
    if quick:
        return
    four = [*first, marital.with_levels(marital.grouped({each: each in MARRIED for each in marital.values}))]
    education = columns["education"]
    stage = Stage("education", 5)
    for verdicts, many in chains(Asked(four, education.cells), ranks_of(education, frame)):
        stage.fits(verdicts, many)
    yield stage
    five = [*four, education.with_levels(*_printed(education, "education-3"))]
    country = columns["native-country"]
    stage, fitting = of_country(five, country)
    stage.groups = country.named(fitting[0])
    yield stage
    yield of_work(five, country, fitting, columns["workclass"])[0]


def columns_of(frame: pandas.DataFrame) -> dict[str, Column]:
    """The attributes of Adult, by the names of the figure."""
    return {name: Column.of(frame, "class" if name == "salary-class" else name) for name in adult.ATTRIBUTES}


def ranks_of(education: Column, frame: pandas.DataFrame) -> NDArray[np.int64]:
    """The places of the values of education in the order of education-num."""
    numbers = frame.groupby("education")["education-num"].first().loc[education.values]
    ranks: NDArray[np.int64] = (numbers - numbers.min()).to_numpy().astype(np.int64)
    return ranks


def of_marital(first: Sequence[Attribute], marital: Column) -> tuple[Stage, Grouping]:
    """Try the groupings of marital status; with those that fit."""
    return _tried("marital-status", 4, Asked(first, marital.cells), partitions(len(marital.values)))


def of_country(five: Sequence[Attribute], country: Column) -> tuple[Stage, Grouping]:
    """Try the groupings of native country by regions; with those that fit, as groupings of its values."""
    region = {name: at for at, names in enumerate(REGIONS) for name in names}
    places = np.array([region[value] for value in country.values])
    stage, fitting = _tried("native-country", 6, Asked(five, country.cells, places), partitions(len(REGIONS)))
    return stage, fitting[:, places]


def _tried(attribute: str, size: int, asked: Asked, groupings: Grouping) -> tuple[Stage, Grouping]:
    """Try the groupings of an attribute with one level between its values and one group; with those that fit."""
    stage = Stage(attribute, size)
    verdicts, places = outcomes(asked.of(groupings))
    counted = zip(verdicts, np.bincount(places), strict=True)
    fits = np.array([stage.fits(asked.whole(each), int(many)) for each, many in counted])
    return stage, groupings[fits[places]]


def of_work(
    others: Sequence[Attribute], country: Column, countries: Grouping, work: Column
) -> tuple[Stage, list[tuple[Grouping, Grouping]]]:
    """Try the groupings of work class with each of some of native country, which are levels side by side.

    With the pairs that fit: a grouping of native country, and one of work class.
    """
    stage, everything = Stage("workclass", 7), partitions(len(work.values))
    fitting: list[tuple[Grouping, Grouping]] = []
    for start in range(0, len(countries), _TOGETHER):
        asked = Asked([*others, country.with_levels(*countries[start : start + _TOGETHER])], work.cells)
        found = asked.of(everything)
        for at in range(1, asked.top.shape[-1] - 1):
            levels = [0, at, -1]
            verdicts, places = outcomes(found[..., levels])
            for number, each in enumerate(verdicts):
                whole = np.stack([asked.bottom[..., levels], each, asked.top[..., levels]], axis=-1)
                alike = everything[places == number]
                if stage.fits(whole, len(alike)):
                    fitting += [(countries[start + at - 1], groups) for groups in alike]
        click.echo(f"taxonomies: work class, {start} of {len(countries)} groupings of native country", err=True)
    return stage, fitting


def of_marital_status(frame: pandas.DataFrame) -> tuple[NDArray[Any], list[Grouping]]:
    """The values of marital status, and their groupings that fit the counts of four attributes."""
    columns = {name: Column.of(frame, name) for name in ("age", "sex", "race", "marital-status")}
    marital = columns["marital-status"]
    return marital.values, list(of_marital(first_attributes(columns), marital)[1])


def first_attributes(columns: Mapping[str, Column]) -> list[Attribute]:
    """The attributes that need no taxonomy."""
    return [_age(columns["age"]), columns["sex"].flat(), columns["race"].flat()]


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
        f"| attributes | the last one | paper: {BOTTOM_UP.name} | paper: {BASIC.name} | groupings tried "
        f"| {BOTTOM_UP.name} as in the paper | both | nearest of {BASIC.name} |",
        "|---:|---" + "|---:" * 6 + "|",
    ]
    for row in body["stages"]:
        counts = [*row["paper"], row["tried"], row["bottom_up"], row["fitting"], row["nearest"]]
        cells = [row["size"], row["attribute"], *("-" if count is None else f"{count:,}" for count in counts)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    for row in body["stages"]:
        if row["groups"]:
            groups = "; ".join(", ".join(group) for group in row["groups"])
            lines += ["", f"The first grouping of {row['attribute']} that fits: {groups}."]
    return "\n".join(lines)
