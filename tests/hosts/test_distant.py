"""Tables whose base frequency set stays where it is: nodes are counted there, and few of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pandas
import pytest

from starcloak import distant
from starcloak.search.witness import samples, search
from tests.hosts.test_databases import RANDOM, random_job
from tests.people import TYPES, Server, job, people, run


@pytest.fixture
def nothing_comes_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if some rows were many."""
    monkeypatch.setattr(distant, "AT_HOME", 0)
    monkeypatch.setattr(search, "_DISTANT", 60)
    monkeypatch.setattr(samples, "_SAMPLED", 800)


def told(result: Any) -> dict[str, Any]:
    """What both ways must tell alike."""
    search, measures = result.search, result.measures
    return {
        "minimal": search.minimal, "anonymous": search.anonymous_nodes, "levels": result.recoding.levels,
        "suppressed": result.suppressed_rows, "measures": measures, "k": result.k, "sizes": result.class_sizes,
    }  # fmt: skip


def as_if_at_home(
    server: Server, described: dict[str, Any], monkeypatch: pytest.MonkeyPatch, then: Callable[[], None] = lambda: None
) -> list[str]:
    """The statements of a run whose base frequency set stays; it ends as one that has that at home.

    ``then`` something is done, before that one.
    """
    traced: list[str] = []
    first = run(described, traced.append)
    then()
    apart, script, rows = first.result, first.sql(), Counter(server.rows("select * from cohort"))
    assert sum("grouping sets" in each for each in traced) == 1
    with monkeypatch.context() as patched:
        patched.setattr(distant, "AT_HOME", 10_000)
        home = run(described)
    assert (
        told(apart) == told(home.result)
        and script == home.sql()
        and rows == Counter(server.rows("select * from cohort"))
    )
    return traced


@pytest.mark.parametrize("suppression", ["0", "0.05"])
@pytest.mark.parametrize("k", [2, 5, 40])
def test_a_run_ends_as_if_all_were_at_home(
    postgresql: Server, nothing_comes_home: None, k: int, suppression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql.fill("people", people(400), TYPES)
    described = job(postgresql, requirement={"k": k, "suppression": suppression})
    as_if_at_home(postgresql, described, monkeypatch)


OBJECTIVES = ["height", "loss", "precision", "discernibility", "average_class_size"]


def compare(server: Server, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job on odd values, of which some read like their own generalization."""
    described, frame = random_job(server, seed)
    chance = random.Random(seed)
    frame = pandas.concat(
        [frame.sample(frac=1, replace=True, random_state=turn) for turn in range(chance.randrange(1, 9))]
    )
    monkeypatch.setattr(search, "_DISTANT", chance.choice([3, 10, 1000]))
    monkeypatch.setattr(samples, "_SAMPLED", chance.choice([1, len(frame), 10 * len(frame)]))
    server.fill("people", frame, RANDOM)
    suppression = chance.choice(["0", "0.02", "0.1"])
    described |= {
        "algorithm": {"name": "witness"},
        "objective": {"minimize": chance.choice(OBJECTIVES)},
        "requirement": {"k": chance.randrange(2, 8), "suppression": suppression},
    }
    as_if_at_home(server, described, monkeypatch)


@pytest.mark.parametrize(("first", "jobs"), [(0, 4), pytest.param(100, 300, marks=pytest.mark.long)], ids=["4", "300"])
def test_random_jobs_end_as_if_all_were_at_home(
    postgresql: Server, nothing_comes_home: None, first: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(first, first + jobs):
        compare(postgresql, seed, monkeypatch)
