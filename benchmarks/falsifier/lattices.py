"""What the searches of the lattice promise, held against brute force."""

from __future__ import annotations

from typing import Any

from benchmarks.falsifier.oracle import COMPLETE, Oracle


def differences(oracle: Oracle, report: dict[str, Any]) -> list[str]:
    """What a search of full-domain generalizations tells that is not so."""
    search, found = report["search"], []
    node = tuple(report["recoding"]["levels"][column.name] for column in oracle.case.quasi_identifiers)
    if node not in oracle.anonymous:
        return [f"node: {node} does not satisfy the requirement"]
    size = 1
    for tree in oracle.trees:
        size *= tree.height + 1
    if search["lattice_nodes"] != size:
        found.append(f"lattice: {search['lattice_nodes']} nodes told, {size} counted")
    if search["complete"] != (oracle.name in COMPLETE):
        found.append(f"complete: {search['complete']}")
    minimal = [tuple(levels) for levels in search["minimal"]]
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
    if node not in oracle.best:
        found.append(f"objective: {node} taken, {sorted(oracle.best)} are better")
    return found
