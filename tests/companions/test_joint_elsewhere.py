"""Joint k of releases that stay in their database, held against the released rows themselves, put side by side."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import starcloak as sc
from starcloak.base.errors import RequirementError, SourceError
from starcloak.job.result import Joint
from starcloak.releases.recodings import saved_recodings
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, people
from tests.people import job as people_job

CELLS = ("age", "zip", "sex")


@pytest.fixture(autouse=True)
def filled(server: Server, work: Any) -> None:
    """Rows with a number, which is kept: by it the rows of two releases are the same."""
    table = people(160).assign(number=range(160))
    server.fill("people", table, {**TYPES, "number": "integer"})


def job(server: Server, into: str, **more: Any) -> dict[str, Any]:
    described = people_job(server, k=5, output={"table": into}, keep=["number"], insight="off", **more)
    return {**described, "objective": more.get("objective", {"minimize": "loss"})}


def shown(server: Server, table: str) -> dict[int, tuple[Any, ...]]:
    return {number: cells for number, *cells in map(tuple, server.rows(f"select number, age, zip, sex from {table}"))}


def side_by_side(one: dict[int, Any], other: dict[int, Any]) -> Counter[Any]:
    every = sorted({*one, *other})
    return Counter((str(one.get(row)), str(other.get(row))) for row in every)


def agrees(found: Joint, groups: Counter[Any], one: dict[int, Any], other: dict[int, Any]) -> None:
    assert found.k == min(groups.values())
    assert found.groups == len(groups)
    assert found.rows == sum(groups.values())
    assert found.rows_below == sum(rows for rows in groups.values() if rows < 5)
    assert (found.rows_gone, found.rows_new) == (len(one.keys() - other.keys()), len(other.keys() - one.keys()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "suppression"), some_daily(SERVERS, ["0", "0.2"], each=2), indirect=["server"])
def test_joint_k_is_that_of_the_rows_side_by_side(server: Server, suppression: str) -> None:
    requirement = {"k": 5, "suppression": suppression}
    sc.run(job(server, "one", requirement=requirement, algorithm={"name": "witness"}))
    release = sc.run(
        job(
            server,
            "other",
            algorithm={"name": "sweep"},
            against=[{"table": "one", "url": server.url}],
            accept={"joint_k": 1},
        )
    )
    one, other = shown(server, "one"), shown(server, "other")
    (found,) = release.result.joint
    assert found.exact and found.required
    agrees(found, side_by_side(one, other), one, other)


@pytest.mark.any_database
def test_what_tells_too_much_together_is_not_published(server: Server) -> None:
    sc.run(job(server, "one", algorithm={"name": "witness"}))
    with pytest.raises(RequirementError, match=r"joint k with .*one"):
        sc.run(job(server, "other", algorithm={"name": "sweep"}, against=[{"table": "one", "url": server.url}]))
    assert "other" not in server.tables()


@pytest.mark.sampled(3)
def test_a_table_that_is_not_what_was_published_is_not_taken_for_it(server: Server) -> None:
    sc.run(job(server, "one", algorithm={"name": "witness"}))
    server.execute("delete from one where number = 0")
    with pytest.raises(SourceError, match="the table was changed after its run"):
        sc.run(job(server, "other", algorithm={"name": "sweep"}, against=[{"table": "one", "url": server.url}]))
    assert "other" not in server.tables()


@pytest.mark.sampled(3)
def test_the_recoding_that_is_kept_masks_the_same_rows_again(server: Server) -> None:
    """Also cells that a collation of the database calls equal: f and F, and the missing one."""
    sc.run(job(server, "one", algorithm={"name": "sweep"}))
    (about,) = saved_recodings.every()
    recoded = saved_recodings.read(about)
    assert recoded is not None and not about.split
    tuples = {
        tuple(row[f"value_{place}"] for place in (1, 2, 3)): row
        for row in recoded.tuples.reader().read_all().to_pylist()
    }
    counted = Counter(
        (str(age), zip_, sex) for age, zip_, sex in map(tuple, server.rows("select age, zip, sex from people"))
    )
    assert {key: row["rows"] for key, row in tuples.items()} == dict(counted)
    again = sc.run(job(server, "other", algorithm={"name": "sweep"}))
    (found,) = again.result.joint
    assert found.exact and found.k == again.k and not found.rows_below


@pytest.mark.any_database
def test_a_source_that_changed_is_an_estimate(server: Server) -> None:
    sc.run(job(server, "one", algorithm={"name": "witness"}))
    server.execute("delete from people where number < 7")
    (found,) = sc.run(job(server, "other", algorithm={"name": "witness"})).result.joint
    assert not found.exact and found.rows_gone is not None and found.rows_gone >= 7
