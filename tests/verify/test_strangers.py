"""Which values of a staged column the verifier takes for strangers: the statement by itself, value by value."""

from __future__ import annotations

import duckdb
import pytest

from starcloak.statements.statement import Hole, Joined, Name, Number, Statement

MEMBERS = """
create table dimension as
from (values (true, 5::decimal(38, 18), '5', '*'), (true, 7.5, '7.5', '*'), (false, 8, '8', '*'), (true, 9, '9', '*'))
    as member (present, number, level_0, level_1)
"""


def strangers(
    section: str,
    released: list[str | None],
    *,
    missing: bool = False,
    beside: float = 5,
    levels: tuple[int, ...] = (0, 1),
) -> int:
    """How many of some released values are strangers, where a missing one is or is not a leaf."""
    with duckdb.connect() as connection:
        connection.execute(MEMBERS)
        connection.execute("insert into dimension select true, ?, 'beside', '*'", [beside])
        if missing:
            connection.execute("insert into dimension values (true, null, null, '*')")
        connection.execute("create table staged (cell varchar)")
        connection.executemany("insert into staged values (?)", [[value] for value in released])
        holes: dict[str, Hole] = {"place": Number(1), "cell": Name("cell"), "table": Name("dimension")}
        if section == "strangers":
            names = tuple(Name(f"level_{level}") for level in levels)
            several = Statement("verify/strangers#of_levels", levels=Joined(names, ", "))
            holes |= {"known": several if len(names) > 1 else names[0]}
        else:
            holes |= {"ends": Statement("verify/ranges#read", text=Name("released"))}
            for end in ("low", "high"):
                ended: dict[str, Hole] = {"end": Name("present", end), "table": Name("dimension")}
                holes |= {end: Statement("verify/ranges#allowed", **ended)}
        counted = Statement(f"verify/strangers#{section}", **holes).sql()
        (row,) = connection.execute(counted).fetchall()
        return int(row[1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("section", ["strangers", "strange_ranges"])
@pytest.mark.parametrize(
    ("value", "strange"), [("5", 0), ("7.5", 0), ("*", 0), ("8", 1), ("05", 1), ("x", 1), ("", 1), (None, 1)]
)
def test_a_value_is_of_a_level_of_a_leaf_that_the_source_has(section: str, value: str | None, strange: int) -> None:
    assert strangers(section, [value, value]) == strange
    assert strangers(section, [value], missing=True) == (0 if value is None else strange)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("value", "strange"),
    [
        ("[6, 8.5)", 0),
        ("< 6", 0),
        (">= 8.5", 0),
        (">= 5.1", 0),
        ("any number", 0),
        ("[5.1, 9)", 1),  # 9 is somebody's, and 8.9 would tell nobody's
        ("< 7.5", 1),
        (">= 8", 1),
        ("[5, 8.5)", 1),  # nobody is before it
        (">= 9.1", 1),  # nor after it
        ("< 5", 1),
        ("[8.5, 6)", 1),
        ("[6, 6)", 1),
        ("[6, 8.5]", 1),
        ("[6, x)", 1),
        ("[6, 8.5", 1),
        ("[6,8.5)", 1),
        ("[6.5.5, 8.5)", 1),
        ("< 6 or missing", 1),
        (f"< {'9' * 21}", 1),  # more than a number of the verifier's can be
        (f">= -{'9' * 21}", 1),
        (f"[6, {'9' * 21})", 1),
    ],
)
def test_a_range_ends_between_numbers_and_at_none_of_them(value: str, strange: int) -> None:
    assert strangers("strange_ranges", [value, value]) == strange
    assert strangers("strange_ranges", [value], missing=True) == strange
    assert strangers("strangers", [value]) == 1


def test_each_strange_value_counts_once() -> None:
    for section in ("strangers", "strange_ranges"):
        assert strangers(section, ["x", "x", "y", "5", "*", None]) == 3


def test_of_one_level_no_other_is_known() -> None:
    released = ["5", "*", "8", None, None]
    assert strangers("strangers", released, levels=(0,)) == 3
    assert strangers("strangers", released, levels=(0,), missing=True) == 2
    assert strangers("strangers", released, levels=(1,)) == 3


def test_a_range_ends_at_a_number_where_none_lies_before_it() -> None:
    """Of numbers of one decimal: 9 stands next to 8.9."""
    assert strangers("strange_ranges", ["[6, 9)", ">= 9"], beside=8.9) == 0
    assert strangers("strange_ranges", ["[6, 8.9)", ">= 8.9"], beside=8.8) == 0
    assert strangers("strange_ranges", ["[6, 9)", ">= 9"], beside=8.85) == 2
