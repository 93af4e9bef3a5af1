"""One pass over the nodes of every table that cases are of: what satisfies each, and what it costs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from benchmarks.arx_tests.cases import (
    NO_REQUIREMENT,
    Case,
    Parameters,
    columns_of,
    drawn_rows,
    is_within_population,
    objective_of,
    parameters_of,
)
from benchmarks.arx_tests.nodes import Metric, Node
from benchmarks.arx_tests.tables import Levels, Table, drawn, rows_of

#: A table: its quasi-identifiers, the rows drawn, whether it is within a population.
Kind: TypeAlias = tuple[tuple[str, ...], int | None, bool]
#: By node the rows left out, and its metrics by :func:`metric_key`.
Satisfying: TypeAlias = dict[Levels, tuple[int, dict[str, Metric]]]

_REPORTED = 1000


@dataclass
class _Asked:
    models: Sequence[Parameters]
    allowed: int
    as_arx: bool
    metrics: dict[str, Parameters] = field(default_factory=dict)
    nodes: Satisfying = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """The tables, and what was counted of each."""

    tables: dict[Kind, Table]
    sets: dict[Kind, dict[str, Satisfying]]

    def of(self, case: Case, *, as_arx: bool = False) -> Satisfying:
        """The nodes that satisfy a case."""
        return self.sets[kind_of(case)][_key(case, as_arx)]

    def table(self, case: Case) -> Table:
        """The table of a case."""
        return self.tables[kind_of(case)]


def kind_of(case: Case) -> Kind:
    """Table of a case."""
    return columns_of(case), drawn_rows(case), is_within_population(case)


def metric_key(metric: Parameters) -> str:
    """The name of a metric with its parameters."""
    return json.dumps(metric)


def own_key(objective: str) -> str:
    """The name of an objective of starcloak among the metrics."""
    return metric_key({"own": objective})


def _key(case: Case, as_arx: bool) -> str:
    return json.dumps([case["models"], case["suppression"], as_arx])


def source_of(kind: Kind, folder: Path) -> list[list[str]]:
    """The rows of a table."""
    _, inclusion, within = kind
    if within:
        return rows_of(folder / "adult_subset.csv")
    full = rows_of(folder / "adult.csv")
    return full if inclusion is None else [full[place] for place in drawn(inclusion)]


def count(cases: Sequence[Case], folder: Path, report: Callable[[str], None]) -> Counts:
    """Count all nodes of the tables of some cases: minutes for all."""
    asked: dict[Kind, dict[str, _Asked]] = {}
    tables: dict[Kind, Table] = {}
    for case in cases:
        if parameters_of(case, *NO_REQUIREMENT):
            continue
        kind = kind_of(case)
        if kind not in tables:
            population = rows_of(folder / "adult.csv") if kind[2] else None
            tables[kind] = Table(folder, source_of(kind, folder), list(kind[0]), population)
        allowed = math.floor(case["suppression"] * tables[kind].rows + 1e-9)
        for as_arx in (False, True) if parameters_of(case, "delta presence") else (False,):
            new = _Asked(case["models"], allowed, as_arx)
            one = asked.setdefault(kind, {}).setdefault(_key(case, as_arx), new)
            one.metrics[metric_key(case["metric"])] = case["metric"]
            if objective := objective_of(case):
                one.metrics[own_key(objective)] = {"own": objective}
    for kind, table in tables.items():
        for place, levels in enumerate(table.nodes):
            if place % _REPORTED == 0:
                report(f"arx-tests: node {place:,} of {len(table.nodes):,} of {kind}")
            _count_node(Node(table, levels), asked[kind].values())
    return Counts(tables, {kind: {key: one.nodes for key, one in some.items()} for kind, some in asked.items()})


def _count_node(node: Node, asked: Iterable[_Asked]) -> None:
    for one in asked:
        if verdict := node.verdict(one.models, one.allowed, as_arx=one.as_arx):
            rows, out = verdict
            one.nodes[node.levels] = rows, {name: node.metric(metric, out) for name, metric in one.metrics.items()}
