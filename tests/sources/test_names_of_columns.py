"""A column may have any name, also one that a statement would give a column of its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc

NAMES = ("copy", "chosen", "row", "size", "place", "position", "part", "mapping", "source", "relation")
FRAME = pandas.DataFrame(
    {
        "zip": ["10", "10", "10", "11", "11", "12", "12", "13"],
        "age": ["1", "1", "2", "2", "3", "3", "4", "4"],
        "ill": [f"i{row}" for row in range(8)],
    }
)
HIERARCHIES: dict[str, Any] = {"zip": {"digits": 2}, "age": "suppress"}
ALGORITHMS = ("sweep", "witness", "kaca", "mondrian")


def released(role: str, algorithm: str, folder: Path, *names: str, **asked: Any) -> pandas.DataFrame:
    """A release of a table with columns of some names in some role: four texts that stand in two rows each."""
    source, output = folder / "people.csv", folder / "release.csv"
    FRAME.assign(**{name: [f"p{row // 2}" for row in range(8)] for name in names}).to_csv(source, index=False)
    job = {
        "source": {"path": str(source)},
        "quasi_identifiers": HIERARCHIES,
        "keep": ["ill"],
        role: list(names) if role != "person" else names[0],
        "requirement": {"k": 2, "suppression": "0.5"},
        "algorithm": {"name": algorithm},
        "output": {"path": str(output)},
    }
    sc.run({**job, **asked})
    return pandas.read_csv(output, dtype=str)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("role", ["identifiers", "sensitive"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_columns_of_any_name_in_any_role(role: str, algorithm: str, tmp_path: Path) -> None:
    rows = released(role, algorithm, tmp_path, *NAMES)
    assert min(Counter(zip(rows["zip"], rows["age"], strict=True)).values()) >= 2
    assert set(rows["ill"]) <= set(FRAME["ill"]) and rows["ill"].is_unique
    assert set(rows) == {*FRAME, *(NAMES if role == "sensitive" else [])}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["copy", "size"])
@pytest.mark.parametrize("algorithm", ["sweep", "witness"])
def test_persons_by_a_column_of_any_name(name: str, algorithm: str, tmp_path: Path) -> None:
    rows = released("person", algorithm, tmp_path, name)
    persons = dict(zip(FRAME["ill"], [row // 2 for row in range(8)], strict=True))
    members = rows.assign(person=rows["ill"].map(persons)).groupby(["zip", "age"])["person"].nunique()
    assert members.min() >= 2


def test_a_refresh_with_identifiers_of_any_name(tmp_path: Path) -> None:
    first = released("identifiers", "sweep", tmp_path, *NAMES, refresh="first")
    assert released("identifiers", "sweep", tmp_path, *NAMES, refresh=True).equals(first)
