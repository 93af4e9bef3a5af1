"""What is done besides one run: again, after a change, with a cube that was kept, and to other rows."""

from __future__ import annotations

import traceback
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pandas

from benchmarks.falsifier import comparing, running, trees
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.places import Places, frame
from benchmarks.falsifier.released import Matched, holds
from benchmarks.falsifier.running import Found, Made
from benchmarks.falsifier.values import exact
from starcloak.base.errors import HierarchyError

# What changes between two runs; after "order" nothing did.
CHANGES = ("kept", "value", "row", "twice", "order", "k", "hierarchy", "seed", "people")


def again(case: Case, spot: Places) -> list[str]:
    """A second run does nothing, and says so; of a release in memory there is no second one.

    What functions do now is not known from what they did before, nor what comes of so many seconds. Where an identifier
    repeats, its rows are counted anew.
    """
    if case.target == "memory" or "dimensions" in case.besides or case.is_timed:
        return []
    before = spot.read(case).rows
    try:
        made = running.call(case, spot)
    except Exception as error:
        return [f"again: {''.join(traceback.format_exception(error))}"]
    same = sorted(map(exact, before)) == sorted(map(exact, spot.read(case).rows))
    unchanged = made.report["unchanged"]
    kept = not case.in_python and not made.report["by_identifier"]
    return [] if unchanged == kept and same else [f"again: unchanged {unchanged}, same rows {same}"]


def changed(case: Case, spot: Places, found: Found) -> None:
    """After a change, a run does not say that nothing changed, and its release is as right as the first."""
    other = after(case)
    if case.target == "memory" or other is None:
        return
    spot.rewrite(other)
    before = spot.snapshot(other)
    made = running.run(other, spot, found)
    kept = case.change == "order" and not {"dimensions", "cube"} & set(case.besides)
    kept |= "cube" in case.besides and other.k == _of_cube(case) and case.change == "k"
    kept &= not case.in_python
    if made is None:
        found.differences += spot.changed(other, before)
    elif made.report["unchanged"] != (kept and not made.report["by_identifier"]) and not case.is_timed:
        found.differences.append(f"unchanged: {made.report['unchanged']} after a change of {case.change}")
    else:
        found.differences += comparing.differences(other, spot, made)
    found.differences = [f"changed {difference}" for difference in found.differences]


def after(case: Case) -> Case | None:
    """The case after its change; None where that changes nothing."""
    if case.change in ("kept", "value"):
        return _cell(case)
    if case.change == "row":
        return replace(case, rows=case.rows[:-1]) if len(case.rows) > 1 else None
    if case.change == "twice":
        return replace(case, rows=(*case.rows, case.rows[0]))
    if case.change == "order":
        return replace(case, rows=case.rows[::-1])
    if case.change == "k":
        return None if case.k is None else replace(case, k=case.k + 1)
    if case.change == "people":
        return replace(case, population=(*case.population, case.population[0])) if case.population else None
    if case.change == "seed":
        return replace(case, seed=case.seed + 1)
    first = case.quasi_identifiers[0]
    if trees.parted(first.hierarchy)[0] == "suppress":
        return None
    simple = replace(first, hierarchy="suppress")
    return replace(case, columns=tuple(simple if column is first else column for column in case.columns))


def _cell(case: Case) -> Case | None:
    """The case with one cell of the first row that has another row's value in its column."""
    roles = ("sensitive", "keep") if case.change == "kept" else ("quasi_identifiers",)
    for at, column in enumerate(case.columns):
        if column.role in roles and column.name != "id":
            others = [row[at] for row in case.rows if exact(row[at]) != exact(case.rows[0][at])]
            if others:
                first = (*case.rows[0][:at], others[0], *case.rows[0][at + 1 :])
                return replace(case, rows=(first, *case.rows[1:]))
    return None


def cube(case: Case, spot: Places, found: Found) -> None:
    """The cube that a run kept serves another k, and tells the same."""
    other = replace(case, k=_of_cube(case))
    made = running.run(other, spot, found)
    if made is not None:
        found.differences += [f"cube {each}" for each in comparing.differences(other, spot, made)]


def _of_cube(case: Case) -> int:
    """The other k that the cube serves, which is that of the release then."""
    assert case.k is not None
    return case.k % 3 + 1


def applied(case: Case, spot: Places, made: Made) -> list[str]:
    """Top-Down Refinement's masking of the source's own rows is that of the release, and holds for new numbers."""
    texts = all(column.kind == "text" for column in case.columns if column.name != "id")
    if made.release is None or not (case.source in ("frame", "csv") or texts):
        return []
    matched = Matched(Oracle(case), spot.read(case, made.table(case)))
    if not matched.identified:
        return []
    oracle, table = matched.oracle, frame(case)
    try:
        masked = made.release.apply(table, k=1)
    except HierarchyError:  # columns of the source's own table, which no other one has
        return []
    expected: dict[int, Any] = {source: matched.cells[row] for row, source in matched.pairs.items()}
    found = []
    names = [column.name for column in case.quasi_identifiers]
    for at, row in enumerate(masked[names].itertuples(index=False, name=None)):
        cells = tuple(None if pandas.isna(cell) else str(cell) for cell in row)
        if cells != expected.get(at, cells):  # a row that was left out is masked, too
            found.append(f"apply: row {at} is masked as {cells}, and released as {expected[at]}")
            break
    identifiers = {column.name for column in case.of("identifiers")}
    kept = [name for name in table.columns if name not in identifiers]
    others = [name for name in kept if name not in names]
    if list(masked.columns) != kept or not masked[others].equals(table[others]):
        found.append("apply: other columns changed")
    for column, tree in zip(case.quasi_identifiers, oracle.trees, strict=True):
        if not tree.numeric or column.kind != "text":
            continue
        numbers = sorted(number for number in tree.numbers.values() if number is not None)
        new = {str(float(one + other) / 2) for one, other in pairwise(numbers) if other - one < 10**6}
        new = {each for each in new if "e" not in each} | {"-5", "10000"}
        more = pandas.concat([table.head(1)] * len(new), ignore_index=True).assign(**{column.name: sorted(new)})
        grown = replace_leaves(tree, sorted(new))
        for leaf, cell in zip(sorted(new), made.release.apply(more, k=1)[column.name], strict=True):
            if cell != "*" and not holds(cell, leaf, grown, "tdr"):
                found.append(f"apply: {leaf} goes to {cell}")
    return found


def replace_leaves(tree: Any, leaves: list[str]) -> Any:
    """A numeric tree with other leaves."""
    from benchmarks.falsifier.trees import Tree, number

    return Tree({leaf: (leaf, "*") for leaf in leaves}, 1, {leaf: number(leaf) for leaf in leaves}, whole=1)
