"""What a release must be: rows counted again, each matched to a source row that it is a generalization of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from benchmarks.falsifier import bounds, privacy
from benchmarks.falsifier.case import Case
from benchmarks.falsifier.hosts import Released
from benchmarks.falsifier.oracle import FULL_DOMAIN, REGIONS, SINGLE_DIMENSION, Group, Oracle
from benchmarks.falsifier.trees import Text, Tree, node_of, number
from benchmarks.falsifier.values import SPELLED, exact, same, text

_PART = re.compile(r"\[(\S+), (\S+)\)|< (\S+)|>= (\S+?)( or missing)?")
_ID = "id"


def holds(cell: Text, leaf: Text, tree: Tree, algorithm: str) -> bool:
    """Whether a cell of the release is a generalization of a leaf."""
    if cell in tree.paths[leaf]:
        return True
    if not tree.numeric or cell is None or algorithm not in ("mondrian", "tdr", "ordered-set"):
        return False
    exact_ = tree.numbers[leaf]
    found = _PART.fullmatch(cell)
    if cell == "any number":
        return exact_ is not None
    if found is None:
        return False
    if exact_ is None:
        return bool(found[5])
    lower, upper = found[1] or found[4], found[2] or found[3]
    return (not lower or exact_ >= _number(lower)) and (not upper or exact_ < _number(upper))


def covers(cell: Text, leaf: Text, tree: Tree) -> bool:
    """Whether a cell stands above a leaf."""
    return cell in tree.paths[leaf]


def _number(told: str) -> Fraction:
    exact_ = number(told)
    return Fraction(0) if exact_ is None else exact_


@dataclass(frozen=True)
class Matched:
    """A release beside its source: what is the same of both is told in the same way."""

    oracle: Oracle
    released: Released

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        """The positions in the release of quasi-identifiers and of the columns that leave as they are."""
        case = self.oracle.case
        names = [column.name for column in case.released]
        qis = [names.index(column.name) for column in case.quasi_identifiers]
        return qis, [at for at in range(len(names)) if at not in qis]

    @cached_property
    def cells(self) -> list[Group]:
        """The quasi-identifiers of every released row, as a recipient reads them."""
        qis, _ = self._places
        case = self.oracle.case
        return [
            tuple(
                text(row[at], column.kind) if row[at] is not None and not isinstance(row[at], str) else row[at]
                for at, column in zip(qis, case.quasi_identifiers, strict=True)
            )
            for row in self.released.rows
        ]

    @cached_property
    def kept(self) -> list[Any]:
        """What every released row carries besides."""
        case, (_, others) = self.oracle.case, self._places
        unlike = {at for at in others if unread(case.released[at].kind, case.target)}
        return [
            tuple(exact(row[at] is not None or None if at in unlike else row[at]) for at in others)
            for row in self.released.rows
        ]

    @cached_property
    def owned(self) -> list[Any]:
        """The same of every source row, as the place of the release holds it."""
        case = self.oracle.case
        columns = [column for column in case.released if column.role != "quasi_identifiers"]
        chosen = [(case.place(column.name), column.kind) for column in columns]
        return [tuple(exact(arrived(row[at], kind, case)) for at, kind in chosen) for row in case.rows]

    @property
    def identified(self) -> bool:
        """Whether every row carries a number of its own, so that it is known which row is which."""
        case = self.oracle.case
        numbered = any(column.name == _ID and column.role == "keep" for column in case.columns)
        return numbered and len(set(case.cells(_ID))) == len(case.rows)

    @cached_property
    def pairs(self) -> dict[int, int]:
        """The source row of each released row, each used once: a matching as large as there is one."""
        owners: dict[Any, list[int]] = defaultdict(list)
        for at, cells in enumerate(self.owned):
            owners[cells].append(at)
        name = self.oracle.name
        known: dict[tuple[Text, Text, int], bool] = {}

        def fits(cells: Group, leaves: Group) -> bool:
            for at, (cell, leaf) in enumerate(zip(cells, leaves, strict=True)):
                if (cell, leaf, at) not in known:
                    known[cell, leaf, at] = holds(cell, leaf, self.oracle.trees[at], name)
                if not known[cell, leaf, at]:
                    return False
            return True

        options = [
            [at for at in owners[kept] if fits(cells, self.oracle.texts[at])]
            for cells, kept in zip(self.cells, self.kept, strict=True)
        ]
        taken: dict[int, int] = {}

        def assign(row: int, seen: set[int]) -> bool:
            for at in options[row]:
                if at not in seen:
                    seen.add(at)
                    if at not in taken or assign(taken[at], seen):
                        taken[at] = row
                        return True
            return False

        for row in range(len(options)):
            assign(row, set())
        return {row: at for at, row in taken.items()}

    @cached_property
    def classes(self) -> Counter[Group]:
        """The equivalence classes of the release."""
        return Counter(self.cells)

    def anonymity(self, at: Sequence[int]) -> int | None:
        """The smallest class over some attributes, by persons where rows are not one's own; None without rows."""
        if self.oracle.case.as_set:
            alike = self.oracle.histories({self.pairs[row]: cells for row, cells in enumerate(self.cells)})
            return min(map(len, alike.values()), default=None)
        members: dict[Group, list[int]] = defaultdict(list)
        for place, row in enumerate(self.cells):
            members[tuple(row[each] for each in at)].append(place)
        if self.oracle.case.person is not None:
            # A row that is of no source row is nobody's.
            members = {each: [self.pairs[row] for row in rows if row in self.pairs] for each, rows in members.items()}
        return min((self.oracle.persons(rows) for rows in members.values()), default=None)

    def people(self, at: Sequence[int], node: tuple[int, ...] | None) -> int | None:
        """The fewest people whom the cells of a class over some attributes cover, at a node or at any levels."""
        oracle = self.oracle
        classes = {tuple(row[each] for each in at) for row in self.cells}
        if node is not None:
            there = oracle.people(node, at) or Counter()
            return min((there[cells] for cells in classes), default=None)
        trees = [oracle.trees[each] for each in at]
        everybody = Counter(tuple(person[each] for each in at) for person in oracle.population)
        return min(
            (
                sum(count for person, count in everybody.items() if all(map(covers, cells, person, trees)))
                for cells in classes
            ),
            default=None,
        )

    def suppressed(self, at: int) -> int:
        """How many cells of an attribute are the top of its hierarchy, as a recipient reads them."""
        tops = {path[-1] for path in self.oracle.trees[at].paths.values()}
        return sum(row[at] in tops for row in self.cells)

    def diversity(self, at: Sequence[int], sensitive: str) -> int | None:
        """The fewest different values of a sensitive column in a class over some attributes; a missing one is none.

        One that all persons have who have any is the only one.
        """
        place = self.released.names.index(sensitive)
        classes: dict[Group, set[tuple[Any, Any]]] = defaultdict(set)
        for at_row, (cells, row) in enumerate(zip(self.cells, self.released.rows, strict=True)):
            pairs = classes[tuple(cells[each] for each in at)]
            if row[place] is not None:
                pairs.add((same(row[place]), self._person(at_row)))
        return min(
            (1 if privacy.shared(pairs) else len({value for value, _ in pairs}) for pairs in classes.values()),
            default=None,
        )

    def _person(self, row: int) -> Any:
        """Whose a released row is; its own where nothing tells."""
        return row if self.oracle.whose is None or row not in self.pairs else self.oracle.whose[self.pairs[row]]


def arrived(value: Any, kind: str, case: Case) -> Any:
    """A kept value as its place must hold it; it is not looked at where the place has another type for it."""
    if value is None:
        return None
    if unread(kind, case.target):
        return True
    if case.target == "memory":  # of a data frame, where NaN is missing and identifiers are texts
        if kind == "int128":
            return Decimal(value)
        return None if value != value else str(value) if kind == "uuid" else value
    if case.target == "csv":
        return text(value, kind) or (None if value is None else "")
    if case.target == "xlsx" and isinstance(value, float):  # which has whole numbers and others in one kind
        return int(value) if value % 1 == 0 else value
    if case.target == "sqlite" and case.host != "sqlite":
        return _into_sqlite(value, kind)
    return int(value) if case.home == "mariadb" and kind == "bool" else value


def unread(kind: str, target: str) -> bool:
    """Whether a kind's values are others in a place, of which only that they are there is looked at."""
    return kind in SPELLED and kind != "nanos" and target in ("memory", "parquet")


def _into_sqlite(value: Any, kind: str) -> Any:
    """SQLite has whole numbers, binary fractions, texts and bytes: truth is 0 or 1, all else is text."""
    if kind == "bool":
        return int(value)
    if isinstance(value, (int, float, str, bytes)):
        return value
    return text(value, kind)


def differences(matched: Matched, report: dict[str, Any]) -> list[str]:
    """What is wrong with a release, whatever made it."""
    oracle, released, found = matched.oracle, matched.released, []
    case = oracle.case
    if released.names != [column.name for column in case.released]:
        return [f"columns: {released.names}"]
    rows, suppressed = len(released.rows), report["suppressed_rows"]
    if (report["rows"], report["released_rows"]) != (len(case.rows), rows):
        found.append(f"rows: {report['released_rows']} of {report['rows']} told, {rows} of {len(case.rows)} counted")
    if rows + suppressed != len(case.rows):
        found.append(f"rows: {rows} released and {suppressed} suppressed are not {len(case.rows)}")
    if suppressed > oracle.allowed:
        found.append(f"suppressed: {suppressed} of {oracle.allowed} allowed")
    for at, k in oracle.qids:
        anonymity = matched.anonymity(at)
        if anonymity is not None and anonymity < k:
            found.append(f"certificate: a class of {anonymity} over {at} where k = {k}")
        for name, least in case.l_diversity:
            diversity = matched.diversity(at, name)
            if diversity is not None and diversity < least:
                found.append(f"certificate: a class of {diversity} values of {name!r} over {at} where l = {least}")
    found += _people(matched, report) + _persons(matched, report) + _bounded(matched)
    if case.models and (len(matched.pairs) == rows or not (oracle.distant or oracle.whole or case.person)):
        found += _models(matched)
    found += _told(matched, report)
    if len(matched.pairs) < rows:
        found.append(f"match: {rows - len(matched.pairs)} released rows are of no source row")
    elif oracle.name in FULL_DOMAIN:
        found += _full_domain(matched, report)
    elif oracle.name in SINGLE_DIMENSION and matched.identified:
        found += _single_dimension(matched)
    return found


def _bounded(matched: Matched) -> list[str]:
    """Columns of which more cells are suppressed than may be, and rows that are left out without need."""
    oracle, found = matched.oracle, []
    names = [column.name for column in oracle.case.quasi_identifiers]
    for name, most in bounds.shares_of(oracle.case).items():
        suppressed = matched.suppressed(names.index(name))
        if suppressed > most * len(matched.cells):
            found.append(f"certificate: {suppressed} cells of {name!r} are suppressed, where a share of {most} may be")
    left = len(oracle.texts) - len(matched.cells)
    if oracle.name in (*SINGLE_DIMENSION, *REGIONS) and left != len(oracle.hopeless):
        found.append(f"left out: {left} rows, where {len(oracle.hopeless)} must be")
    return found


def _persons(matched: Matched, report: dict[str, Any]) -> list[str]:
    """What the report tells of persons; where their rows are sets, they are there with all of them or with none."""
    oracle, told = matched.oracle, report["persons"]
    case = oracle.case
    if case.person is None or len(matched.pairs) < len(matched.cells):
        return [] if told is None or case.person is not None else [f"persons: {told} told of nobody"]
    whose = case.cells(case.person)
    released = Counter(whose[source] for source in matched.pairs.values())
    found = []
    counted = {"told_by": [case.person], "as_set": case.as_set, "persons": len(set(whose)), "released": len(released)}
    if told != counted:
        found.append(f"persons: {told} told, {counted} counted")
    if case.as_set and any(rows < whose.count(person) for person, rows in released.items()):
        found.append("persons: some are there with a part of their rows")
    return found


def _people(matched: Matched, report: dict[str, Any]) -> list[str]:
    """Classes with fewer people than k-map asks for, and what the report tells of them."""
    oracle, found = matched.oracle, []
    least = oracle.case.k_map
    if not oracle.case.of_population:
        return []
    node = node_of(oracle.trees, report["recoding"]["levels"].values()) if oracle.name in FULL_DOMAIN else None
    for (at, _), told in zip(oracle.qids, report["requirement"]["qids"], strict=True):
        if oracle.case.presence is not None and node is not None:
            found += _present(matched, at, node, told)
        if least is None:
            continue
        people = matched.people(at, node)
        if people is not None and people < least:
            found.append(f"certificate: a class over {at} has {people} people where k-map asks for {least}")
        (achieved,) = (model["achieved"] for model in told["models"] if model["required"] == {"k": least})
        # A text of several levels is taken for that of the highest.
        if achieved != people and (node is not None or not least <= achieved <= (people or 0)):
            found.append(f"people: {achieved} told, {people} counted")
    if report["population"]["people"] != len(oracle.population):
        found.append(f"people: {report['population']} told, {len(oracle.population)} counted")
    return found


def _present(matched: Matched, at: Sequence[int], node: tuple[int, ...], told: dict[str, Any]) -> list[str]:
    """Classes of people of whom too few or too many have rows, and what the report tells of the largest share."""
    rows = Counter(tuple(row[each] for each in at) for row in matched.cells)
    people = matched.oracle.people(node, at) or Counter[Group]()
    least, most = map(Fraction, matched.oracle.case.presence or ())
    shares = {cells: Fraction(rows[cells], people[cells]) for cells in people}
    beside = {cells: share for cells, share in shares.items() if not least <= share <= most}
    found = [f"certificate: classes over {at} have shares {beside} of their people"] if beside else []
    (achieved,) = (model["achieved"] for model in told["models"] if model["required"].keys() == {"min", "max"})
    if abs(achieved - max(shares.values())) > 1e-9:
        found.append(f"people: a share of {achieved} told, {max(shares.values())} counted")
    return found


def _models(matched: Matched) -> list[str]:
    """Models that a class of a quasi-identifier violates, counted on the released rows."""
    case, found = matched.oracle.case, []
    names = matched.released.names
    cells = {
        name: [
            None if row[names.index(name)] is None else same(row[names.index(name)]) for row in matched.released.rows
        ]
        for name in {str(model["attribute"]) for _, model in case.models}
    }
    if len(matched.pairs) == len(matched.cells):  # else a row is of no source row, which is told
        sources = [matched.pairs[row] for row in range(len(matched.cells))]
        read = matched.oracle.distant if matched.oracle.whole is None else matched.oracle.models_cells
        for name, values in read.items():
            cells[name] = [values[source] for source in sources]
    whose = None if matched.oracle.whose is None else [matched.oracle.whose[source] for source in sources]
    for at, _ in matched.oracle.qids:
        groups: dict[Group, list[int]] = defaultdict(list)
        for place, row in enumerate(matched.cells):
            groups[tuple(row[each] for each in at)].append(place)
        for violated in privacy.violated(case.models, cells, list(groups.values()), matched.oracle.whole, whose):
            found.append(f"certificate: a class over {at} violates {violated}")
    return found


def _told(matched: Matched, report: dict[str, Any]) -> list[str]:
    """What the report tells of the requirement."""
    oracle, found = matched.oracle, []
    needed, redundant = oracle.required
    told = [
        (
            tuple(qid["attributes"]),
            qid["k"],
            qid["achieved_k"],
            [model["achieved"] for model in qid["models"] if model["required"].keys() == {"attribute", "l"}],
        )
        for qid in report["requirement"]["qids"]
    ]
    diverse = [name for name, _ in oracle.case.l_diversity]
    counted = [
        (names, k, matched.anonymity(at), [matched.diversity(at, name) for name in diverse])
        for (names, k), (at, _) in zip(needed, oracle.qids, strict=True)
    ]
    if told != counted:
        found.append(f"achieved k: {told} told, {counted} counted")
    if [(tuple(qid["attributes"]), qid["k"]) for qid in report["requirement"]["redundant_qids"]] != redundant:
        found.append(f"redundant: {report['requirement']['redundant_qids']}")
    smallest = matched.anonymity(range(len(oracle.trees)))
    if report["k"] != smallest:
        found.append(f"k: {report['k']} told, {smallest} counted")
    heights = dict(zip((c.name for c in oracle.case.quasi_identifiers), (t.whole for t in oracle.trees), strict=True))
    grown = {name: 2 for name, tree in zip(heights, oracle.trees, strict=True) if tree.numeric}
    if report["recoding"]["heights"] != heights and (
        oracle.name not in ("tdr", "ordered-set")
        or any(height not in (heights[name], grown.get(name)) for name, height in report["recoding"]["heights"].items())
    ):
        found.append(f"heights: {report['recoding']['heights']} told, {heights} counted")
    for name, tree in zip(heights, oracle.trees, strict=True):
        bounds = report["recoding"]["bounds"][name]
        if list(bounds) != [tree.first, tree.first + tree.height] and name not in grown:
            found.append(f"bounds: of {name!r} {bounds} told")
    return found


def _full_domain(matched: Matched, report: dict[str, Any]) -> list[str]:
    """A full-domain generalization has exactly the rows whose class at its node has k of them."""
    oracle, case = matched.oracle, matched.oracle.case
    node = node_of(oracle.trees, (report["recoding"]["levels"][column.name] for column in case.quasi_identifiers))
    groups = oracle.groups(node)
    out = oracle.gone(node)
    expected = Counter(pair for row, pair in enumerate(zip(groups, matched.owned, strict=True)) if row not in out)
    if expected != Counter(zip(matched.cells, matched.kept, strict=True)):
        return [f"generalization: its rows are not those of node {node}"]
    found = []
    names = [column.name for column in case.released]
    for column, tree, level in zip(case.quasi_identifiers, oracle.trees, node, strict=True):
        at = names.index(column.name)
        own = Counter(exact(arrived(value, column.kind, case)) for value in case.cells(column.name))
        if level == 0 and not tree.floored and Counter(exact(row[at]) for row in matched.released.rows) - own:
            found.append(f"types: column {column.name!r} stayed as it is but has other values")
    return found


def _single_dimension(matched: Matched) -> list[str]:
    """Every value of a column goes to one value."""
    found = []
    for at, column in enumerate(matched.oracle.case.quasi_identifiers):
        goes: dict[Text, set[Text]] = defaultdict(set)
        for row, source in matched.pairs.items():
            goes[matched.oracle.texts[source][at]].add(matched.cells[row][at])
        if any(len(values) > 1 for values in goes.values()):
            found.append(f"single dimension: a value of {column.name!r} goes to several")
    return found
