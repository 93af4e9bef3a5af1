"""Adult, where it is at hand."""

from __future__ import annotations

from typing import Any

from starcloak.base.errors import SourceError
from starcloak.sources import dataset

# The order of LeFevre, DeWitt, Ramakrishnan 2005, Figure 9.
ATTRIBUTES = (
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
# The others, in the order of the file.
FURTHER = ("fnlwgt", "education-num", "relationship", "capital-gain", "capital-loss", "hours-per-week")
SCHEMA = "adult/incognito-2005"


def environment() -> dict[str, str] | None:
    """What tells starcloak where Adult is; None where it is not at hand. Nothing is downloaded."""
    try:
        return {"STARCLOAK_DATA": str(dataset.adult_folder(download=False))}
    except SourceError:
        return None


MISSING = "Adult is not at hand: put adult.data and adult.test into a folder and set STARCLOAK_DATA to it"


def job(size: int, *, k: int) -> dict[str, Any]:
    """Anonymize Adult with respect to its first so many attributes."""
    return {
        "source": {"dataset": "adult"},
        "schema": SCHEMA,
        "quasi_identifiers": list(ATTRIBUTES[:size]),
        "requirement": {"k": k},
    }
