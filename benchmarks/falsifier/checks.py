"""What a check must tell, counted from the rows."""

from __future__ import annotations

import traceback
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from typing import Any

import starcloak as sc
from benchmarks.falsifier import privacy
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.errors import judged
from benchmarks.falsifier.keeping import uncounted
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.trees import Refusal
from benchmarks.falsifier.values import ALIKE, exact, same
from starcloak.store.resources import Resources


@dataclass(frozen=True)
class Verdict:
    """What a check must tell of one quasi-identifier, or of its diversity: of a release no count of 1 to k - 1."""

    holds: bool
    least: float | None
    classes: int | None
    violating_classes: int | None
    violating_rows: int | None


@dataclass(frozen=True)
class Table:
    """The rows of a table, and the positions of the sensitive columns whose values are counted, with their l."""

    rows: Sequence[Sequence[Any]]
    sensitive: Mapping[int, int]
    person: int | None = None
    as_set: bool = False
    is_release: bool = False

    def anonymity(self, at: Sequence[int], k: int) -> Verdict:
        """The verdict over the columns at some positions."""
        sizes = self._sizes(at)
        few = [rows for size, rows in sizes if size < k]
        classes = None if self.is_release and len(self.rows) < k else len(sizes)
        least = None if few else min(size for size, _ in sizes)
        return Verdict(not few, least, classes, self._told(len(few), k), self._told(sum(few), k))

    def _sizes(self, at: Sequence[int]) -> list[tuple[int, int]]:
        """What k counts in each class, and its rows; of persons as sets, those with one history are a class."""
        groups = [tuple(exact(row[place]) for place in at) for row in self.rows]
        whose = range(len(self.rows)) if self.person is None else [row[self.person] for row in self.rows]
        if not self.as_set:
            members: dict[Any, list[Any]] = defaultdict(list)
            for group, person in zip(groups, whose, strict=True):
                members[group].append(person)
            return [(len(set(persons)), len(persons)) for persons in members.values()]
        histories: dict[Any, list[Any]] = defaultdict(list)
        for group, person in zip(groups, whose, strict=True):
            histories[person].append(group)
        alike = Counter(tuple(sorted(history)) for history in histories.values())
        return [(persons, persons * len(history)) for history, persons in alike.items()]

    def diversity(self, at: Sequence[int], k: int, sensitive: int) -> Verdict:
        """The same of distinct l-diversity, with the fewest values of a class."""
        values: dict[Any, set[Any]] = {}
        sizes: Counter[Any] = Counter()
        for number, row in enumerate(self.rows):
            group = tuple(exact(row[place]) for place in at)
            pairs = values.setdefault(group, set())
            whose = number if self.person is None else row[self.person]
            pairs.update([] if row[sensitive] is None else [(same(row[sensitive]), whose)])
            sizes[group] += 1
        # One that all persons have who have any is the only one.
        learned = self.person is not None
        different = {
            group: 1 if learned and privacy.shared(pairs) else len({value for value, _ in pairs})
            for group, pairs in values.items()
        }
        few = [group for group, found in different.items() if found < self.sensitive[sensitive]]
        least = None if few else min(different.values())
        rows = sum(sizes[group] for group in few)
        return Verdict(not few, least, None, self._told(len(few), k), self._told(rows, k))

    def holds(self, at: Sequence[int], k: int) -> bool:
        return self.anonymity(at, k).holds and all(self.diversity(at, k, each).holds for each in self.sensitive)

    def _told(self, count: int, k: int) -> int | None:
        return None if self.is_release and 0 < count < k else count


def _is_long(cell: Any) -> bool:
    """Whether a number has more digits than the decimals of a data frame."""
    return isinstance(cell, (int, Decimal)) and abs(Decimal(cell)) >= 10**38


def differences(
    case: Case, origin: Any, names: Sequence[str], rows: Sequence[Any], what: str, resources: Resources
) -> list[str]:
    """What a check of a table tells that the rows do not."""
    oracle, found = Oracle(case), []
    by_persons = what == "source" and case.person is not None and "persons" in case.besides
    as_set = by_persons and case.as_set
    sensitive = [] if as_set else case.of("sensitive")
    counted_of = [column.name for column in sensitive if column.kind not in ALIKE][:1]
    least = [{"attribute": name, "l": case.diversity} for name in counted_of]
    more: dict[str, Any] = {"l_diversity": least} if least else {}
    if by_persons:
        more["person"] = {"column": case.person, "as": "set"} if as_set else case.person
    asked = [{"attributes": list(attributes), "k": k} for attributes, k in case.requirement]
    refused = [] if rows else [Refusal("SourceError", "has no rows, so there is nothing to check")]
    refused += oracle.unreadable if what == "source" else []
    for name in counted_of:
        cells = [row[names.index(name)] for row in rows]
        refused += uncounted(case.columns[case.place(name)], case.host if what == "source" else case.home, cells)
    try:
        verdict = sc.check(origin, qids=asked, resources=resources, **more)
    except sc.StarcloakError as error:
        # A data frame has lists and maps as objects, which a frame that is read may not hold.
        nested = any(column.kind in ("list", "map", "struct") for column in case.columns)
        objects = nested and what == "release" and case.target == "memory"
        possible = [Refusal("SourceError", "holds Python objects of type ")] if objects else []
        if what == "release" and case.target == "memory" and any(map(_is_long, chain.from_iterable(rows))):
            possible.append(Refusal("SourceError", " of more than 38 digits: round them"))
        return [f"check of {each}" for each in judged(case, error, [*refused, *possible])]
    except Exception as error:
        return [f"traceback {type(error).__name__}: check of the {what}: {''.join(traceback.format_exception(error))}"]
    if refused:
        return [f"check: of the {what} accepted, where it is refused: {refused}"]
    person = names.index(str(case.person)) if by_persons else None
    is_release = what == "release" and case.target != "memory"
    table = Table(rows, {names.index(name): case.diversity for name in counted_of}, person, as_set, is_release)
    for (attributes, k), told in zip(case.requirement, verdict.qids, strict=True):
        at = [names.index(name) for name in attributes]
        counted = replace(table.anonymity(at, k), holds=table.holds(at, k))
        without = [
            name
            for name, place in zip(attributes, at, strict=True)
            if not counted.holds and len(at) > 1 and table.holds([other for other in at if other != place], k)
        ]
        if counted != Verdict(told.holds, told.k, told.classes, told.violating_classes, told.violating_rows):
            found.append(f"check: of the {what} over {attributes}, k = {k}: {told} told, {counted} counted")
        if told.holds_without != without:
            found.append(f"check: of the {what} over {attributes}: {told} told, {without} counted")
        for place, seen in zip(table.sensitive, told.models, strict=True):
            diverse = table.diversity(at, k, place)
            if diverse != Verdict(seen.holds, seen.achieved, None, seen.violating_classes, seen.violating_rows):
                found.append(f"check: l-diversity of the {what} over {attributes}: {seen} told, {diverse} counted")
    if verdict.holds != all(told.holds for told in verdict.qids):
        found.append(f"check: of the {what}: {verdict}")
    few = is_release and len(rows) < max(k for _, k in case.requirement)
    if verdict.rows != (None if few else len(rows)):
        found.append(f"check: of the {what}: {verdict.rows} rows told, {len(rows)} counted")
    return found
