"""What models declare of merging groups, tried on random tables: as declared, or shown not to be by a counterexample.

A table is classes, or those of its population; two of them become one, as a generalization may have it. Where nothing
is left out, no merger of two that satisfy a model may violate it. Where violating classes are left out, the rows that
are may grow in number only for models that do not declare that every superset of what satisfies them does. Both are
asked of the code that searches prune by, not of formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np

from benchmarks.models import drawn
from benchmarks.models.drawn import ATTRIBUTE, KINDS, WITHIN, Class
from benchmarks.shared.settings import Settings
from starcloak.privacy.groups import Grouped
from starcloak.privacy.k_anonymity.model import KAnonymity
from starcloak.privacy.model import Model
from starcloak.privacy.requirement import Demand

MERGERS = 40_000
QUICK = 300
SEED = 1
#: Mergers in classes of the same rows.
_TOGETHER = 20


def measure(folder: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    """Try each model with so many mergers."""
    mergers = settings.tables or (QUICK if settings.quick else MERGERS)
    started, models = process_time(), list[dict[str, Any]]()
    for kind in ["k", *KINDS, *WITHIN]:
        models.append(falsify(kind, mergers))
        yield {"seed": SEED, "models": models, "cpu_seconds": round(process_time() - started, 1)}


@dataclass(frozen=True)
class Batch:
    """A model, as it is ``given`` and over its table, and tables of classes; ``grouped``: as searches have them."""

    given: Mapping[str, Any]
    model: Model
    tables: Sequence[Sequence[Class]]
    grouped: Callable[[Sequence[Any]], Grouped]


def falsify(kind: str, mergers: int) -> dict[str, Any]:
    """What so many mergers find of a kind of model."""
    done, broken, grown = 0, 0, 0
    smallest: tuple[int, str] | None = None
    declared: Model | None = None
    for number in range(-(-mergers // _TOGETHER)):
        rng = Random(f"{SEED} {kind} {number}")
        batch = _within(rng, kind) if kind in WITHIN else _drawn(rng, kind)
        if batch is None:
            continue
        declared = batch.model
        demand = Demand((ATTRIBUTE,), (declared,))
        for table in batch.tables:
            one, other = rng.sample(range(len(table)), 2)
            both = tuple(int(left + right) for left, right in zip(table[one], table[other], strict=True))
            merged = [each for at, each in enumerate(table) if at not in (one, other)] + [both]
            parts = demand.violates(batch.grouped([table[one], table[other], both])).tolist()
            broken += parts[2] and not parts[0] and not parts[1]
            before, after = (_left_out(demand, batch.grouped(each)) for each in (table, merged))
            done += 1
            if after > before and not demand.least_share:  # with which no job leaves anything out
                grown += 1
                size = sum(map(sum, table))
                if smallest is None or size < smallest[0]:
                    said = f"{table} leave out {before}, {merged} leave out {after}"
                    smallest = size, f"{dict(batch.given)}: {said}"
    assert declared is not None
    return {
        "model": kind,
        "mergers": done,
        "monotone": declared.monotone,
        "superset_closed": declared.superset_closed,
        "broken": broken,
        "grown": grown,
        "counterexample": None if smallest is None else smallest[1],
        "as_declared": (broken == 0) == declared.monotone and (grown == 0) == declared.superset_closed,
    }


def _drawn(rng: Random, kind: str) -> Batch | None:
    whole = drawn.whole(rng, numbers=kind == "t, by number")
    tables = [table for table in (drawn.classes(rng, whole) for _ in range(_TOGETHER)) if len(table) > 1]
    if not tables or (kind == "alpha of named values" and whole.values == (None,)):
        return None
    if kind == "k":
        known = KAnonymity(k=rng.randint(2, 5))
        return Batch({"k": known.k}, known, tables, whole.grouped)
    asked = drawn.asked(rng, kind, whole, rng.choice(rng.choice(tables)))
    return Batch(asked.given, whole.over(asked.model), tables, whole.grouped)


def _within(rng: Random, kind: str) -> Batch | None:
    tables = [table for table in (drawn.peopled(rng) for _ in range(_TOGETHER)) if len(table) > 1]
    asked = drawn.within(rng, kind, rng.choice(tables))
    return Batch(asked.given, asked.model, tables, drawn.beside)


def _left_out(demand: Demand, groups: Grouped) -> int:
    """The rows that are left out, until nothing more must be."""
    return int(np.sum(groups.sizes[demand.outliers(groups)]))


def table(body: Mapping[str, Any]) -> str:
    """What was tried, as text."""
    lines = [
        f"Random mergers of two classes ({body['cpu_seconds']:,} CPU seconds). *Broken*: both satisfy the model, and "
        "together they do not. *Grown*: with violating classes left out, more rows are than before.",
        "",
        "| model | mergers | monotone | broken | every superset satisfies | grown | as declared |",
        "|---|---:|---|---:|---|---:|---|",
    ]
    words = {True: "yes", False: "no"}
    for each in body["models"]:
        cells = [each["model"], f"{each['mergers']:,}", words[each["monotone"]], f"{each['broken']:,}"]
        cells += [words[each["superset_closed"]], f"{each['grown']:,}", words[each["as_declared"]]]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "The smallest counterexamples, as rows of each class by value, or its rows and people:", ""]
    lines += [f"- {each['model']}: {each['counterexample']}" for each in body["models"] if each["counterexample"]]
    return "\n".join(lines)
