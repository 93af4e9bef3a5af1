"""Random tables, of which searches, the verifier and plain Python must say the same, model by model.

Many tables are one statement of the verifier: a number tells each from others, as a further column of the
quasi-identifier. All have the same rows in other classes, so that what a class is compared with is of all of them what
it is of each. The verifier tells sums; since all rows of a table count as often as a random number says, a table of
which it says otherwise shows in the sum of rows with all but a chance of one in 2^16.

Beside them are random populations: each class has rows, or none, and people whom it is one of. There the weights make
other classes of each table; searches are asked of all of them at once, each model by itself and with k and the others,
the verifier puts the rows beside the people, and so does what checks a table that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pyarrow

from benchmarks.models import drawn, oracle
from benchmarks.models.drawn import ATTRIBUTE, KINDS, WITHIN, Asked, Class, Peopled, Whole
from benchmarks.shared.settings import Settings
from starcloak.privacy.aggregates import PEOPLE, Held
from starcloak.privacy.groups import Grouped
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model
from starcloak.privacy.requirement import Demand
from starcloak.privacy.verdict import Judged
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns
from starcloak.store.session import Session
from starcloak.verify import classes as verifier
from starcloak.verify import population

TABLES = 200_000
QUICK = 400
SEED = 1
#: Tables of the same rows, which are asked of together.
_TOGETHER = 100
_CHECKED = Name("checked_classes")
_FREQUENCY = Name("frequency_set")
_ROWS, _PEOPLE, _PEOPLED = Name("staged_rows"), Name("population"), Name("peopled_classes")
_NAMES = ("table", "class", ATTRIBUTE)
_DEMAND = Demand(_NAMES[:2], ())
_SAVED = 50  # batches between two results


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Ask of all tables; what is found is told now and then."""
    tables = settings.tables or (QUICK if settings.quick else TABLES)
    found = Found()
    with Session(threads=1) as session:
        for number in range(-(-tables // _TOGETHER)):
            found.add(session, Random(f"{SEED} {number}"))
            found.add_populations(session, Random(f"{SEED} populations {number}"))
            if number % _SAVED == _SAVED - 1:
                yield found.body()
    yield found.body()


class Found:
    """What was asked, and what differs."""

    def __init__(self) -> None:
        self.tables = self.classes = self.peopled = 0
        self.started = process_time()
        self.violating = dict.fromkeys(["k", *KINDS, *WITHIN], 0)
        self.ties = dict.fromkeys(["k", *KINDS, *WITHIN], 0)
        self.differences: list[str] = []

    def add(self, session: Session, rng: Random) -> None:
        """Ask of the tables of one batch."""
        numbers = rng.random() < 0.4
        whole = drawn.whole(rng, numbers=numbers)
        tables = [drawn.classes(rng, whole) for _ in range(_TOGETHER)]
        weights = [rng.randint(1, 1 << 16) for _ in tables]
        _create(session, whole, tables, weights)
        every = sorted({each for table in tables for each in table})
        self._k(session, rng, tables, weights)
        for kind in KINDS:
            if kind == "t, by number" and not numbers:
                continue
            if kind == "alpha of named values" and whole.values == (None,):
                continue
            asked = drawn.asked(rng, kind, whole, rng.choice(every))
            expected = {each: not asked.holds(whole, each) for each in every}
            self.ties[kind] += asked.meets
            self.violating[kind] += sum(expected[each] for table in tables for each in table)
            said = f"{kind} {dict(asked.given)} of {whole.table}"
            self._searches(session, asked, whole, every, expected, said)
            judged = verifier.judge(session, _CHECKED, _NAMES, _DEMAND, asked.model)
            self._verifier(judged, asked, whole, tables, weights, expected, said)
        self.tables += len(tables)
        self.classes += sum(map(len, tables))

    def _k(self, session: Session, rng: Random, tables: Sequence[Sequence[Class]], weights: Sequence[int]) -> None:
        sizes = [(sum(each) * weight) for table, weight in zip(tables, weights, strict=True) for each in table]
        k = rng.choice(sizes) + rng.choice((0, 0, 1))
        self.ties["k"] += k in sizes
        self.violating["k"] += sum(size < k for size in sizes)
        statement = Statement(
            "privacy/k_anonymity/violating", sizes=verifier.regroup(_CHECKED, _NAMES, _DEMAND.attributes)
        )
        _, _, _, violating, rows = session.row(statement, {"k": k})
        below = [size for size in sizes if size < k]
        if (violating, rows) != (len(below), sum(below)):
            self.differences.append(f"k = {k} of {sorted(sizes)}: the verifier says {violating} classes, {rows} rows")
        known = KAnonymity(k=k)
        held = Grouped(np.array(sizes))
        if known.violates(held).tolist() != [size < k for size in sizes]:
            self.differences.append(f"k = {k} of {sorted(sizes)}: arrays")

    def _searches(
        self,
        session: Session,
        asked: Asked,
        whole: Whole,
        every: Sequence[Class],
        expected: Mapping[Class, bool],
        said: str,
    ) -> None:
        """What searches say of each class, on arrays and in SQL."""
        known = whole.over(asked.model)
        on_arrays = known.violates(whole.grouped(every)).tolist()
        session.create(_FREQUENCY, Statement("store/relation", relation=Name("incoming_classes")))
        self._compare(every, [expected[each] for each in every], on_arrays, _in_sql(session, known.violating), said)

    def _compare(
        self, every: Sequence[Any], expected: Sequence[bool], on_arrays: list[bool], in_sql: list[bool], said: str
    ) -> None:
        for name, told in (("arrays", on_arrays), ("SQL", in_sql)):
            wrong = [each for each, one, other in zip(every, told, expected, strict=True) if one != other]
            if wrong:
                self.differences.append(f"{said}: {name} of searches say otherwise of {wrong[:3]}")

    def _verifier(
        self,
        judged: Judged,
        asked: Asked,
        whole: Whole,
        tables: Sequence[Sequence[Class]],
        weights: Sequence[int],
        expected: Mapping[Class, bool],
        said: str,
    ) -> None:
        violating = [
            sum(each) * weight
            for table, weight in zip(tables, weights, strict=True)
            for each in table
            if expected[each]
        ]
        told = (judged.violating_classes, judged.violating_rows, judged.holds)
        if told != (len(violating), sum(violating), not violating):
            self.differences.append(f"{said}: the verifier says {told} of {len(violating)} classes, {tables}")

    def add_populations(self, session: Session, rng: Random) -> None:
        """Ask of the populations of one batch."""
        every = [
            (rows * weight, people * weight)
            for weight in (rng.randint(1, 1 << 16) for _ in range(_TOGETHER))
            for rows, people in drawn.peopled(rng)
        ]
        _create_peopled(session, every)
        k = max(1, rng.choice(every)[0])
        models: list[Model] = [KAnonymity(k=k)]
        together, judged, given = [0 < rows < k for rows, _ in every], dict[str, Judged](), dict[str, Any]()
        for kind in WITHIN:
            asked = drawn.within(rng, kind, every)
            expected = [not oracle.holds_within(asked.key, asked.given, *each) for each in every]
            self.ties[kind] += asked.meets
            self.violating[kind] += sum(expected)
            said = f"{kind} {dict(asked.given)}"
            self._peopled(session, [KAnonymity(k=1), asked.model], every, expected, said)
            judged[asked.key] = _expected(kind, every, expected)
            found = verifier.judge(session, _PEOPLED, (), Demand((), ()), asked.model)
            if found != judged[asked.key]:
                self.differences.append(f"{said}: the verifier says {found}, not {judged[asked.key]}, of {every}")
            models.append(asked.model)
            given |= asked.given
            together = [one or other for one, other in zip(together, expected, strict=True)]
        self._peopled(session, models, every, together, f"{models} together")
        for key, found in _checked(given, every):
            if found != judged[key]:
                self.differences.append(f"{key} of {given}: a check says {found}, not {judged[key]}, of {every}")
        self.peopled += len(every)

    def _peopled(
        self,
        session: Session,
        models: Sequence[Model],
        every: Sequence[Peopled],
        expected: Sequence[bool],
        said: str,
    ) -> None:
        """What searches say of each class beside its population, on arrays and in SQL."""
        demand = Demand((), tuple(models))
        on_arrays = demand.violates(drawn.beside(every)).tolist()
        self._compare(every, expected, on_arrays, _in_sql(session, demand.violating), said)

    def body(self) -> dict[str, Any]:
        """The result."""
        return {
            "seed": SEED,
            "tables": self.tables,
            "classes": self.classes,
            "peopled_classes": self.peopled,
            "violating": dict(self.violating),
            "met": dict(self.ties),
            "differing": len(self.differences),
            "differences": self.differences[:20],
            "cpu_seconds": round(process_time() - self.started, 1),
        }


def _in_sql(session: Session, violating: Hole) -> list[bool]:
    """Which classes of the frequency set violate, by their numbers."""
    read = columns([Name("number"), As(violating, Name("violates"))])
    origin = Statement("store/relation", relation=_FREQUENCY)
    rows = session.run(Statement("store/source", columns=read, origin=origin))
    return [bool(violates) for _, violates in sorted(rows)]


def _expected(kind: str, every: Sequence[Peopled], violating: Sequence[bool]) -> Judged:
    """The verdict on all classes: the fewest people of one that has rows, or the largest share of one's people."""
    out = [rows for (rows, _), one in zip(every, violating, strict=True) if one]
    achieved: float | None
    if kind == "k-map":
        achieved = min((people for rows, people in every if rows), default=None)
    else:
        achieved = max((float(Fraction(rows, people)) for rows, people in every if people), default=None)
    return Judged(not out, achieved, len(out), sum(out))


def _checked(given: Mapping[str, Any], every: Sequence[Peopled]) -> Iterator[tuple[str, Judged]]:
    """The verdicts of a check of a table that is there, by their models' keys."""
    shares = Decimal(given["min"]), Decimal(given["max"])
    asked = population.PopulationDemand(population.PopulationSource(None), given["k"], shares)
    people = population.PopulationClasses("", (), pyarrow.table({"people": [people for _, people in every]}))
    counted = [(rows, people_, 1) for rows, people_ in every if rows]
    return ((key, found) for key, _, _, found in population.judge(asked, people, counted))


def _create_peopled(session: Session, every: Sequence[Peopled]) -> None:
    """Have classes beside their population, as the verifier puts them there, and as a frequency set has them."""
    incoming = Name("incoming")
    rows_ = Statement("store/relation", relation=incoming)
    numbers, value = list(range(len(every))), verifier.value(0)
    rows, people = ([each[place] for each in every] for place in (0, 1))
    shape = {"number": numbers, "frequency": rows, PEOPLE.column.parts[0]: people}
    session.receive(_FREQUENCY, incoming, pyarrow.table(shape).to_reader(), rows_)
    own = [number for number, size in enumerate(rows) if size]
    staged = pyarrow.table({value.parts[0]: own, "size": [rows[number] for number in own]})
    session.receive(_ROWS, incoming, staged.to_reader(), rows_)
    session.receive(_PEOPLE, incoming, pyarrow.table({value.parts[0]: numbers, "people": people}).to_reader(), rows_)
    cell = Name("cell_1")
    holes: dict[str, Hole] = {
        "texts": As(value, cell),
        "staged": _ROWS,
        "generalized": As(value, cell),
        "population": _PEOPLE,
        "members": Joined((), ""),
        "cells": cell,
    }
    session.keep(_PEOPLED, Statement("verify/population_classes", **holes))


def _create(session: Session, whole: Whole, tables: Sequence[Sequence[Class]], weights: Sequence[int]) -> None:
    """Have the classes as the verifier has them, and each that there is as a frequency set has it."""
    listed = [
        (number, at, value, rows * weight)
        for number, (table, weight) in enumerate(zip(tables, weights, strict=True))
        for at, each in enumerate(table)
        for value, rows in zip(whole.values, each, strict=True)
        if rows
    ]
    named = [verifier.value(place).parts[0] for place in range(3)] + ["size"]
    kinds = [pyarrow.int64(), pyarrow.int64(), pyarrow.string(), pyarrow.int64()]
    gathered = {
        name: pyarrow.array(cells, kind)
        for name, kind, cells in zip(named, kinds, zip(*listed, strict=True), strict=True)
    }
    incoming = Name("incoming")
    rows_ = Statement("store/relation", relation=incoming)
    session.receive(_CHECKED, incoming, pyarrow.table(gathered).to_reader(), rows_)
    every = sorted({each for table in tables for each in table})
    present = len(whole.values) - whole.missing
    bits = ["".join("1" if rows else "0" for rows in each[:present]) or "0" for each in every]
    shape: dict[str, Any] = {"number": range(len(every)), "frequency": [sum(each) for each in every], "bits": bits}
    shape |= {f"{ATTRIBUTE}_{code}_rows": [each[code] for each in every] for code in range(len(whole.values))}
    table = pyarrow.table({name: pyarrow.array(list(cells)) for name, cells in shape.items()})
    session.receive(Name("incoming_classes"), incoming, table.to_reader(), rows_)
    session.connection.execute(
        f"alter table incoming_classes add column {Held(ATTRIBUTE).column.sql()} bit; "
        f"update incoming_classes set {Held(ATTRIBUTE).column.sql()} = cast(bits as bit)"
    )


def table(body: Mapping[str, Any]) -> str:
    """What was asked, as text."""
    asked = f"{body['tables']:,} random tables of {body['classes']:,} classes"
    if "peopled_classes" in body:
        asked += f", as many populations of {body['peopled_classes']:,}"
    lines = [
        f"{asked}, every model of each: plain Python, what searches say on arrays and in SQL, and the verifier. "
        f"{body['differing']} verdicts differ "
        f"({body['cpu_seconds']:,} CPU seconds).",
        "",
        "| model | classes that violate it | bounds that a class meets exactly |",
        "|---|---:|---:|",
    ]
    lines += [f"| {kind} | {violating:,} | {body['met'][kind]:,} |" for kind, violating in body["violating"].items()]
    return "\n".join([*lines, *(f"- {each}" for each in body["differences"])])
