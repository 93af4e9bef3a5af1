"""A column that clean joins from others: they have no other use, and every mistake is named."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
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
        (PLACE, {"keep": ["day", "lat"]}, "column 'lat', which clean joins into 'place', is named under a role"),
        (PLACE, {"keep": []}, "column 'day' of t.csv is named nowhere in the job"),
        ({"place": {"join": ["lat", "lot"]}}, {"keep": ["day"]}, "'lot' to join is not in t.csv. Did you mean 'lon'"),
        ({"day": {"join": ["lat", "lon"]}}, {"keep": ["day"]}, "which t.csv has already: give it another name"),
        ({**PLACE, "more": {"join": ["lon", "day"]}}, {}, "column 'lon', which clean joins into 'more'"),
        ({"place": {"join": ["lat", "lon"], "trim": True}}, {}, "join stands alone: give trim to the columns"),
        ({"place": {"join": ["lat", "lat"]}}, {}, "join names a column twice"),
    ],
)
def test_mistakes_are_named(clean: dict[str, Any], roles: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        released(clean, **roles)


def test_a_data_frame_joins_its_columns_itself() -> None:
    with pytest.raises(InputError, match="join is for files and databases"):
        released(source=pandas.read_csv("t.csv"), keep=["day"])


def test_numbers_of_a_parquet_file_are_joined_unless_they_are_not_read_exactly() -> None:
    for digits in (20, 40):
        cells = {"lat": pyarrow.array([Decimal("1.5"), None], pyarrow.decimal256(digits, 1)), "lon": [2.0, 3.0]}
        parquet.write_table(pyarrow.table(cells), f"{digits}.parquet")
    assert sorted(released(source="20.parquet", identifiers=[])["place"].fillna("")) == ["", "1.5,2.0"]
    with pytest.raises(InputError, match=r"column 'lat' holds .* of 40 digits, which is not read exactly"):
        released(source="40.parquet", identifiers=[])
