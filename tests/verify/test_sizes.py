"""The number of values of a column in a class: the expressions by themselves."""

from __future__ import annotations

import duckdb
import pytest

from starcloak.statements.statement import Name, Statement


@pytest.mark.parametrize(
    ("values", "counted"),
    [
        (["a"], 1),
        (["a", "a", "a"], 1),
        (["a", "b", "b"], 2),
        ([None], 1),
        ([None, None], 1),
        (["a", None], 2),
        (["a", "a", "b", None, None], 3),
    ],
)
def test_the_values_of_a_class_are_counted_with_the_missing_one(values: list[str | None], counted: int) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table class (cell varchar)")
        connection.executemany("insert into class values (?)", [[value] for value in values])
        expression = Statement("verify/sizes#values", column=Name("cell")).sql()
        assert connection.execute(f"select {expression} from class").fetchall() == [(counted,)]


@pytest.mark.parametrize(("values", "counted"), [(["a"], 1), (["a", "a"], 1), (["a", "b"], 2), (["b", "a", "a"], 2)])
def test_one_value_of_a_class_is_told_from_several(values: list[str], counted: int) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table class (cell varchar)")
        connection.executemany("insert into class values (?)", [[value] for value in values])
        expression = Statement("verify/sizes#one_value", column=Name("cell")).sql()
        assert connection.execute(f"select {expression} from class").fetchall() == [(counted,)]
