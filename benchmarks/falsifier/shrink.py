"""Make a failing case as small as it can be while it still fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from benchmarks.falsifier import workbooks
from benchmarks.falsifier.case import Case, Column, Row
from benchmarks.falsifier.trees import BOUNDS
from benchmarks.falsifier.values import domain, exact

PLAIN = "abcdefghijklmnopqrst"
Qids = tuple[tuple[tuple[str, ...], int], ...]


def shrink(case: Case, fails: Callable[[Case], bool], *, seconds: float = 120) -> Case:
    """The smallest case found within some seconds. ``fails`` tells whether a case fails in the same way."""
    ends = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for step in (_rows, _columns, _settings, _hierarchies, _values, _names):
            for smaller in step(case):
                if time.monotonic() > ends:
                    return case
                if smaller != case and workbooks.are_kept(smaller) and fails(smaller):
                    case, progress = smaller, True
                    break
    return case


def _rows(case: Case) -> Iterator[Case]:
    rows = case.rows
    size = len(rows) // 2
    while size:
        for start in range(0, len(rows), size):
            yield replace(case, rows=rows[:start] + rows[start + size :])
        size //= 2


def _columns(case: Case) -> Iterator[Case]:
    for at, column in enumerate(case.columns):
        if column.name in (case.algorithm.get("class"), case.person) or column.role == "levels":
            continue
        if column.name == "id" and case.person is not None:  # by which it is known which row is whose
            continue
        if column.role == "quasi_identifiers" and len(case.quasi_identifiers) == 1:
            continue
        if column.name in {*dict(case.l_diversity), *(str(model["attribute"]) for _, model in case.models)}:
            continue
        qids = _without(case.qids, column.name)
        yield replace(
            case,
            columns=case.columns[:at] + case.columns[at + 1 :],
            rows=tuple(row[:at] + row[at + 1 :] for row in case.rows),
            qids=qids,
            population=_people(case, column.name),
            header=case.header[:at] + case.header[at + 1 :],
            history=tuple(
                {**step, "qids": _without(step["qids"], column.name)} if step.get("qids") else step
                for step in case.history
                if "rows" not in step
            ),
        )


def _without(qids: Qids, name: str) -> Qids:
    """Quasi-identifiers without one of the columns."""
    return tuple((left, k) for names, k in qids if (left := tuple(each for each in names if each != name)))


def _people(case: Case, without: str) -> tuple[Row, ...]:
    """The population without one of the columns."""
    names = [column.name for column in case.quasi_identifiers]
    if without not in names:
        return case.population
    at = names.index(without)
    return tuple(person[:at] + person[at + 1 :] for person in case.population)


def _settings(case: Case) -> Iterator[Case]:
    for word in case.besides:
        yield replace(case, besides=tuple(other for other in case.besides if other != word))
    for key in case.algorithm:
        if key not in ("name", "class", "variant"):
            yield replace(case, algorithm={name: value for name, value in case.algorithm.items() if name != key})
    for at in range(len(case.history)):
        yield replace(case, history=case.history[:at] + case.history[at + 1 :])
    if case.qids:
        yield replace(case, qids=(), k=max(k for _, k in case.qids))
        for at in range(len(case.qids)):
            yield replace(case, qids=case.qids[:at] + case.qids[at + 1 :])
    for at in range(len(case.l_diversity)):
        yield replace(case, l_diversity=case.l_diversity[:at] + case.l_diversity[at + 1 :])
    yield replace(case, reference="release")
    for at in range(len(case.models)):
        yield replace(case, models=case.models[:at] + case.models[at + 1 :])
    yield replace(case, objective=None)
    yield replace(case, suppression="0")
    yield replace(case, seed=1)
    yield replace(case, k_map=None, presence=None, population=(), counted=False)
    if case.k_map is not None and case.presence is not None:
        yield replace(case, k_map=None)
        yield replace(case, presence=None)
    yield replace(case, register="csv", counted=False)
    if case.k_map is not None and case.k_map > 1:
        yield replace(case, k_map=case.k_map - 1)
    for at in range(len(case.population)):
        yield replace(case, population=case.population[:at] + case.population[at + 1 :])
    yield replace(case, missing="")
    yield replace(case, header=())
    yield replace(case, person=None, as_set=False)
    yield replace(case, as_set=False)
    yield replace(case, quote='"', encoding="", files="one", suffix="")
    yield replace(case, delimiter=",")
    for target in ("memory", "csv"):
        yield replace(case, target=target)
    if all(column.kind == "text" for column in case.columns):
        yield replace(case, source="csv", suffix="")
    elif case.source in ("query", "sqlite-query"):
        yield replace(case, source=case.source.replace("sqlite-query", "sqlite").replace("query", "duckdb"))
    if case.k is not None and case.k > 1:
        yield replace(case, k=case.k - 1)


def _hierarchies(case: Case) -> Iterator[Case]:
    for at, column in enumerate(case.columns):
        yield _with(case, at, replace(column, importance="1"))
        for hierarchy in _simpler(column.hierarchy):
            yield _with(case, at, replace(column, hierarchy=hierarchy))


def _simpler(declared: Any) -> Iterator[Any]:
    if declared is None or declared == "suppress":
        return
    yield "suppress"
    for kind, given in declared.items() if isinstance(declared, dict) else ():
        if kind in ("nonconforming", *BOUNDS):
            yield {other: each for other, each in declared.items() if other != kind}
        if isinstance(given, list) and kind != "columns":
            for at in range(len(given)):
                if len(given) > 1:
                    yield {**declared, kind: given[:at] + given[at + 1 :]}
        if isinstance(given, dict):
            for smaller in _pruned(given):
                yield {**declared, kind: smaller}


def _pruned(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        for name in tree:
            if len(tree) > 1:
                yield {other: members for other, members in tree.items() if other != name}
            for members in _pruned(tree[name]):
                yield {**tree, name: members}
    elif isinstance(tree, list):
        for at in range(len(tree)):
            yield tree[:at] + tree[at + 1 :]


def _values(case: Case) -> Iterator[Case]:
    for at in range(len(case.columns)):
        values = domain(row[at] for row in case.rows)
        for value in values[1:]:
            yield replace(
                case,
                rows=tuple(
                    (*row[:at], values[0], *row[at + 1 :]) if exact(row[at]) == exact(value) else row
                    for row in case.rows
                ),
            )


def _names(case: Case) -> Iterator[Case]:
    for at, column in enumerate(case.columns):
        if (
            column.name == "id"
            or column.name in PLAIN
            or column.name == case.person
            or column.role == "levels"
            or case.algorithm.get("priority")
        ):
            continue
        new = next(name for name in PLAIN if name not in [other.name for other in case.columns])
        renamed = _with(case, at, replace(column, name=new))
        if column.name == case.algorithm.get("class"):
            renamed = replace(renamed, algorithm={**case.algorithm, "class": new})
        diversity = tuple((new if name == column.name else name, least) for name, least in case.l_diversity)
        models = tuple(
            (key, {**model, "attribute": new if model["attribute"] == column.name else model["attribute"]})
            for key, model in case.models
        )
        renamed = replace(renamed, l_diversity=diversity, models=models)
        history = tuple(
            {**step, "qids": _renamed(step["qids"], column.name, new)} if step.get("qids") else step
            for step in case.history
        )
        yield replace(renamed, qids=_renamed(case.qids, column.name, new), history=history)


def _renamed(qids: Qids, old: str, new: str) -> Qids:
    return tuple((tuple(new if name == old else name for name in names), k) for names, k in qids)


def _with(case: Case, at: int, column: Column) -> Case:
    return replace(case, columns=(*case.columns[:at], column, *case.columns[at + 1 :]))
