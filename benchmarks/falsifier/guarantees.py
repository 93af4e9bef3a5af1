"""What every algorithm promises of its release besides k, held against the rows themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import Any

from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.trees import Text, Tree
from benchmarks.falsifier.values import exact

# Information gains that differ by less are equal.
_NEAR = 1e-9

Value = Any  # what tells the value that a leaf goes to from others


def differences(matched: Matched, report: dict[str, Any]) -> list[str]:
    """What is not as `starcloak algorithms` says. Most needs to know which row is which."""
    oracle, found = matched.oracle, []
    search = report["search"]
    if oracle.name == "kaca":
        found += _kaca(oracle, report)
    if oracle.name in ("mondrian", "full-subgraph") and len(matched.classes) > search["partitioning"]["regions"]:
        found.append(f"regions: {search['partitioning']['regions']} told, {len(matched.classes)} classes counted")
    if not matched.identified:
        return found
    one = _Single(matched)
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "full-subtree": one.refinable,
        "ordered-set": one.refinable,
        "unrestricted": one.lowerable,
        "tdr": lambda: _Refined(matched).unrefined(report),
        "mondrian": lambda: _regions(matched, report),
        "full-subgraph": lambda: _regions(matched, report),
        "cell-suppression": lambda: _suppressed(matched),
    }
    if oracle.name in checks:
        found += checks[oracle.name]()
    return found


def _kaca(oracle: Oracle, report: dict[str, Any]) -> list[str]:
    found = []
    settings, clustering = oracle.case.algorithm, report["search"]["clustering"]
    if clustering["suppressed"] != report["suppressed_rows"]:
        found.append(f"clustering: {clustering['suppressed']} suppressed told, {report['suppressed_rows']} in all")
    if report["suppressed_rows"] and "distance_threshold" not in settings:
        found.append("clustering: rows are suppressed without a distance threshold")
    if settings["variant"] == "kaca2":
        most = float(settings.get("max_inconsistency", 0.1))
        beyond = {name: told for name, told in report["measures"]["inconsistency"].items() if told > most + _NEAR}
        if beyond:
            found.append(f"inconsistency: {beyond} where at most {most} is promised")
    return found


@dataclass(frozen=True)
class _Single:
    """A single-dimension recoding: where each leaf goes."""

    matched: Matched

    @property
    def oracle(self) -> Oracle:
        return self.matched.oracle

    @cached_property
    def goes(self) -> list[dict[Text, Text]]:
        """The value of every leaf that the source has, by attribute."""
        found: list[dict[Text, Text]] = [{} for _ in self.oracle.trees]
        for row, source in self.matched.pairs.items():
            for at, leaf in enumerate(self.oracle.texts[source]):
                found[at][leaf] = self.matched.cells[row][at]
        return found

    def holds(self, at: int, changed: Mapping[Text, Value]) -> bool:
        """Whether the requirement would hold if leaves of one attribute went elsewhere."""
        goes: list[Mapping[Text, Value]] = [*self.goes]
        goes[at] = {**self.goes[at], **changed}
        groups = [tuple(goes[place][leaf] for place, leaf in enumerate(row)) for row in self.oracle.texts]
        return satisfied(self.oracle, groups, at)

    def refinable(self) -> Iterator[str]:
        """Values that could be refined into their children, and intervals that could be split in two."""
        for at, tree in enumerate(self.oracle.trees):
            if tree.numeric and self.oracle.name == "ordered-set":
                yield from self._splittable(at, tree)
                continue
            under: dict[Text, list[Text]] = defaultdict(list)
            for leaf, value in self.goes[at].items():
                under[value].append(leaf)
            for value, leaves in under.items():
                # Which level it is at does not show where a value reads the same at several: the lowest then.
                levels = [
                    level
                    for level in range(tree.height + 1)
                    if all(tree.paths[leaf][level] == value for leaf in leaves)
                ]
                if not levels or levels[0] == 0:
                    continue
                children = {leaf: ("child", tree.paths[leaf][levels[0] - 1]) for leaf in leaves}
                if self.holds(at, children):
                    yield f"minimal: {value!r} of attribute {at} can be refined into its children"

    def _splittable(self, at: int, tree: Tree) -> Iterator[str]:
        under: dict[Text, list[Text]] = defaultdict(list)
        for leaf, value in self.goes[at].items():
            under[value].append(leaf)
        for value, leaves in under.items():
            places = sorted({_place(tree, leaf) for leaf in leaves})
            for split in places[1:]:
                if self.holds(at, {leaf: ("above", _place(tree, leaf) >= split) for leaf in leaves}):
                    yield f"minimal: interval {value!r} of attribute {at} can be split"
                    break

    def lowerable(self) -> Iterator[str]:
        """Leaves that could go to a lower level."""
        for at, tree in enumerate(self.oracle.trees):
            for leaf, value in self.goes[at].items():
                path = tree.paths[leaf]
                level = path.index(value)
                for lower in range(level):
                    # A value of a lower level that others go to is theirs, too.
                    if (
                        path[lower] != value
                        and self.holds(at, {leaf: path[lower]})
                        and not self._shared(at, leaf, lower)
                    ):
                        yield f"minimal: leaf {leaf!r} of attribute {at} can go down to {path[lower]!r}"

    def _shared(self, at: int, leaf: Text, level: int) -> bool:
        """Whether another level has a value that reads the same: then the cells do not tell what was refused."""
        tree = self.oracle.trees[at]
        text = tree.paths[leaf][level]
        return any(value == text and other != level for path in tree.paths.values() for other, value in enumerate(path))


def satisfied(oracle: Oracle, groups: Sequence[tuple[Value, ...]], concerned: int) -> bool:
    """Whether the QIDs that have an attribute hold over these groups."""
    return all(
        min(Counter(tuple(row[place] for place in qid) for row in groups).values()) >= k
        for qid, k in oracle.qids
        if concerned in qid
    )


def _place(tree: Tree, leaf: Text) -> tuple[bool, Fraction]:
    """Where a leaf stands among numbers: a missing one is the last."""
    number = tree.numbers[leaf]
    return number is None, number or Fraction(0)


def _regions(matched: Matched, report: dict[str, Any]) -> Iterator[str]:
    """Regions that could be cut; strict ones, where each is a class of its own."""
    oracle = matched.oracle
    if oracle.case.algorithm.get("relaxed") or report["search"]["partitioning"]["regions"] != len(matched.classes):
        return
    k = max(k for _, k in oracle.qids)
    members: dict[Any, list[Any]] = defaultdict(list)
    where: dict[Any, set[Any]] = defaultdict(set)
    for row, source in matched.pairs.items():
        members[matched.cells[row]].append(oracle.texts[source])
        where[oracle.texts[source]].add(matched.cells[row])
    if any(len(cells) > 1 for cells in where.values()):
        yield "regions: rows of one tuple are in several"
    for cells, rows in members.items():
        for at, tree in enumerate(oracle.trees):
            leaves = [row[at] for row in rows]
            if tree.numeric and oracle.name == "mondrian":
                codes = sorted((*_place(tree, leaf), leaf or "") for leaf in leaves)
                cuts = [place for place in range(1, len(codes)) if codes[place - 1] != codes[place]]
                open_ = any(min(place, len(codes) - place) >= k for place in cuts)
            else:
                level = next(
                    level for level in range(tree.height + 1) if len({tree.paths[leaf][level] for leaf in leaves}) == 1
                )
                children = Counter(tree.paths[leaf][level - 1] for leaf in leaves) if level else Counter(leaves)
                open_ = len(children) > 1 and min(children.values()) >= k
            if open_:
                yield f"minimal: region {cells} can be cut on attribute {at}"


def _suppressed(matched: Matched) -> Iterator[str]:
    """Groups that could have a suppressed attribute back."""
    oracle = matched.oracle
    members: dict[Any, list[Any]] = defaultdict(list)
    for row, source in matched.pairs.items():
        members[matched.cells[row]].append(oracle.texts[source])
    for cells, rows in members.items():
        for at, cell in enumerate(cells):
            back = Counter(row[at] for row in rows)
            if cell == "*" and set(back) != {"*"} and "*" not in back and min(back.values()) >= oracle.k:
                yield f"minimal: group {cells} can have attribute {at} back"


@dataclass(frozen=True)
class _Refined:
    """What Top-Down Refinement could still do."""

    matched: Matched

    @cached_property
    def classes(self) -> list[Any]:
        """The class of every source row."""
        case = self.matched.oracle.case
        return [exact(value) for value in case.cells(case.algorithm["class"])]

    def unrefined(self, report: dict[str, Any]) -> Iterator[str]:
        refinement, settings = report["search"]["refinement"], self.matched.oracle.case.algorithm
        most = settings.get("max_refinements")
        if refinement["stopped"] == "max_refinements":
            if len(refinement["steps"]) != most:
                yield f"refined: {len(refinement['steps'])} steps where {most} are allowed"
            return
        one = _Single(self.matched)
        oracle = one.oracle
        for at, (tree, column) in enumerate(zip(oracle.trees, oracle.case.quasi_identifiers, strict=True)):
            if column.hierarchy == "suppress":
                candidates = self._disclosures(one, at)
            elif tree.numeric:
                candidates = self._splits(one, at, tree)
            else:
                candidates = self._children(one, at, tree)
            for value, ways in candidates:
                if ways and all(one.holds(at, way) for way in ways):
                    yield f"maximal: {value!r} of attribute {at} can be refined"

    def _told(self, at: int, leaves: Sequence[Text]) -> bool:
        """Whether the rows of some leaves are of several classes."""
        rows = zip(self.matched.oracle.texts, self.classes, strict=True)
        return len({class_ for row, class_ in rows if row[at] in leaves}) > 1

    def _disclosures(self, one: _Single, at: int) -> Iterator[tuple[Text, list[Mapping[Text, Value]]]]:
        masked = [leaf for leaf, value in one.goes[at].items() if value == "*" != leaf]
        if "*" in one.goes[at] or not self._told(at, masked):
            return
        for leaf in masked:
            yield leaf, [{leaf: ("disclosed", leaf)}]

    def _children(self, one: _Single, at: int, tree: Tree) -> Iterator[tuple[Text, list[Mapping[Text, Value]]]]:
        under: dict[Text, list[Text]] = defaultdict(list)
        for leaf, value in one.goes[at].items():
            under[value].append(leaf)
        for value, leaves in under.items():
            levels = [
                level for level in range(tree.height + 1) if all(tree.paths[leaf][level] == value for leaf in leaves)
            ]
            if levels and levels[0] > 0 and self._told(at, leaves):
                yield value, [{leaf: ("child", tree.paths[leaf][levels[0] - 1]) for leaf in leaves}]

    def _splits(self, one: _Single, at: int, tree: Tree) -> Iterator[tuple[Text, list[Mapping[Text, Value]]]]:
        """The splits of an interval that tell most; of equal ones any may have been tried."""
        under: dict[Text, list[Text]] = defaultdict(list)
        for leaf, value in one.goes[at].items():
            under[value].append(leaf)
        for value, leaves in under.items():
            places = sorted({_place(tree, leaf) for leaf in leaves})
            if len(places) < 2 or not self._told(at, leaves):
                continue
            gains = {split: self._gain(at, tree, leaves, split) for split in places[1:]}
            best = max(gains.values())
            yield (
                value,
                [
                    {leaf: ("above", _place(tree, leaf) >= split) for leaf in leaves}
                    for split, gain in gains.items()
                    if gain > best - _NEAR
                ],
            )

    def _gain(self, at: int, tree: Tree, leaves: Sequence[Text], split: Any) -> float:
        parts: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
        for row, class_ in zip(self.matched.oracle.texts, self.classes, strict=True):
            if row[at] in leaves:
                parts[_place(tree, row[at]) >= split][class_] += 1
        whole = parts[0] + parts[1]
        rows = whole.total()
        return _entropy(whole) - sum(part.total() / rows * _entropy(part) for part in parts)


def _entropy(classes: Counter[Any]) -> float:
    rows = classes.total()
    return -sum(count / rows * log2(count / rows) for count in classes.values())
