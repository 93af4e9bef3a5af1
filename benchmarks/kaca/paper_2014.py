"""Han and others 2014: the distance of its section 2.2.2, and its Table 1, recoded locally and globally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas

import starcloak as sc
from benchmarks.shared.settings import Settings

# Its distance divides by the levels h of a hierarchy, that of 2008 by the steps: (h - 1) / h.
IMPORTANCE = {"gender": "0.5", "age": "0.75", "pcode": "0.8"}
PATIENTS = [
    *[("Female", 35, "4661"), ("Male", 36, "4663"), ("Female", 37, "4663"), ("Female", 21, "4354")],
    *[("Female", 25, "4354"), ("Female", 55, "4331"), ("Female", 57, "4331"), ("Female", 67, "4652")],
    *[("Female", 69, "4653"), ("Male", 68, "4653"), ("Male", 48, "4354"), ("Male", 54, "4354")],
]
#: The paper's distance, and the rows of its views, as ranges are written here.
DISTANCE = 1.4
LOCAL: dict[tuple[str, ...], int] = {
    ("*", "[30, 40)", "466*"): 3,
    ("Female", "[20, 30)", "4354"): 2,
    ("Female", "[50, 60)", "4331"): 2,
    ("*", "[60, 70)", "465*"): 3,
    ("Male", "[40, 60)", "4354"): 2,
}
GLOBAL: dict[tuple[str, ...], int] = {
    ("*", "[20, 40)", "466*"): 3,
    ("*", "[20, 40)", "435*"): 2,
    ("*", "[40, 60)", "433*"): 2,
    ("*", "[60, 80)", "465*"): 3,
    ("*", "[40, 60)", "435*"): 2,
}
QIS: dict[str, Any] = {"gender": {"suppress": True}, "age": {"intervals": [10, 20]}, "pcode": {"digits": 4}}


def measure(folder: Path, settings: Settings) -> dict[str, Any]:
    """Recode the paper's twelve rows, and two of its example of a distance."""
    kaca = {"name": "kaca", "execution": "joins"}
    pair = [("Female", "4661"), ("Male", "4663")]
    return {
        "distance": _release(["gender", "pcode"], pair, kaca).result.model_dump()["search"]["clustering"]["distortion"],
        "local": _view(_release([*QIS], PATIENTS, kaca)),
        "global": _view(_release([*QIS], PATIENTS, {"name": "incognito"})),
    }


def table(body: Mapping[str, Any]) -> str:
    """The views, and the paper's rows that are not in them."""
    lines = [f"The distance of section 2.2.2: {body['distance']:g} ({DISTANCE} in the paper).", ""]
    lines += ["| view of Table 1 | gender | age | pcode | rows | in the paper |", "|---|---|---|---|---:|---:|"]
    for name, paper in (("local", LOCAL), ("global", GLOBAL)):
        for *values, rows in body[name]:
            lines.append(f"| {name} | {' | '.join(values)} | {rows} | {paper.get(tuple(values), 0)} |")
    return "\n".join(lines).replace("*", "\\*")


def _release(names: list[str], rows: list[tuple[Any, ...]], algorithm: Mapping[str, Any]) -> sc.Release:
    """A release; the importance of columns is for the distances of KACA, and not for Incognito's choice."""
    own = {name: {"importance": IMPORTANCE[name]} if algorithm["name"] == "kaca" else {} for name in names}
    columns = {name: {**QIS[name], **own[name]} for name in names}
    return sc.anonymize(pandas.DataFrame(rows, columns=names), quasi_identifiers=columns, k=2, algorithm=algorithm)


def _view(release: sc.Release) -> list[list[Any]]:
    rows = Counter(release.to_pandas().itertuples(index=False, name=None))
    return [[*values, count] for values, count in sorted(rows.items())]
