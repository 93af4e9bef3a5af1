"""Several releases of one source: what all of them tell together, counted on the rows themselves.

Every row keeps a number of its own, by which it is known which row of a release is which.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import starcloak as sc
from benchmarks.falsifier import running
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.oracle import Group, Oracle
from benchmarks.falsifier.places import Places
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.running import Found, Made
from benchmarks.falsifier.values import exact

Rows = Mapping[Any, Group]  # the cells of each row that a release has, by the row's number


@dataclass(frozen=True)
class Shown:
    """A release: where it is, what its rows read, and whose each of them is."""

    place: Any
    cells: Rows


def joint(releases: Sequence[Rows], at: Sequence[int], whose: Mapping[Any, Any] | None = None) -> list[int]:
    """The sizes of the groups of rows that all releases together do not tell apart, in persons where these are told."""
    return [len(rows if whose is None else {whose[row] for row in rows}) for rows in groups(releases, at)]


def groups(releases: Sequence[Rows], at: Sequence[int]) -> list[set[Any]]:
    """The groups of rows that all releases together do not tell apart over some attributes.

    A row that a release does not have is told from all that it has.
    """
    found: dict[Any, set[Any]] = {}
    for row in {row for release in releases for row in release}:
        told = tuple(None if row not in release else tuple(release[row][place] for place in at) for release in releases)
        found.setdefault(told, set()).add(row)
    return list(found.values())


def differences(case: Case, spot: Places, made: Made, found: Found) -> None:
    """Release again as the steps of a case's history say, and compare what is told of all releases together."""
    before = [_shown(case, spot, made)]
    for number, step in enumerate(case.history, start=1):
        told = _night(case, spot, step, before) if case.refresh else _beside(case, spot, number, step, before)
        found.differences += [f"release {number}: {each}" for each in told]
        if found.differences:
            return
        if case.refresh and "rows" in step:
            case = replace(case, rows=step["rows"])


def _shown(case: Case, spot: Places, made: Made) -> Shown:
    """What a release shows of each row."""
    matched = Matched(Oracle(case), spot.read(case, made.table(case)))
    at = matched.released.names.index("id")
    numbers = [exact(str(row[at])) for row in matched.released.rows]
    place = spot.target(case)
    return Shown(place.get("path", place) if place else None, dict(zip(numbers, matched.cells, strict=True)))


def _beside(case: Case, spot: Places, number: int, step: Mapping[str, Any], before: list[Shown]) -> Iterator[str]:
    """What is wrong with a further release of the same rows, or with what is refused of it.

    First joint k of 1 is accepted, so that there is a release to count; then what is asked for.
    """
    named = [before[at].place for at in step["against"] if at < len(before) and before[at].place is not None]
    other = replace(
        case, target="csv", algorithm=step["algorithm"], k=step["k"], qids=step["qids"], against=tuple(named),
        accept=1 if named else None, suppression=step["suppression"], objective=None, history=(), besides=(),
    )  # fmt: skip
    there = replace(spot, name=f"release {number}")
    if Oracle(other).refusals:
        return
    made, error = _called(other, there)
    if made is None:
        # Of releases of which no row is known in both, or whose tuples are in several classes, nothing is told.
        if named and isinstance(error, sc.RequirementError) and "is not known" in str(error):
            return
        yield from _judged(error, other, "released, with accept")
        return
    now = _shown(other, there, made)
    yield from _classes(other, now)
    yield from _told(other, made, before, now)
    if named:
        yield from _verdict(other, there, made, step, [each for each in before if each.place in named], now)
    before.append(now)


def _verdict(
    case: Case, there: Places, made: Made, step: Mapping[str, Any], named: Sequence[Shown], now: Shown
) -> Iterator[str]:
    """Whether what is asked of joint k decides what is published; of an estimate nothing is asked."""
    if any(told["required"] and not told["exact"] for told in made.report["joint"]):
        return
    if "joint_together" not in made.report:
        return
    rows = [each.cells for each in named]
    short = {}
    for at, k in Oracle(case).qids:
        smallest = min(joint([*rows, now.cells], at, _whose(case)), default=k)
        if smallest < (k if step["accept"] is None else step["accept"]):
            short[at] = smallest
    asked, error = _called(replace(case, accept=step["accept"]), there)
    if asked is not None and short:
        yield f"certificate: joint k with {len(named)} releases is {short} over attributes, and it is published"
    if asked is None and not (short and isinstance(error, sc.RequirementError)):
        yield from _judged(error, case, f"joint k with {len(named)} releases falls short over {short}")


def _told(case: Case, made: Made, before: Sequence[Shown], now: Shown) -> Iterator[str]:
    """What the report tells of the releases, where it is exact: of each with this one, and of all together."""
    names = [column.name for column in case.quasi_identifiers]
    places = [each.place for each in before]
    for told in made.report["joint"]:
        if "required_k" in told and not told["unknown"] and told["exact"] and told["release"] in places:
            earlier = before[places.index(told["release"])]
            yield from _figures(
                case, told, [earlier.cells, now.cells], [names.index(each) for each in told["attributes"]]
            )
    for told in made.report.get("joint_together", ()):
        # Those that are not told are of another source, or in memory. One that is released twice is two runs.
        lasting = [each.cells for each in before if each.place is not None]
        if told["exact"] and not told["required"] and len(told["runs"]) >= len(lasting):
            rows = [*lasting, now.cells]
            yield from _figures(case, told, rows, [names.index(each) for each in told["attributes"]])


def _figures(case: Case, told: Mapping[str, Any], rows: Sequence[Rows], at: Sequence[int]) -> Iterator[str]:
    sizes, members = joint(rows, at, _whose(case)), groups(rows, at)
    below = sum(len(those) for size, those in zip(sizes, members, strict=True) if size < told["required_k"])
    counted = {"k": min(sizes, default=None), "groups": len(sizes), "rows_below": below}
    if counted != {name: told[name] for name in counted}:
        yield f"joint: {told} told of {len(rows)} releases, {counted} counted"


def _classes(case: Case, now: Shown) -> Iterator[str]:
    """Whether a release by itself is what it has to be."""
    for at, k in Oracle(case).qids:
        sizes = joint([now.cells], at, _whose(case))
        if min(sizes, default=k) < k:
            yield f"certificate: a class of {min(sizes)} over {at} where k = {k}"


def _night(case: Case, spot: Places, step: Mapping[str, Any], before: list[Shown]) -> Iterator[str]:
    """What is wrong with a refresh, after rows came, went or changed."""
    other = replace(case, rows=step["rows"], history=(), besides=())
    spot.rewrite(other)
    made, error = _called(other, spot)
    if made is None:
        if not Oracle(other).refusals:
            yield from _judged(error, other, "refreshed")
        return
    now = _shown(other, spot, made)
    yield from _classes(other, now)
    yield from _stays(case, other, before[-1], now)
    last = [each.cells for each in before] + [now.cells]
    everything = range(len(other.quasi_identifiers))
    if (_only_came(case, other) or case.refresh == "hold") and case.k is not None:
        pair = joint(last[-2:], everything)
        if min(pair, default=case.k) < case.k:
            yield f"certificate: joint k with the night before is {min(pair)}, where k = {case.k}"
    before.append(now)


def _stays(case: Case, other: Case, before: Shown, now: Shown) -> Iterator[str]:
    """Rows that are in the source as they were, and in both releases, read the same in both.

    But where fewer than k of a class are left, which go with the new ones.
    """
    old, new = _by_number(case), _by_number(other)
    as_they_were = {row for row in before.cells if old.get(row) == new.get(row)}
    left = Counter(before.cells[row] for row in as_they_were)
    for row in as_they_were & now.cells.keys():
        if before.cells[row] != now.cells[row] and left[before.cells[row]] >= (case.k or 1):
            yield f"refresh: row {row} was {before.cells[row]}, and is {now.cells[row]}"
            return


def _by_number(case: Case) -> dict[Any, Any]:
    at = case.place("id")
    return {exact(str(row[at])): exact(row) for row in case.rows}


def _only_came(case: Case, other: Case) -> bool:
    """Whether every row is there as it was."""
    new = _by_number(other)
    return all(new.get(row) == cells for row, cells in _by_number(case).items())


def _whose(case: Case) -> dict[Any, Any] | None:
    """Whose each row is, by its number."""
    if case.person is None:
        return None
    return dict(zip((exact(str(number)) for number in case.cells("id")), case.cells(case.person), strict=True))


def _called(case: Case, spot: Places) -> tuple[Made | None, Exception | None]:
    try:
        return running.call(case, spot, force=True), None
    except Exception as error:
        return None, error


def _judged(error: Exception | None, case: Case, what: str) -> Iterator[str]:
    """An error where there must be a release."""
    assert error is not None
    if not isinstance(error, sc.StarcloakError):
        yield f"traceback {type(error).__name__}: {''.join(traceback.format_exception(error))}"
        return
    if not any(type(error).__name__ == each.error and each.part in str(error) for each in Oracle(case).possible):
        yield f"error {type(error).__name__}: {str(error)!r}, where {what}"
