"""A case as a job."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from benchmarks.arx_tests.cases import COLUMNS, NO_REQUIREMENT, Case, Parameters, columns_of, parameters_of
from benchmarks.arx_tests.counts import kind_of, source_of
from benchmarks.arx_tests.tables import SENSITIVE, Levels, rows_of


class NotExpressed(Exception):
    """Parts of a case that no job can ask for."""


def job_of(
    case: Case,
    folder: Path,
    work: Path,
    *,
    k: int | None = None,
    suppression: float | None = None,
    node: Levels | None = None,
    objective: str = "loss",
) -> dict[str, Any]:
    """The job of a case, with another ``k`` and ``suppression`` if given, pinned to a ``node`` if given.

    ``work`` gets the files of rows that ARX drew. Raises :class:`NotExpressed`.
    """
    asked: dict[str, Any] = {
        "k": k or max([int(parameters["k"]) for parameters in parameters_of(case, "k")] + [1]),
        "suppression": case["suppression"] if suppression is None else suppression,
    }
    for parameters in case["models"]:
        _ask(asked, parameters, folder)
    if parameters_of(case, "t", "beta"):
        asked["reference"] = "source"
    if kind_of(case)[2]:
        asked["population"] = {"path": str(folder / "adult.csv"), "delimiter": ";"}
    hierarchies: dict[str, dict[str, Any]] = {
        name: {"csv": str(folder / f"adult_hierarchy_{name}.csv")} for name in columns_of(case)
    }
    if node is not None:
        for hierarchy, level in zip(hierarchies.values(), node, strict=True):
            hierarchy |= {"from": level, "to": level}
    job: dict[str, Any] = {
        "source": {"path": str(_source(case, folder, work)), "delimiter": ";"},
        "quasi_identifiers": hierarchies,
        "requirement": asked,
        "insight": "off",
        "objective": {"minimize": objective},
    }
    if case["sensitive"]:
        read = parameters_of(case, "t", "recursive l", "distinct l", "entropy l", "beta")
        job["sensitive" if read else "identifiers"] = [case["sensitive"]]
    return job


def _source(case: Case, folder: Path, work: Path) -> Path:
    kind = kind_of(case)
    if kind[1] is None:
        return folder / ("adult_subset.csv" if kind[2] else "adult.csv")
    path = work / f"drawn-{kind[1]}.csv"
    if not path.exists():
        with open(path, "w", encoding="utf-8", newline="") as content:
            csv.writer(content, delimiter=";", lineterminator="\n").writerows([COLUMNS, *source_of(kind, folder)])
    return path


def _ask(asked: dict[str, Any], parameters: Parameters, folder: Path) -> None:
    diverse: dict[str, Any] = {"attribute": SENSITIVE}
    match parameters["model"]:
        case "k-map":
            asked["k_map"] = parameters["k"]
        case "estimated k-map":
            asked["k"] = parameters["derived"]
        case "delta presence":
            asked["delta_presence"] = [parameters["min"], parameters["max"]]
        case "t":
            asked["t_closeness"] = [_t_closeness(parameters, folder)]
        case "recursive l":
            diverse |= {"kind": "recursive", "c": _plain(parameters["c"]), "l": parameters["l"]}
            asked["l_diversity"] = [diverse]
        case "distinct l":
            asked["l_diversity"] = [{**diverse, "l": parameters["l"]}]
        case "entropy l":
            if parameters["estimator"] != "shannon":
                raise NotExpressed("the entropy is estimated by Grassberger")
            asked["l_diversity"] = [{**diverse, "kind": "entropy", "l": _plain(parameters["l"])}]
        case "beta":
            enhanced = {"enhanced": True} if parameters["enhanced"] else {}
            asked["beta_likeness"] = [{**diverse, "beta": _plain(parameters["beta"]), **enhanced}]
        case model if model in NO_REQUIREMENT:
            raise NotExpressed(NO_REQUIREMENT[model])


def _t_closeness(parameters: Parameters, folder: Path) -> dict[str, Any]:
    asked: dict[str, Any] = {"attribute": SENSITIVE, "t": parameters["t"], "distance": parameters["distance"]}
    if parameters["distance"] == "hierarchical":
        asked["hierarchy"] = {"csv": str(folder / f"adult_hierarchy_{SENSITIVE}.csv")}
    if parameters["distance"] == "ordered":
        asked["order"] = sorted({row[COLUMNS.index(SENSITIVE)] for row in rows_of(folder / "adult.csv")})
    return asked


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else float(number)
