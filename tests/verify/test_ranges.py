"""Ranges as a recipient reads them: the expressions by themselves."""

from __future__ import annotations

import duckdb
import pytest

from starcloak.statements.statement import Name, Statement


@pytest.mark.parametrize(
    ("text", "number", "holds"),
    [
        ("[18, 25)", 18, True),
        ("[18, 25)", 24.999, True),
        ("[18, 25)", 25, False),
        ("[18, 25)", 17.999, False),
        ("[18, 25)", None, False),
        ("< 18", 17, True),
        ("< 18", 18, False),
        (">= 90", 90, True),
        (">= 90", 89, False),
        (">= 90", None, False),
        ("any number", -5, True),
        ("any number", None, False),
        ("[25, 25)", 25, False),
        ("[25, 18)", 20, False),
        ("18", 18, False),
        ("*", 18, False),
        (None, 18, False),
        ("[18, 25]", 20, False),
        ("18, 25)", 20, False),
    ],
)
def test_a_range_contains_the_numbers_from_its_low_end_to_below_its_high_end(
    text: str | None, number: float | None, holds: bool
) -> None:
    ends = Statement("verify/ranges#read", text=Name("cell")).sql()
    condition = Statement("verify/ranges#holds", number=Name("number")).sql()
    with duckdb.connect() as connection:
        connection.execute("create table staged (cell varchar, number decimal(38, 18))")
        connection.execute("insert into staged values (?, ?)", [text, number])
        found = connection.execute(f"select {condition} from (select number, {ends} from staged)").fetchall()
    assert found == [(holds,)]
