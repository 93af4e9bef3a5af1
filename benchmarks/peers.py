"""starcloak beside other programs, as pairs: whole processes from the same CSV file, by turns in one run.

anjana makes a full-domain generalization, so the pair is a run with the default search. pyCANON measures a table, so
the pair is ``starcloak audit``, which measures more. Both have an environment of their own, which
``make .venv/installed-peers`` installs. sdcMicro, of an R that has it, suppresses cells of a table recoded before, so
the pair is a sweep with hierarchies of the recoded value and ``*``. ARX makes the optimal full-domain generalization
of its own tables by loss, with no row suppressed, as the default search does. k, classes and loss of both releases are
counted from the released files, by code of neither program.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy
import pandas
import yaml

from benchmarks.classification import labelled
from benchmarks.shared import adult, arx
from benchmarks.shared.process import ROOT, Outcome, run, starcloak
from benchmarks.shared.result import Entry, Figure
from starcloak.base import installation

PYTHON = ROOT / ".venv" / "peers" / "bin" / "python"
MISSING = "anjana and pyCANON are not installed: make .venv/installed-peers"
MISSING_R = "sdcMicro is not installed: R needs it in a library that it finds, such as one of R_LIBS"
K = 5
_QUICK_ROWS = 500
_SCRIPT = ROOT / "benchmarks" / "shared" / "peer.py"
_CRX = ("A1", "A2", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13")
_WIDTHS = {"age": (5, 10, 20), "A2": (10, 20, 40)}

#: Labels of a value from the value itself to ``*``, by value.
Hierarchy = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Pair:
    """A table, its quasi-identifiers and the other program.

    With a ``sensitive`` column, both programs measure the table; with ``t``, both make a release with t-closeness of
    this column, by the ordered distance.
    """

    peer: str
    table: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    t: float | None = None

    @property
    def is_audit(self) -> bool:
        return bool(self.sensitive) and self.t is None


_ADULT = adult.ATTRIBUTES
_CUP = ("ZIP", "AGE", "GENDER", "INCOME", "STATE", "RAMNTALL", "NGIFTALL", "MINRAMNT")
PAIRS = {
    "anjana-adult": Pair("anjana", "Adult", _ADULT, ""),
    "anjana-crx": Pair("anjana", "CRX", _CRX, ""),
    # With nine columns sdcMicro takes many minutes.
    "sdcmicro-adult": Pair("sdcmicro", "Adult", _ADULT[:5], ""),
    "pycanon-adult": Pair("pycanon", "Adult", _ADULT[:-1], "salary-class"),
    "pycanon-crx": Pair("pycanon", "CRX", _CRX, "class"),
    "arx-adult": Pair("arx", "arx-adult", _ADULT, ""),
    "arx-adult-t": Pair("arx", "arx-adult", tuple(name for name in _ADULT if name != "age"), "age", 0.3),
    "arx-cup": Pair("arx", "cup", _CUP, ""),
}
NAMES = tuple(PAIRS)


def measure(names: Sequence[str], *, runs: int, quick: bool) -> list[Entry]:
    """Measure the named pairs, in order."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        return [_entry(name, PAIRS[name], Path(folder), runs, quick) for name in names]


def _entry(name: str, pair: Pair, folder: Path, runs: int, quick: bool) -> Entry:
    task = "k, l, t, alpha and beta of the table" if pair.is_audit else f"release with k = {K}"
    close = "" if pair.t is None else f" and t = {pair.t} ordered on {pair.sensitive}"
    what = f"{task}{close}, {pair.table}, {len(pair.quasi_identifiers)} quasi-identifiers"
    if problem := _problem(pair.peer):
        return Entry(name, what, skipped=problem)
    prepared = prepare(pair, folder, quick=quick)
    if prepared is None:
        return Entry(name, what, skipped=arx.MISSING_TABLE if pair.peer == "arx" else f"{pair.table} is not at hand")
    rows, hierarchies = prepared
    commands = {"starcloak": _starcloak(pair), pair.peer: _peer(pair, folder)}
    done: dict[str, list[Outcome]] = {program: [] for program in commands}
    for turn in range(runs):
        click.echo(f"{name}: run {turn + 1} of {runs}", err=True)
        for program, command in commands.items():
            (folder / f"{program}.csv").unlink(missing_ok=True)
            done[program].append(run(command, folder=folder, environment={}))
    figures = [
        Figure(f"{program}, {said}", unit, tuple(getattr(outcome, measured) for outcome in outcomes))
        for program, outcomes in done.items()
        for said, unit, measured in _MEASURED
    ]
    facts: dict[str, Any] = {"rows": len(rows)}
    counted = {
        program: _printed(outcomes[-1]) if pair.is_audit else counted_release(folder / f"{program}.csv", hierarchies)
        for program, outcomes in done.items()
    }
    if pair.peer == "sdcmicro":  # it counts a suppressed cell as equal to any
        for program, found in counted.items():
            found["k, * equal to any"] = k_of_wildcards(folder / f"{program}.csv", pair.quasi_identifiers)
    for program, found in counted.items():
        if "loss" in found:
            figures.append(Figure(f"{program}, loss", "ratio", (found["loss"],)))
        facts |= {f"{program} {measured}": value for measured, value in found.items()}
    return Entry(
        name, what, tuple(figures), facts={**facts, "agree": len({str(each) for each in counted.values()}) == 1}
    )


#: No peak of memory: this process has pandas, and a child's peak counts from the fork.
_MEASURED: tuple[tuple[str, Any, str], ...] = (("process", "s", "seconds"), ("CPU", "s", "cpu_seconds"))


def prepare(pair: Pair, folder: Path, *, quick: bool) -> tuple[pandas.DataFrame, dict[str, Hierarchy]] | None:
    """Write rows.csv, a hierarchy COLUMN.csv per quasi-identifier, and job.yaml; None if the table is not at hand."""
    rows = _rows(pair)
    if rows is None:
        return None
    rows = rows.head(_QUICK_ROWS) if quick else rows
    rows.to_csv(folder / "rows.csv", index=False)
    hierarchies = _hierarchies(pair, rows)
    for column, hierarchy in hierarchies.items():
        (folder / f"{column}.csv").write_text("".join(";".join(labels) + "\n" for labels in hierarchy.values()))
    (folder / "job.yaml").write_text(json.dumps(_job(pair, rows)), encoding="utf-8")  # JSON is YAML
    return rows, hierarchies


def _rows(pair: Pair) -> pandas.DataFrame | None:
    """The rows of a pair's table, all cells as texts; None where the table is not at hand."""
    if pair.peer == "arx":
        rows = arx.table(pair.table)
    else:
        table = labelled.load(pair.table)
        rows = None if table is None else _texts(table.frame.rename(columns={labelled.CLASS: _class(pair)}))
    return None if rows is None else rows[[*pair.quasi_identifiers, *([pair.sensitive] if pair.sensitive else [])]]


def _hierarchies(pair: Pair, rows: pandas.DataFrame) -> dict[str, Hierarchy]:
    if pair.peer == "arx":
        return {column: arx.hierarchy(pair.table, column) for column in pair.quasi_identifiers}
    made = {column: _hierarchy(column, sorted(set(rows[column]))) for column in pair.quasi_identifiers}
    if pair.peer == "sdcmicro":
        return {column: _recoded(hierarchy) for column, hierarchy in made.items()}
    return made


def _class(pair: Pair) -> str:
    return "salary-class" if pair.table == "Adult" else "class"


def _texts(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The cells as texts, numbers without their decimals."""
    numbers = frame.select_dtypes("float64").columns
    return frame.astype(dict.fromkeys(numbers, "int64")).astype(str)


def _hierarchy(column: str, values: Sequence[str]) -> Hierarchy:
    if column in _WIDTHS:
        return {value: [value, *(_range(int(value), width) for width in _WIDTHS[column]), "*"] for value in values}
    schema = installation.schemas() / f"{adult.SCHEMA}.yaml"
    declared = yaml.safe_load(schema.read_text(encoding="utf-8"))["quasi_identifiers"].get(column, "suppress")
    if declared == "suppress":
        return {value: [value, "*"] for value in values}
    lines = (schema.parent / declared["csv"]).read_text(encoding="utf-8").splitlines()
    by_leaf = {line.split(";")[0]: line.split(";") for line in lines}
    return {value: by_leaf[value] for value in values}


def _recoded(hierarchy: Hierarchy) -> Hierarchy:
    """Three labels of each value: the value, its label one level up unless this is ``*``, and ``*``."""
    return {value: [value, labels[0] if labels[1] == "*" else labels[1], "*"] for value, labels in hierarchy.items()}


def _problem(peer: str) -> str | None:
    """Reason for a pair that cannot run; None if its program is installed."""
    if peer == "arx":
        return None if arx.is_installed() else arx.MISSING
    if peer != "sdcmicro":
        return None if PYTHON.is_file() else MISSING
    program = shutil.which("Rscript")
    if program is None:
        return MISSING_R
    asked = [program, "-e", "quit(status = !requireNamespace('sdcMicro', quietly = TRUE))"]
    return MISSING_R if subprocess.run(asked, capture_output=True, check=False).returncode else None


def _range(value: int, width: int) -> str:
    least = value // width * width
    return f"[{least}, {least + width})"


def _job(pair: Pair, rows: pandas.DataFrame) -> dict[str, Any]:
    """The job of a pair's release; an audit needs none."""
    suppresses = pair.peer == "sdcmicro"
    levels = {"from": 1} if suppresses else {}
    requirement: dict[str, Any] = {"k": K}
    if pair.t is not None:
        order = [str(value) for value in sorted({int(value) for value in rows[pair.sensitive]})]
        closeness = {"attribute": pair.sensitive, "t": pair.t, "distance": "ordered", "order": order}
        requirement["t_closeness"] = [closeness]
    return {
        "source": {"path": "rows.csv"},
        "quasi_identifiers": {column: {"csv": f"{column}.csv", **levels} for column in pair.quasi_identifiers},
        **({"sensitive": [pair.sensitive]} if pair.sensitive else {}),
        "requirement": requirement,
        **({"algorithm": "sweep"} if suppresses else {}),
        "output": {"path": "starcloak.csv"},
    }


def _starcloak(pair: Pair) -> list[str]:
    if not pair.is_audit:
        return [*starcloak(), "run", "job.yaml", "--quiet"]
    names = ",".join(pair.quasi_identifiers)
    return [*starcloak(), "audit", "rows.csv", "--qi", names, "--sensitive", pair.sensitive, "--json"]


def _peer(pair: Pair, folder: Path) -> list[str]:
    if pair.peer == "arx":
        return arx.command(folder, K, pair.quasi_identifiers, pair.sensitive, pair.t)
    if pair.peer == "sdcmicro":
        return ["Rscript", str(_SCRIPT.with_name("sdcmicro.R")), str(K), ",".join(pair.quasi_identifiers)]
    return [str(PYTHON), str(_SCRIPT), pair.peer, str(K), ",".join(pair.quasi_identifiers), pair.sensitive]


def _printed(outcome: Outcome) -> dict[str, float]:
    """Figures of a table, as either program has printed them."""
    found = json.loads(outcome.output)
    if "class_sizes" in found:
        (sensitive,) = found["sensitive"]
        k = min(sizes["size"] for sizes in found["class_sizes"])
        found = {"k": k, "t": sensitive["t"]["equal"], **{name: sensitive[name] for name in ("l", "alpha", "beta")}}
    return {name: round(float(found[name]), 4) for name in ("k", "l", "t", "alpha", "beta")}


def counted_release(file: Path, hierarchies: Mapping[str, Hierarchy]) -> dict[str, Any]:
    """Rows, classes, k and loss of a release: the mean over cells of (leaves under the cell - 1) / (leaves - 1)."""
    release = pandas.read_csv(file, dtype=str, keep_default_na=False)[list(hierarchies)]
    sizes = release.groupby(list(hierarchies), sort=False).size()
    losses = []
    for column, hierarchy in hierarchies.items():
        leaves = pandas.Series(
            [label for labels in hierarchy.values() for label in dict.fromkeys(labels)]
        ).value_counts()
        losses.append((release[column].map(leaves) - 1).sum() / (len(hierarchy) - 1) / len(release))
    loss = round(float(sum(losses) / len(losses)), 4)
    return {"released rows": len(release), "classes": len(sizes), "k": int(sizes.min()), "loss": loss}


def k_of_wildcards(file: Path, columns: Sequence[str]) -> int:
    """The smallest number of rows alike to one, if ``*`` is equal to any value, as sdcMicro counts."""
    release = pandas.read_csv(file, dtype=str, keep_default_na=False)[list(columns)]
    sizes = release.groupby(list(columns), sort=False).size()
    classes = numpy.array([list(values) for values in sizes.index], dtype=str)
    counts, masked = sizes.to_numpy(), classes == "*"
    alike = (counts[((classes == values) | masked | (values == "*")).all(axis=1)].sum() for values in classes)
    return int(min(alike))
