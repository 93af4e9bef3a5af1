"""Dimension tables beside a release: its cells and what is above them, and nothing of rows that it leaves out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

import starcloak as sc
from tests.people import TYPES, Server

LEFT_OUT = ("LEFTOUTx7", "96712345")  # a town and a zip code of nobody else


def persons() -> pandas.DataFrame:
    chance = random.Random(7)
    rows = [
        {
            "name": f"SECRETx7 {number}",
            "age": chance.randrange(20, 60),
            "zip": f"5370{chance.randrange(4):04}",
            "sex": chance.choice(["woman", "man", None]),
            "illness": chance.choice(["flu", "cold"]),
        }
        for number in range(120)
    ]
    rows[0] |= {"sex": LEFT_OUT[0], "zip": LEFT_OUT[1], "age": 97}
    return pandas.DataFrame(rows)


RECODINGS: dict[str, dict[str, Any]] = {
    "full-domain": {},
    "local": {"algorithm": {"name": "sweep"}},
    "ranges": {"algorithm": {"name": "mondrian"}},
    "one person's": {"person": "name", "identifiers": []},
}


def job(source: dict[str, Any], output: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbers = "numeric" if more.get("algorithm") == {"name": "mondrian"} else {"intervals": [10, 20]}
    return {
        "source": source,
        "identifiers": ["name"],
        "quasi_identifiers": {"age": numbers, "zip": {"digits": 8}, "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 3, "suppression": 0.05},
        "keep_dimensions": True,
        "output": output,
        **more,
    }


def hierarchies_beside(rows: Any, cells: dict[str, set[Any]]) -> None:
    """Hold that each table has the cells of a release as its leaves, each once, and is a hierarchy."""
    for name, released in cells.items():
        paths = rows(f"select * from cohort_dim_{name}")
        assert {path[0] for path in paths} == released
        assert len(paths) == len(released)
        for level in range(len(paths[0]) - 1):
            assert len({path[level : level + 2] for path in paths}) == len({path[level] for path in paths})
        assert {path[-1] for path in paths} == {"*"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("recoding", RECODINGS)
@pytest.mark.parametrize("there", [False, True], ids=["a fresh file", "a file that is there"])
def test_no_byte_of_a_file_is_of_rows_that_a_release_left_out(recoding: str, there: bool, tmp_path: Path) -> None:
    persons().to_csv(tmp_path / "people.csv", index=False)
    file = tmp_path / "given.duckdb"
    if there:
        duckdb.connect(str(file)).close()
    output = {"url": f"duckdb:///{file}", "table": "cohort"}
    result = sc.run(job({"path": str(tmp_path / "people.csv")}, output, **RECODINGS[recoding])).result
    assert result.suppressed_rows or recoding == "ranges"  # whose algorithm leaves no row out
    content = file.read_bytes()
    assert b"woman" in content or b"[20, 40)" in content or b">= " in content  # texts can be seen in it
    for value in LEFT_OUT:
        assert value.encode() not in content
    with duckdb.connect(str(file)) as opened:
        cells = {
            name: {row[0] for row in opened.execute(f"select {name} from cohort").fetchall()}
            for name in ("age", "zip", "sex")
        }
        hierarchies_beside(lambda statement: opened.execute(statement).fetchall(), cells)


@pytest.mark.sampled(3)
def test_tables_of_a_database_hold_what_is_released_and_above(server: Server) -> None:
    server.fill("people", persons(), TYPES)
    result = sc.run(job({"url": server.url, "table": "people"}, {"table": "cohort"})).result
    assert result.suppressed_rows
    cells = {name: {row[0] for row in server.rows(f"select {name} from cohort")} for name in ("age", "zip", "sex")}
    hierarchies_beside(server.rows, cells)
    assert not {value for row in server.rows("select * from cohort_dim_zip") for value in row} & set(LEFT_OUT)


def test_they_generalize_the_release_further(tmp_path: Path) -> None:
    persons().to_csv(tmp_path / "people.csv", index=False)
    url = f"duckdb:///{tmp_path / 'given.duckdb'}"
    sc.run(job({"path": str(tmp_path / "people.csv")}, {"url": url, "table": "cohort"}))
    kinds = {name: {"table": f"cohort_dim_{name}"} for name in ("age", "zip", "sex")}
    again = job({"url": url, "table": "cohort"}, {"path": str(tmp_path / "coarse.csv")}, quasi_identifiers=kinds)
    del again["identifiers"], again["keep_dimensions"]
    coarse = sc.run({**again, "requirement": {"k": 45}})
    assert coarse.k is not None and coarse.k >= 45
    assert set(coarse.to_pandas()["age"]) <= {"[20, 40)", "[40, 60)", "*"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("limit", [{"from": 1}, {"to": 2}], ids=["from", "to"])
def test_they_go_with_levels_that_the_job_bounds(limit: dict[str, int], tmp_path: Path) -> None:
    persons().to_csv(tmp_path / "people.csv", index=False)
    url = f"duckdb:///{tmp_path / 'g.duckdb'}"
    described = job({"path": str(tmp_path / "people.csv")}, {"url": url, "table": "cohort"})
    described["quasi_identifiers"]["zip"] |= limit
    sc.run(described)
    with duckdb.connect(str(tmp_path / "g.duckdb")) as opened:
        leaves = {row[0] for row in opened.execute("select level_0 from cohort_dim_zip").fetchall()}
        assert leaves == {row[0] for row in opened.execute("select zip from cohort").fetchall()}
    assert LEFT_OUT[1].encode() not in (tmp_path / "g.duckdb").read_bytes()
