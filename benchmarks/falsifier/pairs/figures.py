"""The figures of a result beside its certificates, each counted again from the hidden rows and the released cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp, log, log2
from typing import Any

from benchmarks.falsifier.pairs.publication import Cells, Publication, cells_at, groups_of
from benchmarks.falsifier.pairs.world import Draft, Night, World
from benchmarks.falsifier.privacy import moved
from benchmarks.falsifier.values import text

#: Figures of a result that nothing here or in the falsifier's oracle counts again.
UNCOUNTED = (
    "requirement.qids[].models[].achieved where persons are declared, but for distinct l, k-map and delta-presence",
    "measures.height_distortion, distortion, precision and loss of cells that may stand at several levels: held "
    "between bounds",
    "search.checked, statements, scans, rows_aggregated and iterations: work that was done",
    "search.best_effort, greedy, refinement, partitioning, sweep and clustering: the course of a search",
    "insight.before of releases that leave rows out, where persons are declared",
    "insight.alone.sets and the texts of remarks",
    "refresh.left",
    "joint[].shared[].least",
    "by_identifier of float identifiers, one of which is missing",
)
_NEAR = 1e-9


def told_wrongly(draft: Draft, world: World, night: Night, shown: Publication) -> Iterator[str]:
    """The figures of a release by itself that are not what is counted."""
    report = shown.report or {}
    whose = world.whose if draft.person in ("row", "set") else None
    yield from _nonconforming(draft, night, report)
    yield from _sizes(report, shown)
    yield from _models(report, shown) if whose is None else ()
    yield from _measures(report, shown)
    sizes = _histories(world, shown) if draft.person == "set" else _smallest(shown, whose)
    yield from _exposure(report["insight"], sizes)
    yield from _frequent(draft, night, shown)


def _nonconforming(draft: Draft, night: Night, report: Mapping[str, Any]) -> Iterator[str]:
    """Cells without a leaf, by column."""
    told: list[Any] = report["nonconforming"]
    cells, missing = night.changed["nonconforming"], night.truth.cells("age").count(None)
    counted = [{"column": "age", "become": draft.nonconforming, "cells": cells, "missing": missing}]
    # The second night's job may have another algorithm.
    if not draft.nonconforming or report["algorithm"]["name"] in ("attribute-suppression", "cell-suppression"):
        counted = []
    if told != counted and not draft.refresh:
        yield f"nonconforming: {told} told, {counted} counted"


def _sizes(report: Mapping[str, Any], shown: Publication) -> Iterator[str]:
    """Classes by size: no count of classes from 1 to k - 1 is told."""
    sizes = list(Counter(shown.cells.values()).values())
    k = report["k"] or 1
    for told in report["class_sizes"]:
        inside = [size for size in sizes if told["least"] <= size <= told["most"]]
        hidden = told["classes"] is None and 0 < len(inside) < max(k, _largest_k(report))
        if told["rows"] != sum(inside) or (told["classes"] != len(inside) and not hidden):
            yield f"class sizes: {told} told, {len(inside)} classes of {sum(inside)} rows counted"
    if sum(told["rows"] for told in report["class_sizes"]) != len(shown.cells):
        yield f"class sizes: they are not of {len(shown.cells)} rows"


def _models(report: Mapping[str, Any], shown: Publication) -> Iterator[str]:
    """The worst class by each model, in the unit of the model's parameter."""
    table = Counter(kept["ill"] for kept in shown.kept.values()) if shown.cells else Counter[Any]()
    for qid in report["requirement"]["qids"] if shown.cells else ():
        classes: dict[Hashable, Counter[Any]] = defaultdict(Counter)
        for number in shown.cells:
            classes[cells_at(shown, number, qid["attributes"])][shown.kept[number]["ill"]] += 1
        for model in qid["models"]:
            worst = _worst(model["model"], model["required"], list(classes.values()), table)
            if worst is not None and abs(model["achieved"] - worst) > _NEAR * max(1.0, worst):
                yield f"achieved: {model['achieved']} of {model['model']} told, {worst} counted"


def _worst(key: str, model: Mapping[str, Any], classes: Sequence[Counter[Any]], table: Counter[Any]) -> float | None:
    """The worst value of a model among classes; None for those that the falsifier's oracle counts."""
    shares = [{value: each[value] / each.total() for value in table} for each in classes]
    whole = {value: rows / table.total() for value, rows in table.items()}
    ratios = [share[value] / whole[value] for share in shares for value in table]
    if key == "l_diversity" and model.get("kind") == "entropy":
        return min(exp(-sum(share * log(share) for share in each.values() if share)) for each in shares)
    if key == "l_diversity" and model.get("kind") == "recursive":
        ordered = [sorted(each.values(), reverse=True) for each in classes]
        return max(rows[0] / sum(rows[model["l"] - 1 :]) for rows in ordered)
    if key == "p_sensitive":
        return min(len(each) for each in classes)
    if key == "alpha":
        return max(max(each.values()) for each in shares)
    if key == "t_closeness":
        return max(float(moved(model, each, table)) for each in classes)
    if key == "beta_likeness":
        return max(ratio - 1 for ratio in ratios)
    if key == "delta_disclosure":
        return max(abs(log2(ratio)) for ratio in ratios)
    return None


def _largest_k(report: Mapping[str, Any]) -> int:
    return max(int(qid["k"]) for qid in report["requirement"]["qids"])


def _measures(report: Mapping[str, Any], shown: Publication) -> Iterator[str]:
    """Measures that follow from classes or from other measures."""
    told = report["measures"]
    classes = len(set(shown.cells.values()))
    counted: dict[str, Any] = {"rows_per_class": len(shown.cells) / classes if classes else None}
    counted["loss"] = sum(told["attribute_loss"].values()) / len(told["attribute_loss"])
    if told["inconsistency"]:
        counted["data_set_inconsistency"] = max(told["inconsistency"].values())
    for name, value in counted.items():
        if not _near(told[name], value):
            yield f"{name}: {told[name]} told, {value} counted"
    for name, shares in told["level_shares"].items():
        own = {
            "generalization_portion": 1 - shares[min(shares, key=int)] if shares else 0,
            "inconsistency": 1 - max(shares.values()) if shares else 0,
        }
        if shares and not _near(sum(shares.values()), 1):
            yield f"level shares: those of {name!r} are {sum(shares.values())} together"
        for measure, value in own.items():
            if shares and not _near(told[measure][name], value):
                yield f"{measure}: of {name!r} {told[measure][name]} told, {value} counted"


def _near(told: float | None, counted: float | None) -> bool:
    if told is None or counted is None:
        return told is counted
    return abs(told - counted) <= _NEAR * max(1.0, abs(counted))


def _smallest(shown: Publication, whose: Mapping[int, int] | None) -> list[int]:
    """The smallest class of each row or, where it is told whose they are, of each person."""
    members: dict[Cells, set[int]] = defaultdict(set)
    for number, cells in shown.cells.items():
        members[cells].add(number if whose is None else whose[number])
    smallest: dict[int, int] = {}
    for each in members.values():
        for one in each:
            smallest[one] = min(len(each), smallest.get(one, len(each)))
    return list(smallest.values())


def _histories(world: World, shown: Publication) -> list[int]:
    """The number of persons, of each person, whose rows have the same cells, each as often."""
    cells: dict[int, Counter[Cells]] = defaultdict(Counter)
    for number, its in shown.cells.items():
        cells[world.whose[number]][its] += 1
    alike = Counter(frozenset(each.items()) for each in cells.values())
    return [alike[frozenset(each.items())] for each in cells.values()]


def _exposure(insight: Mapping[str, Any] | None, sizes: Sequence[int]) -> Iterator[str]:
    """The chance to find rows or persons in the release, by how many are like each."""
    if insight is None or not sizes:
        return
    average = float(sum((Fraction(1, size) for size in sizes), Fraction(0)) / len(sizes))
    if not _near(insight["average_risk"], average):
        yield f"average risk: {insight['average_risk']} told, {average} counted"
    for told in insight["thresholds"]:
        below = sum(size < told["k"] for size in sizes) / len(sizes)
        if told["holds"] != (not below) or not _near(told["records_at_risk"], below):
            yield f"thresholds: {told} told, a share of {below} counted"


def _frequent(draft: Draft, night: Night, shown: Publication) -> Iterator[str]:
    """The rows of the most frequent values of each column, before and after; values of fewer than k are not told."""
    insight = (shown.report or {})["insight"]
    if insight is None or not shown.cells or draft.refresh:
        return
    k = _largest_k(shown.report or {})
    stayed = [place for place, number in enumerate(night.rows) if number in shown.cells]
    kinds = {column.name: column.kind for column in night.truth.quasi_identifiers}
    for told in insight["columns"]:
        name = told["attribute"]
        own = [text(night.truth.cells(name)[place], kinds[name]) for place in stayed]
        after = [cells_at(shown, number, [name]) for number in shown.cells]
        for key, values in (("frequent", own), ("released_frequent", after)):
            counted = [rows for _, rows in Counter(values).most_common(24) if rows >= k]
            if told[key] != counted:
                yield f"insight: {key} of {name!r} {told[key]} told, {counted} counted"


# ------------------------------------------------------------------------------------------------------ joined rows


def joined_rows(
    world: World, shown: Publication, names: Sequence[str] | None = None, k: int | None = None
) -> dict[str, Any]:
    """k of joined rows of a release (MODELS, section 8) over some columns, its own and its own k unless given."""
    names = list(shown.names) if names is None else list(names)
    k = ((shown.report or {}).get("k") or 0) if k is None else k
    of: dict[int, list[int]] = defaultdict(list)
    for number in shown.cells:
        of[world.whose[number]].append(number)
    several = [rows for rows in of.values() if len(rows) > 1]
    columns = list(dict.fromkeys(name for cells in shown.kept.values() for name in cells))
    constant = []
    for name in columns if several else []:
        values = [
            {repr(shown.kept[row][name]) for row in rows if shown.kept[row][name] is not None} for rows in several
        ]
        constant += [name] if 100 * sum(len(each) < 2 for each in values) >= 95 * len(several) else []
    keys = [(name,) for name in constant] + ([tuple(constant)] if len(constant) > 1 else [])
    classes: dict[Hashable, set[int]] = defaultdict(set)
    for number in shown.cells:
        classes[cells_at(shown, number, names)].add(world.whose[number])
    told: dict[str, Any] = {"columns": constant, "persons": len(of), "k": None, "keys": []}
    below = set[int]()
    for key in keys:
        figures = _by_key(world, shown, key, classes, names, k)
        of_key = {person for person, figure in figures if figure < k}
        below |= of_key
        alone = {person for person, figure in figures if figure < 2}
        fewest = min((figure for _, figure in figures), default=None)
        told["k"] = fewest if told["k"] is None else min(told["k"], told["k"] if fewest is None else fewest)
        if of_key:
            told["keys"].append(
                {"columns": list(key), "k": fewest, "persons_alone": len(alone), "persons_below": len(of_key)}
            )
    return {**told, "persons_below": len(below)}


def _by_key(
    world: World,
    shown: Publication,
    key: Sequence[str],
    classes: Mapping[Hashable, Collection[int]],
    names: Sequence[str],
    k: int,
) -> list[tuple[int, int]]:
    """Each person with a rare value of a key, and how many persons have a row in every class of the joined rows."""
    having: dict[Hashable, set[int]] = defaultdict(set)
    reached: dict[tuple[int, Hashable], set[Hashable]] = defaultdict(set)
    for number, kept in shown.kept.items():
        if len(key) == 1 and kept[key[0]] is None:
            continue
        value = tuple(repr(kept[name]) for name in key)
        having[value].add(world.whose[number])
        reached[world.whose[number], value].add(cells_at(shown, number, names))
    return [
        (person, len(set.intersection(*(set(classes[cells]) for cells in its))))
        for (person, value), its in reached.items()
        if len(having[value]) < k
    ]


def joined(draft: Draft, world: World, shown: Publication) -> Iterator[str]:
    """The result's figures of joined rows, by quasi-identifier."""
    report = shown.report or {}
    if draft.person not in ("row", "set") or not shown.cells:
        return
    if len(report["joined_rows"]) != len(report["requirement"]["qids"]):
        yield f"certificate: joined rows of {len(report['joined_rows'])} quasi-identifiers are told"
    for told in report["joined_rows"]:
        k = told["required_k"]
        counted = joined_rows(world, shown, told["attributes"], k)
        least = k if counted["k"] is None else counted["k"]
        if told["not_counted"] is not None:
            yield f"joined rows: {told['not_counted']}"
        elif told["k"] > least:
            yield f"certificate: k of joined rows is {least}, and {told['k']} is told"
        elif told["k"] != least:
            yield f"joined rows: k = {told['k']} told, {least} counted"
        elif _unlike(told["persons_below"], counted["persons_below"], counted["persons"], k):
            kind = "certificate" if counted["persons_below"] and told["persons_below"] == 0 else "joined rows"
            yield f"{kind}: {told['persons_below']} persons below k told, {counted['persons_below']} counted"
        elif (told["persons"], sorted(told["columns"])) != (counted["persons"], sorted(counted["columns"])):
            yield f"joined rows: {told['persons']} persons by {told['columns']} told, {counted} counted"
        else:
            yield from _keys(told["keys"], counted["keys"], counted["persons"], k)
            if told["is_warned"] != (100 * counted["persons_below"] > counted["persons"]):
                yield f"joined rows: is_warned is {told['is_warned']}, {counted} counted"


def _keys(told: Sequence[Any], counted: Sequence[Any], persons: int, k: int) -> Iterator[str]:
    by_columns = {frozenset(key["columns"]): key for key in counted}
    if {frozenset(key["columns"]) for key in told} != set(by_columns):
        yield f"joined rows: keys {told} told, {counted} counted"
        return
    for key in told:
        own = by_columns[frozenset(key["columns"])]
        unlike = [
            name for name in ("persons_alone", "persons_below") if _unlike(key[name], own[name], persons, k)
        ]  # fmt: skip
        if key["k"] != own["k"] or unlike:
            yield f"joined rows: {key} told, {own} counted"


def _unlike(told: int | None, counted: int, whole: int, k: int) -> bool:
    """Say whether a part is told wrongly: it is not told where it, or what is left, is from 1 to k - 1."""
    hidden = 0 < counted < k or 0 < whole - counted < k
    return told is not None if hidden else told != counted


# -------------------------------------------------------------------------------------------- several releases


def joint_rows(told: Mapping[str, Any], those: Sequence[Publication], whose: Mapping[int, int] | None) -> Iterator[str]:
    """The figures beside joint k of releases of which it is exact; the last one is the present one.

    Nothing is judged if a person has lost rows and gained others: a run may take one for the other, as they are alike.
    """
    now, names, k = those[-1], told["attributes"], told["required_k"]
    groups = groups_of(those, names)
    if whose is not None:
        earlier = {row for each in those[:-1] for row in each.cells}
        gone, new = earlier - now.cells.keys(), now.cells.keys() - earlier
        if {whose[row] for row in gone} & {whose[row] for row in new}:
            return
    sizes = [len(rows if whose is None else {whose[row] for row in rows}) for rows in groups]
    counted = {
        "groups": len(groups),
        "rows": sum(map(len, groups)),
        "rows_below": sum(len(rows) for rows, size in zip(groups, sizes, strict=True) if size < k),
        "rows_gone": sum(row not in now.cells for rows in groups for row in rows),
        "rows_new": sum(all(row not in each.cells for each in those[:-1]) for rows in groups for row in rows),
    }
    unlike = {name: (told[name], value) for name, value in counted.items() if told[name] != value}
    if unlike:
        yield f"joint: {', '.join(f'{name} {a} told and {b} counted' for name, (a, b) in unlike.items())}"


def refreshed(draft: Draft, night: Night, before: Publication, shown: Publication) -> Iterator[str]:
    """What a refresh did to rows: a row that is shown otherwise is gone and new.

    A row of a class that ended may return with the same cells in a new class: it counts as gone and new, too.
    """
    told = (shown.report or {}).get("refresh")
    if told is None or draft.respelled or draft.clean_begins_later:
        return
    same = {number for number, cells in shown.cells.items() if before.cells.get(number) == cells}
    here = set(night.rows)
    counted = {
        "stayed": len(same),
        "new": len(shown.cells.keys() - same),
        "waiting": len(here - shown.cells.keys()),
        "gone": len(before.cells.keys() - same),
    }
    if draft.refresh == "tell":
        counted["held"] = 0
    else:  # a changed row is held as it was, and waits as it is
        counted["waiting"] = len(here) + told["held"] - len(shown.cells)
    returned = len(same) - told["stayed"]
    if returned > 0:
        counted |= {"stayed": told["stayed"], "new": counted["new"] + returned, "gone": counted["gone"] + returned}
    unlike = {name: (told[name], value) for name, value in counted.items() if told[name] != value}
    if unlike:
        yield f"refresh: {', '.join(f'{name} {a} told and {b} counted' for name, (a, b) in unlike.items())}"
