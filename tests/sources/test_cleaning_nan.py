"""NaN and infinities of float columns count as missing numbers if the job's cleaning says so, in every source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import starcloak as sc
from starcloak.base.errors import SourceError

NAN, INF = float("nan"), float("inf")
CELLS = [NAN, None, 1.0, 2.0, 3.0, INF, -INF, 999.0] * 6


def job(**clean: Any) -> dict[str, Any]:
    return {
        "quasi_identifiers": {"dose": {"intervals": [2, 4]}},
        "keep": ["at"],
        "clean": {"dose": clean},
        "requirement": {"k": 3},
    }


def table() -> pyarrow.Table:
    return pyarrow.table({"dose": pyarrow.array(CELLS, from_pandas=False), "at": list(range(len(CELLS)))})


RULES = [
    ({"missing": ["nan"], "valid": [-1000, 1000]}, 18),
    ({"missing": ["nan", "inf", "-inf", "999"]}, 24),
    ({"missing": ["NaN", "Infinity", "-Infinity"], "valid": [0, 900]}, 24),
    ({"valid": [0, None], "missing": ["inf"]}, 18),
    ({"valid": [None, 900], "missing": ["-inf"]}, 24),
    ({"valid": [0, 900]}, 24),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("clean", "changed"), RULES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet", "duckdb"])
def test_nan_is_missing(work: Path, kind: str, clean: dict[str, Any], changed: int) -> None:
    frame, more = table(), {}
    if kind in ("parquet", "duckdb"):
        pyarrow.parquet.write_table(frame, "t.parquet")
        more = {"source": {"path": "t.parquet"}, "output": {"path": "out.parquet"}}
        if kind == "duckdb":
            import duckdb

            with duckdb.connect("t.duckdb") as connection:
                connection.execute("create table t as from 't.parquet'")
            more["source"] = {"url": "duckdb:///t.duckdb", "table": "t"}
        release = sc.run({**job(**clean), **more})
    else:
        kinds = {
            "pandas": lambda: pandas.DataFrame({"dose": CELLS, "at": range(48)}),
            "polars": lambda: polars.DataFrame(frame),
            "arrow": lambda: frame,
        }
        made = kinds[kind]()
        release = sc.run(job(**clean), frame=made)
    # pandas reads None among floats as NaN, which is missing there without a word.
    less = 6 if kind == "pandas" else 0
    assert sum(part.cells or 0 for part in release.result.cleaned) == changed - less
    assert (release.k or 0) >= 3


@pytest.mark.parametrize("clean", [{"missing": ["nan"]}, {"valid": [0, 120]}])
def test_a_column_without_nan_or_of_whole_numbers_is_as_it_was(clean: dict[str, Any]) -> None:
    whole = pyarrow.table({"dose": [1, 2, 3] * 8, "at": list(range(24))})
    if "missing" in clean:
        with pytest.raises(SourceError, match="a text under missing is not a number"):
            sc.run(job(**clean), frame=whole)
    else:
        assert sc.run(job(**clean), frame=whole).result.cleaned[0].cells == 0


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("clean", "changed"), RULES)
def test_nan_of_postgresql_is_missing(postgresql: Any, work: Path, clean: dict[str, Any], changed: int) -> None:
    postgresql.execute("create table t (dose double precision, at integer)")
    cells = ["'NaN'", "null", "1", "2", "3", "'Infinity'", "'-Infinity'", "999"] * 6
    postgresql.execute("insert into t values " + ", ".join(f"({cell}, {at})" for at, cell in enumerate(cells)))
    more = {"source": {"url": postgresql.url, "table": "t"}, "output": {"path": "out.csv"}}
    release = sc.run({**job(**clean), **more})
    assert sum(part.cells or 0 for part in release.result.cleaned) == changed
