"""The look-alike of the Lands End orders: Figure 9's distinct values and lattice, and orders that are skewed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from benchmarks.incognito import lands_end

import starcloak
from starcloak.base import installation

SMALL = 20_000


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("orders") / "orders.parquet"
    lands_end.write(path, rows=SMALL, seed=1)
    return path


@pytest.fixture(scope="module")
def orders(file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("orders")
        yield connection


def one(orders: duckdb.DuckDBPyConnection, sql: str) -> Any:
    found = orders.execute(sql).fetchone()
    assert found is not None
    return found[0] if len(found) == 1 else found


def digest(file: Path) -> Any:
    """Of the rows in any order, by no hash that changes from release to release."""
    with duckdb.connect() as connection:
        connection.read_parquet(str(file)).create_view("orders")
        row = f"concat_ws('/', {', '.join(lands_end.ATTRIBUTES)})"
        return one(connection, f"select bit_xor(md5_number_lower({row})), count(*) from orders")


def test_orders_are_the_same_for_a_seed_and_others_for_another(file: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again.parquet", tmp_path / "other.parquet"
    lands_end.write(again, rows=SMALL, seed=1)
    lands_end.write(other, rows=SMALL, seed=2)
    assert digest(file) == digest(again) != digest(other)
    assert digest(other)[1] == SMALL


def test_orders_are_those_that_were_measured(file: Path) -> None:
    assert digest(file) == (2120626526891448932, SMALL)


def test_every_order_is_as_the_hierarchies_have_it(orders: duckdb.DuckDBPyConnection) -> None:
    assert one(
        orders,
        "select bool_and(regexp_full_match(zipcode, '[0-9]{5}')), bool_and(price between 0 and 9999), "
        "bool_and(cost between 0 and 9999) from orders",
    ) == (True, True, True)
    days = lands_end.DISTINCT["order_date"]
    assert one(orders, "select max(order_date) - min(order_date) + 1, count(distinct order_date) from orders") == (
        days,
        days,
    )


@pytest.mark.parametrize("column", ["zipcode", "style"])
def test_a_few_are_ordered_often_and_many_seldom(column: str, orders: duckdb.DuckDBPyConnection) -> None:
    often, seldom = one(
        orders,
        f"select sum(n) filter (place <= 0.1) / sum(n), avg(cast(n = 1 as integer)) from "
        f"(select n, row_number() over (order by n desc) / count(*) over () as place from "
        f"(select count(*) as n from orders group by {column}))",
    )
    assert often > 0.35
    assert seldom > (0.4 if column == "zipcode" else 0.02)


def test_what_belongs_together_goes_together(orders: duckdb.DuckDBPyConnection) -> None:
    """Each is a bound that independent columns miss by far."""
    assert one(orders, "select corr(price, cost) from orders") > 0.9
    # Within a style the price is nearly always the same, and the gender often.
    assert (
        one(
            orders,
            "select sum(most) / sum(n) from (select max(n) as most, sum(n) as n from "
            "(select style, price, count(*) as n from orders group by all) group by style having sum(n) > 50)",
        )
        > 0.7
    )
    women = "select style, avg(cast(gender = 'Female' as integer)) as women from orders group by 1 having count(*) > 50"
    assert one(orders, f"select stddev(women) from ({women})") > 0.2


def test_days_have_seasons_and_weekdays(orders: duckdb.DuckDBPyConnection) -> None:
    def mean(days: str) -> float:
        return float(one(orders, f"select count(*) / count(distinct order_date) from orders where {days}"))

    assert mean("month(order_date) = 12") > 2 * mean("month(order_date) = 2")
    assert mean("isodow(order_date) = 1") > 1.5 * mean("isodow(order_date) = 7")
    express = "select avg(cast(shipment = 'Express' as integer)) from orders where month(order_date)"
    assert one(orders, f"{express} = 12") > one(orders, f"{express} <> 12") + 0.1


def test_the_lattice_has_the_nodes_of_the_heights_of_the_paper(file: Path) -> None:
    job = lands_end.job(file, len(lands_end.ATTRIBUTES), k=2) | {"quasi_identifiers": list(lands_end.ATTRIBUTES)}
    # k is the number of rows: one node, the top, and a short search.
    report = starcloak.run(job | {"requirement": {"k": SMALL}}).result
    assert list(report.recoding.heights.values()) == [5, 3, 1, 1, 4, 1, 4, 1]
    assert report.search.lattice_nodes == 9_600


def test_no_user_is_given_it() -> None:
    assert not list(installation.schemas().glob("lands*")) and not list(installation.sql().rglob("orders.sql"))


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_distinct_values_are_those_of_the_paper(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    lands_end.write(path, rows=lands_end.ROWS, seed=seed)
    with duckdb.connect() as connection:
        connection.read_parquet(str(path)).create_view("orders")
        counts = ", ".join(f"count(distinct {name})" for name in lands_end.ATTRIBUTES)
        assert one(connection, f"select count(*), {counts} from orders") == (
            lands_end.ROWS,
            *lands_end.DISTINCT.values(),
        )
