"""The number of suppressed cells of a column: the statements by themselves."""

from __future__ import annotations

import duckdb
import pytest

from starcloak.statements.statement import Name, Statement

#: Suppressed, level, frequency.
ROWS = [(False, 0, 1), (False, 1, 2), (False, 2, 4), (False, 2, 8), (True, 2, 16), (True, 0, 32)]


@pytest.mark.parametrize(
    ("top", "rows", "suppressed"),
    [(2, ROWS, 12), (1, ROWS, 2), (0, ROWS, 0), (3, ROWS, 0), (2, [], 0), (2, ROWS[4:], 0), (0, ROWS[:1], 0)],
)
def test_released_cells_at_the_top_are_suppressed_unless_they_are_leaves(
    top: int, rows: list[tuple[bool, int, int]], suppressed: int
) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table recoding (suppressed boolean, level_1 integer, frequency bigint)")
        for row in rows:
            connection.execute("insert into recoding values (?, ?, ?)", row)
        counted = Statement("verify/suppressed#missing", recoding=Name("recoding"), level=Name("level_1")).sql()
        assert connection.execute(counted, {"top": top}).fetchall() == [(suppressed,)]


@pytest.mark.parametrize(("classes", "suppressed"), [([("*", 3), ("1*", 4), (None, 5), ("*", 6)], 9), ([], 0)])
def test_cells_with_the_text_of_the_top_are_suppressed(classes: list[tuple[str | None, int]], suppressed: int) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "create table dimension as from (values ('10', '1*', '*')) as levels(level_0, level_1, level_2)"
        )
        connection.execute("create table staged (value_1 varchar, size bigint)")
        for row in classes:
            connection.execute("insert into staged values (?, ?)", row)
        holes = {"cell": Name("value_1"), "classes": Name("staged"), "top": Name("level_2"), "table": Name("dimension")}
        assert connection.execute(Statement("verify/suppressed", **holes).sql()).fetchall() == [(suppressed,)]
