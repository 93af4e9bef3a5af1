"""What is released of a source after the first time: beside it, or night after night; drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.falsifier.case import FILES, Case, Row
from benchmarks.falsifier.values import ALIKE, DECIMALS, FLOATS, WHOLE

# How often a job has further releases.
_OFTEN = 0.05
# Searches of further releases: those that leave the rows of a tuple together.
_ALGORITHMS: tuple[Mapping[str, Any], ...] = (
    {"name": "witness"}, {"name": "datafly"}, {"name": "sweep"}, {"name": "mondrian"}, {"name": "full-subtree"},
)  # fmt: skip
_SEVERAL = ("witness", "datafly", "full-subtree", "mondrian")


def drawn(rng: Random, made: Case) -> Case:
    """A case with a history, where it can have one."""
    if rng.random() > _OFTEN:
        return made
    numbered = any(column.name == "id" and column.role == "keep" for column in made.columns)
    beside = made.l_diversity or made.models or made.of_population or made.as_set or made.in_python
    if not numbered or beside or len(made.rows) < 4:
        return made
    with_nights = _with_nights(rng, made) if rng.random() < 0.4 else None
    if with_nights is not None:
        return with_nights
    steps = tuple(_beside(rng, made, number) for number in range(1, rng.randint(2, 4)))
    return replace(made, history=steps, besides=())


def _beside(rng: Random, made: Case, number: int) -> dict[str, Any]:
    """A further release of the same rows: by another algorithm, with another k, or over other quasi-identifiers."""
    several = made.qids and rng.random() < 0.8
    names = _SEVERAL if several else [str(each["name"]) for each in _ALGORITHMS]
    return {
        "algorithm": {"name": rng.choice(names)},
        "k": None if several else rng.choice([made.k or 2, 1, 2, 3]),
        "qids": made.qids if several else (),
        "suppression": "0" if several else rng.choice(["0", "0", "0.1", "0.5"]),
        "against": sorted(rng.sample(range(number), rng.randint(0, number))),
        "accept": rng.choice([None, None, None, 1, 2]),
    }


def _with_nights(rng: Random, made: Case) -> Case | None:
    """Refreshed by sweep, while rows come, go and change; None where the job cannot be."""
    kinds = {column.kind for column in made.released}
    plain = not kinds & set(ALIKE) and made.source in (*FILES, "duckdb", "query") and made.target in ("csv", "parquet")
    if not plain or made.qids or made.person or made.files == "several":
        return None
    held = kinds <= {"text", "date", "bytes", *WHOLE, *FLOATS, *DECIMALS}
    departures = rng.choice(["tell", "hold"]) if held else "tell"
    at = made.place("id")
    rows, steps = made.rows, []
    for night in range(1, rng.randint(2, 4)):
        going = rng.choice([0, 0, 1, 3])
        stays = [row for row in rows if row not in rng.sample(rows, min(going, len(rows) - 1))]
        come = [_new(rng, made.rows, at, night, number) for number in range(rng.choice([0, 2, 5, 9]))]
        rows = (*stays, *come)
        steps.append({"rows": rows})
    return replace(
        made, history=tuple(steps), refresh=departures, algorithm={"name": "sweep"}, besides=(), objective=None,
        k=min(made.k or 2, 5), suppression=rng.choice(["0.5", "0.999", "1"]),
    )  # fmt: skip


def _new(rng: Random, rows: tuple[Row, ...], at: int, night: int, number: int) -> Row:
    """A row with the cells of others, and a number of its own."""
    cells = [rng.choice(rows)[place] for place in range(len(rows[0]))]
    new = 10_000 * night + number
    cells[at] = str(new) if isinstance(rows[0][at], str) else new
    return tuple(cells)
