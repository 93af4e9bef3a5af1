"""The tables of Fung, Wang, Yu 2007, section 5.1, with a class: Adult, CRX and German, split as the paper has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas
import yaml

from benchmarks.shared import adult
from benchmarks.shared.process import ROOT
from starcloak.base import installation
from starcloak.sources import dataset

PART, ROW, CLASS = "part", "row", "class"
_ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
)
_CRX = tuple(f"A{number}" for number in range(1, 16))
_GERMAN = (
    *("account-status", "duration", "credit-history", "loan-purpose", "credit", "savings-account", "employment"),
    *("installment-rate", "personal-status", "debtors", "residence-time", "property", "age", "installments"),
    *("housing", "existing-credits", "job", "liable-people", "telephone", "foreign"),
)


@dataclass(frozen=True)
class Labelled:
    """A table: its attributes, ``part`` (train or test), ``row`` and ``class``, all but numbers as texts.

    ``ranked`` are the paper's top nine attributes; ``taxonomies`` the hierarchies of those that have one.
    """

    name: str
    frame: pandas.DataFrame
    numeric: tuple[str, ...]
    ranked: tuple[str, ...]
    taxonomies: dict[str, Any]

    @property
    def attributes(self) -> list[str]:
        return [column for column in self.frame.columns if column not in (PART, ROW, CLASS)]

    def hierarchies(self, attributes: list[str], *, generalize: bool) -> dict[str, Any]:
        """How attributes are masked: intervals, and either a cut through a taxonomy or values suppressed."""
        categorical = self.taxonomies if generalize else {}
        return {name: "numeric" if name in self.numeric else categorical.get(name, "suppress") for name in attributes}


def load(name: str) -> Labelled | None:
    """A table by its name: Adult, CRX or German; None where its files are not at hand. Nothing is downloaded."""
    folder = _folder()
    if folder is None:
        return None
    files = {"Adult": ("adult.data", "adult.test"), "CRX": ("crx.data",), "German": ("german.data",)}[name]
    if not all((folder / file).is_file() for file in files):
        return None
    return {"Adult": _adult, "CRX": _crx, "German": _german}[name](folder)


def _folder() -> Path | None:
    return dataset.adult_folder(download=False) if adult.environment() is not None else None


def _adult(folder: Path) -> Labelled:
    frame = pandas.concat(
        _read(folder / file, (*_ADULT, CLASS), ", ", part).assign(**{CLASS: lambda rows: rows[CLASS].str.rstrip(".")})
        for file, part in (("adult.data", "train"), ("adult.test", "test"))
    )
    numeric = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
    ranked = (
        *("capital-gain", "age", "marital-status", "education-num", "relationship"),
        *("hours-per-week", "sex", "education", "occupation"),
    )
    schema = installation.schemas() / "adult" / "top-down-refinement-2007.yaml"
    declared = yaml.safe_load(schema.read_text(encoding="utf-8"))["quasi_identifiers"]
    taxonomies = {
        name: {"csv": str(schema.parent / kind["csv"])} if "csv" in kind else kind
        for name, kind in declared.items()
        if isinstance(kind, dict)
    }
    return _labelled("Adult", frame, numeric, ranked, taxonomies)


def _crx(folder: Path) -> Labelled:
    frame = _read(folder / "crx.data", (*_CRX, CLASS), ",", "train", first_of_test=490)
    ranked = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6", "A5")
    return _labelled("CRX", frame, ("A2", "A3", "A8", "A11", "A14", "A15"), ranked, {})


def _german(folder: Path) -> Labelled:
    frame = _read(folder / "german.data", (*_GERMAN, CLASS), " ", "train", first_of_test=666)
    numeric = (
        *("duration", "credit", "installment-rate", "residence-time", "age", "existing-credits", "liable-people"),
    )
    ranked = (
        *("credit", "account-status", "duration", "credit-history", "savings-account", "installments"),
        *("loan-purpose", "debtors", "property"),
    )
    return _labelled("German", frame, numeric, ranked, {})


def _read(
    path: Path, names: tuple[str, ...], separator: str, part: str, *, first_of_test: int | None = None
) -> pandas.DataFrame:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [line.split(separator) for line in lines if line and not line.startswith("|")]
    frame = pandas.DataFrame(rows, columns=list(names))
    frame[PART] = part
    if first_of_test is not None:
        frame.loc[first_of_test:, PART] = "test"
    return frame[~frame.isin(["?"]).any(axis=1)]


def _labelled(
    name: str, frame: pandas.DataFrame, numeric: tuple[str, ...], ranked: tuple[str, ...], taxonomies: dict[str, Any]
) -> Labelled:
    typed = frame.reset_index(drop=True).astype({column: "float64" for column in numeric})
    return Labelled(name, typed.assign(**{ROW: range(len(typed))}), numeric, ranked, taxonomies)


__all__ = ["CLASS", "PART", "ROOT", "ROW", "Labelled", "load"]
