"""Which values of a staged column the verifier takes for strangers: the statement by itself, value by value."""

from __future__ import annotations

import duckdb
import pytest

from starcloak.statement import Joined, Name, Statement

MEMBERS = """
create table dimension as
from (values (true, 5, '5', '*'), (true, 7.5, '7.5', '*'), (false, 8, '8', '*'), (true, 9, '9', '*'))
    as member (present, number, level_0, level_1)
"""


def strangers(section: str, released: list[str | None], *, missing: bool = False) -> int:
    """How many of some released values are strangers, where a missing one is or is not a leaf."""
    with duckdb.connect() as connection:
        connection.execute(MEMBERS)
        if missing:
            connection.execute("insert into dimension values (true, null, null, '*')")
        connection.execute("create table staged (cell varchar)")
        connection.executemany("insert into staged values (?)", [[value] for value in released])
        holes = {"cell": Name("cell"), "table": Name("dimension")}
        if section == "strangers":
            holes |= {"levels": Joined((Name("level_0"), Name("level_1")), ", ")}  # type: ignore[dict-item]
        counted = Statement(f"verify/classes#{section}", holes).sql()
        (row,) = connection.execute(f"select {counted}").fetchall()
        return int(row[0])


@pytest.mark.parametrize("section", ["strangers", "strange_ranges"])
@pytest.mark.parametrize(
    ("value", "strange"), [("5", 0), ("7.5", 0), ("*", 0), ("8", 1), ("05", 1), ("x", 1), ("", 1), (None, 1)]
)
def test_a_value_is_of_a_level_of_a_leaf_that_the_source_has(section: str, value: str | None, strange: int) -> None:
    assert strangers(section, [value, value]) == strange
    assert strangers(section, [value], missing=True) == (0 if value is None else strange)


@pytest.mark.parametrize(
    ("value", "strange"),
    [
        ("[5, 9]", 0),
        ("[5, 7.5]", 0),
        ("[5, 5]", 0),
        ("[9, 5]", 1),
        ("[5, 6]", 1),
        ("[6, 9]", 1),
        ("[5, x]", 1),
        ("[5, 9", 1),
        ("[5,9]", 1),
    ],
)
def test_a_range_is_from_a_leaf_to_one_that_is_no_smaller(value: str, strange: int) -> None:
    assert strangers("strange_ranges", [value, value]) == strange
    assert strangers("strangers", [value]) == 1


def test_each_strange_value_counts_once() -> None:
    for section in ("strangers", "strange_ranges"):
        assert strangers(section, ["x", "x", "y", "5", "*", None]) == 3
