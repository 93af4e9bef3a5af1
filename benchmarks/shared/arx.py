"""ARX as a program beside starcloak: its class path, its driver, and its tables with their hierarchies."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pandas

from benchmarks.shared.process import ROOT

#: The variable of the environment with ARX's class path: its jar, or its classes and the jars that they need.
PLACE = "STARCLOAK_ARX"
MISSING = f"ARX is not installed: set {PLACE} to the class path of ARX 3.9.2, and install a Java compiler"
MISSING_TABLE = "the table is not at hand: put arx-adult and cup, with their hierarchies, into ../shared/data"
_DRIVER = Path(__file__).with_name("Arx.java")


def is_installed() -> bool:
    return PLACE in os.environ and all(shutil.which(program) for program in ("java", "javac"))


def command(folder: Path, k: int, quasi_identifiers: Sequence[str], sensitive: str, t: float | None) -> list[str]:
    """Compile the driver into a folder; return the command for the release of a table in this folder."""
    classes = os.environ[PLACE]
    subprocess.run(["javac", "-nowarn", "-cp", classes, "-d", str(folder), str(_DRIVER)], check=True)
    asked = [] if t is None else [sensitive, str(t)]
    run = ["java", "-cp", os.pathsep.join([str(folder), classes]), "Arx"]
    return [*run, str(k), ",".join(quasi_identifiers), *asked]


def table(name: str) -> pandas.DataFrame | None:
    """The rows of a table, all cells as texts; None where it is not at hand."""
    file, delimiter = (folder(name) / "data.csv", ",") if name == "cup" else (folder(name) / "adult.csv", ";")
    if not file.is_file():
        return None
    return pandas.read_csv(file, sep=delimiter, dtype=str, keep_default_na=False)


def hierarchy(name: str, column: str) -> dict[str, list[str]]:
    """Labels of each leaf of a table's column, from the leaf to ``*``; labels of two levels differ."""
    place = folder(name)
    file = place / "h" / f"{column}.csv" if name == "cup" else place / f"adult_hierarchy_{column}.csv"
    with open(file, encoding="utf-8-sig", newline="") as content:
        lines = [line for line in csv.reader(content, delimiter=";") if line]
    if name == "cup":
        return {line[0]: line for line in lines}
    return {
        leaf: [leaf, *(f"{label}~{level}" for level, label in enumerate(labels, 1)), top]
        for leaf, *labels, top in lines
    }


def folder(name: str) -> Path:
    """Folder of a table, which need not be there."""
    return ROOT.parent / "shared" / "data" / name
