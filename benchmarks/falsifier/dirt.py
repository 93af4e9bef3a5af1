"""Texts that are dirty in the source and clean again by the job: the oracle knows the clean ones alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.falsifier.case import Case

_SPACES = " \t\n\r\v\f\u00a0\u2007\u202f\u3000\ufeff"
_AROUND = (("", ""), (" ", ""), ("\u00a0", " "), ("", "  "))
_MISSING, _OTHERWISE = "n. a.", "so it is written: "
# What else may be done with them: all that is told of the rows as the job has them.
_BESIDES = ("again", "yaml", "no insight", "script", "check", "others", "cube", "dimensions")


def drawn(rng: Random, made: Case) -> Case:
    """A case some of whose columns of texts are dirty in the source."""
    if made.history or made.of_population or made.broken or rng.random() > 0.2:
        return made
    fitting = [
        column.name
        for column in made.columns
        if column.kind == "text"
        and column.role in ("quasi_identifiers", "sensitive", "keep")
        and all(_is_clean(cell) for cell in made.cells(column.name))
    ]
    chosen = tuple(name for name in fitting if rng.random() < 0.8)
    besides = tuple(each for each in made.besides if each in _BESIDES)
    return replace(made, dirty=chosen, besides=besides) if chosen else made


def _is_clean(cell: str | None) -> bool:
    return cell is None or (
        cell == cell.strip(_SPACES) and cell != _MISSING and not cell.startswith(_OTHERWISE) and "\0" not in cell
    )


def rules(case: Case) -> Mapping[str, Any]:
    """How a job has the dirty columns of a case cleaned."""
    found = {}
    for name in case.dirty:
        other = {f"{_OTHERWISE}{at}": cell for at, cell in enumerate(_other(case, name))}
        found[name] = {"trim": True, "missing": [_MISSING], **({"map": other} if other else {})}
    return found


def _other(case: Case, name: str) -> list[str]:
    """The texts that are written otherwise in some rows."""
    return sorted({cell for cell in case.cells(name) if cell is not None})[:2]


def soiled(case: Case) -> Case:
    """The case with the cells that its source has."""
    if not case.dirty:
        return case
    others = {case.place(name): _other(case, name) for name in case.dirty}
    rows = tuple(
        tuple(_soiled(cell, at + number, others[at]) if at in others else cell for at, cell in enumerate(row))
        for number, row in enumerate(case.rows)
    )
    return replace(case, rows=rows, dirty=())


def _soiled(cell: str | None, turn: int, others: list[str]) -> str | None:
    before, after = _AROUND[turn % len(_AROUND)]
    if cell is None:
        return None if turn % 2 else f"{before}{_MISSING}{after}"
    if cell in others and turn % 3 == 0:
        cell = f"{_OTHERWISE}{others.index(cell)}"
    return f"{before}{cell}{after}"
