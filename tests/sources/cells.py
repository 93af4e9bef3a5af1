"""Cells of data frames and of DuckDB, in and out."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas

import starcloak as sc

Decimal = decimal.Decimal


DAY = datetime.datetime(2020, 3, 29, 12)


def framed(series: pandas.Series[Any]) -> pandas.DataFrame:
    """A frame with a column twice, each half with a class of its own, and an index that is no one's business."""
    both = pandas.concat([series, series], ignore_index=True)
    frame = pandas.DataFrame({"x": both, "y": ["a"] * len(series) + ["b"] * len(series)})
    return frame.set_axis(frame.index + 1000)


def kept(series: pandas.Series[Any], **more: Any) -> Any:
    return sc.anonymize(framed(series), quasi_identifiers={"y": "suppress"}, keep=["x"], k=len(series), **more)


def kept_in_duckdb(folder: Path, *cells: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A job on a DuckDB file that keeps a column of some cells; the same with a release into another file."""
    file = folder / "there.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"create table people as select 'x' as who, unnest([{', '.join(cells)}]) as odd")
    job = {
        "source": {"url": f"duckdb:///{file}", "table": "people"},
        "quasi_identifiers": {"who": "suppress"},
        "keep": ["odd"],
        "requirement": {"k": 1},
    }
    return job, {**job, "output": {"url": f"duckdb:///{folder / 'fresh.duckdb'}", "table": "cohort"}}
