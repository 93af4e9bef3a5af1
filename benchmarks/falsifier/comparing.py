"""A release held against the oracle: rows, report, promises, measures, and what stands beside it."""

from __future__ import annotations

from dataclasses import replace

import starcloak as sc
from benchmarks.falsifier import bounds, errors, guarantees, lattices, measured, released, running
from benchmarks.falsifier.case import Case, Column
from benchmarks.falsifier.hosts import Database
from benchmarks.falsifier.oracle import FULL_DOMAIN, Oracle
from benchmarks.falsifier.places import DIMENSION, RELEASE, TABLE, Places
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.running import Made

_LEDGER = "starcloak_releases"


def differences(case: Case, spot: Places, made: Made) -> list[str]:
    """What is wrong with a release and with its report."""
    matched = Matched(Oracle(case), spot.read(case, made.table(case)))
    found = released.differences(matched, made.report)
    if found:
        return found
    if (made.report["insight"] is None) != ("no insight" in case.besides):
        found.append(f"insight: {made.report['insight']}, where the job says {case.besides}")
    if matched.oracle.name in FULL_DOMAIN:
        found += lattices.differences(matched.oracle, made.report)
    # Models decide where other searches stop; and of a population, these count the people who are like a class's rows.
    if not case.models and not case.of_population:
        found += guarantees.differences(matched, made.report)
    found += measured.differences(matched, made.report)
    return found + _tables(case, spot, matched)


def suppressed(case: Case, spot: Places) -> list[str]:
    """What is wrong with a refusal of too many suppressed cells: by the release that there is without it."""
    asked = bounds.shares_of(case)
    other = replace(bounds.without_shares(case), target="csv", history=(), besides=())
    there = replace(spot, name="with any share")
    try:
        made = running.call(other, there)
    except sc.StarcloakError as error:  # a file may not keep what its own place does
        return errors.judged(other, error, [*Oracle(other).refusals, *Oracle(other).possible])
    matched = Matched(Oracle(other), there.read(other, made.table(other)))
    names, rows = [column.name for column in case.quasi_identifiers], len(matched.cells)
    counted = {name: matched.suppressed(names.index(name)) for name in asked}
    if case.is_timed or any(counted[name] > most * rows for name, most in asked.items()):
        return []
    return [f"suppressed: refused, where {counted} of {rows} cells are and {asked} may be"]


def _tables(case: Case, spot: Places, matched: Matched) -> list[str]:
    """Tables beside a release that should not be there, or that are not what they should be."""
    home = spot.home(case)
    if home is None:
        return []
    own = {RELEASE, _LEDGER} | ({TABLE} if not case.moves else set())
    if case.target not in ("here", "fresh"):
        own.add("another")
    if "dimensions" in case.besides:
        own |= {_kept(column) for column in case.quasi_identifiers}
    found = {name for name in home.tables() if not name.startswith(DIMENSION)}
    if found != own:
        return [f"tables: {sorted(found ^ own)} too many or missing"]
    return _dimensions(case, home, matched) if "dimensions" in case.besides else []


def _kept(column: Column) -> str:
    """The dimension table that stays beside a release."""
    return f"{RELEASE}_dim_{column.name}"


def _dimensions(case: Case, home: Database, matched: Matched) -> list[str]:
    """Dimension tables that have anything but the released cells and what is above them, or lack some."""
    found = []
    for at, (column, tree) in enumerate(zip(case.quasi_identifiers, matched.oracle.trees, strict=True)):
        rows = {tuple(row) for row in home.read(_kept(column)).rows}
        paths = [tuple(path) for path in tree.paths.values()]
        above = {(path[level],) * level + path[level:] for path in paths for level in range(len(path))}
        if tree.numeric:  # intervals may have grown between its leaves and its top
            rows, above = {(row[0], row[-1]) for row in rows}, {(row[0], path[-1]) for row in rows for path in paths}
        if {row[0] for row in rows} != {cells[at] for cells in matched.cells}:
            found.append(f"dimensions: the leaves of {_kept(column)} are not the released cells")
        elif not rows <= above:
            found.append(f"dimensions: {_kept(column)} is not what is above the released cells")
    return found
