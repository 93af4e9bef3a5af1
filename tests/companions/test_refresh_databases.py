"""A changed table of a database released again: its rows are known again in the working store, wherever they lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, OutputError
from tests.companions.test_refresh import QUASI, Table, groups, job, told
from tests.daily import some_daily
from tests.people import Server

pytestmark = pytest.mark.usefixtures("work")

TYPES = {"age": "integer", "zip": "varchar(10)", "sex": "varchar(1)", "id": "varchar(10)", "paid": "decimal(9, 2)"}


def write(server: Server, table: Table) -> None:
    table.random.shuffle(table.rows)
    frame = pandas.DataFrame(table.rows)
    server.fill("people", frame.assign(age=frame["age"].astype(int), paid=frame["id"].astype(float) / 4 + 0.1), TYPES)


def released(server: Server, output: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """What each person's row reads in the release that is there."""
    if "path" in output:
        frame = pandas.read_csv(output["path"], dtype=str)
    else:
        named = [*QUASI, "id", "paid"]
        frame = pandas.DataFrame(server.rows(f"select {', '.join(named)} from people_k3"), columns=named).astype(str)
    assert all(abs(float(row["paid"]) - int(row["id"]) / 4 - 0.1) < 1e-9 for row in frame.to_dict("records"))
    return {row["id"]: tuple(row[name] for name in QUASI) for row in frame.to_dict("records")}


def of(server: Server, output: dict[str, str], **more: Any) -> dict[str, Any]:
    place = {"url": server.url, "table": "people"}
    return job(source=place, output=output, keep=["id", "paid"], **more)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("kind", "output"),
    some_daily(("postgresql", "mariadb", "sqlite"), ({"table": "people_k3"}, {"path": "a.csv"}), each=2),
)
def test_whoever_has_all_releases_of_a_table_finds_groups_of_k_or_more(
    kind: str, output: dict[str, str], request: pytest.FixtureRequest
) -> None:
    server, table = request.getfixturevalue(kind), Table(2)
    table.come(60)
    nights: list[dict[str, tuple[str, ...]]] = []
    for night in range(4):
        write(server, table)
        release = sc.run(of(server, output))
        nights.append(released(server, output))
        assert release.k is not None and release.k >= 3
        assert (told(release).gone, told(release).waiting) == (0, len(table.rows) - len(nights[-1]))
        assert sc.run(of(server, output)).result.unchanged
        for earlier in nights[:-1]:
            assert min(groups(earlier, nights[-1]).values()) >= 3
            assert all(nights[-1][person] == cells for person, cells in earlier.items())
        if night:
            assert told(release).stayed == len(nights[-2]) and release.result.joint_together[0].k >= 3
        table.come(15)
    assert len(nights[-1]) > len(nights[0])
    with pytest.raises((OutputError, JobError), match="a script runs in one database"):
        release.sql()


@pytest.mark.sampled(3)
def test_rows_of_a_table_are_held(server: Server) -> None:
    table = Table(3)
    table.rows = [{"age": "20", "zip": "10", "sex": "f", "id": str(number)} for number in range(7)]
    output = {"table": "people_k3"}
    held = of(server, output, departures="hold")
    write(server, table)
    sc.run(held)
    table.rows = [row for row in table.rows if row["id"] != "3"]
    write(server, table)
    release = sc.run(held)
    assert (told(release).held, told(release).gone) == (1, 0)
    assert set(released(server, output)) == {str(number) for number in range(7)}


def test_a_hierarchy_that_is_a_table_of_the_database_is_refused(sqlite: Server) -> None:
    table = Table(1)
    table.come(20)
    write(sqlite, table)
    asked = of(sqlite, {"path": "a.csv"})
    asked["quasi_identifiers"] = {**asked["quasi_identifiers"], "sex": {"table": "sexes"}}
    with pytest.raises(
        JobError, match=r"the hierarchy of 'sex', which is a table of the database.*give this file as csv"
    ):
        sc.run(asked)
    assert not Path("a.csv").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("output", [{"table": "people_k3"}, {"path": "a.csv"}], ids=["table", "file"])
def test_persons_of_a_table_are_known_again(server: Server, output: dict[str, str]) -> None:
    if "path" in output and server.name == "mariadb":
        pytest.skip("as PostgreSQL")
    table = Table(2)
    table.rows = [
        {"age": age, "zip": "10", "sex": "f", "id": str(number), "whose": str(number % 10)}
        for number, age in enumerate(["20"] * 5 + ["50"] * 5 + ["21"] * 5)
    ]
    asked = of(server, output, person={"column": "whose", "as": "set"})

    def night() -> dict[str, tuple[str, ...]]:
        rows = pandas.DataFrame(table.rows)
        rows = rows.assign(age=rows["age"].astype(int), whose=rows["whose"].astype(int))
        server.fill("people", rows.assign(paid=rows["id"].astype(float) / 4 + 0.1), {**TYPES, "whose": "integer"})
        sc.run(asked)
        return released(server, output)

    assert len(night()) == 15
    table.rows = [row for row in table.rows if row["id"] != "7"]
    table.rows += [{"age": "30", "zip": "11", "sex": "m", "id": str(n), "whose": str(n % 10)} for n in range(20, 25)]
    second = night()
    # Of five with one visit one went, and no two of the others could stay: all leave. The five with two gain one.
    assert set(second) == {str(n) for n in (*range(5), *range(10, 15), *range(20, 25))}
    assert sc.run(asked).result.unchanged


@pytest.mark.sampled(3)
def test_persons_of_a_table_are_held(server: Server) -> None:
    output = {"table": "people_k3"}
    asked = of(server, output, person={"column": "whose", "as": "set"}, departures="hold")
    for gone in (set(), {2}, {2, 9}):
        rows = pandas.DataFrame({"age": 20, "zip": "10", "sex": "f", "id": str(n), "whose": n % 5} for n in range(10))
        rows = rows.assign(paid=rows["id"].astype(float) / 4 + 0.1).drop(list(gone))
        server.fill("people", rows, {**TYPES, "whose": "integer"})
        release = sc.run(asked)
        assert (told(release).held, told(release).left, len(released(server, output))) == (len(gone), 0, 10)
