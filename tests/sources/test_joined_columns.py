"""A column that clean joins from others: they have no other use, and every mistake is named."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

import starcloak as sc
from starcloak.base.errors import InputError

PLACE = {"place": {"join": ["lat", "lon"]}}


def released(clean: dict[str, Any] = PLACE, source: Any = "t.csv", **roles: Any) -> pandas.DataFrame:
    more = {"quasi_identifiers": {"place": "suppress"}, "identifiers": ["id"], "k": 1, **roles}
    return sc.anonymize(source, clean=clean, **more).to_pandas()


@pytest.fixture(autouse=True)
def table(work: Path) -> None:
    """A table of two columns to join, in a folder of its own."""
    Path("t.csv").write_text("id,lat,lon,day\n1,1.5,2\n2, 1.5,2\n3,,2\n".replace(",2\n", ",2,d\n"))


def test_clean_cells_are_joined_in_the_order_named() -> None:
    clean = {"place": {"join": ["lon", "lat"]}, "lat": {"trim": True}}
    frame = released(clean, keep=["day"])
    assert [*frame] == ["place", "day"]
    assert sorted(frame["place"].fillna("")) == ["", "2,1.5", "2,1.5"]
    kept = released(clean, quasi_identifiers={"day": "suppress"}, keep=["place"])
    assert sorted(kept["place"].fillna("")) == ["", "2,1.5", "2,1.5"]
    assert [*released(identifiers=["day"], others="identifiers")] == ["place"]
    assert [*released(quasi_identifiers={"day": "suppress"}, others="identifiers")] == ["day"]


@pytest.mark.parametrize(
    ("clean", "roles", "problem"),
    [
        (
            PLACE,
            {"keep": ["day", "lat"]},
            "clean joins column 'lat' into 'place', but the job also names 'lat' under a role",
        ),
        (PLACE, {"keep": []}, "column 'day' of t.csv is named nowhere in the job"),
        (
            {"place": {"join": ["lat", "lot"]}},
            {"keep": ["day"]},
            "'lot' under join is not in t.csv: correct the name. Did you mean 'lon'",
        ),
        (
            {"day": {"join": ["lat", "lon"]}},
            {"keep": ["day"]},
            "t.csv has a column of this name already: give the joined column another name",
        ),
        ({**PLACE, "more": {"join": ["lon", "day"]}}, {}, "clean joins column 'lon' into 'more'"),
        ({"place": {"join": ["lat", "lon"], "trim": True}}, {}, "join and trim are for different columns"),
        ({"place": {"join": ["lat", "lat"]}}, {}, "join names a column twice"),
    ],
)
def test_mistakes_are_named(clean: dict[str, Any], roles: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        released(clean, **roles)


def test_different_cells_are_different_texts_when_joined() -> None:
    """Without quotes two persons with commas in their cells would be one person."""
    rows = [("a,b", "c", "x"), ("a", "b,c", "y"), ('a"', "c", "x"), ("C", "1", "x")]
    frame = pandas.DataFrame(rows, columns=["n", "t", "g"])
    kept = released({"p": {"join": ["n", "t"]}}, frame, quasi_identifiers={"g": "suppress"}, identifiers=[], keep=["p"])
    assert sorted(kept["p"]) == ['"a""",c', '"a,b",c', "C,1", 'a,"b,c"']


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars"])
def test_columns_of_a_data_frame_are_joined(kind: str) -> None:
    """The name of the new column is that of the rows' numbers, too."""
    table = pyarrow.table({"id": [1, 2, 3], "lat": [52.5, 52.5, None], "lon": [13, 13, 1], "day": ["b", "b", "d"]})
    frame = {"pandas": table.to_pandas, "pyarrow": lambda: table, "polars": lambda: polars.from_arrow(table)}[kind]()
    clean: dict[str, Any] = {"position": {"join": ["lat", "lon"]}, "lon": {"valid": [None, 100]}}
    for roles in (
        {"quasi_identifiers": {"position": "suppress"}, "keep": ["day"]},
        {"quasi_identifiers": {"day": "suppress"}, "keep": ["position"]},
    ):
        release = sc.anonymize(frame, clean=clean, identifiers=["id"], k=1, **roles)
        for rows in (release.to_pandas(), release.apply(table).to_pandas()):
            assert [*rows] == ["position", "day"]
            cells = zip(rows["position"].fillna(""), rows["day"], strict=True)
            assert sorted(cells) == [("", "d"), ("52.5,13", "b"), ("52.5,13", "b")]
    wrong = {
        " of .* is of type BLOB: cast": [b"a"] * 3,
        "more than 38 digits": [Decimal(10**40)] * 3,
    }
    for problem, cells in wrong.items():
        odd = table.set_column(1, "lat", pyarrow.array(cells))
        with pytest.raises(InputError, match=f"'lat'.*({problem})"):
            released(clean, odd, quasi_identifiers={"position": "suppress"}, keep=["day"])


def test_numbers_of_a_parquet_file_are_joined_unless_they_are_not_read_exactly() -> None:
    for digits in (20, 40):
        cells = {"lat": pyarrow.array([Decimal("1.5"), None], pyarrow.decimal256(digits, 1)), "lon": [2.0, 3.0]}
        parquet.write_table(pyarrow.table(cells), f"{digits}.parquet")
    assert sorted(released(source="20.parquet", identifiers=[])["place"].fillna("")) == ["", "1.5,2.0"]
    with pytest.raises(InputError, match=r"column 'lat' has .* of 40 digits, which cannot be read exactly"):
        released(source="40.parquet", identifiers=[])
