"""What the searches of the lattice promise, held against brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from benchmarks.falsifier.oracle import COMPLETE, Group, Node, Oracle
from benchmarks.falsifier.trees import node_of


def differences(oracle: Oracle, report: dict[str, Any]) -> list[str]:
    """What a search of full-domain generalizations tells that is not so."""
    search, found = report["search"], []
    node = node_of(
        oracle.trees, (report["recoding"]["levels"][column.name] for column in oracle.case.quasi_identifiers)
    )
    if node not in oracle.anonymous:
        return [f"node: {node} does not satisfy the requirement"]
    size = 1
    for tree in oracle.trees:
        size *= tree.height + 1
    if search["lattice_nodes"] != size:
        found.append(f"lattice: {search['lattice_nodes']} nodes told, {size} counted")
    if search["complete"] != (oracle.name in COMPLETE):
        found.append(f"complete: {search['complete']}")
    minimal = [node_of(oracle.trees, levels) for levels in search["minimal"]]
    if oracle.name == "samarati":
        if sum(node) != min(map(sum, oracle.anonymous)) or minimal != [node]:
            found.append(f"height: {node} is not the lowest")
    elif oracle.name == "datafly":
        if node != oracle.datafly:
            found.append(f"datafly: {node}, by hand {oracle.datafly}")
    else:
        found += _complete(oracle, search, minimal, node)
    return found


def _complete(
    oracle: Oracle, search: dict[str, Any], minimal: list[tuple[int, ...]], node: tuple[int, ...]
) -> list[str]:
    found = []
    if search["anonymous_nodes"] != len(oracle.anonymous):
        found.append(f"anonymous: {search['anonymous_nodes']} nodes told, {len(oracle.anonymous)} counted")
    if set(minimal) != oracle.minimal or len(minimal) != len(oracle.minimal):
        found.append(f"minimal: {minimal} told, {sorted(oracle.minimal)} counted")
    if [sum(levels) for levels in minimal] != sorted(map(sum, minimal)):
        found.append(f"minimal: {minimal} are not by height")
    if node != (best := _best(oracle)):
        found.append(f"objective: {node} taken, {best} is better")
    return found


def _best(oracle: Oracle) -> Node:
    """The node that the objective takes: of equal costs the one of most classes, then the lowest, then by levels.

    Levels are compared in the order of the columns' names.
    """
    names = [column.name for column in oracle.case.quasi_identifiers]
    order = sorted(range(len(names)), key=lambda place: names[place])

    def rank(node: Node) -> tuple[float, int, int, list[int]]:
        cost = round(float(_cost(oracle, node)), 9)
        return cost, -len(_kept(oracle, node)), sum(node), [node[place] for place in order]

    return min(oracle.anonymous, key=rank)


def _kept(oracle: Oracle, node: Node) -> Counter[Group]:
    """The classes of the rows that are released at a node, with their sizes."""
    gone = set() if oracle.case.as_set else oracle.gone(node)
    return Counter(group for row, group in enumerate(oracle.groups(node)) if row not in gone)


def _cost(oracle: Oracle, node: Node) -> Fraction | float:
    """What the objective charges for a node, what is lost in each column by its importance."""
    case = oracle.case
    importance = [Fraction(column.importance) for column in case.quasi_identifiers]
    groups, kept = oracle.groups(node), _kept(oracle, node)
    rows, left = len(groups), len(groups) - sum(kept.values())
    match (case.objective or {}).get("minimize", "loss"):
        case "height":
            return sum((level * times for level, times in zip(node, importance, strict=True)), Fraction(0))
        case "discernibility":
            return Fraction(sum(size * size for size in kept.values()) + left * rows)
        case "average_class_size":
            return Fraction(rows - left, len(kept) * oracle.k) if kept else float("inf")
        case "precision" | "distortion":
            climbed = zip(node, oracle.trees, importance, strict=True)
            shares = sum((times * tree.share(level) for level, tree, times in climbed), Fraction(0))
            return ((rows - left) * shares / sum(importance) + left) / rows
    total = Fraction(left * sum(importance))
    for group, size in kept.items():
        for level, value, tree, times in zip(node, group, oracle.trees, importance, strict=True):
            total += size * times * tree.loss(level, value)
    return total / rows / sum(importance)
