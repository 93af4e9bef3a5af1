"""Rows of a tuple that go to several classes: each row goes to one of them, whatever the tuple is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import starcloak as sc
from tests.people import Server

#: From these levels on, all values of ``day`` are equal, and those of ``place`` but v0.
JOB: dict[str, Any] = {
    "quasi_identifiers": {
        "place": {
            "levels": {"v0": ["g1_1", "g2_0", "all"], **{f"v{n}": ["g1_2", "g2_1", "all"] for n in (1, 2, 3)}},
            "from": 2,
        },
        "work": {"levels": {**{f"v{n}": ["g1_2", "g2_0"] for n in (0, 1, 2, 4)}, "v3": ["g1_0", "g2_0"]}},
        "day": {
            "levels": {**{f"v{n}": ["g1_1", "g2_1", "g3_0"] for n in range(4)}, "v4": ["g1_2", "g2_1", "g3_0"]},
            "from": 3,
        },
    },
    "keep": ["id"],
    "requirement": {"k": 3, "suppression": 0.3},
    "algorithm": {"name": "kaca"},
    "seed": 5,
}
ROWS = pandas.DataFrame(
    [
        ("v1", "v0", "v0", 0), ("v3", "v0", "v2", 1), ("v0", "v0", "v4", 2), ("v1", "v1", "v1", 3),
        ("v1", "v0", "v0", 4), ("v3", "v0", "v3", 5), ("v1", "v4", "v3", 6), ("v2", "v0", "v0", 7),
    ],
    columns=["place", "work", "day", "id"],
)  # fmt: skip


@pytest.mark.parametrize("execution", ["joins", "neighbours"])
def test_a_row_of_a_tuple_with_several_combinations_goes_to_one_class(execution: str) -> None:
    job = {**JOB, "algorithm": {"name": "kaca", "execution": execution}}
    for seed in (1, 5):
        release = sc.run({**job, "seed": seed}, frame=ROWS).to_pandas()
        assert sorted(release["id"]) == [*range(8)], seed


def test_every_host_takes_each_row_to_one_class(work: Path, server: Server) -> None:
    server.fill("visits", ROWS, {name: "integer" if name == "id" else "varchar(20)" for name in ROWS})
    for seed in (1, 5):
        job = {**JOB, "seed": seed, "source": {"url": server.url, "table": "visits"}, "output": {"path": "o.csv"}}
        sc.run(job)
        assert sorted(pandas.read_csv("o.csv")["id"]) == [*range(8)], seed
