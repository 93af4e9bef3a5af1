"""Adult as the ARX tool ships it, where it is at hand, and what ARX 3.9.2 made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.shared import arx

ATTRIBUTES = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
)  # fmt: skip
MISSING = "Adult of ARX is not at hand: put its adult.csv and adult_hierarchy_….csv into ../shared/data/arx-adult"
#: Local recoding with 100 iterations, all rows kept: loss and classes by k, where these are known.
LOSS = {2: 0.0286, 5: 0.0569, 10: 0.0790, 25: 0.1160, 50: 0.1503, 100: 0.1925}
#: With 1,000 iterations, where that is known.
LOSS_OF_1000 = {10: 0.0744, 50: 0.1454}
CLASSES = {2: 10571, 5: 4386, 10: 2289, 25: 940, 100: 251}


def folder() -> Path | None:
    """Where it is."""
    place = arx.folder("arx-adult")
    return place if (place / "adult.csv").is_file() else None


def job(place: Path) -> dict[str, Any]:
    """Anonymize it with respect to eight attributes."""
    return {
        "source": {"path": str(place / "adult.csv"), "delimiter": ";"},
        "identifiers": ["salary-class"],
        "quasi_identifiers": {name: {"csv": str(place / f"adult_hierarchy_{name}.csv")} for name in ATTRIBUTES},
    }
