"""What models declare of merging groups, tried on random tables: as declared, or shown not to be by a counterexample.

A table is classes; two of them become one, as a generalization may have it. Where nothing is left out, no merger of two
that satisfy a model may violate it. Where violating classes are left out, the rows that are may grow in number only for
models that do not declare that every superset of what satisfies them does. Both are asked of the code that searches
prune by, not of formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import numpy as np

from benchmarks.models import drawn
from benchmarks.models.drawn import ATTRIBUTE, KINDS, Asked, Class, Whole
from benchmarks.shared.settings import Settings
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
    for kind in ["k", *KINDS]:
        models.append(falsify(kind, mergers))
        yield {"seed": SEED, "models": models, "cpu_seconds": round(process_time() - started, 1)}


def falsify(kind: str, mergers: int) -> dict[str, Any]:
    """What so many mergers find of a kind of model."""
    done, broken, grown = 0, 0, 0
    smallest: tuple[int, str] | None = None
    declared: Model | None = None
    for number in range(-(-mergers // _TOGETHER)):
        rng = Random(f"{SEED} {kind} {number}")
        whole = drawn.whole(rng, numbers=kind == "t, by number")
        tables = [table for table in (drawn.classes(rng, whole) for _ in range(_TOGETHER)) if len(table) > 1]
        if not tables:
            continue
        asked = _asked(rng, kind, whole, tables)
        if asked is None:
            continue
        declared = model = asked.model if isinstance(asked, Asked) else asked
        known = whole.over(model)
        demand = Demand((ATTRIBUTE,), (known,))
        for table in tables:
            one, other = rng.sample(range(len(table)), 2)
            both = tuple(int(left + right) for left, right in zip(table[one], table[other], strict=True))
            merged = [each for at, each in enumerate(table) if at not in (one, other)] + [both]
            parts = known.violates(whole.grouped([table[one], table[other], both])).tolist()
            broken += parts[2] and not parts[0] and not parts[1]
            before, after = (_left_out(demand, whole, each) for each in (table, merged))
            done += 1
            if after > before:
                grown += 1
                size = sum(map(sum, table))
                if smallest is None or size < smallest[0]:
                    said = f"{table} leave out {before}, {merged} leave out {after}"
                    smallest = size, f"{dict(asked.given) if isinstance(asked, Asked) else model.given}: {said}"
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


def _asked(rng: Random, kind: str, whole: Whole, tables: Sequence[Sequence[Class]]) -> Asked | Model | None:
    if kind == "k":
        return KAnonymity(k=rng.randint(2, 5))
    if kind == "alpha of named values" and whole.values == (None,):
        return None
    return drawn.asked(rng, kind, whole, rng.choice(rng.choice(tables)))


def _left_out(demand: Demand, whole: Whole, table: Sequence[Class]) -> int:
    """The rows that are left out, until nothing more must be."""
    groups = whole.grouped(table)
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
    lines += ["", "The smallest counterexamples, as rows of each class by value:", ""]
    lines += [f"- {each['model']}: {each['counterexample']}" for each in body["models"] if each["counterexample"]]
    return "\n".join(lines)
