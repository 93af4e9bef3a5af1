"""What every algorithm promises of its release besides k, held against the rows themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from benchmarks.falsifier import refinements
from benchmarks.falsifier.masks import Masks, Value, place
from benchmarks.falsifier.oracle import Oracle
from benchmarks.falsifier.released import Matched
from benchmarks.falsifier.trees import Text, Tree

# Ratios that differ by less are equal.
_NEAR = 1e-9


def differences(matched: Matched, report: dict[str, Any]) -> list[str]:
    """What is not as `starcloak algorithms` says. Most needs to know which row is which."""
    oracle, found = matched.oracle, []
    search = report["search"]
    if oracle.name == "kaca":
        found += _kaca(oracle, report)
    if oracle.name in ("mondrian", "full-subgraph") and len(matched.classes) > search["partitioning"]["regions"]:
        found.append(f"regions: {search['partitioning']['regions']} told, {len(matched.classes)} classes counted")
    if oracle.name == "sweep":
        told, counted = search["sweep"], len(matched.classes)
        # Two classes are one for whoever reads the release where values of several levels read the same.
        merged = told["classes"] > counted and _reads_alike(oracle)
        if (told["classes"] != counted and not merged) or told["suppressed"] != report["suppressed_rows"]:
            found.append(f"sweep: {told} told, {counted} classes counted")
    if not matched.identified:
        return found
    one = _Single(oracle.among(matched.pairs.values()), Masks.of(matched))
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "full-subtree": one.refinable,
        "ordered-set": one.refinable,
        "unrestricted": one.lowerable,
        "tdr": lambda: refinements.differences(one.oracle, one.masks, search["refinement"]),
        "mondrian": lambda: _regions(matched, report),
        "full-subgraph": lambda: _regions(matched, report),
        "cell-suppression": lambda: _suppressed(matched),
        "sweep": lambda: _closest(matched),
    }
    if oracle.name in checks:
        found += checks[oracle.name]()
    return found


def _kaca(oracle: Oracle, report: dict[str, Any]) -> list[str]:
    found = []
    settings, clustering = oracle.case.algorithm, report["search"]["clustering"]
    far = report["suppressed_rows"] - len(oracle.hopeless)
    if clustering["suppressed"] != far:
        found.append(f"clustering: {clustering['suppressed']} suppressed told, {far} for their distance")
    if far and "distance_threshold" not in settings:
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

    oracle: Oracle
    masks: Masks

    @property
    def goes(self) -> Sequence[Mapping[Text, Value]]:
        return self.masks.goes

    def holds(self, at: int, changed: Mapping[Text, Value]) -> bool:
        """Whether the requirement would hold if leaves of one attribute went elsewhere."""
        return self.oracle.holds(self.masks.changed(at, changed).groups, at)

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
            places = sorted({place(tree, leaf) for leaf in leaves})
            for split in places[1:]:
                if self.holds(at, {leaf: ("above", place(tree, leaf) >= split) for leaf in leaves}):
                    yield f"minimal: interval {value!r} of attribute {at} can be split"
                    break

    def lowerable(self) -> Iterator[str]:
        """Leaves that could go to a lower level; those that ``from`` makes one are one."""
        for at, tree in enumerate(self.oracle.trees):
            for leaf, value in self.goes[at].items():
                path = tree.paths[leaf]
                alike = [
                    other
                    for other in self.goes[at]
                    if other == leaf or (tree.floored and tree.paths[other][0] == path[0])
                ]
                level = path.index(value)
                for lower in range(0 if self._shared(at, leaf, level) else level):
                    # A value of a lower level that others go to is theirs, too.
                    if (
                        path[lower] != value
                        and self.holds(at, dict.fromkeys(alike, path[lower]))
                        and not self._shared(at, leaf, lower)
                    ):
                        yield f"minimal: leaf {leaf!r} of attribute {at} can go down to {path[lower]!r}"

    def _shared(self, at: int, leaf: Text, level: int) -> bool:
        """Whether another level has a value that reads the same: then the cells do not tell what was refused."""
        tree = self.oracle.trees[at]
        text = tree.paths[leaf][level]
        return any(value == text and other != level for path in tree.paths.values() for other, value in enumerate(path))


def _regions(matched: Matched, report: dict[str, Any]) -> Iterator[str]:
    """Regions that could be cut; strict ones of one QID, where each is a class of its own."""
    oracle = matched.oracle
    if len(oracle.qids) > 1:  # a cut may leave too few in a group that other regions are in
        return
    if oracle.case.algorithm.get("relaxed") or report["search"]["partitioning"]["regions"] != len(matched.classes):
        return
    k = max(k for _, k in oracle.qids)
    members: dict[Any, list[int]] = defaultdict(list)
    where: dict[Any, set[Any]] = defaultdict(set)
    for row, source in matched.pairs.items():
        members[matched.cells[row]].append(source)
        where[oracle.texts[source]].add(matched.cells[row])
    if any(len(cells) > 1 for cells in where.values()):
        yield "regions: rows of one tuple are in several"
    for cells, rows in members.items():
        for at, tree in enumerate(oracle.trees):
            leaves = {row: oracle.texts[row][at] for row in rows}
            if tree.numeric and oracle.name == "mondrian":
                ways: list[dict[int, Value]]
                ranked = sorted({(*place(tree, leaf), leaf or "") for leaf in leaves.values()})
                ways = [
                    {row: (*place(tree, leaf), leaf or "") >= split for row, leaf in leaves.items()}
                    for split in ranked[1:]
                ]
            else:
                level = tree.common(leaves.values())
                ways = [{row: tree.paths[leaf][level - 1] for row, leaf in leaves.items()}] if level else []
            if any(oracle.divides(way, k) for way in ways):
                yield f"minimal: region {cells} can be cut on attribute {at}"


def _suppressed(matched: Matched) -> Iterator[str]:
    """Groups that could have a suppressed attribute back."""
    oracle = matched.oracle
    members: dict[Any, list[int]] = defaultdict(list)
    for row, source in matched.pairs.items():
        members[matched.cells[row]].append(source)
    for cells, rows in members.items():
        for at, cell in enumerate(cells):
            back = {row: oracle.texts[row][at] for row in rows}
            if cell == "*" not in back.values() and oracle.divides(back, oracle.k, parts=1):
                yield f"minimal: group {cells} can have attribute {at} back"


def _reads_alike(oracle: Oracle) -> bool:
    """Whether values of two levels read the same, so that two classes may look like one."""
    return any(tree.reads_alike for tree in oracle.trees)


def _closest(matched: Matched) -> Iterator[str]:
    """Classes that are generalized further than their rows need, where it shows which rows are one class.

    Of sets these are rows of persons who have the same history.
    """
    oracle = matched.oracle
    if _reads_alike(oracle):
        return
    members: dict[Any, list[int]] = defaultdict(list)
    cells_of = {source: matched.cells[row] for row, source in matched.pairs.items()}
    alike: Mapping[Any, Sequence[Iterable[int]]] = (
        oracle.histories(cells_of) if oracle.case.as_set else {None: [cells_of]}
    )
    for history, persons in alike.items():
        for source in chain.from_iterable(persons):
            members[history, cells_of[source]].append(source)
    for (_, cells), rows in members.items():
        for at, (tree, cell) in enumerate(zip(oracle.trees, cells, strict=True)):
            leaves = [oracle.texts[row][at] for row in rows]
            if tree.paths[leaves[0]][tree.common(leaves)] != cell:
                yield f"closest: class {cells} is not the closest common generalization in attribute {at}"
